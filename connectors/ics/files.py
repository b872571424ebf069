"""Read iCalendar files, written by any program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bridge.domain.errors import SourceChanged
from bridge.domain.ports import File
from bridge.domain.types import Page
from connectors.icalendar.text import begins
from connectors.ics.parse import ADDRESS, CALENDAR_MAX_BYTES, addresses, pages
from connectors.lists import COPY_SUFFIX

OWNER_DECLINED = (
    "entries declined by the person after whose address the calendar is named, which count as yours. "
    "If that is you: bridge import PATH --user NAME --me ADDRESS"
)


def recognise(file: File) -> bool:
    """Return True if a file begins as an iCalendar text, in any supported encoding."""
    return begins(file.head)


def read(file: File, *, zone: str, settings: Mapping[str, str] | None = None) -> Iterator[Page]:
    """Yield every event and to-do of the file as raw records in pages. ``zone`` is for times without a zone.

    Raises SourceChanged for a file too large or without a calendar, and after the readable part of a cut-off file.
    """
    with file.open() as opened:
        content = opened.read(CALENDAR_MAX_BYTES + 1)
    if len(content) > CALENDAR_MAX_BYTES:
        raise SourceChanged("the file is far larger than a calendar; export it again")
    name = (file.name.rpartition(".")[0] or file.name).encode("utf-8", "replace").decode()  # what is no text stays here
    mine = addresses((settings or {}).get("addresses", ""))
    owner = ""
    for page in pages(content, name=name, zone=zone, mine=mine, file=COPY_SUFFIX.sub("", name)):
        owner = owner or next((str(record.payload.get("calendar", "")) for record in page.records), "")
        yield page
    if not mine and ADDRESS.fullmatch(owner) and (declined := _declined(content, owner.lower(), zone)):
        yield Page(stream="event", records=(), left_out={OWNER_DECLINED: declined})


def _declined(content: bytes, owner: str, zone: str) -> int:
    """Return the number of entries that the person with the e-mail address ``owner`` declined."""
    found = pages(content, name=owner, zone=zone, mine=frozenset({owner}))
    return sum(record.payload.get("answer") == "DECLINED" for page in found for record in page.records)
