"""Convert between instants and the dates and minutes of the user's clock."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

from bridge.domain.slots import ZoneHistory, first_shown, zone_at

MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
MINUTES_OF_DAY = 1440.0
WEEKEND = (5, 6)


def clock(at: datetime, zones: ZoneHistory, offset: int | None = None) -> tuple[date, float]:
    """Return (local date, minutes since its midnight) of an instant on the user's clock.

    ``offset`` is in minutes east of UTC. Without it, the user's zone at that instant is used.
    """
    east = at.astimezone(zone_at(at, zones)).utcoffset() if offset is None else timedelta(minutes=offset)
    local = at.replace(tzinfo=None) - (at.utcoffset() or timedelta(0)) + (east or timedelta(0))
    return local.date(), (local - datetime.combine(local.date(), time())) / MINUTE


def instant(day: date, minutes: float, zones: ZoneHistory) -> datetime:
    """Return the instant in UTC at which the user's clock shows ``minutes`` after midnight of ``day``.

    ``minutes`` are rounded to whole minutes. Minutes below 0 or above 1440 lie on a date before or after.
    """
    return first_shown(datetime.combine(day, time()) + timedelta(minutes=round(minutes)), zones)
