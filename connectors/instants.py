"""Read instants, dates, offsets and time zones from a payload's values. Unreadable values give None."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from bridge.domain.samples import finite
from bridge.domain.zones import zone_named

YEARS = range(1990, 2200)  # of a measurement
EVENT_YEARS = range(1900, 2200)  # of a calendar's event, which may be a birthday
FIRST_SECOND, END_SECOND = 631_152_000, 7_258_118_400  # the same years in Unix seconds
OFFSET_MAX_MINUTES = 15 * 60  # no place's clock is further from UTC
MINUTE = timedelta(minutes=1)
time_zone = zone_named


def utc(value: Any, years: Collection[int] = YEARS, *, zone: ZoneInfo | None = None) -> datetime | None:
    """Return the UTC instant of an ISO 8601 text, or None for anything else and for a year outside ``years``.

    A text without an offset is in ``zone``. If ``zone`` is None, it gives None.
    """
    at = _parsed(value)
    if at is None or (at.tzinfo is None and zone is None):
        return None
    return _bounded(at if at.tzinfo is not None else at.replace(tzinfo=zone), years)


def utc_of_naive(value: Any) -> datetime | None:
    """Return the UTC instant of an ISO 8601 text or of Unix milliseconds. A text without an offset is in UTC.

    Returns None for anything else, and for a year outside 1990 to 2199.
    """
    if isinstance(value, str):
        at = _parsed(value)
        return None if at is None else _bounded(at if at.tzinfo else at.replace(tzinfo=UTC), YEARS)
    return utc_of_unix(value, per_second=1000)


def utc_of_unix(value: Any, *, per_second: int = 1) -> datetime | None:
    """Return the instant of a count of 1/``per_second`` s since 1970. None for others and outside 1990 to 2199."""
    number = finite(value)
    try:
        at = None if number is None else datetime.fromtimestamp(number / per_second, UTC)
    except (OverflowError, OSError, ValueError):
        return None
    return at if at is None or at.year in YEARS else None


def unix_second(value: Any) -> int | None:
    """Return whole Unix seconds from a number or its text. None for other values and outside 1990 to 2199."""
    try:
        at = int(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return at if FIRST_SECOND <= at < END_SECOND else None


def calendar_date(value: Any, years: Collection[int] = YEARS) -> date | None:
    """Return the date of a text that holds nothing else. None for other values and for years outside ``years``."""
    try:
        day = date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return day if day is not None and day.year in years else None


def written_offset(value: Any) -> int | None:
    """Return whole minutes east of UTC from ``+hh:mm``, ``-hh:mm`` or ``Z``, which may end an ISO 8601 text.

    Returns None for anything else.
    """
    at = _parsed(value) or _parsed(f"2000-01-01T00:00:00{value}")
    moved = None if at is None else at.utcoffset()
    return None if moved is None else int(moved / MINUTE)


def offset_between(wall: datetime | None, at: datetime | None) -> int | None:
    """Return the minutes by which a local time, marked as UTC, is ahead of the instant ``at``.

    Returns None if either is missing, or if they are more than 15 hours apart.
    """
    if wall is None or at is None:
        return None
    minutes = round((wall - at) / MINUTE)
    return minutes if abs(minutes) <= OFFSET_MAX_MINUTES else None


def zone_of_arrival(begins: str | None, ends: str | None) -> str | None:
    """Return the zone in which an event ends, if it begins in another zone, as a flight does. Otherwise return None.

    Only zones named after a place count, not UTC or an offset.

    >>> zone_of_arrival("Europe/Berlin", "America/New_York"), zone_of_arrival("UTC", "Europe/Berlin")
    ('America/New_York', None)
    """
    places = [
        zone for zone in (begins, ends) if zone is not None and "/" in zone and not zone.startswith(("Etc/", "<"))
    ]
    return ends if len(places) == len({*places}) == 2 else None


def offset_in(zone: tzinfo, at: datetime) -> int:
    """Return the minutes by which a zone's clocks are ahead of UTC at an instant."""
    return int((at.astimezone(zone).utcoffset() or timedelta(0)) / MINUTE)


def local_date(at: datetime, offset: int | None) -> date:
    """Return the date at an instant on clocks ``offset`` minutes ahead of UTC, or of UTC if it is None."""
    return (at + timedelta(minutes=offset or 0)).date()


def due_time(at: datetime | None, zone: tzinfo | None, day: date | None) -> datetime | None:
    """Return the instant on ``day`` with the local time of ``at`` in ``zone`` (None for UTC).

    Returns None if ``at`` or ``day`` is None, and for midnight, which task lists write for a date without a time.
    """
    local = None if at is None else at.astimezone(zone or UTC)
    if local is None or day is None or local.time() == time():
        return None
    return datetime.combine(day, local.time(), local.tzinfo).astimezone(UTC)


def midnight(day: date) -> datetime:
    """Return midnight UTC at the beginning of a date."""
    return datetime.combine(day, time(), UTC)


def _parsed(value: Any) -> datetime | None:
    try:
        return datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _bounded(at: datetime, years: Collection[int]) -> datetime | None:
    try:
        at = at.astimezone(UTC)
    except OverflowError:
        return None
    return at if at.year in years else None
