"""Read a table of Samsung Health's download, or a JSON file with the measurements of a row.

The first line names the kind, the second the columns. Each row ends in a comma too many.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

from bridge.domain.ports import File
from bridge.domain.slots import ZoneHistory
from bridge.domain.types import Page
from bridge.ingest.files import ending
from bridge.ingest.readable_part import ReadablePart, json_list
from connectors.gathering import Clock, Gathering
from connectors.samsung_health.gather import BINS, TABLE_STREAMS, Gathered

LINE_MAX_CHARACTERS = 1 << 16
KIND = re.compile(r"\ufeff?(com\.samsung\.s?health\.[\w.]+),\d+")
NAMED = re.compile(r"(com\.samsung\.s?health\.[a-z_.]*[a-z_])(\.\d+)?\.csv$")  # for a table without its first line
NEEDED = re.compile(r"(^|[,.])(start_time|day_time)\b")
BESIDE = re.compile(r"\.binning_data( ?\(\d+\))?\.json$")  # the name of a JSON file, below the folder of its kind


def recognise(file: File) -> bool:
    """Return True for a table of Samsung Health whose kind is read, and for a JSON file of it."""
    return kind_of(file) is not None


def kind_of(file: File) -> str | None:
    """Return the kind of a file of Samsung Health, such as ``com.samsung.shealth.sleep``, or None."""
    if ending(file.name) == "json":
        listed = file.head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"[" and b'"start_time"' in file.head
        told = BESIDE.search(file.name) is not None and listed
        return next((kind for kind, (_, _, value) in BINS.items() if told and f'"{value}"'.encode() in file.head), None)
    text = file.head.decode("utf-8", errors="replace")
    begins = KIND.match(text) or (NAMED.match(file.name) if NEEDED.search(text.partition("\n")[0]) else None)
    return begins[1] if begins and begins[1] in TABLE_STREAMS else None


def read(file: File, *, zone: str, zones: ZoneHistory = ()) -> Iterator[Page]:
    """Yield a file's records in pages. ``zones`` tells the clock of rows without an offset, or ``zone`` if it is empty.

    Raises SourceChanged for a file of more than 200 MB, and after the readable part of a damaged file.
    """
    kind = kind_of(file)
    if kind is None:
        return
    beside = ending(file.name) == "json"
    gathered = Gathered(BINS[kind][:2] if beside else TABLE_STREAMS[kind], Gathering(Clock(zone, zones)))
    readable = ReadablePart(file, json_list(file) if beside else _rows(file), again="Download the data again")
    for row in readable:
        gathered.take(row)
        yield from gathered.drained()
    yield from gathered.pages()
    readable.raise_damage()


def _rows(file: File) -> Iterator[dict[str, str]]:
    with file.open() as content, io.TextIOWrapper(content, "utf-8-sig", errors="replace", newline="") as text:
        line = text.readline(LINE_MAX_CHARACTERS)
        if KIND.match(line):
            line = text.readline(LINE_MAX_CHARACTERS)
        header = next(csv.reader([line.strip("\r\n")]), [])
        columns = [name.strip().rpartition(".")[2] for name in header]
        for cells in csv.reader(text):
            told = {name: cell for name, cell in zip(columns, cells, strict=False) if name and cell}
            if told:
                yield told
