"""Apple's export file, whatever the phone's language has called it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, islice

from bridge.errors import SourceChanged
from bridge.ports import File
from bridge.types import Page
from connectors.apple_health.collect import Collected
from connectors.apple_health.elements import CutOff, elements

PAGE = 200
MARKS = (b"<HealthData", b"<!DOCTYPE HealthData")


def recognise(file: File) -> bool:
    """An XML file whose root is HealthData; its document type alone may be longer than what is looked at."""
    return file.name.lower().endswith(".xml") and any(mark in file.head for mark in MARKS)


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
    for stream_name, records in groupby(collected.records(), key=lambda record: record.stream):
        while page := tuple(islice(records, PAGE)):
            yield Page(stream=stream_name, records=page)
    if not whole:
        raise SourceChanged("it is cut off or damaged; what came before was read. Export it again on the phone")
