"""Store the pages that connectors read from files: many pages per transaction, and deletions after the files' records.

A page is a piece of a file with its raw records.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from bridge.domain.errors import BridgeError, SourceChanged
from bridge.domain.languages import reason
from bridge.domain.records import RecordResult
from bridge.domain.types import Outcome, Page
from bridge.ingest.outcomes import SyncCounts
from bridge.ingest.sync import OnPage, Source, refuse_changed_shape, store_page, store_records, under_lease
from bridge.leases import Lease

if TYPE_CHECKING:
    from bridge.store import Store

TRANSACTION_RECORDS = 60  # a commit takes longer than a page of a file


def sync_files(
    source: Source, reading: FileReading, store: Store, *, holder: str, now: datetime, on_page: OnPage
) -> Outcome:
    """Store the pages that ``reading`` yields, under the lease of ``holder``, and return the sync's outcome.

    A failure is returned as an outcome too. A page that cannot be stored fails its own file only. The outcome is
    ``failed`` if any file failed. Deletions wait until the next page with a cursor or the end. A later file may hold
    the record. ``on_page`` is called with each page's stream and number of records.
    """
    lease, began = Lease(store=store, connection=source.connection, holder=holder, now=now), time.monotonic()

    def read(counts: SyncCounts) -> None:
        delivered: dict[str, set[str]] = defaultdict(set)
        for group in _grouped(_deletions_last(_dated(page, now) for page in reading), reading):
            lease.renew()
            _store_group(source, store, group, reading, counts, delivered, now=now)
            for page, _ in group:
                on_page(page.stream, len(page.records))
        if reading.failed:
            raise UnreadableFiles(
                f"{len(reading.failed)} of {reading.files} files could not be read, or not to their end"
            )

    outcome = under_lease(source, store, read, lease)
    return replace(
        outcome,
        files=reading.files,
        failed_files=(*reading.failed, *reading.failed_before),
        truncated=reading.truncated,
        unchanged=outcome.unchanged + reading.known,
        seconds=round(time.monotonic() - began, 3),
    )


def record_refusal(source: Source, error: BridgeError, store: Store, *, holder: str, now: datetime) -> Outcome:
    """Save and return the failed outcome of a sync whose folder could not be opened because of ``error``."""

    def read(_counts: SyncCounts) -> None:
        raise error

    return under_lease(source, store, read, Lease(store=store, connection=source.connection, holder=holder, now=now))


Group = list[tuple[Page, str]]  # pages with their files


def _grouped(pages: Iterable[Page], reading: FileReading) -> Iterator[Group]:
    """Yield groups of pages, each page with its file's path, for transactions of about ``TRANSACTION_RECORDS`` records.

    A group also ends at a page with a cursor. If reading raises a BridgeError, the pages read so far are yielded first.
    The last group may be empty.
    """
    group: Group = []
    try:
        for page in pages:
            group.append((page, reading.at))
            if page.cursor is not None or sum(len(page.records) for page, _ in group) >= TRANSACTION_RECORDS:
                yield group
                group = []
    except BridgeError:
        yield group
        raise
    yield group


def _store_group(
    source: Source,
    store: Store,
    group: Group,
    reading: FileReading,
    counts: SyncCounts,
    delivered: dict[str, set[str]],
    *,
    now: datetime,
) -> None:
    """Store a group of pages in a single transaction, and add the results to ``counts``.

    If that raises SourceChanged, each page is stored in its own transaction, and files whose pages fail are noted.
    ``delivered`` maps each stream to the record keys read so far, which deletions spare. The group's keys are added.
    It must give an empty set for a new stream, as a defaultdict does.
    """

    for page, _ in group:
        delivered[page.stream].update(record.key for record in page.records)

    def one(page: Page) -> list[RecordResult]:
        return store_page(source, store, page, frozenset(delivered[page.stream] if page.covers else ()), now=now)

    try:
        landed = _store_at_once(source, store, group, one, now=now)
    except SourceChanged:
        landed = []
        for page, file in group:
            try:
                landed.append((page, one(page)))
            except SourceChanged as error:
                reading.fail(reason(error), file)
    for page, results in landed:
        counts.add(page, results)


def _store_at_once(
    source: Source, store: Store, group: Group, one: Callable[[Page], list[RecordResult]], *, now: datetime
) -> list[tuple[Page, list[RecordResult]]]:
    """Store all pages of a group in a single transaction, and return each page with the results of its records.

    Records of pages that only hold records are stored in a single call, and these pages come first. Any other page is
    stored by ``one``.
    """
    plain = [page for page, _ in group if _only_holds_records(page)]
    records = [record for page in plain for record in page.records]
    with store.transaction(durable=False):
        results = iter(store_records(source, store, records, now=now))
        found = [(page, [*islice(results, len(page.records))]) for page in plain]
        for page, some in found:
            refuse_changed_shape(source.spec, page, some)
        return found + [(page, one(page)) for page, _ in group if not _only_holds_records(page)]


def _only_holds_records(page: Page) -> bool:
    return page.cursor is None and page.covers is None and page.still is None


def _dated(page: Page, now: datetime) -> Page:
    """Return the page, with export dates of it and its records that lie after ``now`` set to ``now``.

    A date in the future would outrank every later export.
    """
    covers, records, still = page.covers, page.records, page.still
    if any(record.as_of is not None and record.as_of > now for record in records):
        records = tuple(replace(r, as_of=min(r.as_of, now)) if r.as_of is not None else r for r in records)
    if covers is not None and covers.as_of is not None:
        covers = replace(covers, as_of=min(covers.as_of, now))
    if still is not None:
        still = replace(still, as_of=min(still.as_of, now))
    return replace(page, records=records, covers=covers, still=still)


def _deletions_last(pages: Iterable[Page]) -> Iterator[Page]:
    """Yield the pages without the deletions they ask for. These follow as pages of their own before the next cursor, or
    last.
    """
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
    """The pages of a source's files, yielded one file after another.

    While and after iterating, ``files`` counts the files read, and ``failed`` holds (file, reason) of those that
    failed.
    """

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
    def fail(self, reason: str, file: str) -> None:
        """Note that a file could not be stored."""
        ...


class UnreadableFiles(BridgeError):
    """The error of an import in which some files could not be read to their end. The readable parts are stored."""
