"""Read WHOOP's data export, which is CSV files with headers in English or in another language.

Times are local, and each row names its offset (``UTC+01:00``, ``UTCZ``).
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from itertools import islice

from bridge.domain.errors import SourceChanged
from bridge.domain.ports import File
from bridge.domain.types import Page, RawRecord
from bridge.ingest.files import ending
from connectors.instants import utc, written_offset
from connectors.noted import is_switched_on
from connectors.payload import Fields
from connectors.spreadsheets import REWRITTEN, DayOrder
from connectors.whoop.columns import JOURNAL, TABLES, Table, instant_key, night_of

# Of Health/sleeps.csv, which WHOOP sends on a request for one's data: WHOOP's inner names, and milliseconds.
NEEDED = frozenset({"during", "timezone_offset", "time_in_bed", "slow_wave_sleep_duration"})
DURING = re.compile(r"""[\[(]\s*['"]?([^'",]+)['"]?\s*,\s*['"]?([^'",)\]]+)['"]?\s*[)\]]""")
MINUTES = {  # column -> column of the export, in minutes
    "time_in_bed": "In bed duration (min)",
    "light_sleep_duration": "Light sleep duration (min)",
    "slow_wave_sleep_duration": "Deep (SWS) duration (min)",
    "rem_sleep_duration": "REM duration (min)",
    "wake_duration": "Awake duration (min)",
    "sleep_need": "Sleep need (min)",
}
SAME = {
    "score": "Sleep performance %",
    "respiratory_rate": "Respiratory rate (rpm)",
    "sleep_consistency": "Sleep consistency %",
}
ASLEEP = ("light_sleep_duration", "slow_wave_sleep_duration", "rem_sleep_duration")
FLAGS = {"t": "true", "f": "false"}
EXPORT_PAGE_ROWS = 500
KEY_MAX = 200  # characters
ALIKE = 0.5  # likeness from which a header is some table's
EXPORT_MAX_BYTES = 20_000_000  # bytes; ten years of cycles are about 1 MB
LEFT_ALONE = "journal answers are private, and left unread until BRIDGE_WHOOP_JOURNAL=yes"


def recognise(file: File) -> bool:
    """Return True for a CSV file that begins as WHOOP's exports in any language. Its name may lack an ending."""
    return ending(file.name) in ("csv", "") and _table(_header(_decode(file.head))) is not None


def read(
    file: File,
    *,
    zone: str,  # noqa: ARG001 - every row knows its own offset
    settings: Mapping[str, str] | None = None,
) -> Iterator[Page]:
    """Yield the rows as raw records in pages. Journal answers are only counted if their setting is off.

    Raises SourceChanged for too large a file, and after the readable part of a damaged file.
    """
    if file.size > EXPORT_MAX_BYTES:
        raise SourceChanged("the file is far larger than a WHOOP export; download the export again")
    with file.open() as content:
        text = _decode(content.read())
    table = _table(_header(text))
    if table is None:
        return
    if table.stream == JOURNAL and not is_switched_on(settings, "journal"):
        answers = sum(1 for _ in _records(table, text))
        yield Page(stream=JOURNAL, records=(), left_out={LEFT_ALONE: answers} if answers else {})
        return
    page: list[RawRecord] = []
    try:
        for record in _records(table, text):
            page.append(record)
            if len(page) == EXPORT_PAGE_ROWS:
                yield Page(stream=table.stream, records=tuple(page))
                page = []
    except csv.Error:  # a quotation mark that is never closed makes one field of the rest
        yield Page(stream=table.stream, records=tuple(page))
        raise SourceChanged("the file is damaged; what came before was read. Download the export again") from None
    if page:
        yield Page(stream=table.stream, records=tuple(page))


def _decode(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if error.start > len(content) - 4:  # the head of a file may end within a character
            return content[: error.start].decode("utf-8-sig")
        return content.decode("cp1252", errors="replace")


def _rows(text: str) -> Iterator[list[str]]:
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
    if set(header) >= NEEDED:
        return next(table for table in TABLES if table.stream == "export_sleep")
    best = max(TABLES, key=lambda table: _likeness(table, header))
    if _likeness(best, header) > ALIKE:
        return best
    recognisable = any("whoop" in name or "ciclo" in name or "cycle" in name or "zyklus" in name for name in header)
    return next((table for table in TABLES if recognisable and len(header) in table.counts), None)


def _likeness(table: Table, header: Sequence[str]) -> float:
    # A count would not do, because the file of cycles has nearly all columns of the file of sleeps.
    return len(table.names & set(header)) / len(table.names | set(header))


def _order(text: str) -> DayOrder | None:
    if not any(REWRITTEN.fullmatch(cell.strip()) for row in islice(_sound(text), 20) for cell in row):
        return None
    return DayOrder(cell for row in _sound(text) for cell in row)


def _sound(text: str) -> Iterator[list[str]]:
    with suppress(csv.Error):
        yield from _rows(text)


def _records(table: Table, text: str) -> Iterator[RawRecord]:
    header = _header(text)
    requested = set(header) >= NEEDED
    named = bool(table.names & set(header))
    columns = header if requested else [table.by_name.get(name) for name in header] if named else list(table.columns)
    order = _order(text)
    rows = _rows(text)
    next(rows, None)
    for number, row in enumerate(rows, start=2):
        if not any(cell.strip() for cell in row):
            continue
        cells = [cell.strip() if order is None else order.iso(cell.strip(), " ") for cell in row]
        payload = {column: cell for column, cell in zip(columns, cells, strict=False) if column and cell}
        payload = as_exported(payload) if requested else payload
        key = instant_key(payload, table.key) or f"row {number}"
        if table.stream == JOURNAL:
            payload.pop("Notes", None)
            key = f"{key}/{payload.get('Question text', number)}"[:KEY_MAX]
        yield RawRecord(stream=table.stream, key=key, payload=payload, parent=night_of(table.stream, payload))


def as_exported(row: Mapping[str, str]) -> dict[str, str]:
    """Return a row of WHOOP's requested export with the columns of the app's. Unreadable times stay unchanged."""
    fields = Fields(row, "whoop/sleeps")
    found = DURING.fullmatch(row.get("during", "").strip())
    offset = written_offset(row.get("timezone_offset", "").strip())
    told = {"Nap": FLAGS.get(flag := row.get("is_nap", "").strip().casefold(), flag)}
    if found is None or offset is None:
        return told | {"Sleep onset": row.get("during", ""), "Cycle timezone": row.get("timezone_offset", "")}
    hours, minutes = divmod(abs(offset), 60)
    told["Cycle timezone"] = f"UTC{'-' if offset < 0 else '+'}{hours:02}:{minutes:02}"
    for name, text in (("Sleep onset", found[1]), ("Wake onset", found[2])):
        at = utc(text.strip())
        told[name] = text if at is None else f"{at + timedelta(minutes=offset):%Y-%m-%d %H:%M:%S}"
    told |= {ours: f"{value / 60_000:g}" for name, ours in MINUTES.items() if (value := fields.cell(name)) is not None}
    told |= {ours: row[name] for name, ours in SAME.items() if fields.cell(name) is not None}
    stages = [fields.cell(name) for name in ASLEEP]
    if None not in stages:
        told["Asleep duration (min)"] = f"{sum(filter(None, stages)) / 60_000:g}"
    return told
