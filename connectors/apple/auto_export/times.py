"""Read units and times as Health Auto Export writes them. Times follow the phone's own zone and format."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta, timezone
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from connectors.apple.export import units

APPLE_EPOCH = 978_307_200  # 2001-01-01
UNIX_FROM = 1_200_000_000  # 2008; the same number of seconds since 2001 is the year 2039
FIRST, LAST = 662_688_000, 4_102_444_800  # 1991 and 2100
CLOCK = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[T ]+(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?"
    r"\s*(?:([AaPp])\s*\.?\s*[Mm]\.?)?\s*(Z|[+-]\d\d:?\d\d)?"
)
DATE = re.compile(r"\d{4}-\d\d-\d\d")

# What the export of Apple Health calls them, and further names of the app.
METRES, KILOCALORIES = units.METRES, units.KILOCALORIES
SPEEDS = units.KILOMETRES_AN_HOUR | {"kmph": 1.0, "mph": units.KILOMETRES_AN_HOUR["mi/hr"]}
COUNTS = units.COUNTS | {"steps": 1.0, "": 1.0}
PER_MINUTE = units.PER_MINUTE | dict.fromkeys(("bpm", "rpm", "brpm", "breaths/min", ""), 1.0)
IN_MILLISECONDS = units.IN_MILLISECONDS | {"": 1.0}
MINUTES = units.MINUTES | {"h": units.MINUTES["hr"], "sec": units.MINUTES["s"], "": 1.0}

At = tuple[int, int]  # Unix seconds, and minutes east of UTC


def instant(value: Any, zone: str) -> At | None:
    """Return (Unix seconds, minutes east of UTC) of a time that the app wrote. None if unreadable or impossible.

    ``zone`` gives the offset of numbers and of texts without an offset. Small numbers count from 2001, as Apple's do.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        seconds = int(value) if value >= UNIX_FROM else int(value) + APPLE_EPOCH
        return (seconds, offset_at(seconds, zone)) if FIRST <= seconds < LAST else None
    return _written(value, zone) if isinstance(value, str) and len(value) < 64 else None


@lru_cache(maxsize=4096)
def _written(text: str, zone: str) -> At | None:
    """Return the instant of a text like ``2024-02-06 14:30:00 -0800`` or its 12-hour form. None for other texts."""
    if len(text) == 25 and text[19] == " ":
        try:
            return _bounded(datetime.fromisoformat(text[:19] + text[20:]))
        except ValueError:
            return None
    found = CLOCK.fullmatch(unicodedata.normalize("NFKC", text).strip())
    if found is None:
        return None
    hour = int(found[4])
    if found[7]:
        hour = hour % 12 + (12 if found[7] in "Pp" else 0)
    try:
        wall = datetime(
            int(found[1]), int(found[2]), int(found[3]), hour, int(found[5]), int(found[6] or 0), tzinfo=UTC
        )
    except ValueError:
        return None
    if found[8]:
        return _bounded(wall.replace(tzinfo=timezone(timedelta(minutes=_offset(found[8])))))
    return _bounded(wall.replace(tzinfo=ZoneInfo(zone)))


def _bounded(at: datetime) -> At | None:
    offset, year = _minutes(at.utcoffset()), at.year
    return (int(at.timestamp()), offset) if 1991 < year < 2100 and abs(offset) <= 15 * 60 else None


def _offset(text: str) -> int:
    if text == "Z":
        return 0
    minutes = int(text[1:3]) * 60 + int(text[-2:])
    return -minutes if text[0] == "-" else minutes


def offset_at(at: float, zone: str) -> int:
    """Return by how many minutes a zone is east of UTC at ``at``, in Unix seconds."""
    return _minutes(datetime.fromtimestamp(at, ZoneInfo(zone)).utcoffset())


def _minutes(offset: timedelta | None) -> int:
    return int((offset or timedelta(0)) / timedelta(minutes=1))


def written_date(value: Any) -> date | None:
    """Return the date that a text begins with. None for other values, and for years outside 1991 to 2099."""
    if not isinstance(value, str) or not DATE.fullmatch(value.strip()):
        return None
    try:
        day = date.fromisoformat(value.strip())
    except ValueError:
        return None
    return day if 1991 <= day.year < 2100 else None


def local(at: At) -> datetime:
    """Return the local wall clock at an instant, as a datetime that is marked as UTC for arithmetic."""
    return datetime.fromtimestamp(at[0] + at[1] * 60, UTC)


def number(value: Any) -> float | None:
    """Return the value of a number or of a text of digits. None for other values, and for sizes beyond 1e12."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    good = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e12
    return float(value) if good else None


def quantity(value: Any, units: Mapping[str, float]) -> float | None:
    """Return a number, or the ``qty`` of an object, times the factor of its unit in ``units``. None if unreadable."""
    qty, unit = (value.get("qty"), value.get("units") or "") if isinstance(value, Mapping) else (value, "")
    found, factor = number(qty), units.get(str(unit).strip())
    return None if found is None or factor is None else found * factor
