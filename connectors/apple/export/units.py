"""Read units and times of an Apple Health export, whose times all have the offset of the day of the export."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

METRES = {"m": 1.0, "km": 1000.0, "mi": 1609.344, "ft": 0.3048, "yd": 0.9144, "cm": 0.01}
KILOMETRES_AN_HOUR = {"km/hr": 1.0, "km/h": 1.0, "mi/hr": 1.609344, "m/s": 3.6}
MINUTES = {"min": 1.0, "hr": 60.0, "s": 1 / 60}
COUNTS = {"count": 1.0}
KILOCALORIES = {"kcal": 1.0, "Cal": 1.0, "cal": 0.001, "kJ": 1 / 4.184, "J": 1 / 4184}
PER_MINUTE = {"count/min": 1.0, "count/s": 60.0}
IN_MILLISECONDS = {"ms": 1.0, "s": 1000.0}
PERCENT = {"%": (100.0, 0.0)}  # the value beside the percent sign is a fraction
CELSIUS = {"degC": (1.0, 0.0), "degF": (1 / 1.8, -32 / 1.8), "K": (1.0, -273.15)}  # factor and summand
FIRST, LAST = 662_688_000.0, 4_102_444_800.0  # 1991 and 2100; instants outside are errors
EPOCH_DAY = date(1970, 1, 1)
MARGIN_DAYS = 3  # before and after a month, from which a night or a zone may reach into it
BEAT = re.compile(r"(\d{1,2})[:.](\d\d)[:.](\d\d)(?:[.,](\d{1,6}))?(?:\s*([AaPp])\.?\s?[Mm]\.?)?")


def instant(text: str | None) -> float | None:
    """Return Unix seconds of a time like ``2024-01-01 01:01:36 +0200``, or None if unreadable or out of range."""
    if text is None or len(text) < 24:
        return None
    try:
        at = datetime.fromisoformat(text[:19] + text[20:])
    except ValueError:
        return None
    seconds = at.timestamp() if at.tzinfo is not None and 1900 < at.year < 9999 else 0.0
    return seconds if FIRST <= seconds < LAST else None


def number(text: str | None) -> float | None:
    """Return the number in a text with a decimal point. None for other texts and sizes beyond 1e12."""
    try:
        value = float(text) if text else None
    except ValueError:
        return None
    return value if value is not None and abs(value) < 1e12 else None


def measured(
    attributes: Mapping[str, str], units: Mapping[str, float], field: str = "value", unit: str = "unit"
) -> float | None:
    """Return the number in the attribute ``field`` times the factor in ``units`` of the unit stated in ``unit``.

    Returns None for a unit that is not in ``units``, and for no number.
    """
    value, factor = number(attributes.get(field)), units.get(attributes.get(unit, ""))
    return None if value is None or factor is None else value * factor


@lru_cache(maxsize=4096)
def source_name(text: str) -> str:
    """Return a device's or app's name with plain spaces, because Apple puts no-break spaces into names."""
    return sys.intern(unicodedata.normalize("NFKC", text).strip())


@lru_cache(maxsize=256)
def known_zone(name: str) -> str | None:
    """Return the IANA key of a time zone as the phone names it, or None if it is unknown."""
    try:
        return ZoneInfo(name).key
    except (KeyError, ValueError, OSError):
        return None


@lru_cache(maxsize=256)
def place_named(name: str) -> tzinfo:
    """Return the zone with a name, or the fixed offset of a name like ``+05:30``. Raises ValueError for other texts."""
    fixed = re.fullmatch(r"([+-])(\d\d):(\d\d)", name)
    if fixed is None:
        try:
            return ZoneInfo(name)
        except (KeyError, OSError):
            raise ValueError(name) from None
    away = timedelta(hours=int(fixed[2]), minutes=int(fixed[3]))
    return timezone(away if fixed[1] == "+" else -away)


def fixed_place(offset: int) -> str:
    """Return the name of an offset in minutes, such as ``+05:30``, for a place whose zone is unknown."""
    return f"{'-' if offset < 0 else '+'}{abs(offset) // 60:02}:{abs(offset) % 60:02}"


@lru_cache(maxsize=1000)
def _offset(quarter: int, place: str) -> int:
    moved = datetime.fromtimestamp(quarter * 900, place_named(place)).utcoffset() or timedelta(0)
    return int(moved / timedelta(minutes=1))


def offset_at(at: float, place: str) -> int:
    """Return the minutes east of UTC at an instant (Unix seconds) in a zone, or by an offset such as ``+05:30``."""
    return _offset(int(at // 900), place)


def day_at(at: float, offset: int) -> str:
    """Return the local date of an instant in Unix seconds, where clocks are ``offset`` minutes east of UTC."""
    return f"{datetime.fromtimestamp(at + offset * 60, UTC):%Y-%m-%d}"


def days_of(month: str) -> tuple[int, int]:
    """Return the first day of a month (YYYY-MM) and of the following month, in days since 1970."""
    first = date.fromisoformat(f"{month}-01")
    last = (first + timedelta(days=32)).replace(day=1)
    return (first - EPOCH_DAY).days, (last - EPOCH_DAY).days


def bounds(month: str) -> tuple[float, float]:
    """Return the Unix seconds from three days before a month (YYYY-MM) to three days after it, in UTC."""
    begin, end = days_of(month)
    return (begin - MARGIN_DAYS) * 86_400.0, (end + MARGIN_DAYS) * 86_400.0


def offset_of_beats(first_beat: str | None, start: float, usual: int) -> int | None:
    """Return the minutes east of UTC where a heart rate variability was measured, or None if unreadable.

    ``first_beat`` is the wall clock of the first beat, and ``start`` the same instant in Unix seconds. A clock may fit
    two offsets, of which the one nearer to ``usual`` is returned.
    """
    wall = seconds_of_day(first_beat) if first_beat else None
    if wall is None:
        return None
    minutes = round((wall - start % 86400) / 60 / 15) * 15
    minutes = usual + (minutes - usual + 720) % 1440 - 720
    return minutes - 1440 if minutes > 14 * 60 else minutes + 1440 if minutes < -12 * 60 else minutes


def seconds_of_day(clock: str) -> float | None:
    """Return the second of the day of clocks like ``00:20:37,80`` and ``7:05:12.34 AM``, or None for other formats."""
    found = BEAT.fullmatch(clock.strip())
    if found is None:
        return None
    hour = int(found[1])
    if found[5]:
        hour = hour % 12 + (12 if found[5] in "Pp" else 0)
    part = int(found[4]) / 10 ** len(found[4]) if found[4] else 0.0
    return hour * 3600 + int(found[2]) * 60 + int(found[3]) + part if hour < 24 else None
