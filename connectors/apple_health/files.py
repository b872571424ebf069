"""Apple's export file, whatever the phone's language has called it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby

from bridge.errors import SourceChanged
from bridge.ports import File
from bridge.types import Covers, Page
from connectors.apple_health.collect import Collected
from connectors.apple_health.elements import CutOff, elements

MARKS = (b"<HealthData", b"<!DOCTYPE HealthData")


def recognise(file: File) -> bool:
    """An XML file whose root is HealthData; its document type alone may be longer than what is looked at."""
    name = file.name.lower()
    return name.endswith(".xml") and not name.endswith("_cda.xml") and any(mark in file.head for mark in MARKS)


def read(file: File, *, zone: str) -> Iterator[Page]:
    """Everything the export says. Raises SourceChanged after the readable part of one that is cut off."""
    collected, whole = Collected(zone), True
    with file.open() as stream:
        try:
            for element in elements(stream):
                collected.take(element)
        except CutOff:
            collected.drop_last_type()
            whole = False
    yield from _pages(collected, whole=whole)
    if not whole:
        raise SourceChanged("it is cut off or damaged; what came before was read. Export it again on the phone")


def _pages(collected: Collected, *, whole: bool) -> Iterator[Page]:
    """A page per stream and month; a day's record replaces the one of an earlier export.

    Not so from a file that is cut off, nor on the day of the export, which was not over: these add to what is known.
    Months strictly inside the export are whole, and what an earlier export had in them is gone. Its first and last
    month are not: a new phone starts in the middle of one, and an old export may be read after a newer one.
    """
    first, last = collected.first_day, collected.last_day
    for (stream, month), records in groupby(collected.records(), key=lambda record: (record.stream, record.key[:7])):
        page = tuple(replace(record, adds=not whole or record.key >= last) for record in records)
        covers = Covers(prefix=f"{month}-") if whole and first[:7] < month < last[:7] else None
        yield Page(stream=stream, records=page, covers=covers)
