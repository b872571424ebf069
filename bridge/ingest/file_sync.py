"""Store the pages that connectors read from files: many pages per transaction, and deletions after the files' records.

A page is a piece of a file with its raw records.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from bridge.domain.errors import BridgeError
from bridge.domain.languages import say_many
from bridge.domain.records import RecordResult
from bridge.domain.types import Outcome, Page
from bridge.ingest.imports import SETTLE
from bridge.ingest.outcomes import SyncCounts
from bridge.ingest.sync import OnPage, Source, store_page, store_records, under_lease
from bridge.leases import Lease

if TYPE_CHECKING:
    from bridge.store import Store

TRANSACTION_RECORDS = 60  # a commit takes longer than a page of a file


def sync_files(source: Source, reading: FileReading, lease: Lease, *, on_page: OnPage) -> Outcome:
    """Store the pages that ``reading`` yields, under the lease, and return the sync's outcome.

    A failure is returned as an outcome too. ``on_page`` is called with each page's stream and number of records.
    """
    began, now = time.monotonic(), lease.now

    def read(counts: SyncCounts) -> None:
        delivered: dict[str, set[str]] = defaultdict(set)
        for group in _grouped(_deletions_last(_dated(page, now) for page in reading), reading):
            lease.renew()
            for page, file, results in _store_group(source, lease.store, group, delivered, now=now):
                counts.add(page, results)
                reading.landed(file, page, results)
                on_page(page.stream, len(page.records))
        if reading.failed:
            raise UnreadableFiles(
                say_many("{count} file was not read whole", "{count} files were not read whole", len(reading.failed))
            )

    outcome = under_lease(source, read, lease)
    return replace(
        outcome,
        files=reading.files,
        failed_files=(*reading.failed, *reading.failed_before),
        truncated=reading.truncated,
        unchanged=outcome.unchanged + reading.known,
        seconds=round(time.monotonic() - began, 3),
    )


def record_refusal(source: Source, error: BridgeError, lease: Lease) -> Outcome:
    """Save and return the failed outcome of a sync whose folder could not be opened because of ``error``."""

    def read(_counts: SyncCounts) -> None:
        raise error

    return under_lease(source, read, lease)


Group = list[tuple[Page, str]]  # pages with their files


def _grouped(pages: Iterable[Page], reading: FileReading) -> Iterator[Group]:
    """Yield groups of (page, file) for a transaction each. A cursor, SETTLE or an error ends a group."""
    group: Group = []
    records = 0
    try:
        for page in pages:
            if page.stream != SETTLE:
                group.append((page, reading.at))
                records += len(page.records)
            if page.cursor is not None or records >= TRANSACTION_RECORDS:
                yield group
                group, records = [], 0
    except BridgeError:
        yield group
        raise
    yield group


def _store_group(
    source: Source, store: Store, group: Group, delivered: dict[str, set[str]], *, now: datetime
) -> list[tuple[Page, str, list[RecordResult]]]:
    """Store a group of pages, note their keys in ``delivered``, and return each page with its file and results."""
    for page, _ in group:
        delivered[page.stream].update(record.key for record in page.records)
    plain = [(page, file) for page, file in group if _only_holds_records(page)]
    with store.transaction(durable=False):
        results = iter(store_records(source, store, [r for page, _ in plain for r in page.records], now=now))
        landed = [(page, file, [*islice(results, len(page.records))]) for page, file in plain]
        for page, file in group:
            if not _only_holds_records(page):
                spared = frozenset(delivered[page.stream] if page.covers else ())
                landed.append((page, file, store_page(source, store, page, spared, now=now)))
    return [(page, file, [_still_aside(result) for result in results]) for page, file, results in landed]


def _still_aside(result: RecordResult) -> RecordResult:
    return result if result.aside_before is None else replace(result, set_aside=result.aside_before)


def _only_holds_records(page: Page) -> bool:
    return page.cursor is None and page.covers is None and page.still is None


def _dated(page: Page, now: datetime) -> Page:
    """Limit the export dates of a page to ``now``, because a future date would outrank every later export."""
    covers, records, still = page.covers, page.records, page.still
    if any(record.as_of is not None and record.as_of > now for record in records):
        records = tuple(replace(r, as_of=min(r.as_of, now)) if r.as_of is not None else r for r in records)
    if covers is not None and covers.as_of is not None:
        covers = replace(covers, as_of=min(covers.as_of, now))
    if still is not None:
        still = replace(still, as_of=min(still.as_of, now))
    return replace(page, records=records, covers=covers, still=still)


def _deletions_last(pages: Iterable[Page]) -> Iterator[Page]:
    """Yield the pages without deletions. Pages that only delete come before the next cursor, or at the end."""
    waiting: list[Page] = []
    for page in pages:
        if page.cursor is not None:
            yield from waiting
            waiting = []
        if page.covers is not None:
            waiting.append(Page(stream=page.stream, records=(), covers=page.covers))
        yield replace(page, covers=None)
    yield from waiting


class FileReading(Protocol):
    """The pages of a source's files. ``failed`` holds (file, reason), and ``files`` is the number of files read."""

    files: int
    failed: list[tuple[str, str]]
    failed_before: list[tuple[str, str]]  # failed at an earlier sync and were not read again
    truncated: bool  # a file was cut off
    known: int  # records of files that were imported before and are not read again

    @property
    def at(self) -> str:
        """The path of the file being read."""
        ...

    def __iter__(self) -> Iterator[Page]: ...
    def landed(self, file: str, page: Page, results: Sequence[RecordResult]) -> None:
        """Note the results of a page's records. A file with most rows set aside counts as failed."""
        ...


class UnreadableFiles(BridgeError):
    """The error of an import in which some files were not read whole. The readable parts are stored."""
