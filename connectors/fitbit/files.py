"""Read a file of an export: a JSON list or a CSV table, row by row, whatever its size."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

from bridge.domain.errors import BridgeError, SourceChanged
from bridge.domain.ports import File
from bridge.domain.slots import ZoneHistory
from bridge.domain.types import Page
from bridge.ingest.files import DAMAGED, ending
from bridge.ingest.json_stream import Broken, Json
from connectors.fitbit.clock import Clock
from connectors.fitbit.gather import Gathered
from connectors.fitbit.kinds import header, kind_of

FILE_MAX_BYTES = 200_000_000  # a month of minutes has 4 MB, and twelve years of sleep stages 60 MB
FIELD_MAX_CHARACTERS = 1_000_000  # of a cell; the events of a workout have thousands
CUT_OFF = "it is cut off or damaged; what came before was read. Download the export again"


def recognise(file: File) -> bool:
    """Return True if the name and the first bytes are those of a file of the export that is read."""
    return kind_of(file) is not None


def read(file: File, *, zone: str, zones: ZoneHistory = ()) -> Iterator[Page]:
    """Yield a file's records in pages. ``zones`` tells the clock of times without an offset, else ``zone`` does.

    Raises SourceChanged for a file of more than 200 MB, and after the readable part of a damaged file.
    """
    kind = kind_of(file)
    if kind is None:
        return
    if file.size > FILE_MAX_BYTES:
        raise SourceChanged("it is far larger than any file of such an export; download it again")
    gathered = Gathered(kind, Clock(zone, zones))
    failed: Exception | None = None
    try:
        for row in _json_rows(file) if ending(file.name) == "json" else _csv_rows(file):
            gathered.take(row)
    except (Broken, csv.Error):
        failed = SourceChanged(CUT_OFF)
    except (BridgeError, *DAMAGED) as error:
        failed = error
    yield from gathered.pages()
    if failed is not None:
        raise failed


def _json_rows(file: File) -> Iterator[Any]:
    with file.open() as content:
        document = Json(content)
        for _ in document.elements():
            yield document.value()
        document.end()


def _csv_rows(file: File) -> Iterator[dict[str, str]]:
    csv.field_size_limit(FIELD_MAX_CHARACTERS)
    with file.open() as content, io.TextIOWrapper(content, "utf-8-sig", errors="replace", newline="") as text:
        columns = header(text.readline(FIELD_MAX_CHARACTERS))
        for cells in csv.reader(text):
            if any(cells):
                yield dict(zip(columns, cells, strict=False))
