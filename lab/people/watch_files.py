"""FIT files as a watch writes them, made with Garmin's encoder. ``python -m lab.people.watch_files`` writes them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

import lab
from connectors.garmin.fit import FIT_EPOCH

SERIAL = 3_999_000_111
INFO, MONITORING, RESTING, STRESS, FILE, STAGE, SCORES, HRV = 103, 55, 211, 227, 0, 275, 346, 370
MONITORING_FILE, SLEEP_FILE, HRV_FILE = 32, 49, 68
OFFSET = timedelta(hours=1)

Message = tuple[int, dict[str, Any]]


def encoded(messages: Iterator[Message], kind: int, created: datetime) -> bytes:
    """Return the messages as a FIT file of type ``kind``."""
    from garmin_fit_sdk import Encoder

    encoder = Encoder()
    head = {"type": kind, "serial_number": SERIAL, "time_created": created, "manufacturer": "garmin", "number": 1}
    encoder.on_mesg(FILE, head)
    for number, fields in messages:
        encoder.on_mesg(number, fields)
    closed: bytes = encoder.close()
    return closed


def watch_day(day: date, *, first: int = 0, last: int = 1440, step: int = 1, steps: int = 8000) -> bytes:
    """Return a FIT file of a local day at UTC+1, with heart rate and stress every ``step`` minutes.

    ``first`` and ``last`` are minutes after midnight. Steps grow from 0 at midnight to ``steps``. As on real watches,
    most instants are shortened to 16 bits.
    """
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC) - OFFSET
    begin = midnight + timedelta(minutes=first)
    return encoded(_monitored(midnight, first, last, step, steps), MONITORING_FILE, begin)


def _monitored(midnight: datetime, first: int, last: int, step: int, steps: int) -> Iterator[Message]:
    begin = midnight + timedelta(minutes=first)
    local = int(begin.timestamp()) - FIT_EPOCH + int(OFFSET.total_seconds())
    yield (
        INFO,
        {"timestamp": begin, "local_timestamp": local, "activity_type": ["walking"], "cycles_to_distance": [1.5]},
    )
    yield MONITORING, {"timestamp": begin, "heart_rate": 60}
    for minute in range(first + step, last + 1, step):
        at = midnight + timedelta(minutes=minute)
        short = (
            {"timestamp_16": (int(at.timestamp()) - FIT_EPOCH) & 0xFFFF} if minute % (30 * step) else {"timestamp": at}
        )
        yield MONITORING, {**short, "heart_rate": round(62 + 12 * math.sin(minute / 90))}
        yield STRESS, {"stress_level_time": at, "stress_level_value": -2 if minute % 7 == 0 else minute % 80}
        if minute % (15 * step) == 0:
            walked = {
                "activity_type": "walking",
                "cycles": steps * minute / 1440 / 2,
                "distance": steps * minute / 2000.0,
            }
            yield MONITORING, {**short, **walked, "active_calories": minute // 4}
    yield RESTING, {"timestamp": midnight + timedelta(minutes=last), "current_day_resting_heart_rate": 54}


def staged_night(end: datetime) -> bytes:
    """Return a FIT file of a night of seven hours until ``end``, with stages as the watch made them."""
    start = end - timedelta(hours=7)
    stages = (("light", 0), ("deep", 40), ("rem", 130), ("light", 200), ("awake", 300), ("light", 312), ("awake", 420))

    def messages() -> Iterator[Message]:
        for stage, minutes in stages:
            yield STAGE, {"timestamp": start + timedelta(minutes=minutes), "sleep_level": stage}
        yield SCORES, {"overall_sleep_score": 81}

    return encoded(messages(), SLEEP_FILE, start)


def overnight_hrv(end: datetime, average: float = 48.5) -> bytes:
    return encoded(iter([(HRV, {"timestamp": end, "last_night_average": average})]), HRV_FILE, end)


def write() -> None:
    """Write the fixtures, which are a day in two files that overlap, its night and its HRV."""
    folder = lab.fixtures("garmin") / "watch"
    folder.mkdir(exist_ok=True)
    day, woke = date(2026, 11, 18), datetime(2026, 11, 18, 5, 50, tzinfo=UTC)
    files = {
        "1_WELLNESS.fit": watch_day(day, last=600, step=10),
        "2_WELLNESS.fit": watch_day(day, first=540, step=10),
        "3_SLEEP_DATA.fit": staged_night(woke),
        "4_HRV_STATUS.fit": overnight_hrv(woke),
    }
    for name, content in files.items():
        (folder / name).write_bytes(content)


if __name__ == "__main__":
    write()
