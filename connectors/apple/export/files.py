"""Read the export file of Apple Health, and yield its content as pages of raw records.

The file is recognised by its content, because the phone's language decides its name. Records come month by month, and
each holds a local day of a stream.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any, BinaryIO

from bridge.domain.errors import CutShort
from bridge.domain.ports import File
from bridge.domain.slots import ZoneHistory
from bridge.domain.types import Covers, Page, RawRecord
from connectors.apple.export import days
from connectors.apple.export.collect import DAY_SECONDS, ENDLESS, Collected, Series
from connectors.apple.export.columns import columns
from connectors.apple.export.days import Window
from connectors.apple.export.heads import ORDER, TYPE_KINDS, order_of
from connectors.apple.export.spill import END, SERIES, START, Spill
from connectors.apple.export.units import day_at

if TYPE_CHECKING:
    import numpy as np

    from connectors.apple.export.collect import Collected

EPOCH_DAY = date(1970, 1, 1)
MARGIN_SECONDS = 3 * DAY_SECONDS  # seconds before and after a month from which a night or a zone may reach into it
EXPORT_MARKS = (b"<HealthData", b"<!DOCTYPE HealthData")
LISTED = {"total": 0.0, "stand": 0.0, "sleep": DAY_SECONDS / 2, "overnight": DAY_SECONDS / 2, "rmssd": DAY_SECONDS / 2}
CHUNK = 1 << 18  # bytes; half of it takes a twentieth longer, and more of it more memory
SLICE = 1 << 17
LONGEST_DTD = 1 << 20  # bytes; real files have under 20 KB
LONGEST_TAG = 1 << 20  # bytes; real tags have under 4 KB
DEEPEST, MAX_CHILDREN = 64, 10_000  # nested elements; children kept of an element
FORBIDDEN = bytes({*range(0x20)} - {0x09, 0x0A, 0x0D})
WANTED = frozenset({"Record", "Workout", "ActivitySummary", "ExportDate"})
ROOT, ROW = b"<HealthData", b"<Record "
DOCTYPE = re.compile(rb"<!DOCTYPE[^\[>]*(\[.*?\]\s*)?>", re.DOTALL)
ENCODING = re.compile(rb"""<\?xml[^>]*encoding\s*=\s*["'](?!utf-8["']|us-ascii["'])""", re.IGNORECASE)
UNPACKING = (EOFError, OSError)  # with zlib.error and zipfile.BadZipFile, the errors of a damaged archive


@dataclass(frozen=True)
class Export:
    """An Apple Health export that has been read.

    For a cut-off file, ``until`` maps a kind such as "steps" to the Unix second from which rows are missing.
    """

    collected: Collected
    until: Mapping[str, float] = field(default_factory=dict)

    @property
    def first_day(self) -> str:
        """The local date of the earliest record that is used, or an empty text without any."""
        return self._day(self.collected.first) if self.collected.last else ""

    @property
    def last_day(self) -> str:
        """The local date of the export, or else of its latest record. It is an empty text without records."""
        return self._day(self._ended) if self.collected.last else ""

    @property
    def as_of(self) -> datetime:
        """The instant at which the export was made, or else the end of its latest record."""
        return datetime.fromtimestamp(self._ended, UTC)

    @property
    def _ended(self) -> float:
        collected = self.collected
        return collected.exported if collected.exported < ENDLESS else collected.last

    def months(self) -> Iterator[list[RawRecord]]:
        """Yield lists of raw records, a list per month and stream, months ascending. A stream without any has no
        list.
        """
        for month in self._named():
            window = self._window(month)
            for stream, make in days.DAYS_OF_STREAM.items():
                found = make(window)
                records = [RawRecord(stream=stream, key=day, payload=found[day]) for day in sorted(found)]
                if records:
                    yield records

    def _day(self, at: float) -> str:
        return day_at(at, self.collected.places.offset(at))

    def _named(self) -> list[str]:
        """Return the months (YYYY-MM) in which a row, a workout or a daily summary may lie, in any zone, ascending."""
        day, spans = DAY_SECONDS, self.collected.spill.spans()
        edges = {edge for low, high in spans for edge in (low - day, low + 12 * day, high + day)}
        edges |= {one["start"] + n * day for _, one in self.collected.workouts for n in (-1, 1)}
        return sorted({day_at(at, 0)[:7] for at in edges} | {day[:7] for day in self.collected.summaries})

    def _window(self, month: str) -> Window:
        first = date.fromisoformat(f"{month}-01")
        last = (first + timedelta(days=32)).replace(day=1)
        begin, end = (first - EPOCH_DAY).days, (last - EPOCH_DAY).days
        rows = self.collected.spill.between(begin * DAY_SECONDS - MARGIN_SECONDS, end * DAY_SECONDS + MARGIN_SECONDS)
        today = self._day(self.collected.exported) if self.collected.exported < ENDLESS else ""
        return Window(self.collected, begin, end, today=today, found=self._by_series(rows))

    def _by_series(self, rows: np.ndarray) -> dict[Series, np.ndarray]:
        """Return series -> rows (start, end, value), without rows that end after ``until`` of their kind."""
        import numpy as np

        rows = rows[np.argsort(rows[:, SERIES], kind="stable")]
        numbers, begins = np.unique(rows[:, SERIES], return_index=True)
        found = {}
        for number, part in zip(numbers, np.split(rows, begins[1:]), strict=False):
            series = self.collected.series[int(number)]
            until = self.until.get(series.name, ENDLESS)
            found[series] = part[part[:, END] <= until][:, START:] if until < ENDLESS else part[:, START:]
        return found


def recognise(file: File) -> bool:
    """Return True if a file is an Apple Health export.

    That is XML with HealthData as its root or document type within the first 4 KiB. A clinical document, whose name
    ends in ``_cda.xml``, is none.
    """
    is_xml = file.head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<")
    return is_xml and not file.name.lower().endswith("_cda.xml") and any(mark in file.head for mark in EXPORT_MARKS)


def read(
    file: File, *, zone: str, settings: Mapping[str, str] | None = None, zones: ZoneHistory = ()
) -> Iterator[Page]:
    """Yield the raw records of an export in pages. Raises CutShort after the readable part of a damaged file.

    ``zones`` are the user's zones of residence over time. ``zone`` is used if they are empty. The setting ``sources``
    orders sources by trust. With ``keep_all`` set to yes, every measurement is kept.
    """
    chosen, whole = settings or {}, True
    order, keep_all = order_of(chosen.get("sources", ",".join(ORDER))), chosen.get("keep_all", "no") == "yes"
    with Spill() as spill:
        homes = [(span.since.timestamp(), span.zone) for span in zones] or [(0.0, zone)]
        collected = Collected(homes, spill, order=order, keep_all=keep_all)
        with file.open() as stream:
            try:
                read_into(collected, stream)
            except CutOff:
                whole = False
        collected.flush()
        collected.places.settle()
        yield from _pages(Export(collected, {} if whole else _too_few(collected)), whole=whole)
    if not whole:
        raise CutShort("it is cut off or damaged; what came before was read. Export it again on the phone")


def _too_few(collected: Collected) -> dict[str, float]:
    """Return the kind that a cut-off file was listing, with the Unix second from which its rows are missing.

    The result is empty for a kind that is not summed up over a day or night. If rows come in order of time, days before
    the last row's day are complete. Nights are complete up to noon of the day before. Otherwise all rows count as
    missing.
    """
    kind, listing = TYPE_KINDS.get(collected.listing.type), collected.listing
    if kind is None or kind.role not in LISTED:
        return {}
    places, at = collected.places, listing.latest
    midnight = (at + places.offset(at) * 60) // DAY_SECONDS * DAY_SECONDS - places.offset(at) * 60
    return {kind.name: midnight - LISTED[kind.role] if listing.in_order else 0.0}


def _pages(export: Export, *, whole: bool) -> Iterator[Page]:
    """Yield a page per month and stream. A day's record replaces the day's record of an earlier export.

    Records of a damaged file (``whole`` is False), and of the export's unfinished day, add to the stored records
    instead. A month strictly inside the export is complete, so further records that an earlier export gave of it are
    deleted. The first and last months are partial, because a new phone starts in the middle of a month. All pages carry
    the date of the export, so that exports give the same result in any order.
    """
    first, last, as_of = export.first_day, export.last_day, export.as_of
    latest: dict[str, str] = {}
    for records in export.months():
        stream, month = records[0].stream, records[0].key[:7]
        for empty in _between(latest.get(stream, month), month) if whole else ():
            yield Page(stream=stream, records=(), covers=Covers(prefix=f"{empty}-", as_of=as_of))
        latest[stream] = month
        page = tuple(replace(record, adds=not whole or record.key >= last, as_of=as_of) for record in records)
        covers = Covers(prefix=f"{month}-", as_of=as_of) if whole and first[:7] < month < last[:7] else None
        yield Page(stream=stream, records=page, covers=covers)
    if export.collected.aside:
        yield Page(stream="day", records=(), set_aside=dict(export.collected.aside))


def _between(first: str, last: str) -> Iterator[str]:
    """Yield the months (YYYY-MM) strictly between two months."""
    while (first := f"{date.fromisoformat(f'{first}-28') + timedelta(days=4):%Y-%m}") < last:
        yield first


class CutOff(Exception):
    """The error of an Apple Health export that ends too early, or stops being XML."""


def read_into(collected: Collected, stream: BinaryIO) -> None:
    """Pass every element of the file that is used to ``collected``. Raises CutOff after the last readable element.

    Pieces in Apple's own layout are read as columns. The remaining text goes to an XML parser, which is slower.
    """
    chunks = _chunks(stream)
    head = _head(chunks)
    parser = _Parser(collected)
    plain = ENCODING.search(head) is None and head[:3].isascii() and b"<!" not in head.partition(ROOT)[2]
    rest = _fed_until_row(parser, head)
    for chunk in chunks:
        buffer = rest + chunk
        cut = max(buffer.rfind(ROW), 0) or len(buffer)
        piece, rest = buffer[:cut], buffer[cut:]
        rows = columns(piece) if plain and parser.between else None
        if rows is None or not collected.columns(rows):
            parser.feed(piece)
            plain = plain and b"<!" not in piece and b"<?" not in piece  # the next row may lie in a comment
    parser.feed(rest)
    parser.close()


def _fed_until_row(parser: _Parser, head: bytes) -> bytes:
    """Parse the file's beginning ``head`` up to its last row, and return the text from that row on."""
    cut = max(head.rfind(ROW), 0) or len(head)
    parser.feed(head[:cut])
    return head[cut:]


def _chunks(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the file in chunks. Of a damaged archive, what can be unpacked is yielded, without an error."""
    import zipfile
    import zlib

    try:
        while chunk := stream.read(CHUNK):
            yield chunk
    except (*UNPACKING, zlib.error, zipfile.BadZipFile):
        return


def _head(chunks: Iterator[bytes]) -> bytes:
    """Return the beginning of the document, up to the end of the chunk that holds its root element.

    The document type and characters that XML forbids are removed. Raises CutOff if there is no root in the first MiB,
    or the document type defines entities.
    """
    head = b""
    for chunk in chunks:
        head += chunk.translate(None, FORBIDDEN)
        if ROOT in DOCTYPE.sub(b"", head, count=1) or len(head) > LONGEST_DTD:
            break
    head = DOCTYPE.sub(b"", head, count=1)
    before, root, _ = head.partition(ROOT)
    if not root or b"<!DOCTYPE" in before:
        raise CutOff  # a document type with entities
    return head


class _Parser:
    """An XML parser that passes the root's children in ``WANTED`` to ``collected``.

    It keeps a single child in memory.
    """

    def __init__(self, collected: Collected) -> None:
        from xml.parsers import expat

        self._error: Any = (expat.ExpatError, LookupError, ValueError)
        self._collected = collected
        self._expat = expat.ParserCreate()
        self._expat.StartElementHandler = self._begin
        self._expat.EndElementHandler = self._end
        self._depth = self._silent = 0
        self._whole = True
        self._name = ""
        self._attributes: dict[str, str] = {}
        self._within: list[tuple[str, dict[str, str]]] = []

    @property
    def between(self) -> bool:
        """True if the next element is a child of the root."""
        return self._depth == 1 and self._whole

    def feed(self, piece: bytes) -> None:
        """Parse the next piece of the file.

        Raises CutOff for text that is not XML, and for more than 64 nested elements. It is also raised for over 1 MiB
        in which no element begins or ends.
        """
        clean = piece.translate(None, FORBIDDEN)
        for at in range(0, len(clean), SLICE):
            self._silent += SLICE
            self._parse(clean[at : at + SLICE])
            if self._silent > LONGEST_TAG:
                raise CutOff
        self._whole = clean.rfind(b">") > clean.rfind(b"<") if clean else self._whole
        self._collected.flush()

    def close(self) -> None:
        """Finish parsing. Raises CutOff if the document is not complete."""
        self._parse(b"", last=True)

    def _parse(self, some: bytes, *, last: bool = False) -> None:
        try:
            self._expat.Parse(some, last)
        except self._error:  # not XML, or in an unknown encoding
            self._collected.flush()
            raise CutOff from None

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self._silent = 0
        if self._depth == 2:
            self._name, self._attributes, self._within = name, attributes, []
        elif self._depth > DEEPEST:
            raise ValueError
        elif 3 <= self._depth <= 4 and self._name in WANTED and len(self._within) < MAX_CHILDREN:
            self._within.append((name if self._depth == 3 else f"/{name}", attributes))

    def _end(self, name: str) -> None:
        self._depth -= 1
        self._silent = 0
        if self._depth == 1 and name in WANTED:
            self._collected.element(name, self._attributes, self._within)
