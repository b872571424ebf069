"""Read the times of Microsoft Graph, which name their zone as Windows does, as IANA does, or by an address."""

from __future__ import annotations

from datetime import date, datetime, time
from typing import Any
from zoneinfo import ZoneInfo

from bridge.domain.zones import zone_named
from connectors.icalendar.zones import zone_of_name
from connectors.instants import EVENT_YEARS, utc
from connectors.payload import mapping


def zone_of(name: Any) -> ZoneInfo | None:
    """Return the zone that a name of Windows or IANA, a name as Outlook shows it or an offset stands for, or None."""
    return zone_named(zone_of_name(name)) if isinstance(name, str) else None


def instant(when: Any) -> datetime | None:
    """Return the instant of a ``dateTimeTimeZone`` object in UTC, or None for anything else."""
    return utc(mapping(when).get("dateTime"), EVENT_YEARS, zone=zone_of(mapping(when).get("timeZone")))


def written_date(when: Any, zone: Any) -> date | None:
    """Return the date of a ``dateTimeTimeZone`` object for a whole day, or None for anything else.

    A time other than midnight is first moved to the zone named ``zone``, in which the day was written.
    """
    try:
        wall = datetime.fromisoformat(str(mapping(when).get("dateTime"))).replace(tzinfo=None)
    except ValueError:
        return None
    at, home = instant(when), zone_of(zone)
    if wall.time() != time(0) and at is not None and home is not None:
        wall = at.astimezone(home).replace(tzinfo=None)
    return wall.date() if wall.year in EVENT_YEARS else None
