"""Turn a whole iCalendar text, from a file or an address, into pages of raw records."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from bridge.domain.errors import SourceChanged
from bridge.domain.types import FILE_PARENT_PREFIX, Covers, Page, RawRecord
from connectors.icalendar.components import (
    STREAM_OF_COMPONENT,
    UNREADABLE_PREFIX,
    collected,
    components,
    reader_of,
    stamped,
    told_of_replaced,
    unreadable,
    word_of,
)
from connectors.icalendar.text import decoded, parsed

if TYPE_CHECKING:
    from icalendar import Calendar

ADDRESS = re.compile(r"[^@\s,]{1,100}@[^@\s,]{1,100}\.[^@\s,.]{2,30}")  # of e-mail, as a whole text
CALENDAR_MAX_BYTES = 20_000_000  # bytes
PAGE_COMPONENTS = 500


def addresses(text: str) -> frozenset[str]:
    """Return the e-mail addresses in a text separated by commas, in lower case."""
    return frozenset(address.strip() for address in text.lower().split(",") if address.strip())


def pages(
    content: bytes, *, name: str, zone: str, mine: frozenset[str] = frozenset(), file: str | None = None
) -> Iterator[Page]:
    """Yield all events and to-dos of a calendar in pages. ``name`` is for calendars without a name of their own.

    ``mine`` holds the user's e-mail addresses. ``file`` is the file's name, whose missing earlier entries are deleted,
    or None for an address. Raises SourceChanged for no calendar, and after the readable part of a cut-off one.
    """
    text = decoded(content)
    whole = _is_whole(text)
    calendars, broken = parsed(text)
    if not calendars and not broken:
        raise SourceChanged("the file holds no calendar; export it again")
    named = next((str(c["X-WR-CALNAME"]) for c in calendars if c.get("X-WR-CALNAME")), name).replace("/", " ")
    as_of = None if file is None else _changed(calendars)
    mailed = any(word_of(calendar, "METHOD") not in (None, "PUBLISH") for calendar in calendars)
    readers = ((reader_of(calendar, named, zone, mine), calendar) for calendar in calendars)
    found = told_of_replaced(collected(pair for reader, calendar in readers for pair in reader.versions(calendar)))
    found = {path: _of_file(record, file, as_of) for path, record in found.items()}
    found |= {record.path: record for record in (unreadable(named, block) for block in broken)}
    for stream in STREAM_OF_COMPONENT.values():
        records = tuple(record for record in found.values() if record.stream == stream)
        listed = whole and (file is None or (not mailed and (bool(records) or not found)))
        for begin in range(0, max(len(records), 1), PAGE_COMPONENTS):
            covers = _whole(named, file, as_of) if listed and begin + PAGE_COMPONENTS >= len(records) else None
            yield Page(stream=stream, records=records[begin : begin + PAGE_COMPONENTS], covers=covers)
        if listed and file is not None:
            yield Page(stream=stream, records=(), covers=Covers(prefix=f"{named}/{UNREADABLE_PREFIX}"))
    if not whole:
        raise SourceChanged("the file is cut off; what came before was read. Get it again")


def _of_file(record: RawRecord, file: str | None, as_of: datetime | None) -> RawRecord:
    # An unreadable record is returned unchanged, because with a parent it would wait for that parent.
    if file is None or record.payload.get("unreadable"):
        return record
    return replace(record, parent=f"{FILE_PARENT_PREFIX}{file}", as_of=as_of)


def _changed(calendars: Sequence[Calendar]) -> datetime | None:
    dated = [part for calendar in calendars for part in (calendar, *components(calendar))]
    found = (stamped(part, name) for part in dated for name in ("LAST-MODIFIED", "DTSTAMP"))
    return max((at for at in found if at is not None), default=None)


def _whole(calendar: str, file: str | None, as_of: datetime | None) -> Covers:
    parents = None if file is None else frozenset({f"{FILE_PARENT_PREFIX}{file}"})
    return Covers(prefix=f"{calendar}/", parents=parents, as_of=as_of)


def _is_whole(text: str) -> bool:
    upper = text.upper()
    return upper.rfind("END:VCALENDAR") > upper.rfind("BEGIN:VCALENDAR")
