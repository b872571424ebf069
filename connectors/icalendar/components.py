"""Make a raw record of each event or to-do of an iCalendar text, leaving out texts, places, links and people.

A time becomes ``{"date"}``, or ``{"at", "zone"}`` with its instant in UTC and the name of its zone.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from bridge.domain.recurrence import Series, day_meant, nominal
from bridge.domain.types import RawRecord
from bridge.domain.zones import zone_named
from connectors.icalendar.text import LENGTH_AS_WRITTEN
from connectors.icalendar.zones import MALFORMED, UNKNOWN, clock_name, zone_of_name
from connectors.payload import mapping

if TYPE_CHECKING:
    from icalendar import Calendar, Component


READER = 5  # raised when records of the same text change, so that calendars are read again
STREAM_OF_COMPONENT = {"VEVENT": "event", "VTODO": "task"}
MEETING_LINK = re.compile(
    r"https://[\w.-]*(zoom\.us/j|teams\.microsoft\.com|meet\.google\.com|webex\.com|whereby\.com)"
)
LINK_FIELDS = ("CONFERENCE", "X-GOOGLE-CONFERENCE", "X-MICROSOFT-SKYPETEAMSMEETINGURL")
ROOMS = ("ROOM", "RESOURCE")
ALL_DAY = ("X-MICROSOFT-CDO-ALLDAYEVENT", "X-MICROSOFT-MSNCALENDAR-ALLDAYEVENT", "X-FUNAMBOL-ALLDAY")
INSTANT = re.compile(r"\d{8}T\d{6}Z")
UNREADABLE_PREFIX = "unreadable-"

LINES = ("RRULE", "RDATE", "EXDATE")


def components(calendar: Calendar) -> list[Component]:
    return [component for component in calendar.walk() if component.name in STREAM_OF_COMPONENT]


Version = tuple[int, datetime]  # RFC 5546, 2.1.5: of one UID the highest SEQUENCE is newest, of those the last DTSTAMP
LONG_AGO = datetime.min.replace(tzinfo=UTC)


def version_of(component: Component) -> Version:
    stated = str(component.get("SEQUENCE", 0))
    return int(stated) if stated.isdecimal() else 0, stamped(component, "DTSTAMP") or LONG_AGO


def stamped(component: Component, name: str) -> datetime | None:
    """Return the instant of a property in UTC, or None if it is missing or unreadable."""
    try:
        at = getattr(component.get(name), "dt", None)
    except MALFORMED:
        return None
    if not isinstance(at, datetime) or at.tzinfo is None or not 1970 < at.year < 9999:
        return None
    return at.astimezone(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """The settings for reading a calendar's components. ``home`` is the zone of times without a zone.

    ``is_known`` is False if the calendar's own zone is not understood. ``cancels`` is True for a cancellation (RFC
    5546).
    """

    calendar: str
    home: ZoneInfo
    mine: frozenset[str]
    is_known: bool = True
    cancels: bool = False

    def versions(self, calendar: Calendar) -> Iterator[tuple[Version, RawRecord]]:
        """Yield (version, record) of all events and to-dos of a calendar, and of records that name unreadable parts."""
        for component in components(calendar):
            yield from self.versions_of(component)

    def versions_of(self, component: Component) -> Iterator[tuple[Version, RawRecord]]:
        """Yield (version, record) of an event or a to-do, and then of a record for each unreadable part of it."""
        record = self.record(component)
        yield version_of(component), record
        if "unreadable" not in record.payload:
            yield from (((0, LONG_AGO), fault) for fault in faults(self, component))

    def record(self, component: Component) -> RawRecord:
        """Return the raw record of an event or a to-do. An unreadable one has the payload ``{"unreadable": True}``."""
        try:
            payload = _payload(component, self)
            uid = text_of(component, "UID") or mark_of(component.to_ical().decode())
        except MALFORMED:
            return unreadable(
                self.calendar, f"BEGIN:{component.name} {component.get('UID')} {component.get('SUMMARY')}"
            )
        original = payload.get("original")
        suffix = "" if original is None else "/" + (next(iter(original.values())) if original else "?")
        kept = {name: value for name, value in payload.items() if value is not None}
        key, stream = f"{self.calendar}/{uid}{suffix}", STREAM_OF_COMPONENT[component.name or ""]
        return RawRecord(stream=stream, key=key, payload=kept | {"calendar": self.calendar, "uid": uid})


def reader_of(calendar: Calendar, name: str, zone: str, mine: frozenset[str]) -> Reader:
    """Return the reader of a calendar, for times without a zone in the calendar's own zone, else in ``zone``.

    ``mine`` holds the user's e-mail addresses.
    """
    stated = text_of(calendar, "X-WR-TIMEZONE")
    home = zone_named(zone_of_name(stated)) if stated else ZoneInfo(zone)
    cancels = word_of(calendar, "METHOD") == "CANCEL"
    return Reader(calendar=name, home=home or ZoneInfo(zone), is_known=home is not None, mine=mine, cancels=cancels)


def _payload(component: Component, reader: Reader) -> dict[str, Any]:
    home, stated = reader.home, {field: name for field, name in _TIMES.items() if name in component}
    times = {field: time_in(component, name, home, floats=reader.is_known) for field, name in stated.items()}
    if any(word_of(component, name) in ("TRUE", "1") for name in ALL_DAY):
        times |= as_days(times, home)
    if component.name == "VTODO":
        times |= {field: at_home(when, home) for field, when in times.items()}
    days, minutes = length_of(component)
    lines = recurrence_lines(component)
    if "date" in times.get("start", {}) and any(INSTANT.search(line) for line in lines or ()):
        times["start"] |= {"zone": home.key}  # on whose clock the instants name days
    return {
        "title": text_of(component, "SUMMARY"),
        "status": "CANCELLED" if reader.cancels else word_of(component, "STATUS"),
        **times,
        **_original(component, reader, all_day="date" in times.get("start", {})),
        "days": days,
        "minutes": minutes,
        "lines": lines,
        "busy": word_of(component, "TRANSP") != "TRANSPARENT",
        "microsoft": word_of(component, "X-MICROSOFT-CDO-BUSYSTATUS"),
        "class": word_of(component, "CLASS"),
        "conference": _conference(component),
        **({"priority": priority} if (priority := _priority(component)) else {}),
        **({"percent": percent} if (percent := text_of(component, "PERCENT-COMPLETE")) == "100" else {}),
        **({"sequence": version} if (version := version_of(component)[0]) > 0 else {}),
        **({"located": True} if _located(component) else {}),
        **_people(component, reader.mine),
    }


_TIMES = {
    "start": "DTSTART",
    "end": "DTEND",
    "due": "DUE",
    "completed": "COMPLETED",
    "modified": "LAST-MODIFIED",
}


def _original(component: Component, reader: Reader, *, all_day: bool) -> dict[str, dict[str, str | None]]:
    if "RECURRENCE-ID" not in component:
        return {}
    found = time_in(component, "RECURRENCE-ID", reader.home, floats=reader.is_known)
    if found.get("at") and (all_day or "DTSTART" not in component):
        found |= midnight_of(found, reader.home, surely=all_day)
    return {"original": found}


def collected(versions: Iterable[tuple[Version, RawRecord]]) -> dict[str, RawRecord]:
    """Return path -> record, of (version, record) pairs the newest version of each record.

    Some programs give several events the same UID. If they start at different times, all are kept.
    """
    found: dict[str, list[tuple[Version, RawRecord]]] = {}
    for version, record in versions:
        found.setdefault(record.path, []).append((version, record))
    kept: list[RawRecord] = []
    for same in found.values():
        same.sort(key=lambda pair: pair[0])
        newest, _ = same[-1][0]
        kept += _told_apart({_begun(record): record for version, record in same if version[0] == newest})
    return {record.path: record for record in kept}


def _told_apart(by_start: Mapping[str, RawRecord]) -> list[RawRecord]:
    records = list(by_start.values())
    if "original" in records[0].payload or "unreadable" in records[0].payload:
        return records[-1:]
    own = min(by_start, key=lambda start: ("lines" not in by_start[start].payload, start))
    return [r if start == own else replace(r, key=f"{r.key}/at-{start}") for start, r in by_start.items()]


def _begun(record: RawRecord) -> str:
    when = mapping(record.payload.get("start") or record.payload.get("due"))
    return str(when.get("at") or when.get("date"))


def told_of_replaced(records: Mapping[str, RawRecord]) -> dict[str, RawRecord]:
    """Return the records by path, in which each series of to-dos lists its instances that have records of their own."""
    replaced: dict[object, list[Any]] = {}
    for record in records.values():
        if record.payload.get("original"):
            replaced.setdefault(record.payload.get("uid"), []).append(record.payload["original"])
    told = {uid: {"replaced": sorted(found, key=str)} for uid, found in replaced.items()}
    return {
        path: replace(record, payload={**record.payload, **told[record.payload.get("uid")]})
        if "lines" in record.payload and _is_task(record) and record.payload.get("uid") in told
        else record
        for path, record in records.items()
    }


def _is_task(record: RawRecord) -> bool:
    return "task" in (record.stream, record.payload.get("kind")) and "original" not in record.payload


def faults(reader: Reader, component: Component) -> list[RawRecord]:
    """Return a record for each unreadable part of a component, with the reason in its ``why``."""
    lines = recurrence_lines(component) or []
    series = Series(lines=lines, first=first_wall(component), zone=None)
    zones = {name: [param(one, "TZID") for one in listed(component, name)] for name in LINES[1:]}
    found = ["RRULE"] if series.fault() else []
    found += [name for name, stated in zones.items() if UNKNOWN.upper() in stated]
    block = f"BEGIN:{component.name} {component.get('UID')} {component.get('RECURRENCE-ID')} "
    return [unreadable(reader.calendar, block + why, why) for why in found]


def unreadable(calendar: str, block: str, why: str | None = None) -> RawRecord:
    stream = "task" if block.upper().startswith("BEGIN:VTODO") else "event"
    payload = {"unreadable": True} | ({"why": why} if why else {})
    return RawRecord(stream=stream, key=f"{calendar}/{UNREADABLE_PREFIX}{mark_of(block)}", payload=payload)


def mark_of(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def text_of(component: Component, name: str) -> str | None:
    value = component.get(name)
    if isinstance(value, list):
        value = value[0] if value else None
    text = "" if value is None else str(value).strip()
    return text or None


def word_of(component: Component, name: str) -> str | None:
    """Return a property's text in upper case, or None if it is missing."""
    text = text_of(component, name)
    return None if text is None else text.upper()


def _conference(component: Component) -> bool:
    if any(field in component for field in LINK_FIELDS):
        return True
    text = " ".join(str(component.get(field, "")) for field in ("LOCATION", "DESCRIPTION", "URL"))
    return MEETING_LINK.search(text) is not None


def _priority(component: Component) -> int:
    text = text_of(component, "PRIORITY") if component.name == "VTODO" else None
    return int(text) if text is not None and text in tuple("123456789") else 0


def _located(component: Component) -> bool:
    place = text_of(component, "LOCATION") or ""
    return bool(place.strip()) and "://" not in place and MEETING_LINK.search(place) is None


def _people(component: Component, mine: frozenset[str]) -> dict[str, Any]:
    attendees = [a for a in listed(component, "ATTENDEE") if param(a, "CUTYPE") not in ROOMS]
    organiser = {_address(o) for o in listed(component, "ORGANIZER")}
    everybody = {_address(a) for a in attendees} | organiser
    me = next((a for a in attendees if _address(a) in mine), None)
    known = bool(everybody & mine)
    return {
        "others": len(everybody - mine) if known else max(len(everybody) - 1, 0),
        "organised_by_me": not organiser or bool(organiser & mine),
        "answer": None if me is None else param(me, "PARTSTAT") or None,
    }


def _address(person: Any) -> str:
    return str(person).lower().removeprefix("mailto:")


def time_in(component: Component, name: str, home: ZoneInfo, *, floats: bool) -> dict[str, str | None]:
    """Return the time in a property as {"date"} or {"at", "zone"}, or {} if unreadable.

    A time without a zone is in ``home``. If it names an unknown zone, or unless ``floats``, it is {"unknown": "zone"}.
    """
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
    """Return {"start", "end"} as dates if both are midnights, as in Outlook's all-day events, else {}."""
    found = {field: midnight_of(times[field], home) for field in ("start", "end") if field in times}
    return found if found and all(found.values()) else {}


def midnight_of(when: Mapping[str, str | None], home: ZoneInfo, *, surely: bool = False) -> dict[str, str | None]:
    """Return {"date"} for a date, or for a time that is midnight in its own zone. {} for other times.

    A time in UTC counts as midnight also if it is midnight in ``home``. With ``surely``, any time in UTC becomes its
    date in ``home``.
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
    """Return a to-do's time with the zone ``home`` in place of UTC, because a to-do is due on the user's local date."""
    return {**when, "zone": home.key} if when.get("zone") == "UTC" else when


def length_of(component: Component) -> tuple[int | None, float | None]:
    """Return a component's DURATION as (days, further minutes). Each is None if it is missing."""
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
    """Return a component's recurrence lines (RRULE, RDATE, EXDATE) with the zone of their times, or None without any.

    A line RECURRENCE-ID marks an exception for all later instances. A line DURATION states a length in days.
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
    """Return the local time at which a component begins, or 2000-01-01 if it is unreadable."""
    try:
        at = component.get("DTSTART", component.get("DUE")).dt
        return datetime(at.year, at.month, at.day, getattr(at, "hour", 0), getattr(at, "minute", 0))  # noqa: DTZ001
    except MALFORMED:
        return datetime(2000, 1, 1)  # noqa: DTZ001 - a wall clock
