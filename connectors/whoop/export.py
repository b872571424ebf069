"""WHOOP's data export: a zip of CSV files, a folder of them, or one of them; English or localised.

What a file holds is told by its headers, or by the number of its columns where they are in another language: the order
of the columns is the same. Times are the person's wall clock, and each row names its own offset (``UTC+01:00``,
``UTCZ``). Journal answers are recognised and left alone: they hold medication and more.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from bridge.errors import SourceChanged
from bridge.types import Page, RawRecord
from connectors.whoop.columns import TABLES, Table, instant_key

PAGE = 500


def recognise(path: Path) -> bool:
    """True when at least one file in there has the columns of a WHOOP export."""
    try:
        return any(_table(_header(text)) is not None for _, text in _files(path))
    except (OSError, zipfile.BadZipFile, SourceChanged):
        return False


def read(path: Path, *, zone: str) -> Iterator[Page]:  # noqa: ARG001 - every row knows its own offset
    """The rows of every known file as records, at most 500 a page. Raises SourceChanged for a damaged zip."""
    for _, text in _files(path):
        table = _table(_header(text))
        if table is None or table.stream is None:
            continue
        records = _records(table, text)
        while page := tuple(islice(records, PAGE)):
            yield Page(stream=table.stream, records=page)


def _files(path: Path) -> Iterator[tuple[str, str]]:
    """(name, text) of every CSV file, in a stable order."""
    if path.is_dir():
        for file in sorted(path.rglob("*.csv")):
            yield file.name, _decode(file.read_bytes())
    elif path.suffix.lower() == ".csv":
        yield path.name, _decode(path.read_bytes())
    elif zipfile.is_zipfile(path):
        yield from _zipped(path)


def _zipped(path: Path) -> Iterator[tuple[str, str]]:
    with zipfile.ZipFile(path) as archive:
        for name in sorted(archive.namelist()):
            if not name.lower().endswith(".csv") or "__MACOSX" in name or Path(name).name.startswith("._"):
                continue
            try:
                yield name, _decode(archive.read(name))
            except (zipfile.BadZipFile, EOFError, RuntimeError, zlib.error) as error:
                raise SourceChanged(f"{Path(name).name} in the zip is damaged; download the export again") from error


def _decode(content: bytes) -> str:
    """UTF-8, or what Excel makes of it."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def _rows(text: str) -> Iterator[list[str]]:
    """Rows of a CSV text; answers may hold line breaks, and Excel may have put semicolons between the columns."""
    first = text.partition("\n")[0]
    delimiter = ";" if first.count(";") > first.count(",") else ","
    csv.field_size_limit(1_000_000)
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)


def _header(text: str) -> list[str]:
    try:
        return [re.sub(r"\s+", " ", name).strip().casefold() for name in next(_rows(text), [])]
    except csv.Error:
        return []


def _table(header: Sequence[str]) -> Table | None:
    """Which table these columns are: by name, else by how many there are."""
    for table in TABLES:
        if len(table.names & set(header)) * 2 > len(table.columns):
            return table
    recognisable = any("whoop" in name or "ciclo" in name or "cycle" in name or "zyklus" in name for name in header)
    return next((table for table in TABLES if recognisable and len(header) in table.counts), None)


def _records(table: Table, text: str) -> Iterator[RawRecord]:
    header = _header(text)
    named = bool(table.names & set(header))
    columns = [table.by_name.get(name) for name in header] if named else list(table.columns)
    rows = _rows(text)
    next(rows, None)
    for number, row in enumerate(rows, start=2):
        if not any(cell.strip() for cell in row):
            continue
        payload = {column: cell.strip() for column, cell in zip(columns, row, strict=False) if column and cell.strip()}
        key = instant_key(payload, table.key) or f"row {number}"
        yield RawRecord(stream=table.stream or "", key=key, payload=payload)
