"""Pages that are read from files, landed many per commit: what a file no longer holds goes when all were read."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Protocol

from bridge.errors import BridgeError, SourceChanged
from bridge.ports import Landing, Store
from bridge.sync import Lease, OnPage, Source, land, put, refuse_changed_shape, under_lease
from bridge.tally import Tally
from bridge.types import Outcome, Page

TOGETHER = 60  # records of files that land in one transaction


def take(source: Source, reading: Reading, store: Store, *, holder: str, now: datetime, on_page: OnPage) -> Outcome:
    """Land pages that are read from files; what went wrong is in the outcome, as for ``sync``.

    A page that cannot be kept fails the file it came from, not those after it. What a file no longer holds is deleted
    once everything was read: another file may hold it, as two parts of one calendar.
    """
    lease, began = Lease(store=store, connection=source.connection, holder=holder, now=now), time.monotonic()

    def read(tally: Tally) -> None:
        delivered: dict[str, set[str]] = defaultdict(set)
        for group in _together(_deletions_last(reading), reading):
            lease.renew()
            _land_together(source, store, group, reading, tally, delivered, now=now)
            for page, _ in group:
                on_page(page.stream, len(page.records))
        if reading.failed:
            raise BadFiles(f"{len(reading.failed)} of {reading.files} files could not be read, or not to their end")

    outcome = under_lease(source, store, read, lease)
    return replace(
        outcome,
        files=reading.files,
        failed_files=(*reading.failed, *reading.failed_before),
        truncated=reading.truncated,
        unchanged=outcome.unchanged + reading.known,
        seconds=round(time.monotonic() - began, 3),
    )


def refused(source: Source, error: BridgeError, store: Store, *, holder: str, now: datetime) -> Outcome:
    """The outcome of files that could not even be looked for."""

    def read(_tally: Tally) -> None:
        raise error

    return under_lease(source, store, read, Lease(store=store, connection=source.connection, holder=holder, now=now))


Group = list[tuple[Page, str]]  # pages, and the files they came from


def _together(pages: Iterable[Page], reading: Reading) -> Iterator[Group]:
    """Pages of one transaction: a commit takes longer than a page. None waits when reading fails."""
    group: Group = []
    try:
        for page in pages:
            group.append((page, reading.at))
            if page.cursor is not None or sum(len(page.records) for page, _ in group) >= TOGETHER:
                yield group
                group = []
    except BridgeError:
        yield group
        raise
    yield group


def _land_together(
    source: Source,
    store: Store,
    group: Group,
    reading: Reading,
    tally: Tally,
    delivered: dict[str, set[str]],
    *,
    now: datetime,
) -> None:
    """Land pages in one transaction, or where one of them cannot be kept, all others."""

    for page, _ in group:
        delivered[page.stream].update(record.key for record in page.records)

    def one(page: Page) -> list[Landing]:
        return land(source, store, page, frozenset(delivered[page.stream] if page.covers else ()), now=now)

    try:
        landed = _landed(source, store, group, one, now=now)
    except SourceChanged:
        landed = []
        for page, file in group:
            try:
                landed.append((page, one(page)))
            except SourceChanged as error:
                reading.fail(str(error), file)
    for page, landings in landed:
        tally.add(page, landings)


def _landed(
    source: Source, store: Store, group: Group, one: Callable[[Page], list[Landing]], *, now: datetime
) -> list[tuple[Page, list[Landing]]]:
    """All pages in one transaction, and the records of those that hold nothing else at once."""
    plain = [page for page, _ in group if page.cursor is None and page.covers is None]
    records = [record for page in plain for record in page.records]
    with store.transaction(durable=False):
        landings = iter(put(source, store, records, now=now))
        found = [(page, [*islice(landings, len(page.records))]) for page in plain]
        for page, some in found:
            refuse_changed_shape(source.spec, page, some)
        return found + [(page, one(page)) for page, _ in group if page.cursor is not None or page.covers is not None]


def _deletions_last(pages: Iterable[Page]) -> Iterator[Page]:
    """The same pages, with what they cover held back until a cursor is to be saved, or all was read."""
    waiting: list[Page] = []
    for page in pages:
        if page.cursor is not None:
            yield from waiting
            waiting = []
        if page.covers is not None:
            waiting.append(Page(stream=page.stream, records=(), covers=page.covers))
        yield replace(page, covers=None)
    yield from waiting


class Reading(Protocol):
    """Pages of one source's files, and what went wrong on the way."""

    files: int
    failed: list[tuple[str, str]]
    failed_before: list[tuple[str, str]]  # at an earlier sync, and not read again
    truncated: bool  # a file ended before its end
    known: int  # records of files that were imported before and not read again

    @property
    def at(self) -> str:
        """The file being read."""
        ...

    def __iter__(self) -> Iterator[Page]: ...
    def fail(self, reason: str, file: str) -> None:
        """Write down that a file could not be kept."""
        ...


class BadFiles(BridgeError):
    """Some files could not be read; the others have landed."""
