"""Calendar files, of any program."""

from __future__ import annotations

from collections.abc import Iterator

from bridge.errors import SourceChanged
from bridge.ports import File
from bridge.types import Page
from connectors.ics.parse import LARGEST, pages

BEGIN = b"BEGIN:VCALENDAR"


def recognise(file: File) -> bool:
    """It begins with a calendar, after a byte order mark or blanks at most."""
    return begins(file.head)


def begins(content: bytes) -> bool:
    return content.removeprefix(b"\xef\xbb\xbf").lstrip().upper().startswith(BEGIN)


def read(file: File, *, zone: str) -> Iterator[Page]:
    """Every component of the file. Raises SourceChanged for one that is far too large or holds no calendar."""
    with file.open() as opened:
        content = opened.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise SourceChanged("it is far larger than a calendar; export it again")
    yield from pages(content, name=file.name.rpartition(".")[0] or file.name, zone=zone)
