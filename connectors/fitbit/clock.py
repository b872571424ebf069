"""Read the times of a Fitbit export that are written as MM/DD/YY, and find the instant of a wall clock's time."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from connectors.payload import Fields


def american(text: str) -> datetime | None:
    """Return the UTC instant of a time written as ``MM/DD/YY HH:MM:SS``, or None for anything else.

    A part of the time of day that is missing counts as 0.
    """
    try:
        month, day, year = int(text[0:2]), int(text[3:5]), int(text[6:8])
        hour, minute, second = int(text[9:11] or 0), int(text[12:14] or 0), int(text[15:17] or 0)
        return datetime(2000 + year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return None


def american_time(row: Fields, path: str) -> datetime:
    """Return the UTC instant of a time in a field, written as ``american`` reads it. Raises BadRecord otherwise."""
    at = american(str(row.get(path)))
    if at is None:
        raise row.bad(f"{path} is no time")
    return at


def at_wall(wall: datetime, zone: ZoneInfo, *, later: bool = False) -> datetime:
    """Return the instant at which a zone's clock shows ``wall``, a wall clock marked as UTC.

    In an hour that the clock shows twice the first time counts, or the second with ``later``.
    """
    return wall.replace(tzinfo=zone, fold=int(later)).astimezone(UTC)
