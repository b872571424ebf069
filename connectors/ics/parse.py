"""Read iCalendar text (RFC 5545), and make a raw record of each event ("event") or to-do ("task").

Descriptions, places, links and people's addresses are not stored. Stored are the number of people, the user's own
answer, and if a place or a conference is named. Times become ``{"date"}`` or ``{"at", "zone"}``, in UTC with the IANA
name of the zone of their wall clock. Times without a zone are in the calendar's own zone (X-WR-TIMEZONE), else in the
user's.
"""

from __future__ import annotations

import hashlib
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo, available_timezones

from bridge.domain.errors import SourceChanged
from bridge.domain.types import FILE_PARENT_PREFIX, Covers, Page, RawRecord

if TYPE_CHECKING:
    from icalendar import Calendar, Component

CALENDAR_MAX_BYTES = 20_000_000  # bytes
PAGE_COMPONENTS = 500
STREAM_OF_COMPONENT = {"VEVENT": "event", "VTODO": "task"}
COMPONENT = re.compile(rb"^BEGIN:(VEVENT|VTODO)\s*$.*?^END:\1\s*$", re.MULTILINE | re.DOTALL | re.IGNORECASE)
HEADER = re.compile(rb"^X-WR-(?:CALNAME|TIMEZONE)[:;][^\r\n]*", re.MULTILINE | re.IGNORECASE)
ZONE = re.compile(rb"^BEGIN:VTIMEZONE\s*$.*?^END:VTIMEZONE\s*$", re.MULTILINE | re.DOTALL | re.IGNORECASE)
FOLD = re.compile(rb"\r?\n[ \t]")
RULE = re.compile(rb"^RRULE:([^\r\n]*)", re.MULTILINE | re.IGNORECASE)
MEETING_LINK = re.compile(
    r"https://[\w.-]*(zoom\.us/j|teams\.microsoft\.com|meet\.google\.com|webex\.com|whereby\.com)"
)
LINK_FIELDS = ("CONFERENCE", "X-GOOGLE-CONFERENCE", "X-MICROSOFT-SKYPETEAMSMEETINGURL")
ROOMS = ("ROOM", "RESOURCE")
# What the library raises; OSError for a zone named like a folder of zones ("Pacific").
MALFORMED = (ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError, OSError)
LINES = ("RRULE", "RDATE", "EXDATE")
UNREADABLE = "unreadable-"


def pages(
    content: bytes, *, name: str, zone: str, mine: frozenset[str] = frozenset(), file: str | None = None
) -> Iterator[Page]:
    """Yield all events and to-dos of a calendar as raw records in pages. Stored entries that the calendar lacks are
    deleted.

    ``name`` is for calendars that do not name themselves. ``mine`` are the user's own addresses in lower case. ``file``
    is the name of the calendar's file, or None for a calendar from an address. Programs give many calendars the same
    name, and a calendar may lie in several files. A file therefore deletes only entries that came from a file of that
    name, of the kinds that it holds. A file that is a message about some events (RFC 5546), such as an invitation,
    deletes nothing. The date of a file is the date of its newest change. Raises SourceChanged for text that is no
    calendar, and after the readable part of a calendar that is cut off.
    """
    whole = _is_whole(content)
    calendars, broken = _parsed(content.removeprefix(b"\xef\xbb\xbf").replace(b"\0", b""))  # no database takes a NUL
    if not calendars and not broken:
        raise SourceChanged("it holds no calendar; export it again")
    named = next((str(c["X-WR-CALNAME"]) for c in calendars if c.get("X-WR-CALNAME")), name).replace("/", " ")
    as_of = None if file is None else _changed(calendars)
    mailed = any(_word(calendar, "METHOD") not in (None, "PUBLISH") for calendar in calendars)
    found: dict[str, RawRecord] = {}
    for calendar in calendars:
        home = _known(_text(calendar, "X-WR-TIMEZONE")) or ZoneInfo(zone)
        for component in sorted(_components(calendar), key=_sequence):
            record = _record(named, component, home, mine)
            found[record.path] = _of_file(record, file, as_of)
    found |= {record.path: record for record in (_unreadable(named, block) for block in broken)}
    for stream in STREAM_OF_COMPONENT.values():
        records = tuple(record for record in found.values() if record.stream == stream)
        listed = whole and (file is None or (not mailed and (bool(records) or not found)))
        for begin in range(0, max(len(records), 1), PAGE_COMPONENTS):
            covers = _whole(named, file, as_of) if listed and begin + PAGE_COMPONENTS >= len(records) else None
            yield Page(stream=stream, records=records[begin : begin + PAGE_COMPONENTS], covers=covers)
        if listed and file is not None:
            yield Page(stream=stream, records=(), covers=Covers(prefix=f"{named}/{UNREADABLE}"))
    if not whole:
        raise SourceChanged("it is cut off; what came before was read. Get it again")


def _of_file(record: RawRecord, file: str | None, as_of: datetime | None) -> RawRecord:
    """Return the record with its file as parent, and with the file's date.

    An unreadable record is returned unchanged, because with a parent it would wait for that parent.
    """
    if file is None or record.payload.get("unreadable"):
        return record
    return replace(record, parent=f"{FILE_PARENT_PREFIX}{file}", as_of=as_of)


def _changed(calendars: Sequence[Calendar]) -> datetime | None:
    """Return the newest LAST-MODIFIED or DTSTAMP (RFC 5545, 3.8.7) in calendars, or None without any.

    Many programs stamp every event when they export. A deletion changes neither. A file that was exported after a
    deletion may therefore look too old until the next change of an event.
    """
    dated = [part for calendar in calendars for part in (calendar, *_components(calendar))]
    found = (_stamped(part, name) for part in dated for name in ("LAST-MODIFIED", "DTSTAMP"))
    return max((at for at in found if at is not None), default=None)


def _stamped(component: Component, name: str) -> datetime | None:
    try:
        at = getattr(component.get(name), "dt", None)
    except MALFORMED:
        return None
    if not isinstance(at, datetime) or at.tzinfo is None or not 1970 < at.year < 9999:
        return None
    return at.astimezone(UTC)


def _whole(calendar: str, file: str | None, as_of: datetime | None) -> Covers:
    parents = None if file is None else frozenset({f"{FILE_PARENT_PREFIX}{file}"})
    return Covers(prefix=f"{calendar}/", parents=parents, as_of=as_of)


def _is_whole(content: bytes) -> bool:
    """Return True if a text holds the end of its last calendar. Some servers add a line after the end."""
    upper = content.upper()
    return upper.rfind(b"END:VCALENDAR") > upper.rfind(b"BEGIN:VCALENDAR")


def _parsed(content: bytes) -> tuple[list[Calendar], list[bytes]]:
    """Return (calendars in a text, texts of the components that cannot be parsed).

    A text that cannot be parsed as a whole is parsed by component, each in its own calendar.
    """
    found = _calendars(content)
    if found:
        return found, []
    named = b"\r\n".join(match.group() for match in HEADER.finditer(content))
    zones = b"\r\n".join(match.group() for match in ZONE.finditer(content))
    calendars, broken = [], []
    for match in COMPONENT.finditer(content):
        alone = b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\n%b\r\n%b\r\nEND:VCALENDAR\r\n"
        heads = (named + b"\r\n" + zones, named, b"")
        one = next(filter(None, (_calendars(alone % (head, match.group())) for head in heads)), None)
        if one:
            calendars += one
        else:
            broken.append(match.group())
    return calendars, broken


def _calendars(content: bytes) -> list[Calendar] | None:
    from icalendar import Calendar
    from icalendar.timezone import tzp

    tzp.use_default()  # forgets the zones other calendars defined: the library would use them for equal names in this
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # guesses about zones, which are checked below
            found = Calendar.from_ical(ZONE.sub(_if_it_ends, content), multiple=True)
    except MALFORMED:
        return None
    return [calendar for calendar in found if calendar.name == "VCALENDAR"]


def _if_it_ends(zone: re.Match[bytes]) -> bytes:
    """Return the text of a time zone that a calendar defines. Return an empty text if one of its rules never matches.

    The library would search for minutes for a date that matches.
    """
    lines = FOLD.sub(b"", zone.group())
    return zone.group() if all(_comes_round(rule.group(1)) for rule in RULE.finditer(lines)) else b""


def _comes_round(rule: bytes) -> bool:
    """Return True if a recurrence rule is yearly and matches any date from 2000 to 2040."""
    from dateutil.rrule import rrulestr

    parts = [part for part in rule.decode("ascii", "replace").upper().split(";") if not part.startswith("UNTIL")]
    within = ";".join([*parts, "UNTIL=20400101T000000"])
    try:
        found = rrulestr(within, dtstart=datetime(2000, 1, 1))  # noqa: DTZ001 - a wall clock
        return "FREQ=YEARLY" in parts and next(iter(found), None) is not None
    except MALFORMED:
        return False


def _components(calendar: Calendar) -> list[Component]:
    return [component for component in calendar.walk() if component.name in STREAM_OF_COMPONENT]


def _sequence(component: Component) -> int:
    """Return the version number (SEQUENCE) of a component, or 0 without one, as a sort key.

    The newest version comes last and replaces earlier versions.
    """
    try:
        return int(component.get("SEQUENCE", 0))
    except (TypeError, ValueError):
        return 0


def _record(calendar: str, component: Component, home: ZoneInfo, mine: frozenset[str]) -> RawRecord:
    """Return the raw record of a component. That of an unreadable component has only a mark as its content."""
    try:
        payload = _payload(component, home, mine)
        uid = _text(component, "UID") or _mark(component.to_ical())
    except MALFORMED:
        block = f"BEGIN:{component.name} {component.get('UID')} {component.get('SUMMARY')}"
        return _unreadable(calendar, block.encode(errors="replace"))
    original = payload.get("original")
    suffix = "" if original is None else "/" + (next(iter(original.values())) if original else "?")
    kept = {name: value for name, value in payload.items() if value is not None} | {"calendar": calendar, "uid": uid}
    return RawRecord(stream=STREAM_OF_COMPONENT[component.name or ""], key=f"{calendar}/{uid}{suffix}", payload=kept)


def _payload(component: Component, home: ZoneInfo, mine: frozenset[str]) -> dict[str, Any]:
    return {
        "title": _text(component, "SUMMARY"),
        "status": _word(component, "STATUS"),
        **{field: _time(component, name, home) for field, name in _TIMES.items() if name in component},
        **_original(component, home),
        "minutes": _minutes(component),
        "lines": _lines(component),
        "busy": _word(component, "TRANSP") != "TRANSPARENT",
        "microsoft": _word(component, "X-MICROSOFT-CDO-BUSYSTATUS"),
        "class": _word(component, "CLASS"),
        "conference": _conference(component),
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
    """Return {"original": the day or instant of the series that a component replaces}, or {} for other components.

    A midnight counts as a day, unless the component's new start has a time of day.
    """
    if "RECURRENCE-ID" not in component:
        return {}
    found = _time(component, "RECURRENCE-ID", home)
    start = _time(component, "DTSTART", home) if "DTSTART" in component else {}
    if found.get("at") and not start.get("at"):
        at = datetime.fromisoformat(str(found["at"]))
        own = _known(found.get("zone")) or home
        walls = [at.astimezone(place) for place in ((own, home) if own.key == "UTC" else (own,))]
        found |= next(({"date": wall.date().isoformat()} for wall in walls if wall.time() == time()), {})
    return {"original": found}


def _unreadable(calendar: str, block: bytes) -> RawRecord:
    stream = "task" if block.upper().startswith(b"BEGIN:VTODO") else "event"
    return RawRecord(stream=stream, key=f"{calendar}/{UNREADABLE}{_mark(block)}", payload={"unreadable": True})


def _mark(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=8).hexdigest()


def _text(component: Component, name: str) -> str | None:
    value = component.get(name)
    if isinstance(value, list):
        value = value[0] if value else None
    text = "" if value is None else str(value).strip()
    return text or None


def _word(component: Component, name: str) -> str | None:
    """Return the text of a property whose values are fixed words, in upper case, or None if it is missing."""
    text = _text(component, name)
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


def _known(name: str | None) -> ZoneInfo | None:
    try:
        return ZoneInfo(name) if name else None
    except (KeyError, ValueError, OSError):
        return None


def _zone(at: datetime, home: ZoneInfo) -> str | None:
    """Return the IANA name of a time's zone, or None if none fits.

    A zone that the calendar defines is matched with an IANA zone with the same offsets in that year.
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


def _located(component: Component) -> bool:
    """Return True if a component names a place. A link is no place."""
    place = _text(component, "LOCATION") or ""
    return bool(place.strip()) and "://" not in place and MEETING_LINK.search(place) is None


def _people(component: Component, mine: frozenset[str]) -> dict[str, Any]:
    """Return the number of other people, if the user organises the event, and the user's answer.

    ``mine`` are the user's addresses. If none of them is listed, one of the people is taken to be the user.
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
