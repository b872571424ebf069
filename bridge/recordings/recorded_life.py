"""Move the demo's recorded data of a made-up person's sources to the current week, and sync it.

``python -m lab.people.record_life`` wrote the records, with marks such as ``«-12 07:31:05 utc %H:%M»`` as times.
"""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from bridge import registry
from bridge.domain.records import IMPORT_CONNECTION, User
from bridge.domain.types import Outcome, Page, RawRecord
from bridge.ingest.sync import Source, sync
from bridge.installation import Bridge, normaliser

DEMO_USER, DEMO_ZONE = "demo", "Europe/Berlin"
HOMES = (  # one for each hour of UTC, from west to east
    *("Pacific/Pago_Pago", "Pacific/Honolulu", "America/Anchorage", "America/Los_Angeles", "America/Denver"),
    *("America/Chicago", "America/New_York", "America/Halifax", "America/Sao_Paulo", "America/Noronha"),
    *("Atlantic/Azores", "Europe/London", DEMO_ZONE, "Europe/Helsinki", "Europe/Istanbul", "Asia/Dubai"),
    *("Asia/Karachi", "Asia/Dhaka", "Asia/Bangkok", "Asia/Manila", "Asia/Tokyo", "Australia/Brisbane"),
    *("Pacific/Noumea", "Pacific/Auckland"),
)
DEMO_TIME = time(10, 5)  # by then the night's data have arrived
LIFE_FOLDER = Path(__file__).with_name("life")
NUMBER_PREFIX = "#"  # of a text that stands for a whole number
PAGE_RECORDS = 100
LOST_HOUR = {  # lengths of a sleep -> what they lose where the clock goes forward; it is taken from light sleep
    **dict.fromkeys(("lightSleepSeconds", "sleepTimeSeconds"), 3600),
    **dict.fromkeys(("total_light_sleep_time_milli", "total_in_bed_time_milli"), 3_600_000),
}
TIME_MARK = re.compile(r"«(-?\d+) (\d\d:\d\d:\d\d) (\w+) ?([^»]*)»")


def sources() -> list[str]:
    """Return the names of the sources in the demo's recording, in alphabetical order."""
    return sorted(path.name.removesuffix(".json.gz") for path in LIFE_FOLDER.glob("*.json.gz"))


def size(source: str) -> int:
    """Return the size of a source's recording in bytes."""
    return (LIFE_FOLDER / f"{source}.json.gz").stat().st_size


def this_morning(now: datetime) -> datetime:
    """Return 10:05 of the current day in Europe/Berlin, which may lie in the future."""
    return datetime.combine(now.astimezone(ZoneInfo(DEMO_ZONE)).date(), DEMO_TIME, ZoneInfo(DEMO_ZONE))


def last_morning(now: datetime, zone: str = DEMO_ZONE) -> datetime:
    """Return the last instant up to ``now`` at which clocks in ``zone`` showed 10:05."""
    today = datetime.combine(now.astimezone(ZoneInfo(zone)).date(), DEMO_TIME, ZoneInfo(zone))
    return today if today <= now else today - timedelta(days=1)


def homes(now: datetime, first: str) -> list[str]:
    """Return the zones that the demo may use, ``first``, then the others by how far their clocks are ahead of it."""
    here = now.astimezone(ZoneInfo(first)).utcoffset() or timedelta(0)

    def ahead(zone: str) -> timedelta:
        return ((now.astimezone(ZoneInfo(zone)).utcoffset() or timedelta(0)) - here) % timedelta(days=1)

    return [first, *sorted((zone for zone in HOMES if ahead(zone)), key=ahead)]


@contextmanager
def environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables during a ``with`` block, and restore their former values afterwards."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def land(bridge: Bridge, user: User, source: str, *, at: datetime) -> Outcome:
    """Store a source's recorded data up to ``at`` for a user, by a sync with the source's normaliser.

    Returns the outcome. The connection has no consent and is never synced again, so the vendor is never asked.
    """
    spec = registry.spec(source)
    name = IMPORT_CONNECTION if spec.opens is None else "account"
    connection = bridge.store.connections.connect(user.id, source, name, now=at)
    recorded = Source(
        connection=connection,
        spec=spec,
        open=lambda: RecordedSource(LIFE_FOLDER / f"{source}.json.gz", user.zones[-1].zone),
        normalise=normaliser(spec),
        recurring=False,
    )
    return sync(recorded, bridge.store, holder=bridge.holder, now=at)


@dataclass(frozen=True, slots=True)
class RecordedSource:
    """A connector that delivers the recorded data in the file ``path``, with times of ``zone``.

    Its cursor is the last day delivered, an ISO date.
    """

    path: Path
    zone: str = DEMO_ZONE

    def pull(self, stream: str, cursor: str | None, *, now: datetime) -> Iterator[Page]:
        """Yield pages of a stream's records that arrived after the day ``cursor`` and up to the day of ``now``.

        Without a cursor they begin with the arrivals of this week's Monday, which hold all earlier data.
        """
        zone = ZoneInfo(self.zone)
        today = now.astimezone(zone).date()
        monday = today - timedelta(days=today.weekday())
        first = 0 if cursor is None else (date.fromisoformat(cursor) - monday).days + 1
        newest = {
            row["key"]: RawRecord(**_moved_record(row, monday, zone))
            for row in _deliveries(self.path, self.zone)
            if row["stream"] == stream and first <= row["morning"] <= today.weekday()
        }
        records = tuple(newest.values())
        for start in range(0, len(records), PAGE_RECORDS):
            is_last = start + PAGE_RECORDS >= len(records)
            page = records[start : start + PAGE_RECORDS]
            yield Page(stream=stream, records=page, cursor=today.isoformat() if is_last else None)

    def close(self) -> None:
        """Do nothing, because the file is closed after reading."""


@lru_cache(maxsize=1)  # one source is pulled at a time, stream by stream
def _deliveries(path: Path, zone: str) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line.replace(DEMO_ZONE, zone)) for line in lines]


def moved(value: Any, monday: date, zone: tzinfo = ZoneInfo(DEMO_ZONE)) -> Any:  # noqa: B008 - it never changes
    """Return a JSON value in which every mark such as ``«-12 07:31:05 utc %H:%M»`` is replaced by a time of ``zone``.

    The mark's first number counts days from ``monday``. A text that then begins with ``#`` becomes a whole number.
    """
    if isinstance(value, dict):
        return {moved(name, monday, zone): moved(inner, monday, zone) for name, inner in value.items()}
    if isinstance(value, list):
        return [moved(inner, monday, zone) for inner in value]
    if not isinstance(value, str) or "«" not in value:
        return value
    text = TIME_MARK.sub(lambda mark: _written(mark, monday, zone), value)
    return int(text.removeprefix(NUMBER_PREFIX)) if text.startswith(NUMBER_PREFIX) else text


def _moved_record(row: Mapping[str, Any], monday: date, zone: tzinfo) -> dict[str, Any]:
    """Return a record with its times moved. A night in which clocks go forward becomes an hour shorter."""
    record: dict[str, Any] = moved({name: row[name] for name in ("stream", "key", "parent", "payload")}, monday, zone)
    sleep = record["payload"].get("dailySleepDTO", record["payload"]) if row["stream"] == "sleep" else {}
    if sleep.get("sleepStartTimestampGMT"):
        ends = [datetime.fromtimestamp(sleep[f"sleep{which}TimestampGMT"] / 1000, UTC) for which in ("Start", "End")]
    elif "stage_summary" in (sleep.get("score") or {}):
        ends = [datetime.fromisoformat(sleep[which]) for which in ("start", "end")]
        sleep = sleep["score"]["stage_summary"]
    else:
        return record
    before, after = (at.astimezone(zone).utcoffset() or timedelta(0) for at in ends)
    if after > before:
        for name in sleep.keys() & LOST_HOUR.keys():
            sleep[name] -= LOST_HOUR[name]
    return record


def _written(mark: re.Match[str], monday: date, zone: tzinfo) -> str:
    day, clock, form, pattern = mark.groups()
    at = datetime.combine(monday + timedelta(days=int(day)), time.fromisoformat(clock), zone)
    return TIME_FORMS[form](at, pattern)


def _offset(at: datetime, _: str) -> str:
    return at.isoformat()[-6:]


TIME_FORMS: dict[str, Callable[[datetime, str], str]] = {  # form -> the text of a time on the person's clock
    "wall": lambda at, pattern: at.strftime(pattern),
    "utc": lambda at, pattern: at.astimezone(UTC).strftime(pattern),
    "epoch": lambda at, _: f"{at.timestamp():.0f}",
    "wall_epoch": lambda at, _: f"{at.replace(tzinfo=UTC).timestamp():.0f}",  # the wall clock read as if in UTC
    "offset": _offset,  # +01:00
    "offset_minutes": lambda at, _: f"{(at.utcoffset() or timedelta(0)) / timedelta(minutes=1):.0f}",
}
