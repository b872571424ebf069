"""Read saved answers of Oura's API, downloads of its website, its account export, and the table of its page *Trends*.

Names of files and folders are not used. The fields of a row tell its kind.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import groupby
from typing import Any, BinaryIO

from bridge.domain.ports import File, Recognised
from bridge.domain.types import Page, RawRecord
from bridge.ingest.files import ending
from bridge.ingest.json_stream import Broken, Json, ReadablePart
from connectors.instants import utc
from connectors.noted import is_switched_on
from connectors.oura import BULKY, NIGHT
from connectors.oura.shapes import KEPT, SHAPES, TAG, TAGS_LEFT, TRENDS, UNCONFIRMED, Pieces, stream_of, sureness
from connectors.payload import mapping, words
from connectors.spreadsheets import REWRITTEN, DayOrder

UNKEPT = BULKY | {"comment"}  # of a tag, in the person's own words
FIELD_MAX_CHARACTERS = 1 << 20
LEVELS = 4  # lists and objects around a row
BEGINNING_BYTES = 1 << 18  # of a JSON file in which a row is looked for; a single night may have 30,000
PAGE_RECORDS, PAGE_DAYS = 200, 20
WRAPPERS = frozenset({"data", "sleep", "activity", *(stream for stream, _, _ in SHAPES)})  # objects around rows
HINTS = WRAPPERS | {
    "bedtime_start",
    "start_datetime",
    "contributors",
    "summary_date",
    "day",
    "tag_type_code",
    *NIGHT.values(),
}
RATE = {"bpm", "source", "timestamp"}
KEY_NAMES = re.compile(rb'"(\w{1,40})"\s*:')
ROW_NAMED_BY = ("id", "start_datetime", "day")
ROWS, COLUMNS = "its rows have the fields of Oura's", "its columns are those of Oura's Trends"


def recognise(file: File) -> Recognised | None:
    """Return True for a CSV file with Oura's columns, or JSON whose first rows have Oura's fields. None otherwise.

    The name of a JSON file ends in ``.json`` or ``.txt``, or has no ending.
    """
    if ending(file.name) == "csv":
        columns = _columns(file.head.decode("utf-8-sig", errors="replace"))
        sure = sureness(columns)
        return Recognised(sure, COLUMNS if stream_of(columns) == TRENDS else ROWS) if sure else None
    if ending(file.name) not in ("json", "txt", "") or file.head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"{", b"["):
        return None
    names = {name.decode() for name in KEY_NAMES.findall(file.head)}
    if not names & HINTS and not names >= RATE:
        return None
    with file.open() as content:
        beginning = io.BytesIO(content.read(BEGINNING_BYTES))
    sure = 0.0
    with suppress(Broken):
        for _, row in _rows(Json(beginning), LEVELS):
            sure = max(sure, sureness(row))
    return Recognised(sure, ROWS) if sure else None


def read(file: File, *, zone: str, settings: Mapping[str, str] | None = None) -> Iterator[Page]:
    """Yield a file's records in pages. ``zone`` is stored with heart rates and with rows of *Trends*.

    Tags are stored only if the setting ``tags`` is on, and else counted. Raises SourceChanged for too large a file, and
    after the readable part of a damaged file.
    """
    rows = _table(file) if ending(file.name) == "csv" else _document(file)
    readable = ReadablePart(file, rows, again="Get it again")
    pending: dict[str, list[RawRecord]] = {}
    days: dict[str, dict[str, Any]] = {}
    pieces = Pieces(zone)
    left: Counter[str] = Counter()
    for stream, row in readable if is_switched_on(settings, "tags") else _without_tags(readable, left):
        if stream == "heartrate":
            _add_rate(days, row)
        elif stream == TRENDS or stream in KEPT:
            pieces.take(stream, row)
        else:
            pending.setdefault(stream, []).append(_record(stream, row))
    for record in pieces.records():
        pending.setdefault(record.stream, []).append(record)
    for stream, records in pending.items():
        for first in range(0, len(records), PAGE_RECORDS):
            yield Page(stream=stream, records=tuple(records[first : first + PAGE_RECORDS]))
    gone = [RawRecord(stream=stream, key=key, payload={}, deleted=True) for stream, key in sorted(pieces.earlier)]
    for stream, some in groupby(gone, key=lambda record: record.stream):
        yield Page(stream=stream, records=tuple(some))
    yield from _rates(days, zone)
    if pieces.unconfirmed:
        yield Page(stream="sleep", records=(), left_out={UNCONFIRMED: pieces.unconfirmed})
    if left:
        yield Page(stream=TAG, records=(), left_out=left)
    readable.raise_damage()


def _without_tags(
    rows: Iterable[tuple[str, Mapping[str, Any]]], left: Counter[str]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for stream, row in rows:
        if stream == TAG:
            left[TAGS_LEFT] += 1
        else:
            yield stream, row


def _document(file: File) -> Iterator[tuple[str, Mapping[str, Any]]]:
    with file.open() as content:
        document = Json(content)
        yield from _rows(document, LEVELS)
        document.end()


def _rows(document: Json, levels: int) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield (stream, row) for Oura's rows in the next value of a document, down to ``levels`` levels."""
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
    if isinstance(body, Mapping):
        stream = stream_of(body)
        if stream not in (None, TRENDS):
            yield str(stream), body
            return
    inner = body.values() if isinstance(body, Mapping) else body if isinstance(body, list) else ()
    for one in inner if levels > 0 else ():
        yield from _within(one, levels - 1)


def _table(file: File) -> Iterator[tuple[str, Mapping[str, Any]]]:
    stream = stream_of(_columns(file.head.decode("utf-8-sig", errors="replace")))
    order = None
    if any(REWRITTEN.fullmatch(cell) for row in _cells(io.BytesIO(file.head)) for cell in row.values()):
        with file.open() as content:
            order = DayOrder(cell for row in _cells(content) for cell in row.values())
    with file.open() as content:
        for told in _cells(content) if stream is not None else ():
            row = {name: _value(name, order.iso(cell) if order else cell) for name, cell in told.items()}
            if row and stream == "sleep" and "type" in told:
                row["type"] = told["type"] or None
            if any(value not in (None, "") for value in row.values()):
                yield str(stream), {name: value for name, value in row.items() if value != ""}


def _cells(content: BinaryIO) -> Iterator[dict[str, str]]:
    csv.field_size_limit(FIELD_MAX_CHARACTERS)
    with io.TextIOWrapper(content, "utf-8-sig", errors="replace", newline="") as text:
        first = text.readline(FIELD_MAX_CHARACTERS)
        columns = _columns(first)
        for cells in csv.reader(text, delimiter=_delimiter(first)):
            yield {name: cell.strip() for name, cell in zip(columns, cells, strict=False)}


def _delimiter(line: str) -> str:
    return ";" if line.count(";") > line.count(",") else ","


def _columns(text: str) -> list[str]:
    line = text.partition("\n")[0].strip("\r")
    try:
        return [name.strip().casefold() for name in next(csv.reader([line], delimiter=_delimiter(line)), [])]
    except csv.Error:
        return []


def _value(name: str, cell: str) -> Any:
    if name == "id":
        return cell
    try:
        value = json.loads(cell)
    except (ValueError, RecursionError):
        return cell
    return {"average": value} if name == "spo2_percentage" and isinstance(value, int | float) else value


def _record(stream: str, row: Mapping[str, Any]) -> RawRecord:
    key = next((str(row[name]) for name in ROW_NAMED_BY if words(str(row.get(name) or ""))), "?")
    return RawRecord(stream=stream, key=key, payload={k: v for k, v in row.items() if k not in UNKEPT})


def _add_rate(days: dict[str, dict[str, Any]], row: Mapping[str, Any]) -> None:
    # It is kept under its own time, so that the parts of a day can come in several files.
    at = utc(row.get("timestamp"))
    days.setdefault(str(at.date()) if at else "?", {})[str(row.get("timestamp"))] = row.get("bpm")


def _rates(days: Mapping[str, Mapping[str, Any]], zone: str) -> Iterator[Page]:
    found = [
        RawRecord(stream="heartrate", key=day, payload={"zone": zone, "rates": mapping(rates)}, adds=True)
        for day, rates in sorted(days.items())
    ]
    for first in range(0, len(found), PAGE_DAYS):
        yield Page(stream="heartrate", records=tuple(found[first : first + PAGE_DAYS]))
