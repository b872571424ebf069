"""Units as they stand in an export, and times whose printed offset is the one of the day of exporting."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

METRES = {"m": 1.0, "km": 1000.0, "mi": 1609.344, "ft": 0.3048, "yd": 0.9144, "cm": 0.01}
KILOCALORIES = {"kcal": 1.0, "Cal": 1.0, "cal": 0.001, "kJ": 1 / 4.184, "J": 1 / 4184}
MINUTES = {"min": 1.0, "s": 1 / 60, "hr": 60.0, "ms": 1 / 60_000}
BEAT = re.compile(r"(\d{1,2}):(\d\d):(\d\d)(?:[.,]\d+)?\s*([AaPp]\.?[Mm])?")


def instant(text: str | None) -> float | None:
    """Unix seconds of ``2024-01-01 01:01:36 +0200``: the instant is right, whatever the offset was then."""
    if text is None or len(text) < 24:
        return None
    try:
        return datetime.fromisoformat(text[:19] + text[20:]).timestamp()
    except (ValueError, OverflowError):
        return None


def number(text: str | None) -> float | None:
    """Values have a dot in every language."""
    try:
        value = float(text) if text else None
    except ValueError:
        return None
    return value if value is not None and abs(value) < 1e12 else None


@lru_cache(maxsize=100_000)
def _offset(quarter: int, zone: str) -> int:
    moved = datetime.fromtimestamp(quarter * 900, ZoneInfo(zone)).utcoffset() or timedelta(0)
    return int(moved / timedelta(minutes=1))


def offset_at(at: float, zone: str) -> int:
    """Minutes east of UTC in a zone."""
    return _offset(int(at // 900), zone)


def day_at(at: float, offset: int) -> str:
    """The local date."""
    return f"{datetime.fromtimestamp(at + offset * 60, UTC):%Y-%m-%d}"


def midnight_after(at: float, zone: str) -> float:
    """The next local midnight, in Unix seconds."""
    local = datetime.fromtimestamp(at, ZoneInfo(zone))
    following = (local + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    return following.timestamp()


def offset_of_beats(first_beat: str | None, start: float) -> int | None:
    """The true offset of a heart-rate-variability record, in minutes.

    Beats carry a wall clock without a date in the offset of the moment of recording, while every other time in the
    file is printed in the offset of the moment of exporting.
    """
    found = BEAT.match(first_beat.replace("\u202f", " ").strip()) if first_beat else None
    if found is None:
        return None
    hour = int(found[1])
    if found[4]:
        hour = hour % 12 + (12 if found[4][0] in "Pp" else 0)
    wall = hour * 3600 + int(found[2]) * 60 + int(found[3])
    minutes = round((wall - start % 86400) / 60 / 15) * 15
    return (minutes + 720) % 1440 - 720
