"""Read the export file of Apple Health, and yield its content as pages of raw records, one per day and stream."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from bridge.domain.errors import CutShort
from bridge.domain.ports import File, FileMemory
from bridge.domain.slots import ZoneHistory
from bridge.domain.types import Covers, Page, RawRecord, Still
from connectors.apple.export import SPEC, days
from connectors.apple.export.collect import DAY_SECONDS, ENDLESS, Collected, Series
from connectors.apple.export.days import Window
from connectors.apple.export.heads import ORDER, TYPE_KINDS, order_of
from connectors.apple.export.parts import PARTS_VERSION, Month, unpacked
from connectors.apple.export.reading import CutOff, Reading
from connectors.apple.export.spill import END, SERIES, START, Spill, blocks
from connectors.apple.export.units import bounds, day_at, days_of

if TYPE_CHECKING:
    from connectors.apple.export.collect import Collected

LISTED = {"total": 0.0, "stand": 0.0, "sleep": DAY_SECONDS / 2, "overnight": DAY_SECONDS / 2, "rmssd": DAY_SECONDS / 2}


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
        """The local date of the export, or else of its latest record. It is an empty text if there are no records."""
        return self._day(self._ended) if self.collected.last else ""

    @property
    def as_of(self) -> datetime:
        """The instant at which the export was made, or else the end of its latest record."""
        return datetime.fromtimestamp(self._ended, UTC)

    @property
    def _ended(self) -> float:
        collected = self.collected
        return collected.exported if collected.exported < ENDLESS else collected.last

    def records(self, month: str) -> Iterator[tuple[str, list[RawRecord]]]:
        """Yield (stream, raw records) for each stream with records in a month (YYYY-MM)."""
        window = self._window(month)
        for stream, make in days.DAYS_OF_STREAM.items():
            found = make(window)
            records = [RawRecord(stream=stream, key=day, payload=found[day]) for day in sorted(found)]
            del found
            if records:
                yield stream, records
            del records  # before the next stream's are made

    def mark(self, month: str) -> str:
        """Return a digest of everything that a month's records are made of, whatever the order of rows in the file."""
        first, last = bounds(month)
        sums, workouts = self.collected.spill.sums, self.collected.workouts
        told = (
            [(block, sums[block]) for block in blocks(first, last) if block in sums],
            self.collected.places.between(first, last),
            [workout for workout in workouts if first <= workout[1]["start"] <= last],
            sorted(some for some in self.collected.summaries.items() if some[0].startswith(month)),
        )
        return hashlib.blake2b(repr(told).encode("utf-8", "replace"), digest_size=16).hexdigest()

    def inside(self, month: str) -> bool:
        """Return True if a month lies wholly between the export's first and last day, so that it is complete."""
        return self.first_day[:7] < month < self.last_day[:7]

    @property
    def streams(self) -> list[str]:
        return [stream for stream in days.DAYS_OF_STREAM if stream != "every" or self.collected.keep_all]

    @property
    def complete(self) -> list[str]:
        """The complete dates after the first day, as beginnings of ISO dates.

        In the first month these are days (YYYY-MM-DD), and after it whole months (YYYY-MM-).
        """
        first, last = self.first_day, self.last_day
        if not first:
            return []
        span = range((date.fromisoformat(last) - date.fromisoformat(first)).days + 1)
        after = [str(date.fromisoformat(first) + timedelta(days=n)) for n in span if n]
        return list(dict.fromkeys(day if day[:7] == first[:7] else f"{day[:7]}-" for day in after))

    def _day(self, at: float) -> str:
        return day_at(at, self.collected.places.offset(at))

    def months(self) -> list[str]:
        """Return the months (YYYY-MM) in which a row, a workout or a daily summary may lie, in any zone, ascending."""
        day, spans = DAY_SECONDS, self.collected.spill.spans()
        edges = {edge for low, high in spans for edge in (low - day, low + 12 * day, high + day)}
        edges |= {one["start"] + n * day for _, one in self.collected.workouts for n in (-1, 1)}
        return sorted({day_at(at, 0)[:7] for at in edges} | {day[:7] for day in self.collected.summaries})

    def _window(self, month: str) -> Window:
        begin, end = days_of(month)
        today = self._day(self.collected.exported) if self.collected.exported < ENDLESS else ""
        found = self._by_series(self.collected.spill.between(*bounds(month)))
        return Window(self.collected, begin, end, today=today, found=found)

    def _by_series(self, rows: np.ndarray) -> dict[Series, np.ndarray]:
        rows = rows[np.argsort(rows[:, SERIES], kind="stable")]
        numbers, begins = np.unique(rows[:, SERIES], return_index=True)
        found = {}
        for number, part in zip(numbers, np.split(rows, begins[1:]), strict=False):
            series = self.collected.series[int(number)]
            until = self.until.get(series.name, ENDLESS)
            found[series] = part[part[:, END] <= until][:, START:] if until < ENDLESS else part[:, START:]
        return found


def read(
    file: File,
    *,
    zone: str,
    settings: Mapping[str, str] | None = None,
    zones: ZoneHistory = (),
    memory: FileMemory | None = None,
) -> Iterator[Page]:
    """Yield the raw records of an export in pages. Raises CutShort after the readable part of a damaged file.

    ``zones`` are the zones that the user lived in, or ``zone`` if empty. A month that ``memory`` shows to be stored
    unchanged comes as a page with ``still`` and no records.
    """
    chosen, whole = settings or {}, True
    order, keep_all = order_of(chosen.get("sources", ",".join(ORDER))), chosen.get("keep_all", "no") == "yes"
    homes = [(span.since.timestamp(), span.zone) for span in zones] or [(0.0, zone)]
    told = repr((PARTS_VERSION, SPEC.normaliser_version, order, keep_all, homes))
    with Spill() as spill:
        collected = Collected(homes, spill, order=order, keep_all=keep_all)
        read_as, earlier = hashlib.sha256(told.encode()).hexdigest(), unpacked(memory.text) if memory else None
        reading = Reading(collected, read_as, earlier, remembers=memory is not None)
        with file.open() as stream:
            try:
                reading.read(stream)
            except CutOff:
                whole = False
        if not whole and reading.skipped:  # of a damaged file every row counts
            yield from read(file, zone=zone, settings=settings, zones=zones)
            return
        collected.flush()
        collected.places.settle()
        export = Export(collected, {} if whole else _too_few(collected))
        if memory is None or not whole:
            yield from _pages(export, {}, whole=whole)
        else:
            yield from _remembered(export, reading, file, memory)
    if not whole:
        raise CutShort("the file is cut off or damaged; what came before was read. Export it again on the phone")


def _remembered(export: Export, reading: Reading, file: File, memory: FileMemory) -> Iterator[Page]:
    marks = {month: export.mark(month) for month in export.months() if export.inside(month)}
    still = reading.still(marks, memory.stored())
    changed = [month for month in export.months() if month not in still]
    reading.complete(file, {block for month in changed for block in blocks(*bounds(month))})
    now = reading.memory
    now.as_of = export.as_of.timestamp()
    now.months = {month: Month(mark, dict(still.get(month, {}))) for month, mark in marks.items()}
    for page in _pages(export, still, whole=True):
        yield page
        now.count(page)
    yield Page(stream=memory.stream, records=(), cursor=now.packed())


def _too_few(collected: Collected) -> dict[str, float]:
    kind, listing = TYPE_KINDS.get(collected.listing.type), collected.listing
    if kind is None or kind.role not in LISTED:
        return {}
    places, at = collected.places, listing.latest
    midnight = (at + places.offset(at) * 60) // DAY_SECONDS * DAY_SECONDS - places.offset(at) * 60
    return {kind.name: midnight - LISTED[kind.role] if listing.in_order else 0.0}


def _pages(export: Export, still: Mapping[str, Mapping[str, int]], *, whole: bool) -> Iterator[Page]:
    """Yield a page per month and stream. ``still`` maps unchanged months to stream -> number of records."""
    # A day's record replaces that of an earlier export. Records of a damaged file, and of the export's unfinished day,
    # add to the stored ones instead. The phone exports all that it holds ("Export All Health Data"). So after its first
    # day, on which a new phone may have begun, an export is complete: what an earlier one gave and it lacks was deleted
    # on the phone. All pages carry the date of the export, so that exports give the same result in any order.
    last, as_of = export.last_day, export.as_of
    listed: dict[str, set[str]] = defaultdict(set)
    kept: dict[str, dict[str, int]] = defaultdict(dict)
    for month in export.months():
        for stream, records in still[month].items() if month in still else export.records(month):
            listed[stream].add(f"{month}-")
            if isinstance(records, int):
                kept[stream][f"{month}-"] = records
                continue
            listed[stream].update(record.key for record in records)
            page = tuple(replace(record, adds=not whole or record.key >= last, as_of=as_of) for record in records)
            covers = Covers(prefix=f"{month}-", as_of=as_of) if whole and month > export.first_day[:7] else None
            del records
            yield Page(stream=stream, records=page, covers=covers)
            del page
    for stream, prefix in product(export.streams, export.complete if whole else ()):
        if prefix not in listed[stream]:
            yield Page(stream=stream, records=(), covers=Covers(prefix=prefix, as_of=as_of))
    for stream, months in kept.items():
        yield Page(stream=stream, records=(), still=Still(records=months, as_of=as_of))
    if export.collected.aside:
        yield Page(stream="day", records=(), set_aside=dict(export.collected.aside))
