"""Read the times of Microsoft Graph, which name their zone as Windows does, as IANA does, or by an address."""

from __future__ import annotations

from datetime import date, datetime, time
from typing import Any
from zoneinfo import ZoneInfo

from connectors.instants import EVENT_YEARS, time_zone, utc
from connectors.payload import mapping

UTC_NAMES = frozenset({"utc", "tzone://microsoft/utc", "coordinated universal time"})


def zone_of(name: Any) -> ZoneInfo | None:
    """Return the zone that a Windows name, such as ``Pacific Standard Time``, or an IANA name stands for.

    Returns None for an unknown name. The table is that of CLDR's ``windowsZones``, as the library icalendar has it.
    """
    from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

    if not isinstance(name, str):
        return None
    if name.lower() in UTC_NAMES:
        return ZoneInfo("UTC")
    return time_zone(WINDOWS_TO_OLSON.get(name, name))


def instant(when: Any) -> datetime | None:
    """Return the instant of a ``dateTimeTimeZone`` object in UTC, or None for anything else."""
    return utc(mapping(when).get("dateTime"), EVENT_YEARS, zone=zone_of(mapping(when).get("timeZone")))


def written_date(when: Any, zone: Any) -> date | None:
    """Return the date of a ``dateTimeTimeZone`` object that stands for a whole day.

    Graph mostly writes midnight, whose date is taken as it stands. Another time is first moved to the zone named
    ``zone``, in which the day was written, if that zone is known. Return None for anything else, and for a year outside
    1900 to 2199.
    """
    try:
        wall = datetime.fromisoformat(str(mapping(when).get("dateTime"))).replace(tzinfo=None)
    except ValueError:
        return None
    at, home = instant(when), zone_of(zone)
    if wall.time() != time(0) and at is not None and home is not None:
        wall = at.astimezone(home).replace(tzinfo=None)
    return wall.date() if wall.year in EVENT_YEARS else None
