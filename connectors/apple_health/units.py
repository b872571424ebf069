"""Units as they stand in an export, and times whose printed offset is the one of the day of exporting."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

METRES = {"m": 1.0, "km": 1000.0, "mi": 1609.344, "ft": 0.3048, "yd": 0.9144, "cm": 0.01}
KILOCALORIES = {"kcal": 1.0, "Cal": 1.0, "cal": 0.001, "kJ": 1 / 4.184, "J": 1 / 4184}
PER_MINUTE = {"count/min": 1.0, "count/s": 60.0}
MILLISECONDS = {"ms": 1.0, "s": 1000.0}
PERCENT = {"%": (100.0, 0.0)}  # the value beside the sign is a fraction
CELSIUS = {"degC": (1.0, 0.0), "degF": (1 / 1.8, -32 / 1.8), "K": (1.0, -273.15)}  # factor, and what is added then
FIRST, LAST = 662_688_000.0, 4_102_444_800.0  # 1991 and 2100: what lies outside was never measured
BEAT = re.compile(r"(\d{1,2})[:.](\d\d)[:.](\d\d)(?:[.,](\d{1,6}))?(?:\s*([AaPp])\.?\s?[Mm]\.?)?")


def instant(text: str | None) -> float | None:
    """Unix seconds of ``2024-01-01 01:01:36 +0200``: the instant is right, whatever the offset was then."""
    if text is None or len(text) < 24:
        return None
    try:
        at = datetime.fromisoformat(text[:19] + text[20:])
    except ValueError:
        return None
    seconds = at.timestamp() if at.tzinfo is not None and 1900 < at.year < 9999 else 0.0
    return seconds if FIRST <= seconds < LAST else None


def number(text: str | None) -> float | None:
    """Values have a dot in every language."""
    try:
        value = float(text) if text else None
    except ValueError:
        return None
    return value if value is not None and abs(value) < 1e12 else None


def measured(
    attributes: Mapping[str, str], units: Mapping[str, float], field: str = "value", unit: str = "unit"
) -> float | None:
    """A value of an element in the unit that ``units`` leads to; None in a unit that is not among them."""
    value, factor = number(attributes.get(field)), units.get(attributes.get(unit, ""))
    return None if value is None or factor is None else value * factor


@lru_cache(maxsize=4096)
def source_name(text: str) -> str:
    """A device's or an app's name in one spelling: Apple puts no-break spaces into them."""
    return sys.intern(unicodedata.normalize("NFKC", text).strip())


@lru_cache(maxsize=256)
def known_zone(name: str) -> str | None:
    """A zone of the time zone database by the name the phone gives it; None for any other text."""
    try:
        return ZoneInfo(name).key
    except (KeyError, ValueError, OSError):
        return None


@lru_cache(maxsize=256)
def place_named(name: str) -> tzinfo:
    """A zone by its name, or the fixed offset that a name like ``+05:30`` tells. Raises ValueError for other texts."""
    fixed = re.fullmatch(r"([+-])(\d\d):(\d\d)", name)
    if fixed is None:
        try:
            return ZoneInfo(name)
        except (KeyError, OSError):
            raise ValueError(name) from None
    away = timedelta(hours=int(fixed[2]), minutes=int(fixed[3]))
    return timezone(away if fixed[1] == "+" else -away)


def fixed_place(offset: int) -> str:
    """The name of an offset in minutes, for where only the clock is known."""
    return f"{'-' if offset < 0 else '+'}{abs(offset) // 60:02}:{abs(offset) % 60:02}"


@lru_cache(maxsize=10_000)
def _offset(quarter: int, place: str) -> int:
    moved = datetime.fromtimestamp(quarter * 900, place_named(place)).utcoffset() or timedelta(0)
    return int(moved / timedelta(minutes=1))


def offset_at(at: float, place: str) -> int:
    """Minutes east of UTC at a place: a zone, or a fixed offset by its name."""
    return _offset(int(at // 900), place)


def day_at(at: float, offset: int) -> str:
    """The local date."""
    return f"{datetime.fromtimestamp(at + offset * 60, UTC):%Y-%m-%d}"


def offset_of_beats(first_beat: str | None, start: float, usual: int) -> int | None:
    """The true offset of a heart-rate-variability record, in minutes.

    Beats carry a wall clock without a date in the offset of the moment of recording, while every other time in the
    file is printed in the offset of the moment of exporting. A wall clock is the same a day later, so of -11:00 and
    +13:00 the one nearer to the ``usual`` offset is meant. None for clocks written in a way not known here: half of a
    12-hour clock would be wrong by 12 hours.
    """
    wall = seconds_of_day(first_beat) if first_beat else None
    if wall is None:
        return None
    minutes = round((wall - start % 86400) / 60 / 15) * 15
    minutes = usual + (minutes - usual + 720) % 1440 - 720
    return minutes - 1440 if minutes > 14 * 60 else minutes + 1440 if minutes < -12 * 60 else minutes


def seconds_of_day(clock: str) -> float | None:
    """Of ``00:20:37,80``, ``7:05:12.34 AM`` and their like."""
    found = BEAT.fullmatch(clock.strip())
    if found is None:
        return None
    hour = int(found[1])
    if found[5]:
        hour = hour % 12 + (12 if found[5] in "Pp" else 0)
    part = int(found[4]) / 10 ** len(found[4]) if found[4] else 0.0
    return hour * 3600 + int(found[2]) * 60 + int(found[3]) + part if hour < 24 else None
