"""Read saved answers of Oura's API v2, its account export, and the table of its page *Trends*.

Rows of saved answers and of the account export have the API's fields and ids. They become the records of a sync.
Names of files and folders are not used. The fields of a row tell its kind.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from bridge.domain.ports import File
from bridge.domain.types import Page, RawRecord
from bridge.ingest.files import ending
from bridge.ingest.json_stream import Json
from bridge.ingest.readable_part import ReadablePart
from connectors.instants import utc
from connectors.oura import BULKY
from connectors.payload import mapping, words

FIELD_MAX_CHARACTERS = 1 << 20
LEVELS = 4  # lists and objects around a row
PAGE_RECORDS, PAGE_DAYS = 200, 20
TRENDS = "trends"
SHAPES: tuple[tuple[str, frozenset[str]], ...] = (  # stream, fields that only its rows have; the first that fits counts
    ("heartrate", frozenset({"bpm", "timestamp", "source"})),
    ("sleep", frozenset({"bedtime_start", "bedtime_end", "total_sleep_duration", "type"})),
    ("daily_spo2", frozenset({"day", "spo2_percentage"})),
    ("daily_stress", frozenset({"day", "stress_high"})),
    ("daily_activity", frozenset({"day", "steps", "active_calories"})),
    ("daily_readiness", frozenset({"day", "score", "temperature_deviation"})),
    ("workout", frozenset({"start_datetime", "end_datetime", "activity", "intensity"})),
    ("session", frozenset({"start_datetime", "end_datetime", "type", "day"})),
    ("daily_sleep", frozenset({"day", "score", "contributors", "timestamp"})),
    (TRENDS, frozenset({"date", "sleep score"})),
)
WRAPPERS = frozenset({"data", *(stream for stream, _ in SHAPES)})  # names of objects around rows
KEY_NAMES = re.compile(rb'"(\w{1,40})"\s*:')
ROW_NAMED_BY = ("id", "bedtime_start", "start_datetime", "day", "date")


def recognise(file: File) -> bool:
    """Return True if a CSV or JSON file's first bytes hold the fields of a row of Oura's.

    The name of a JSON file ends in ``.json`` or ``.txt``, or has no ending.
    """
    if ending(file.name) == "csv":
        return stream_of(_columns(file.head.decode("utf-8-sig", errors="replace"))) is not None
    if ending(file.name) not in ("json", "txt", "") or file.head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"{", b"["):
        return False
    return stream_of({name.decode() for name in KEY_NAMES.findall(file.head)}) not in (None, TRENDS)


def stream_of(fields: Collection[str]) -> str | None:
    """Return the stream of Oura's rows that have these fields, or None for rows that are not Oura's.

    "trends" stands for the table of *Trends*.
    """
    return next((stream for stream, needed in SHAPES if needed <= set(fields)), None)


def read(file: File, *, zone: str) -> Iterator[Page]:
    """Yield a file's records in pages. ``zone``, the user's, is stored with heart rates and rows of *Trends*.

    Raises SourceChanged for a file of more than 200 MB, and after the readable part of a damaged file.
    """
    rows = _table(file) if ending(file.name) == "csv" else _document(file)
    readable = ReadablePart(file, rows, again="Get it again")
    pending: dict[str, list[RawRecord]] = {}
    days: dict[str, dict[str, Any]] = {}
    for stream, row in readable:
        if stream == "heartrate":
            _add_rate(days, row)
            continue
        found = pending.setdefault(stream, [])
        found.append(_record(stream, row, zone))
        if len(found) == PAGE_RECORDS:
            yield Page(stream=stream, records=tuple(pending.pop(stream)))
    for stream, records in pending.items():
        yield Page(stream=stream, records=tuple(records))
    yield from _rates(days, zone)
    readable.raise_damage()


def _document(file: File) -> Iterator[tuple[str, Mapping[str, Any]]]:
    with file.open() as content:
        document = Json(content)
        yield from _rows(document, LEVELS)
        document.end()


def _rows(document: Json, levels: int) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield (stream, row) for Oura's rows in the document's next value, within up to ``levels`` lists and objects.

    Only a single row is in memory at a time.
    """
    following = document.peek()
    if following == "[" and levels:
        for _ in document.elements():
            if document.peek() == "{":
                yield from _within(document.value(), levels - 1)
            else:
                yield from _rows(document, levels - 1)
    elif following == "{" and levels:
        told: dict[str, Any] = {}
        for name in document.members():
            if document.peek() == "[" or (name in WRAPPERS and document.peek() == "{"):
                yield from _rows(document, levels - 1)
            else:
                told[name] = document.value()
        yield from _within(told, levels - 1)
    else:
        document.skip()


def _within(body: Any, levels: int) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield (stream, row) for a row of Oura's, or for the rows in up to ``levels`` lists and objects within.

    A value that holds no row of Oura's yields nothing.
    """
    if isinstance(body, Mapping):
        stream = stream_of(body)
        if stream not in (None, TRENDS):
            yield str(stream), body
            return
    inner = body.values() if isinstance(body, Mapping) else body if isinstance(body, list) else ()
    for one in inner if levels > 0 else ():
        yield from _within(one, levels - 1)


def _table(file: File) -> Iterator[tuple[str, Mapping[str, Any]]]:
    csv.field_size_limit(FIELD_MAX_CHARACTERS)
    with file.open() as content, io.TextIOWrapper(content, "utf-8-sig", errors="replace", newline="") as text:
        first = text.readline(FIELD_MAX_CHARACTERS)
        columns = _columns(first)
        stream = stream_of(columns)
        for cells in csv.reader(text, delimiter=_delimiter(first)):
            told = {name: cell.strip() for name, cell in zip(columns, cells, strict=False) if cell.strip()}
            if stream is not None and told:
                yield stream, {name: _value(name, cell) for name, cell in told.items()}


def _delimiter(line: str) -> str:
    return ";" if line.count(";") > line.count(",") else ","


def _columns(text: str) -> list[str]:
    line = text.partition("\n")[0].strip("\r")
    try:
        return [name.strip().casefold() for name in next(csv.reader([line], delimiter=_delimiter(line)), [])]
    except csv.Error:
        return []


def _value(name: str, cell: str) -> Any:
    """Return a cell as Oura's API writes it, which is a number, an object, or a text."""
    if name == "id":
        return cell
    try:
        value = json.loads(cell)
    except (ValueError, RecursionError):
        return cell
    return {"average": value} if name == "spo2_percentage" and isinstance(value, int | float) else value


def _record(stream: str, row: Mapping[str, Any], zone: str) -> RawRecord:
    key = next((str(row[name]) for name in ROW_NAMED_BY if words(str(row.get(name) or ""))), "?")
    payload = {name: value for name, value in row.items() if name not in BULKY}
    return RawRecord(stream=stream, key=key, payload={**payload, "zone": zone} if stream == TRENDS else payload)


def _add_rate(days: dict[str, dict[str, Any]], row: Mapping[str, Any]) -> None:
    """Add a heart rate to its date in UTC, or to "?" if its time is unreadable.

    It is kept under its own time, so that the parts of a day can come in several files.
    """
    at = utc(row.get("timestamp"))
    days.setdefault(str(at.date()) if at else "?", {})[str(row.get("timestamp"))] = row.get("bpm")


def _rates(days: Mapping[str, Mapping[str, Any]], zone: str) -> Iterator[Page]:
    found = [
        RawRecord(stream="heartrate", key=day, payload={"zone": zone, "rates": mapping(rates)}, adds=True)
        for day, rates in sorted(days.items())
    ]
    for first in range(0, len(found), PAGE_DAYS):
        yield Page(stream="heartrate", records=tuple(found[first : first + PAGE_DAYS]))
