"""Read a JSON list or a CSV table of a Fitbit export row by row."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from bridge.domain.ports import File
from bridge.domain.slots import ZoneHistory
from bridge.domain.types import Page
from bridge.ingest.files import ending
from bridge.ingest.readable_part import ReadablePart, json_list
from connectors.fitbit.gather import Gathered
from connectors.fitbit.kinds import header, kind_of
from connectors.gathering import Clock, Gathering

FIELD_MAX_CHARACTERS = 1_000_000  # of a cell; the events of a workout have thousands


def recognise(file: File) -> bool:
    """Return True if name and first bytes are those of a file of a Fitbit export that is read."""
    return kind_of(file) is not None


def read(file: File, *, zone: str, zones: ZoneHistory = ()) -> Iterator[Page]:
    """Yield a file's records in pages. ``zones`` tells the person's clock at each time, or ``zone`` if it is empty.

    Raises SourceChanged for a file of more than 200 MB, and after the readable part of a damaged file.
    """
    kind = kind_of(file)
    if kind is None:
        return
    rows = json_list(file) if ending(file.name) == "json" else _csv_rows(file)
    readable = ReadablePart(file, rows, again="Download the export again")
    gathered = Gathered(kind, Gathering(Clock(zone, zones)))
    for row in readable:
        gathered.take(row)
    yield from gathered.pages()
    readable.raise_damage()


def _csv_rows(file: File) -> Iterator[dict[str, str]]:
    csv.field_size_limit(FIELD_MAX_CHARACTERS)
    with file.open() as content, io.TextIOWrapper(content, "utf-8-sig", errors="replace", newline="") as text:
        columns = header(text.readline(FIELD_MAX_CHARACTERS))
        for cells in csv.reader(text):
            if any(cells):
                yield dict(zip(columns, cells, strict=False))
