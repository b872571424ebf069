"""Convert between instants and the dates and minutes of the user's clock."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

from bridge.domain.slots import ZoneHistory, first_shown, zone_at

MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
MINUTES_OF_DAY = 1440.0
WEEKEND = (5, 6)


def clock(at: datetime, zones: ZoneHistory, offset: int | None = None) -> tuple[date, float]:
    """Return (local date, minutes since midnight) of an instant, in the user's zone without ``offset`` (minutes)."""
    if offset is None:
        local = at.astimezone(zone_at(at, zones)).replace(tzinfo=None)
    else:
        local = at.astimezone(UTC).replace(tzinfo=None) + timedelta(minutes=offset)
    return local.date(), (local - datetime.combine(local.date(), time())) / MINUTE


def instant(day: date, minutes: float, zones: ZoneHistory) -> datetime:
    """Return the UTC instant at ``minutes`` after the local midnight of ``day``, also below 0 or above 1440."""
    return first_shown(datetime.combine(day, time()) + timedelta(minutes=round(minutes)), zones)
