"""Sync a connection by pulling and storing its pages, and turn errors of its connector into an outcome."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple, cast

from bridge.domain.errors import (
    BridgeError,
    CursorExpired,
    Interrupted,
    NeedsLogin,
    NotPermitted,
    Odd,
    Refused,
    SetupError,
    SourceChanged,
    TryLater,
)
from bridge.domain.languages import reason, say
from bridge.domain.ports import Connector, ConnectorSpec, Normaliser, WebhookConnector
from bridge.domain.records import Connection, RecordResult
from bridge.domain.types import Notice, Outcome, Page, RawRecord
from bridge.http.allowance import TOO_DEEP, Allowance, Overdrawn, granted, no_pace
from bridge.ingest.outcomes import (
    RateLimited,
    SyncCounts,
    defect_outcome,
    failure_outcome,
    outcome_of,
    polling_cadence,
    record_outcome,
)
from bridge.ingest.pacing import Ration
from bridge.leases import Lease

if TYPE_CHECKING:
    from bridge.store import Store

log = logging.getLogger(__name__)

ODD_ANSWERS_MIN = 5  # in a row; together with the span they prove a lasting change of the source
ODD_ANSWERS_SPAN = timedelta(hours=6)
UNREADABLE_SHARE_MAX = 0.20  # of a page's records; above, the source has changed its format
UNREADABLE_RECORDS_MIN = 10  # a page with fewer records proves nothing
TOGETHER_MAX_RECORDS, TOGETHER_MAX_SECONDS = 200, 5.0  # of pages that land in one transaction

OnPage = Callable[[str, int], None]


def ignore_page(stream: str, records: int) -> None:
    """Do nothing. It is the default of ``on_page``, which shows progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A connection to be synced. ``open`` returns its connector, and is None for a source that is read from files."""

    connection: Connection
    spec: ConnectorSpec
    open: Callable[[], Connector] | None  # None: the source is files
    normalise: Normaliser
    recurring: bool = True  # False: never due again, like a file imported once
    ration: Ration | None = None  # the requests that may be sent; None: any number
    claimed: bool = False  # the caller took the lease


def sync(source: Source, store: Store, *, holder: str, now: datetime, on_page: OnPage = ignore_page) -> Outcome:
    """Pull every new page of a connection, store it, and return the outcome, also for a failure.

    A page and its cursor are stored together. Nothing is done while another process syncs the connection. ``holder`` is
    the name of this process for that lock. Raises TryLater if the database stays locked.
    """

    lease = Lease(store=store, connection=source.connection, holder=holder, now=now)
    lease = lease.claimed() if source.claimed else lease
    pace = source.ration.take if source.ration is not None else no_pace

    def pull(counts: SyncCounts) -> None:
        try:
            with granted(pace) as allowance:
                _Pull(
                    source=source,
                    store=store,
                    counts=counts,
                    lease=lease,
                    now=now,
                    on_page=on_page,
                    allowance=allowance,
                ).everything()
        except Overdrawn as error:
            if not counts.outcomes["new"]:
                raise
            raise Interrupted(
                say("{why}; what came is kept, the rest follows with the next sync", why=reason(error)),
                retry_at=lease.clock(),
            ) from None
        except RecursionError:  # a record was nested too deep to be stored
            raise _lasting_or_odd(store, source.connection, SourceChanged(TOO_DEEP), at=lease.clock()) from None
        except (SourceChanged, Refused) as error:
            raise _lasting_or_odd(store, source.connection, error, at=lease.clock()) from error

    return under_lease(source, pull, lease)


def _lasting_or_odd(store: Store, connection: Connection, error: BridgeError, *, at: datetime) -> BridgeError:
    """Return ``error`` if the source has given unexpected answers for long, else an Odd error with the same text."""
    earlier = store.scheduling.odd_answers(connection.id)
    lasted = len(earlier) + 1 >= ODD_ANSWERS_MIN and at - min(earlier) >= ODD_ANSWERS_SPAN
    return error if lasted else Odd(reason(error))


def store_records(source: Source, store: Store, records: Sequence[RawRecord], *, now: datetime) -> list[RecordResult]:
    version, keep_raw = source.spec.normaliser_version, source.spec.keeps_raw
    return store.ingest.land(source.connection, records, source.normalise, version=version, now=now, keep_raw=keep_raw)


def under_lease(source: Source, work: Callable[[SyncCounts], None], lease: Lease) -> Outcome:
    """Call ``work`` with new counts while holding ``lease``, the lock on the connection. Save and return the outcome.

    The outcome is ``skipped`` if another process holds the lock. An error other than a BridgeError is raised again.
    """
    connection, store = source.connection, lease.store
    if not lease.is_mine():
        return outcome_of(
            connection,
            SyncCounts(),
            "skipped",
            because="another sync or import of this connection is running; try again when that is done",
        )
    counts, limited = SyncCounts(), False
    try:
        work(counts)
        outcome = outcome_of(connection, counts, "ok")
    except BridgeError as error:
        outcome = failure_outcome(connection, counts, error, at=lease.clock())
        limited = isinstance(error, TryLater) and error.limited and source.spec.shares_limit
    except Exception as error:
        _release(source, defect_outcome(store, connection, error), lease)
        raise
    except BaseException:
        store.scheduling.release(connection.id, lease.holder)
        raise
    _release(source, outcome, lease, limited=limited, untold=counts.untold)
    return outcome


def _release(
    source: Source, outcome: Outcome, lease: Lease, *, limited: bool = False, untold: Collection[str] = ()
) -> None:
    """Save the outcome and release the lock in one transaction. If ``limited``, the source's other syncs wait too."""
    connection, store = source.connection, lease.store
    with store.transaction(durable=source.open is None):  # files do not come again by themselves
        if limited and outcome.retry_at:
            store.scheduling.limit_source(connection.source, outcome.retry_at)
        if outcome.outcome != "ok" and store.scheduling.lease_holder(connection.id) != lease.holder:
            return  # another sync took over and saves its own outcome
        cadence = polling_cadence(connection, source.spec, store, untold, now=lease.now)
        record_outcome(lease, outcome, cadence=cadence if source.recurring else None)


class _Waiting(NamedTuple):
    """A pulled page that waits to be stored, with the cursor before it and the keys that the pull has delivered."""

    page: Page
    cursor: str | None
    delivered: frozenset[str]


@dataclass(slots=True, kw_only=True)
class _Pull:
    """A running sync of a connection, on which it holds the lock. Small pages are stored together."""

    source: Source
    store: Store
    counts: SyncCounts
    lease: Lease
    now: datetime
    on_page: OnPage
    allowance: Allowance
    waiting: list[_Waiting] = field(default_factory=list)
    since: float = 0.0  # on the monotonic clock, when the first of them came
    told: set[str] = field(default_factory=set)  # streams of the notices that this sync follows
    unreadable: Counter[str] = field(default_factory=Counter)  # by stream: records in a row

    def everything(self) -> None:
        if self.source.open is None:
            raise SetupError(
                f"{self.source.spec.name} has no account to fetch from; give it a file: bridge import PATH --user NAME"
            )
        number, version = self.source.connection.id, self.source.spec.cursor_version
        with self.store.view():
            self._may_ask(self._limited_until())
            self._may_ask_again()
            notices, cursors = self.store.ingest.notices(number), self.store.ingest.cursors(number, version)
            connector = self.source.open()  # without a request: a token that is refreshed must be read anew
        with closing(connector):
            self._follow(notices, connector)
            try:
                self._streams(connector, cursors)
            except CursorExpired:
                self.store.ingest.drop_cursors(number)
                self._streams(connector, {})

    def _follow(self, notices: Sequence[Notice], connector: Connector) -> None:
        """Fetch and store the records that notices name, even if too old for this sync. Deletions are stored too."""
        self.told = {notice.stream for notice in notices}
        for notice in notices:
            gone = RawRecord(stream=notice.stream, key=notice.key, payload={}, deleted=True)
            pages = [Page(stream=notice.stream, records=(gone,))]
            if not notice.deleted:
                try:
                    fetched = cast(WebhookConnector, connector).fetch(notice.stream, notice.key, now=self.now)
                    pages = list(fetched) or pages
                except NotPermitted:  # the stored record stays
                    pages = []
            with self.store.transaction():
                for page in pages:
                    self.counts.add(page, store_page(self.source, self.store, page, frozenset(), now=self.now))
                self.store.ingest.mark_handled(self.source.connection.id, notice.trace, now=self.now)
            self.allowance.brought()
            self._may_ask(self._limited_until())

    def _streams(self, connector: Connector, cursors: Mapping[str, str]) -> None:
        spec = self.source.spec
        try:
            for stream in spec.streams:
                cursor = cursors.get(stream)
                try:
                    self._stream(connector.pull(stream, cursor, now=self.now), cursor)
                except NotPermitted as error:
                    self.counts.answered.discard(stream)
                    self.counts.refused[stream] = error
        except BridgeError:
            self._land()
            raise
        self._land()
        if self.counts.refused and not self.counts.answered:
            raise _nothing_permitted(spec, list(self.counts.refused.values()))

    def _stream(self, pages: Iterable[Page], cursor: str | None) -> None:
        delivered: set[str] = set()
        self.allowance.begin()
        for page in pages:
            self.lease.renew()
            delivered.update(record.key for record in page.records)
            self.counts.answered.add(page.stream)
            if page.cursor == cursor:  # it is stored already
                page = replace(page, cursor=None)
            if self._is_stored(page, cursor):
                self.counts.add(page, [])
            else:
                self._wait(_Waiting(page, cursor, frozenset(delivered) if page.covers is not None else frozenset()))
            cursor = page.cursor or cursor
            self.on_page(page.stream, len(page.records))
            self.allowance.check()
            self._may_ask(self._limited_until())

    def _wait(self, one: _Waiting) -> None:
        self.since = self.since if self.waiting else time.monotonic()
        self.waiting.append(one)
        many = sum(len(waiting.page.records) for waiting in self.waiting) >= TOGETHER_MAX_RECORDS
        if many or time.monotonic() - self.since >= TOGETHER_MAX_SECONDS:
            self._land()

    def _land(self) -> None:
        waiting, self.waiting = self.waiting, []
        if not waiting:
            return
        try:
            self._land_together(waiting)
        except (SourceChanged, RecursionError):
            if len(waiting) == 1:
                raise
            for one in waiting:
                self._land_together([one])

    def _land_together(self, waiting: Sequence[_Waiting]) -> None:
        with self.store.transaction(durable=False):
            landed = [store_page(self.source, self.store, one.page, one.delivered, now=self.now) for one in waiting]
        for (page, cursor, _), results in zip(waiting, landed, strict=True):
            self.counts.add(page, results)
            changed = any(result.outcome != "unchanged" for result in results)
            if changed and page.stream not in self.told:
                self.counts.untold.add(page.stream)
            if changed or page.cursor not in (None, cursor):
                self.allowance.brought()
            self._refuse_unreadable(page, results)

    def _refuse_unreadable(self, page: Page, results: Sequence[RecordResult]) -> None:
        count = self.unreadable[page.stream] + len(results) if _unreadable(results) else 0
        self.unreadable[page.stream] = count
        if count >= UNREADABLE_RECORDS_MIN:  # a page of one record proves nothing alone
            raise SourceChanged(
                f"the last {count} records of {self.source.spec.name}/{page.stream} cannot be read. The source "
                "may have changed its format: look for a newer release, then: bridge sync --user NAME"
            )

    def _is_stored(self, page: Page, cursor: str | None) -> bool:
        is_empty = not page.records and page.covers is None
        return is_empty and page.cursor in (None, cursor) and page.member in (None, self.source.connection.member)

    def _limited_until(self) -> datetime | None:
        spec = self.source.spec
        return self.store.scheduling.rate_limited_until(spec.name) if spec.shares_limit else None

    def _may_ask(self, limited_until: datetime | None) -> None:
        if limited_until is not None and limited_until > self.lease.clock():
            text = f"the limit that all accounts of {self.source.spec.name} share is used up"
            raise RateLimited(text, retry_at=limited_until)

    def _may_ask_again(self) -> None:
        """Raise RateLimited while the connection's rate limit holds, as users and webhooks start syncs early."""
        connection, now = self.source.connection, self.lease.clock()
        last = self.store.scheduling.last_outcome(connection.id) if connection.last_error else None
        if last is None or not last[1].limited or last[1].retry_at is None:
            return
        if last[0] <= now < last[1].retry_at:  # an outcome in the future comes from a clock that was ahead
            text = f"{connection.source} allows no more requests for now"
            raise RateLimited(text, retry_at=last[1].retry_at, limited=True)


def store_page(
    source: Source, store: Store, page: Page, delivered: frozenset[str], *, now: datetime
) -> list[RecordResult]:
    """Store a page's raw records, the rows derived from them, its deletions and its cursor, in one transaction.

    ``delivered`` are keys that earlier pages held, which are not deleted. Returns each record's result. Raises
    SourceChanged if too many records of an account are unreadable.
    """
    with store.transaction(durable=False):  # a power cut undoes both, and the next sync repeats them
        results = store_records(source, store, page.records, now=now)
        if page.still is not None:
            store.ingest.keep_still(source.connection.id, page.stream, page.still)
            results += [RecordResult(outcome="unchanged")] * sum(page.still.records.values())
        if source.open is not None:
            refuse_changed_shape(source.spec, page, results)
        if page.covers is not None:
            missing = store.ingest.missing(source.connection.id, page.stream, page.covers, delivered)
            results += store_records(source, store, missing, now=now)
            if page.covers.as_of is not None:
                store.ingest.save_coverage(source.connection.id, page.stream, page.covers)
        if page.member not in (None, source.connection.member):
            store.connections.save_member(source.connection.id, str(page.member))
        if page.cursor is not None and not _unreadable(results):  # else a changed format would lose the page
            store.ingest.save_cursor(source.connection.id, page.stream, page.cursor, source.spec.cursor_version)
    return results


def _unreadable(results: Sequence[RecordResult]) -> bool:
    """Return True if no record of a page could be read. Records that wait for their parent do not count."""
    return bool(results) and all(result.set_aside is not None and not result.waits for result in results)


def refuse_changed_shape(spec: ConnectorSpec, page: Page, results: list[RecordResult]) -> None:
    """Raise SourceChanged if too large a part of a page's records cannot be read. Small pages are never refused."""
    bad = sum(result.set_aside is not None and not result.waits for result in results)
    if len(results) >= UNREADABLE_RECORDS_MIN and bad > UNREADABLE_SHARE_MAX * len(results):
        doubled = len(page.records) - len({record.key for record in page.records})
        equal = f" ({doubled} have the key of another record of the page)" if doubled else ""
        raise SourceChanged(
            f"{bad} of {len(results)} records of {spec.name}/{page.stream} cannot be read{equal}; nothing of that page "
            "was kept. The source may have changed its format: look for a newer release, then: bridge sync --user NAME"
        )


def _nothing_permitted(spec: ConnectorSpec, refused: Sequence[NotPermitted]) -> BridgeError:
    """Return the error for a source that permits no stream, NeedsLogin if the source named a missing scope."""
    if not any(error.named for error in refused):
        return refused[0].whole
    command = f"bridge connect {spec.name} --user NAME"
    return NeedsLogin(say("{source} lets us read nothing; connect again: {command}", source=spec.name, command=command))
