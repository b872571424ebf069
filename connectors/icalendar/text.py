"""Parse iCalendar text into calendars, and separate events that cannot be parsed."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING

from connectors.icalendar.zones import MALFORMED, with_known_zones

if TYPE_CHECKING:
    from icalendar import Calendar

COMPONENT = re.compile(r"^BEGIN:(VEVENT|VTODO)\s*$.*?^END:\1\s*$", re.MULTILINE | re.DOTALL | re.IGNORECASE)
HEADER = re.compile(r"^(?:X-WR-(?:CALNAME|TIMEZONE)[:;]|METHOD:)[^\n]*", re.MULTILINE | re.IGNORECASE)
ZONE = re.compile(r"^BEGIN:VTIMEZONE\s*$.*?^END:VTIMEZONE\s*$", re.MULTILINE | re.DOTALL | re.IGNORECASE)
FOLD = re.compile(rb"\r*\n[ \t]|\r[ \t]")
BREAK = re.compile(rb"\r*\n|\r")
LENGTH = re.compile(r"^(DURATION(?:;[^:\n]*)?):([-+P0-9DHMSTW]*)\s*$", re.MULTILINE | re.IGNORECASE)
LENGTH_AS_WRITTEN = "X-AS-WRITTEN"  # parameter of DURATION: the library does not tell a day from 24 hours
# How a text may begin that is no UTF-8. A byte order mark may be missing.
WIDE = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"B\0E\0", "utf-16-le"), (b"\0B\0E", "utf-16-be"))


def decoded(content: bytes) -> str:
    """Return a calendar's text from UTF-8, UTF-16 or Latin 1, unfolded (RFC 5545, 3.1), with LF after each line."""
    for mark, encoding in WIDE:
        if content.startswith(mark):
            content = content.decode(encoding, "replace").encode()
    content = content.removeprefix(b"\xef\xbb\xbf").replace(b"\0", b"")  # no database takes a NUL
    lines = BREAK.sub(b"\n", FOLD.sub(b"", content))
    try:
        return lines.decode()
    except UnicodeDecodeError:
        return "\n".join(map(_line, lines.split(b"\n")))


def _line(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("cp1252", "replace")  # Latin 1 with the characters that Windows adds


def begins(content: bytes) -> bool:
    """Return True if a text begins with BEGIN:VCALENDAR, after any blanks."""
    return decoded(content).lstrip("\ufeff \t\r\n").upper().startswith("BEGIN:VCALENDAR")


def parsed(text: str) -> tuple[list[Calendar], list[str]]:
    """Return (calendars in a decoded iCalendar text, texts of the events and to-dos that cannot be parsed).

    A text that cannot be parsed as a whole is parsed by event and to-do, each in its own calendar.
    """
    text = LENGTH.sub(rf"\1;{LENGTH_AS_WRITTEN}=\2:\2", with_known_zones(text))
    found = _calendars(text)
    if found:
        return found, []
    named = "\n".join(match.group() for match in HEADER.finditer(text))
    zones = "\n".join(match.group() for match in ZONE.finditer(text))
    calendars, broken = [], []
    for match in COMPONENT.finditer(text):
        alone = "BEGIN:VCALENDAR\nVERSION:2.0\n{}\n{}\nEND:VCALENDAR\n"
        heads = (f"{named}\n{zones}", named, "")
        one = next(filter(None, (_calendars(alone.format(head, match.group())) for head in heads)), None)
        if one:
            calendars += one
        else:
            broken.append(match.group())
    return calendars, broken


def _calendars(text: str) -> list[Calendar] | None:
    from icalendar import Calendar
    from icalendar.timezone import tzp

    tzp.use_default()  # forgets the zones other calendars defined: the library would use them for equal names in this
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # guesses about zones, which are checked before
            found = Calendar.from_ical(text, multiple=True)
    except MALFORMED:
        return None
    return [calendar for calendar in found if calendar.name == "VCALENDAR"]
