"""Bring one user's one source up to date. The only place that catches what connectors raise."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import cast

from bridge.errors import BridgeError, CursorExpired, Interrupted, NeedsLogin, SetupError, SourceChanged, TryLater
from bridge.ports import Connection, Connector, ConnectorSpec, Landing, Normaliser, Store, Told
from bridge.tally import Tally
from bridge.types import Outcome, Page, RawRecord

log = logging.getLogger(__name__)

CADENCE = timedelta(minutes=30)  # between two syncs that went well
BACKOFF = timedelta(minutes=15)  # after a failure for which the source named no time; twice that after the next
LONGEST_BACKOFF = timedelta(hours=4)
JITTER = 0.2  # of a backoff is drawn: those that failed together do not come back together
LEASE = timedelta(minutes=5)
RENEWAL = 30.0  # seconds between two renewals of the lease
BAD_SHARE, BAD_LEAST = 0.20, 10  # more bad records than this share, on a page at least this long: the shape changed

OnPage = Callable[[str, int], None]


def silent(stream: str, records: int) -> None:
    """Nobody is watching."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A connection about to be synced; ``open`` may raise the bridge's errors."""

    connection: Connection
    spec: ConnectorSpec
    open: Callable[[], Connector] | None  # None: files
    normalise: Normaliser
    recurring: bool = True  # False: nothing comes by itself, as of a file that was imported once


def sync(source: Source, store: Store, *, holder: str, now: datetime, on_page: OnPage = silent) -> Outcome:
    """Pull every new page. A page, what it means and its cursor land together or not at all.

    Whatever happened is in the outcome, and the connection's next due time is set. No ``BridgeError`` is raised but
    TryLater where the store cannot be written to for long.
    """

    lease = Lease(store=store, connection=source.connection, holder=holder, now=now)

    def pull(tally: Tally) -> None:
        _Pull(source=source, store=store, tally=tally, lease=lease, now=now, on_page=on_page).everything()

    return under_lease(source, store, pull, lease)


def put(source: Source, store: Store, records: Sequence[RawRecord], *, now: datetime) -> list[Landing]:
    version, keep_raw = source.spec.normaliser_version, source.spec.keeps_raw
    return store.land(source.connection, records, source.normalise, version=version, now=now, keep_raw=keep_raw)


@dataclass(slots=True, kw_only=True)
class Lease:
    """The right to sync a connection, for as long as it is renewed.

    Its clock starts at ``now`` and goes with the machine's, also where that is set or has slept: others go by it too.
    """

    store: Store
    connection: Connection
    holder: str
    now: datetime
    began: float = field(default_factory=time.time)
    renewed: float = float("-inf")

    def clock(self) -> datetime:
        return self.now + timedelta(seconds=time.time() - self.began)

    def taken(self) -> bool:
        mine = self.store.claim(self.connection.id, self.holder, now=self.clock(), lease=LEASE)
        self.renewed = time.monotonic() if mine else self.renewed
        return mine

    def renew(self) -> None:
        """Say that we are still at it, if it is a while since we did."""
        if time.monotonic() - self.renewed < RENEWAL:
            return
        if not self.taken():
            raise TryLater("another sync took this connection over")

    def renewing(self, told: Callable[[int, int], None] | None) -> Callable[[int, int], None]:
        """What tells how far something is, and renews at each step."""

        def step(done: int, total: int) -> None:
            self.renew()
            if told is not None:
                told(done, total)

        return step


@contextmanager
def held(lease: Lease) -> Iterator[Lease]:
    """A lease for what is no sync. Raises TryLater where another has it."""
    source = lease.connection.source
    if not lease.taken():
        raise TryLater(f"{source} is being synced; try again when that is done, in a minute or so")
    try:
        yield lease
    finally:
        lease.store.release(lease.connection.id, lease.holder)


def under_lease(source: Source, store: Store, work: Callable[[Tally], None], lease: Lease) -> Outcome:
    """Do the work under the connection's lease and write down how it ended. A defect is raised again."""
    connection = source.connection
    if not lease.taken():
        return _outcome(connection, Tally(), "skipped", because="another sync of this connection is running")
    tally, limited = Tally(), False
    try:
        work(tally)
        outcome = _outcome(connection, tally, "ok")
    except BridgeError as error:
        outcome = _failed(connection, tally, error, at=lease.clock())
        limited = isinstance(error, TryLater) and error.limited and source.spec.shares_limit
    except Exception as error:
        _end(source, store, _defect(store, connection, error), lease)
        raise
    except BaseException:
        store.release(connection.id, lease.holder)
        raise
    _end(source, store, outcome, lease, limited=limited)
    return outcome


def _end(source: Source, store: Store, outcome: Outcome, lease: Lease, *, limited: bool = False) -> None:
    """The outcome and the release together: free again and still due, it would be synced twice."""
    connection, now, cadence = source.connection, lease.now, source.spec.cadence
    with store.transaction(durable=source.open is None):  # what a file held does not come again by itself
        if limited and outcome.retry_at:
            store.rest(connection.source, outcome.retry_at)
        if outcome.outcome != "ok" and store.holder(connection.id) != lease.holder:
            return  # another took over, and says how it ends
        finish(store, connection, outcome, started=now, finished=now, recurring=source.recurring, cadence=cadence)
        store.release(connection.id, lease.holder)


def failed(store: Store, connection: Connection, error: Exception, *, holder: str, now: datetime) -> Outcome:
    """The outcome of a sync that a defect ended; written down, unless the sync itself has done that."""
    outcome = _defect(store, connection, error)
    with store.transaction():
        if store.holder(connection.id) == holder:
            finish(store, connection, outcome, started=now, finished=now)
            store.release(connection.id, holder)
    return outcome


def _defect(store: Store, connection: Connection, error: Exception) -> Outcome:
    """Its kind is named; its text may be personal."""
    because = f"an unexpected {type(error).__name__}; run: bridge sync --user {store.person(connection.user_id).name}"
    return _outcome(connection, Tally(), "failed", because=because)


def backoff(connection: Connection, at: datetime) -> timedelta:
    """How long to leave a source alone after a failure: longer with each in a row, and not for everybody the same."""
    drawn = random.Random(f"{connection.id}/{at.isoformat()}").random()
    wait = min(BACKOFF * int(2 ** min(connection.failures, 8)), LONGEST_BACKOFF)
    return wait * (1 + JITTER * drawn)


def finish(
    store: Store,
    connection: Connection,
    outcome: Outcome,
    *,
    started: datetime,
    finished: datetime,
    recurring: bool = True,
    cadence: timedelta = CADENCE,
) -> None:
    """Write down how it ended and when the connection is due again."""
    ok, interrupted = outcome.outcome == "ok", outcome.outcome == "interrupted"
    wait = cadence if ok else backoff(connection, finished)
    stopped = outcome.outcome in ("needs_login", "stopped")
    store.finish_sync(
        connection.id,
        outcome,
        started=started,
        finished=finished,
        error=None if interrupted else outcome.skipped_because,
        paused=outcome.skipped_because if stopped else None,
        due_at=None if stopped or not recurring else (outcome.retry_at or finished + wait),
        failures=0 if ok else connection.failures + (outcome.retry_at is None),
    )
    counted = {"source": connection.source, "connection": connection.id, "outcome": outcome.outcome, "new": outcome.new}
    log.info("%s %s: %s, %d new", connection.source, connection.name, outcome.outcome, outcome.new, extra=counted)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pull:
    """One sync under way."""

    source: Source
    store: Store
    tally: Tally
    lease: Lease
    now: datetime
    on_page: OnPage

    def everything(self) -> None:
        """Every stream; a cursor that expired starts this source over once."""
        if self.source.open is None:
            raise SetupError(
                f"{self.source.spec.name} cannot be pulled; give it a file: bridge import PATH --user NAME"
            )
        self._may_ask()
        self._may_ask_again()
        with closing(self.source.open()) as connector:
            self._follow_notices(connector)
            try:
                self._streams(connector)
            except CursorExpired:
                self.store.drop_cursors(self.source.connection.id)
                self._streams(connector)

    def _follow_notices(self, connector: Connector) -> None:
        """What webhooks told of: it may be older than what is read again anyway."""
        for notice in self.store.notices(self.source.connection.id):
            gone = RawRecord(stream=notice.stream, key=notice.key, payload={}, deleted=True)
            pages = (
                list(cast("Told", connector).fetch(notice.stream, notice.key, now=self.now))
                if not notice.deleted
                else []
            )
            with self.store.transaction():
                for page in pages or [Page(stream=notice.stream, records=(gone,))]:
                    self.tally.add(page, land(self.source, self.store, page, frozenset(), now=self.now))
                self.store.followed(self.source.connection.id, notice.trace, now=self.now)
            self._may_ask()

    def _streams(self, connector: Connector) -> None:
        connection, spec = self.source.connection, self.source.spec
        cursors = self.store.cursors(connection.id, spec.cursor_version)
        for stream in spec.streams:
            self._stream(connector.pull(stream, cursors.get(stream), now=self.now))

    def _stream(self, pages: Iterable[Page]) -> None:
        delivered: set[str] = set()
        in_a_row = 0
        for page in pages:
            self.lease.renew()
            delivered.update(record.key for record in page.records)
            landings = land(self.source, self.store, page, frozenset(delivered), now=self.now)
            self.tally.add(page, landings)
            self.on_page(page.stream, len(page.records))
            in_a_row = in_a_row + len(landings) if _unreadable(landings) else 0
            if in_a_row >= BAD_LEAST:  # pages of one record each tell nothing alone
                raise SourceChanged(
                    f"the last {in_a_row} records of {self.source.spec.name}/{page.stream} cannot be read. The source "
                    "may have changed its format: look for a newer release, then: bridge sync --user NAME"
                )
            self._may_ask()

    def _may_ask(self) -> None:
        """Where all accounts share the source's limit, another sync may have come to its end."""
        spec = self.source.spec
        until = self.store.resting(spec.name) if spec.shares_limit else None
        if until is not None and until > self.lease.clock():
            raise TryLater(f"the limit that all accounts of {spec.name} share is used up", retry_at=until)

    def _may_ask_again(self) -> None:
        """A limit that was reached holds for whoever looks before the connection is due: a person, a webhook."""
        connection, now = self.source.connection, self.lease.clock()
        last = self.store.last_outcome(connection.id) if connection.last_error else None
        if last is None or not last[1].limited or last[1].retry_at is None:
            return
        if last[0] <= now < last[1].retry_at:  # the clock may have been ahead
            text = f"{connection.source} allows no more requests for now"
            raise TryLater(text, retry_at=last[1].retry_at, limited=True)


def land(source: Source, store: Store, page: Page, delivered: frozenset[str], *, now: datetime) -> list[Landing]:
    """One page in one transaction: raw records, their meaning, what vanished, and the cursor."""
    with store.transaction(durable=False):  # what a power cut takes back is pulled again: its cursor went with it
        landings = put(source, store, page.records, now=now)
        refuse_changed_shape(source.spec, page, landings)
        if page.covers is not None:
            missing = store.missing(source.connection.id, page.stream, page.covers, delivered)
            landings += put(source, store, missing, now=now)
        if page.member not in (None, source.connection.member):
            store.meet(source.connection.id, str(page.member))
        if page.cursor is not None and not _unreadable(landings):  # or a changed format would lose what is on it
            store.save_cursor(source.connection.id, page.stream, page.cursor, source.spec.cursor_version)
    return landings


def _unreadable(landings: Sequence[Landing]) -> bool:
    """Whether nothing of a page makes sense."""
    return bool(landings) and all(landing.set_aside is not None and not landing.waits for landing in landings)


def refuse_changed_shape(spec: ConnectorSpec, page: Page, landings: list[Landing]) -> None:
    bad = sum(landing.set_aside is not None and not landing.waits for landing in landings)
    if len(landings) >= BAD_LEAST and bad > BAD_SHARE * len(landings):
        raise SourceChanged(
            f"{bad} of {len(landings)} records of {spec.name}/{page.stream} cannot be read; nothing of that page was "
            "kept. The source may have changed its format: look for a newer release, then: bridge sync --user NAME"
        )


def _failed(connection: Connection, tally: Tally, error: BridgeError, *, at: datetime) -> Outcome:
    because = str(error)
    match error:
        case NeedsLogin():
            return _outcome(connection, tally, "needs_login", because=because)
        case SourceChanged() | SetupError():
            return _outcome(connection, tally, "stopped", because=because)
        case Interrupted():
            return _outcome(connection, tally, "interrupted", because=because, retry_at=error.due(at))
        case TryLater():
            failed = _outcome(connection, tally, "failed", because=because, retry_at=error.due(at))
            return replace(failed, limited=error.limited and failed.retry_at is not None)
        case _:
            return _outcome(connection, tally, "failed", because=because)


def _outcome(
    connection: Connection, tally: Tally, outcome: str, *, because: str | None = None, retry_at: datetime | None = None
) -> Outcome:
    return Outcome(
        source=connection.source,
        connection=connection.name,
        outcome=outcome,
        new=tally.outcomes["new"],
        updated=tally.outcomes["updated"],
        unchanged=tally.outcomes["unchanged"],
        deleted=tally.outcomes["deleted"],
        set_aside=sum(tally.aside.values()),
        set_aside_by=tally.by_kind(),
        reasons=tuple(f"{reason} ({count})" for reason, count in tally.reasons().most_common(5)),
        skipped_because=because,
        retry_at=retry_at,
        streams=dict(tally.streams),
        items=dict(tally.items),
    )
