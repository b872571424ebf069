"""Apple's export file, whatever the phone's language has called it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date, timedelta

from bridge.errors import CutShort
from bridge.ports import File
from bridge.types import Covers, Page
from connectors.apple_health.collect import DAY, Collected
from connectors.apple_health.elements import CutOff, read_into
from connectors.apple_health.kinds import KINDS
from connectors.apple_health.months import Export
from connectors.apple_health.sources import ORDER, order_of
from connectors.apple_health.spill import Spill
from rhythm_env.interface import ZoneHistory

MARKS = (b"<HealthData", b"<!DOCTYPE HealthData")
LISTED = {"total": 0.0, "stand": 0.0, "sleep": DAY / 2, "overnight": DAY / 2, "rmssd": DAY / 2}


def recognise(file: File) -> bool:
    """XML whose root is HealthData; its document type alone may be longer than what is looked at."""
    is_xml = file.head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<")
    return is_xml and not file.name.lower().endswith("_cda.xml") and any(mark in file.head for mark in MARKS)


def read(
    file: File, *, zone: str, settings: Mapping[str, str] | None = None, zones: ZoneHistory = ()
) -> Iterator[Page]:
    """Everything the export says. Raises CutShort after the readable part of one that is cut off."""
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
    """From when on the type that was being listed when the file broke off has too few rows: its totals would be small.

    Days before the last row's are complete where rows come in the order of time; nights, before the noon before it.
    """
    kind, listing = KINDS.get(collected.listing.type), collected.listing
    if kind is None or kind.role not in LISTED:
        return {}
    places, at = collected.places, listing.latest
    midnight = (at + places.offset(at) * 60) // DAY * DAY - places.offset(at) * 60
    return {kind.name: midnight - LISTED[kind.role] if listing.in_order else 0.0}


def _pages(export: Export, *, whole: bool) -> Iterator[Page]:
    """A page per month and stream; a day's record replaces the one of an earlier export.

    Not so from a file that is cut off, nor on the day of the export, which was not over: these add to what is known.
    Months strictly inside the export are whole, and what an earlier export had in them is gone, also where nothing of
    a stream is left between two of its months. Its first and last month are not: a new phone starts in the middle of
    one, and an old export may be read after a newer one.
    """
    first, last = export.first_day, export.last_day
    latest: dict[str, str] = {}
    for records in export.months():
        stream, month = records[0].stream, records[0].key[:7]
        for empty in _between(latest.get(stream, month), month) if whole else ():
            yield Page(stream=stream, records=(), covers=Covers(prefix=f"{empty}-"))
        latest[stream] = month
        page = tuple(replace(record, adds=not whole or record.key >= last) for record in records)
        covers = Covers(prefix=f"{month}-") if whole and first[:7] < month < last[:7] else None
        yield Page(stream=stream, records=page, covers=covers)
    if export.collected.aside:
        yield Page(stream="day", records=(), set_aside=dict(export.collected.aside))


def _between(first: str, last: str) -> Iterator[str]:
    """The months after one and before another."""
    while (first := f"{date.fromisoformat(f'{first}-28') + timedelta(days=4):%Y-%m}") < last:
        yield first
