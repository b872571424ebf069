"""Make a raw record of each event ("event") or to-do ("task") of an iCalendar text.

Descriptions, places, links and people's addresses are not stored. Stored are the number of people, the user's own
answer, and if a place or a conference is named. Times become ``{"date"}`` or ``{"at", "zone"}``, in UTC with the IANA
name of the zone of their wall clock. Times without a zone are in the calendar's own zone (X-WR-TIMEZONE), else in the
user's.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo, available_timezones

from bridge.domain.types import RawRecord
from connectors.icalendar.text import MALFORMED

if TYPE_CHECKING:
    from icalendar import Calendar, Component

STREAM_OF_COMPONENT = {"VEVENT": "event", "VTODO": "task"}
MEETING_LINK = re.compile(
    r"https://[\w.-]*(zoom\.us/j|teams\.microsoft\.com|meet\.google\.com|webex\.com|whereby\.com)"
)
LINK_FIELDS = ("CONFERENCE", "X-GOOGLE-CONFERENCE", "X-MICROSOFT-SKYPETEAMSMEETINGURL")
ROOMS = ("ROOM", "RESOURCE")
LINES = ("RRULE", "RDATE", "EXDATE")
UNREADABLE_PREFIX = "unreadable-"


def components(calendar: Calendar) -> list[Component]:
    return [component for component in calendar.walk() if component.name in STREAM_OF_COMPONENT]


def sequence(component: Component) -> int:
    """Return the version number (SEQUENCE) of a component, or 0 without a number, as a sort key.

    The newest version comes last and replaces earlier versions.
    """
    try:
        return int(component.get("SEQUENCE", 0))
    except (TypeError, ValueError):
        return 0


def record_of(calendar: str, component: Component, home: ZoneInfo, mine: frozenset[str]) -> RawRecord:
    """Return the raw record of an event or a to-do. If it is unreadable, the payload is ``{"unreadable": True}``.

    ``calendar`` is the calendar's name, with which the record's key begins. ``home`` is the zone of times without a
    zone. ``mine`` are the user's addresses in lower case.
    """
    try:
        payload = _payload(component, home, mine)
        uid = text_of(component, "UID") or mark_of(component.to_ical())
    except MALFORMED:
        block = f"BEGIN:{component.name} {component.get('UID')} {component.get('SUMMARY')}"
        return unreadable(calendar, block.encode(errors="replace"))
    original = payload.get("original")
    suffix = "" if original is None else "/" + (next(iter(original.values())) if original else "?")
    kept = {name: value for name, value in payload.items() if value is not None} | {"calendar": calendar, "uid": uid}
    return RawRecord(stream=STREAM_OF_COMPONENT[component.name or ""], key=f"{calendar}/{uid}{suffix}", payload=kept)


def _payload(component: Component, home: ZoneInfo, mine: frozenset[str]) -> dict[str, Any]:
    return {
        "title": text_of(component, "SUMMARY"),
        "status": word_of(component, "STATUS"),
        **{field: _time(component, name, home) for field, name in _TIMES.items() if name in component},
        **_original(component, home),
        "minutes": _minutes(component),
        "lines": _lines(component),
        "busy": word_of(component, "TRANSP") != "TRANSPARENT",
        "microsoft": word_of(component, "X-MICROSOFT-CDO-BUSYSTATUS"),
        "class": word_of(component, "CLASS"),
        "conference": _conference(component),
        **({"priority": priority} if (priority := _priority(component)) else {}),
        **({"located": True} if _located(component) else {}),
        **_people(component, mine),
    }


_TIMES = {
    "start": "DTSTART",
    "end": "DTEND",
    "due": "DUE",
    "completed": "COMPLETED",
    "modified": "LAST-MODIFIED",
}


def _original(component: Component, home: ZoneInfo) -> dict[str, dict[str, str | None]]:
    """Return the field ``original``, the day or instant of the series that a component replaces, as ``_time`` does.

    Return {} for a component that replaces none. A midnight counts as a day, unless the component's new start has a
    time of day.
    """
    if "RECURRENCE-ID" not in component:
        return {}
    found = _time(component, "RECURRENCE-ID", home)
    start = _time(component, "DTSTART", home) if "DTSTART" in component else {}
    if found.get("at") and not start.get("at"):
        at = datetime.fromisoformat(str(found["at"]))
        own = known_zone(found.get("zone")) or home
        walls = [at.astimezone(place) for place in ((own, home) if own.key == "UTC" else (own,))]
        found |= next(({"date": wall.date().isoformat()} for wall in walls if wall.time() == time()), {})
    return {"original": found}


def told_of_replaced(records: Mapping[str, RawRecord]) -> dict[str, RawRecord]:
    """Return the given records by path, with ``replaced`` added to the payloads of series of to-dos.

    ``replaced`` lists the instances of the series that have a record of their own. When an instance is done, programs
    leave the series as it is and add a record of the instance.
    """
    replaced: dict[object, list[Any]] = {}
    for record in records.values():
        if record.payload.get("original"):
            replaced.setdefault(record.payload.get("uid"), []).append(record.payload["original"])
    told = {uid: {"replaced": sorted(found, key=str)} for uid, found in replaced.items()}
    return {
        path: replace(record, payload={**record.payload, **told[record.payload.get("uid")]})
        if "due" in record.payload and "lines" in record.payload and record.payload.get("uid") in told
        else record
        for path, record in records.items()
    }


def unreadable(calendar: str, block: bytes) -> RawRecord:
    stream = "task" if block.upper().startswith(b"BEGIN:VTODO") else "event"
    return RawRecord(stream=stream, key=f"{calendar}/{UNREADABLE_PREFIX}{mark_of(block)}", payload={"unreadable": True})


def mark_of(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=8).hexdigest()


def text_of(component: Component, name: str) -> str | None:
    value = component.get(name)
    if isinstance(value, list):
        value = value[0] if value else None
    text = "" if value is None else str(value).strip()
    return text or None


def word_of(component: Component, name: str) -> str | None:
    """Return the text of a property whose values are fixed words, in upper case, or None if it is missing."""
    text = text_of(component, name)
    return None if text is None else text.upper()


def _time(component: Component, name: str, home: ZoneInfo) -> dict[str, str | None]:
    """Return the time in a property as {"date"} or {"at", "zone"}, or {} if it cannot be read.

    A time without a zone is read in ``home``.
    """
    value = component[name]
    try:
        at = getattr(value[0] if isinstance(value, list) else value, "dt", None)
        if isinstance(at, datetime):
            if at.tzinfo is None:
                at = at.replace(tzinfo=home)
            return {"at": at.astimezone(UTC).isoformat(), "zone": _zone(at, home)}
        return {"date": at.isoformat()} if isinstance(at, date) else {}
    except MALFORMED:
        return _bare_day(str(value))


def _bare_day(text: str) -> dict[str, str | None]:
    """Return {"date"} for a text like ``20260914``, or {} for other text.

    Some programs write such dates in properties that are not marked as dates.
    """
    try:
        return {"date": date.fromisoformat(text).isoformat()} if len(text) == len("20260914") else {}
    except ValueError:
        return {}


def known_zone(name: str | None) -> ZoneInfo | None:
    try:
        return ZoneInfo(name) if name else None
    except (KeyError, ValueError, OSError):
        return None


def _zone(at: datetime, home: ZoneInfo) -> str | None:
    """Return the IANA name of a time's zone.

    A zone that the calendar defines is compared with ``home``, and then with all IANA zones. The first that has the
    same offsets in that year counts. Return None if no zone has them.
    """
    if at.tzinfo is UTC or at.tzname() == "UTC":
        return "UTC"
    key = getattr(at.tzinfo, "key", None)
    if isinstance(key, str):
        return key
    months = _months(at.year)
    offsets = tuple(month.replace(tzinfo=at.tzinfo).utcoffset() for month in months)
    return home.key if _offsets(home, months) == offsets else _behaving(at.year, offsets)


@cache
def _behaving(year: int, offsets: tuple[timedelta | None, ...]) -> str | None:
    """Return the first IANA zone's name with the given offsets on the 1st and 15th of a year's months. Otherwise return
    None.
    """
    months = _months(year)
    places = (name for name in sorted(available_timezones()) if "/" in name and not name.startswith("Etc/"))
    return next((name for name in places if _offsets(ZoneInfo(name), months) == offsets), None)


def _months(year: int) -> list[datetime]:
    return [datetime(year, month, day) for month in range(1, 13) for day in (1, 15)]  # noqa: DTZ001 - wall clocks


def _offsets(zone: ZoneInfo, months: Sequence[datetime]) -> tuple[timedelta | None, ...]:
    return tuple(month.replace(tzinfo=zone).utcoffset() for month in months)


def _minutes(component: Component) -> float | None:
    value = getattr(component.get("DURATION"), "dt", None)
    return value / timedelta(minutes=1) if isinstance(value, timedelta) else None


def _lines(component: Component) -> list[str] | None:
    """Return the recurrence lines (RRULE, RDATE, EXDATE) of a component with the zone of their times, or None without
    any.

    A line RECURRENCE-ID is added if an exception also changes all later instances.
    """
    found = []
    for name in LINES:
        values = component.get(name, [])
        for value in values if isinstance(values, list) else [values]:
            zone = getattr(value, "params", {}).get("TZID")
            text = value.to_ical().decode() if hasattr(value, "to_ical") else ""
            found.append(f"{name};TZID={zone}:{text}" if zone else f"{name}:{text}")
    original = component.get("RECURRENCE-ID")
    if _param(original, "RANGE") == "THISANDFUTURE":
        found.append(f"RECURRENCE-ID;RANGE=THISANDFUTURE:{original.to_ical().decode()}")
    return found or None


def _conference(component: Component) -> bool:
    if any(field in component for field in LINK_FIELDS):
        return True
    text = " ".join(str(component.get(field, "")) for field in ("LOCATION", "DESCRIPTION", "URL"))
    return MEETING_LINK.search(text) is not None


def _priority(component: Component) -> int:
    """Return the priority of a to-do, from 1 (highest) to 9 (RFC 5545, 3.8.1.9). Return 0 without a priority."""
    text = text_of(component, "PRIORITY") if component.name == "VTODO" else None
    return int(text) if text is not None and text in tuple("123456789") else 0


def _located(component: Component) -> bool:
    """Return True if a component names a place. A text with a link in it is no place."""
    place = text_of(component, "LOCATION") or ""
    return bool(place.strip()) and "://" not in place and MEETING_LINK.search(place) is None


def _people(component: Component, mine: frozenset[str]) -> dict[str, Any]:
    """Return the fields of the payload for the number of other people, the organiser, and the user's answer.

    ``mine`` are the user's addresses. If none of them is listed, the number is that of all people less the user. An
    event without an organiser is the user's own. The answer is None if the user is not listed or did not answer.
    """
    attendees = [a for a in _listed(component, "ATTENDEE") if _param(a, "CUTYPE") not in ROOMS]
    organiser = {_address(o) for o in _listed(component, "ORGANIZER")}
    everybody = {_address(a) for a in attendees} | organiser
    me = next((a for a in attendees if _address(a) in mine), None)
    known = bool(everybody & mine)
    return {
        "others": len(everybody - mine) if known else max(len(everybody) - 1, 0),
        "organised_by_me": not organiser or bool(organiser & mine),
        "answer": None if me is None else _param(me, "PARTSTAT") or None,
    }


def _listed(component: Component, name: str) -> Sequence[Any]:
    value = component.get(name)
    return value if isinstance(value, list) else [] if value is None else [value]


def _address(person: Any) -> str:
    return str(person).lower().removeprefix("mailto:")


def _param(person: Any, name: str) -> str:
    return str(getattr(person, "params", {}).get(name, "")).upper()
