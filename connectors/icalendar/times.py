"""The times, lengths and recurrence lines of a component, for its raw record.

Times become ``{"date"}`` or ``{"at", "zone"}``, in UTC with the name of the zone of their wall clock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from bridge.domain.recurrence import day_meant, nominal
from bridge.domain.zones import zone_named
from connectors.icalendar.text import LENGTH_AS_WRITTEN
from connectors.icalendar.zones import MALFORMED, UNKNOWN, clock_name

if TYPE_CHECKING:
    from icalendar import Component

LINES = ("RRULE", "RDATE", "EXDATE")


def time_in(component: Component, name: str, home: ZoneInfo, *, floats: bool) -> dict[str, str | None]:
    """Return the time in a property as {"date"}, {"at", "zone"}, {"unknown": "zone"}, or {} if unreadable."""
    value = component[name]
    try:
        value = value[0] if isinstance(value, list) else value
        at = getattr(value, "dt", None)
        if isinstance(at, datetime):
            if at.tzinfo is None:
                if param(value, "TZID") or not floats:
                    return {"unknown": "zone"}
                at = at.replace(tzinfo=home)
            return {"at": at.astimezone(UTC).isoformat(), "zone": clock_name(at, home)}
        return {"date": at.isoformat()} if isinstance(at, date) else {}
    except MALFORMED:
        return _bare_day(str(value))


def _bare_day(text: str) -> dict[str, str | None]:
    try:
        return {"date": date.fromisoformat(text).isoformat()} if len(text) == len("20260914") else {}
    except ValueError:
        return {}


def as_days(times: Mapping[str, dict[str, str | None]], home: ZoneInfo) -> dict[str, dict[str, str | None]]:
    """Return start and end as dates if both are midnights, as Outlook writes an all-day event, else {}."""
    found = {field: midnight_of(times[field], home) for field in ("start", "end") if field in times}
    return found if found and all(found.values()) else {}


def midnight_of(when: Mapping[str, str | None], home: ZoneInfo, *, surely: bool = False) -> dict[str, str | None]:
    """Return {"date"} for a date or a midnight on the time's own clock or, if that is UTC, at ``home``, else {}.

    With ``surely``, any time in UTC becomes its date at ``home``.
    """
    if "date" in when:
        return {"date": when["date"]}
    if not when.get("at"):
        return {}
    at, own = datetime.fromisoformat(str(when["at"])), zone_named(when.get("zone")) or home
    if surely and own.key == "UTC":
        return {"date": day_meant(at, [home]).isoformat()}
    walls = [at.astimezone(place) for place in ((own, home) if own.key == "UTC" else (own,))]
    return next(({"date": wall.date().isoformat()} for wall in walls if wall.time() == time()), {})


def at_home(when: dict[str, str | None], home: ZoneInfo) -> dict[str, str | None]:
    """Return a to-do's time with the zone ``home`` in place of UTC, because it is due on the user's own day."""
    return {**when, "zone": home.key} if when.get("zone") == "UTC" else when


def length_of(component: Component) -> tuple[int | None, float | None]:
    """Return a component's DURATION as (whole days, other minutes), each None if not stated."""
    value = component.get("DURATION")
    length = getattr(value, "dt", None)
    if not isinstance(length, timedelta):
        return None, None
    found = nominal(_as_written(component))
    days, rest = (timedelta(0), length) if found is None else found
    return days.days or None, rest / timedelta(minutes=1)


def _as_written(component: Component) -> str:
    return str(getattr(component.get("DURATION"), "params", {}).get(LENGTH_AS_WRITTEN, ""))


def recurrence_lines(component: Component) -> list[str] | None:
    """Return a component's recurrence lines (RRULE, RDATE, EXDATE) with the zone of their times, or None.

    RECURRENCE-ID marks an exception for all later instances, DURATION a length in days of the wall clock.
    """
    found = [_line(name, value) for name in LINES for value in listed(component, name)]
    days, _ = length_of(component)
    if days and (found or "RECURRENCE-ID" in component):
        found.append(f"DURATION:{_as_written(component)}")
    original = component.get("RECURRENCE-ID")
    if param(original, "RANGE") == "THISANDFUTURE":
        found.append(f"RECURRENCE-ID;RANGE=THISANDFUTURE:{original.to_ical().decode()}")
    return found or None


def _line(name: str, value: Any) -> str:
    zone = str(getattr(value, "params", {}).get("TZID", ""))
    text = value.to_ical().decode() if hasattr(value, "to_ical") else ""
    if not zone or zone == UNKNOWN:
        return f"{name}:{text}".replace("\\;", ";").replace("\\,", ",")  # the library escapes what it cannot read
    if zone_named(zone) is not None:
        return f"{name};TZID={zone}:{text}"
    times = (getattr(one, "dt", None) for one in getattr(value, "dts", ()))
    return f"{name}:{','.join(filter(None, map(_in_utc, times)))}"


def _in_utc(time: Any) -> str:
    if isinstance(time, tuple):
        begun, end = time
        last = end if isinstance(end, datetime) else begun + end
        return f"{_in_utc(begun)}/{_in_utc(last)}"
    return f"{time.astimezone(UTC):%Y%m%dT%H%M%SZ}" if isinstance(time, datetime) and time.tzinfo else ""


def listed(component: Component, name: str) -> Sequence[Any]:
    value = component.get(name)
    return value if isinstance(value, list) else [] if value is None else [value]


def param(person: Any, name: str) -> str:
    return str(getattr(person, "params", {}).get(name, "")).upper()


def first_wall(component: Component) -> datetime:
    """Return the wall-clock time at which a component begins, or 2000-01-01 if it is unreadable."""
    try:
        at = component.get("DTSTART", component.get("DUE")).dt
        return datetime(at.year, at.month, at.day, getattr(at, "hour", 0), getattr(at, "minute", 0))  # noqa: DTZ001
    except MALFORMED:
        return datetime(2000, 1, 1)  # noqa: DTZ001 - a wall clock
