"""Read CSV files with daily counts of people messaged and of messages, and turn the days into samples.

No cell that could hold words is stored. A file names no zone, so a sample starts at the day's midnight in UTC.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import Any

from bridge.domain.errors import BadRecord, SourceChanged
from bridge.domain.metrics import METRICS, Metric
from bridge.domain.ports import File
from bridge.domain.types import Covers, Item, Page, RawRecord, Sample
from bridge.ingest.files import ending
from connectors.instants import calendar_date, midnight

COUNTS = {"contacts": Metric.CONTACTS, "messages": Metric.MESSAGES}
COUNTS_PAGE_ROWS = 500
COUNTS_MAX_BYTES = 5_000_000  # bytes; ten years of days are about 0.1 MB
NEEDED = {"date", "contacts"}
COLUMNS = {"date", *COUNTS}
DAY_PATTERN = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
COUNT_PATTERN = re.compile(r"(\d{1,9})(\.0+)?", re.ASCII)  # some programs write whole numbers as 3.0
UNREADABLE_REASONS = {
    "line": "a line is not CSV",
    "cells": "a line has more cells than there are columns",
    "date": "date is not written like 2026-11-20",
    "contacts": "contacts is not a count",
    "messages": "messages is not a count",
    "twice": "a date occurs twice; the first line with it is used",
}


def recognise(file: File) -> bool:
    """Return True if the first line of a CSV file names the columns date and contacts, among any others."""
    return ending(file.name) in ("csv", "") and set(_header(file).names) >= NEEDED


def read(file: File, *, zone: str) -> Iterator[Page]:  # noqa: ARG001 - a date is a date in any zone
    """Yield the days as raw records in pages. An unreadable line becomes a record that states the reason.

    Raises SourceChanged for a file with other or repeated columns, or of more than a few megabytes.
    """
    header = _header(file)
    if set(header.names) != COLUMNS & set(header.names) or len(header.names) != len(set(header.names)):
        allowed = "date, contacts and messages, each once"
        raise SourceChanged(f"the file has other columns than {allowed}; remove the others")
    with file.open() as opened:
        content = opened.read(COUNTS_MAX_BYTES + 1)
    if len(content) > COUNTS_MAX_BYTES:
        raise SourceChanged("the file is far larger than a list of daily counts; give one line per day")
    mark = hashlib.blake2b(file.name.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    records = _records(header, mark, content)
    while page := tuple(islice(records, COUNTS_PAGE_ROWS)):
        yield Page(stream="day", records=page)
    yield Page(stream="day", records=(), covers=Covers(prefix=f"{mark}/"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The column names of a file of message counts, in lower case, and the character between columns."""

    names: Sequence[str]
    delimiter: str


class Unreadable(Exception):
    """A line is no valid day. The error's text is a key of ``UNREADABLE_REASONS``."""


def _header(file: File) -> Header:
    line = next(_lines(file.head), "")
    delimiter = max(",;\t", key=line.count)
    try:
        names = [name.strip().casefold() for name in _cells(line, delimiter)]
    except Unreadable:
        names = []
    return Header(names=names, delimiter=delimiter)


def _lines(content: bytes) -> Iterator[str]:
    return iter(io.StringIO(content.decode("utf-8-sig", errors="replace"), newline=None))


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])]
    except csv.Error:
        raise Unreadable("line") from None


def _records(header: Header, mark: str, content: bytes) -> Iterator[RawRecord]:
    seen: set[str] = set()
    for number, line in islice(enumerate(_lines(content), start=1), 1, None):
        if not line.strip():
            continue
        try:
            payload = _payload(header, line)
            day = str(payload["date"])
            if day in seen:
                raise Unreadable("twice")
        except Unreadable as error:
            yield RawRecord(stream="day", key=f"{mark}/{number}", payload={"unreadable": str(error)})
        else:
            seen.add(day)
            yield RawRecord(stream="day", key=day, payload=payload, adds=True)


def _payload(header: Header, line: str) -> dict[str, object]:
    cells = _cells(line, header.delimiter)
    if any(cells[len(header.names) :]):
        raise Unreadable("cells")
    row = {name: cells[n] if n < len(cells) else "" for n, name in enumerate(header.names)}
    return {name: _day(text) if name == "date" else _count(name, text) for name, text in row.items()}


def _day(text: str) -> str:
    if not DAY_PATTERN.fullmatch(text) or calendar_date(text) is None:
        raise Unreadable("date")
    return text


def _count(name: str, text: str) -> int | None:
    if not text:
        return None
    found = COUNT_PATTERN.fullmatch(text)
    if found is None or int(found[1]) > METRICS[COUNTS[name]].high:
        raise Unreadable(name)
    return int(found[1])


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - the port's shape
    payload = record.payload
    if "unreadable" in payload:
        raise BadRecord(f"messages/day: {UNREADABLE_REASONS.get(str(payload['unreadable']), 'a line is not a day')}")
    day = _day_of(payload)
    values = {metric: _counted(payload, name, metric) for name, metric in COUNTS.items()}
    return [
        Sample(key=f"{record.key}/{metric}", metric=metric, start=midnight(day), day=day, value=float(value))
        for metric, value in values.items()
        if value is not None
    ]


def _day_of(payload: Mapping[str, Any]) -> date:
    day = calendar_date(payload.get("date"))
    if day is None:
        raise BadRecord(f"messages/day: {UNREADABLE_REASONS['date']}")
    return day


def _counted(payload: Mapping[str, Any], name: str, metric: Metric) -> int | None:
    value = payload.get(name)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= METRICS[metric].high:
        raise BadRecord(f"messages/day: {UNREADABLE_REASONS[name]}")
    return value
