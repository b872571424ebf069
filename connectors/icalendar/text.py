"""A reader of iCalendar text, which finds the calendars and sets apart what cannot be parsed."""

from __future__ import annotations

import re
import warnings
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from icalendar import Calendar

COMPONENT = re.compile(rb"^BEGIN:(VEVENT|VTODO)\s*$.*?^END:\1\s*$", re.MULTILINE | re.DOTALL | re.IGNORECASE)
HEADER = re.compile(rb"^X-WR-(?:CALNAME|TIMEZONE)[:;][^\r\n]*", re.MULTILINE | re.IGNORECASE)
ZONE = re.compile(rb"^BEGIN:VTIMEZONE\s*$.*?^END:VTIMEZONE\s*$", re.MULTILINE | re.DOTALL | re.IGNORECASE)
FOLD = re.compile(rb"\r?\n[ \t]")
RULE = re.compile(rb"^RRULE:([^\r\n]*)", re.MULTILINE | re.IGNORECASE)
# What the library raises; OSError for a zone named like a folder of zones ("Pacific").
MALFORMED = (ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError, OSError)


def parsed(content: bytes) -> tuple[list[Calendar], list[bytes]]:
    """Return (calendars in an iCalendar text, texts of the events and to-dos that cannot be parsed).

    A text that cannot be parsed as a whole is parsed by event and to-do, each in its own calendar.
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
    """Return the text of a time zone that a calendar defines.

    Return an empty text if a rule of it is not yearly, or matches no date from 2000 to 2040. The library would search
    for minutes for a date that matches.
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
