"""The daemon's scheduler, which starts due syncs by source, each user's due tasks, and the day's housekeeping."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from bridge import installation, leases
from bridge.advice import adapters
from bridge.daemon import backups, due_tasks, housekeeping
from bridge.daemon.due_tasks import guarded
from bridge.daemon.worker_pool import SHUTDOWN_LAST_SECONDS, WorkerPool
from bridge.domain.errors import Interrupted, StoreFault
from bridge.domain.records import Connection, User
from bridge.ingest import runs
from bridge.ingest.outcomes import SYNC_CADENCE, record_defect
from bridge.ingest.pacing import Ration
from bridge.leases import LEASE

if TYPE_CHECKING:
    from bridge.daemon.mqtt.publisher import Publisher
    from bridge.store.locks import SingletonLock

log = logging.getLogger(__name__)

LOOK_WORK, PEOPLE_WORK, HOUSEKEEPING_WORK, MQTT_WORK = "look", "people", "housekeeping", "mqtt"
LIMITS = {LOOK_WORK: 1, PEOPLE_WORK: 1, HOUSEKEEPING_WORK: 1, MQTT_WORK: 2}  # threads; of MQTT one works, one waits
STAGGER_STEP = timedelta(seconds=1)  # between two overdue connections, after a start or after the machine slept


CLOCK_TOLERANCE = timedelta(minutes=2)  # a synchronised clock is slewed, and a busy machine is late


@dataclass(slots=True, kw_only=True)
class ClockWatch:
    """A detector of jumps of the wall clock ``clock``, by comparison with the monotonic seconds ``steady``.

    A sleep of the machine counts as a jump too, because ``time.monotonic`` then stands still.
    """

    clock: Callable[[], datetime]
    steady: Callable[[], float]
    last: tuple[datetime, float] | None = field(default=None)

    def jump(self) -> timedelta:
        """Return how far the wall clock jumped since the last call, negative if backwards, 0 for small jumps."""
        now, steady = self.clock(), self.steady()
        before, self.last = self.last, (now, steady)
        if before is None:
            return timedelta(0)
        ahead = (now - before[0]) - timedelta(seconds=steady - before[1])
        return ahead if abs(ahead) > CLOCK_TOLERANCE else timedelta(0)


@dataclass(slots=True, kw_only=True)
class Daemon:
    """The scheduler of an installation, with its clock and the work under way. It needs repeated calls of ``look``."""

    bridge: installation.Bridge
    clock: Callable[[], datetime] = installation.now
    steady: Callable[[], float] | None = None  # monotonic seconds; None: the clock is not watched
    stopping: threading.Event = field(default_factory=threading.Event)
    looked_at: datetime | None = None
    sync_counts: Counter[tuple[str, str]] = field(default_factory=Counter)  # (source, outcome) -> syncs
    syncing: set[int] = field(default_factory=set)  # connections
    unreleased: set[int] = field(default_factory=set)  # connections whose leases may still be held
    pool: WorkerPool = field(init=False)
    everybody: due_tasks.Everybody = field(init=False)
    clock_watch: ClockWatch | None = None
    users: dict[int, User] = field(default_factory=dict)
    singleton: SingletonLock | None = None  # lock of the only daemon at this store; None: not checked
    publisher: Publisher | None = None  # of the meters and the recommendation at an MQTT broker; None: to none

    def __post_init__(self) -> None:
        self.pool = WorkerPool(lambda kind: LIMITS[kind] if kind in LIMITS else self.bridge.at_once(kind))
        self.everybody = due_tasks.Everybody(self.bridge)

    def start(self) -> None:
        """Release leases of dead processes, repair due times set by a wrong clock, and spread overdue syncs."""
        if self.steady is not None:
            self.clock_watch = ClockWatch(clock=self.clock, steady=self.steady)
        leases.release_dead(self.bridge.store)
        self._repair_clock()
        self._stagger()

    def tick(self) -> None:
        """Look for due work once, and wait until that work has ended."""
        self.look()
        self.pool.wait_until_idle()

    def look(self) -> None:
        """Find due work and start it in threads, without waiting. Without a free thread it waits for the next call."""
        if not self._is_alone() or self.stopping.is_set():
            return
        guarded("the clock", self._check_clock)
        guarded("what is due", self._start_syncs)
        guarded("people", self._start_people)
        guarded("housekeeping", self._start_housekeeping)
        guarded("MQTT", self.start_publishing)
        self.looked_at = self.clock()

    def _start_people(self) -> None:
        if self.pool.free_threads(PEOPLE_WORK):
            self.pool.start(PEOPLE_WORK, lambda: guarded("people", self._run_due_tasks))

    def start_publishing(self) -> None:
        """Update what an MQTT broker retains, in a thread, if there is a broker and a thread is free."""
        publisher = self.publisher
        if publisher is not None and not self.stopping.is_set() and self.pool.free_threads(MQTT_WORK):
            self.pool.start(MQTT_WORK, lambda: guarded("MQTT", lambda: publisher.update(self.clock())))

    def _start_housekeeping(self) -> None:
        if not self.pool.free_threads(HOUSEKEEPING_WORK):
            return
        if housekeeping.is_due(self.bridge, now=self.clock()):
            self.pool.start(HOUSEKEEPING_WORK, lambda: guarded("housekeeping", self._tidy))
        elif backups.is_due(self.bridge, now=self.clock()):
            work = partial(backups.daily, self.bridge, now=self.clock())
            self.pool.start(HOUSEKEEPING_WORK, lambda: guarded("backup", work))

    def _tidy(self) -> None:
        gone = housekeeping.daily(self.bridge, now=self.clock())
        log.info("housekeeping: %d raw records, %d outcomes of syncs went", gone.raw, gone.runs)
        for user in self.bridge.store.people.users():
            guarded(f"adapter of user {user.id}", partial(self._personalise, user))

    def _personalise(self, user: User) -> None:
        if not self.stopping.is_set():
            adapters.personalise_due(self.bridge, user, self.clock(), stopped=self.stopping.is_set)

    def _is_alone(self) -> bool:
        """Return True if this daemon still holds its lock, which can be lost during a database outage."""
        if self.singleton is None:
            return True
        try:
            if self.singleton.taken():
                return True
            log.error("another daemon works at this store; this one starts nothing")
        except Exception as error:  # noqa: BLE001 - each database's driver has its own
            why = error if isinstance(error, StoreFault) else f"the database is away: {type(error).__name__}"
            log.error("%s", why)
        return False

    def _check_clock(self) -> None:
        """Repair due times set by a wrong clock, and spread overdue syncs over time after a jump of the clock."""
        self._repair_clock()
        if self.clock_watch is not None and (ahead := self.clock_watch.jump()):
            log.warning("the clock moved by %d s", ahead.total_seconds())
            self._stagger()

    def _repair_clock(self) -> None:
        self.bridge.store.scheduling.repair_clock(now=self.clock(), lease=LEASE)

    def _stagger(self) -> None:
        self.bridge.store.scheduling.stagger(now=self.clock(), step=STAGGER_STEP, within=SYNC_CADENCE)

    def _start_syncs(self) -> None:
        self._release_again()
        for source in self.bridge.store.scheduling.due_by_source(now=self.clock()):
            guarded(source, partial(self._start_source, source))

    def _start_source(self, source: str) -> None:
        for connection, ration in self._claim(source, self.pool.free_threads(source)):
            if not guarded(source, partial(self.pool.start, source, partial(self._sync_source, connection, ration))):
                self.unreleased.add(connection.id)

    def _claim(self, source: str, limit: int) -> list[tuple[Connection, Ration]]:
        """Return due connections of a source, locked (leased) and with requests reserved, that do not sync here yet."""
        mine, now, but, store = self.bridge.holder, self.clock(), tuple(self.syncing), self.bridge.store
        with store.transaction(durable=False):
            limit = min(limit, runs.room(self.bridge, [source])[source])
            found = store.scheduling.claim_due(mine, now=now, lease=LEASE, limit=limit, source=source, but=but)
            rations = [runs.ration(self.bridge, source) for _ in found]
            for ration in rations:
                ration.reserve()
        return list(zip(found, rations, strict=True))

    def _release_again(self) -> None:
        for connection_id in tuple(self.unreleased):
            self.bridge.store.scheduling.release(connection_id, self.bridge.holder)
            self.unreleased.discard(connection_id)

    def _sync_source(self, connection: Connection, ration: Ration | None = None) -> None:
        """Sync a claimed connection, then every other due one of its source. While stopping, release it instead."""
        found: Sequence[tuple[Connection, Ration | None]] = [(connection, ration)]
        while found:
            (connection, ration), *_ = found
            work = self._sync if not self.stopping.is_set() else self._release
            self.syncing.add(connection.id)
            if not guarded(connection.source, partial(work, connection, ration)):
                self.unreleased.add(connection.id)
            self.syncing.discard(connection.id)
            found = [] if self.stopping.is_set() else self._claim_next(connection.source)

    def _release(self, connection: Connection, _ration: Ration | None) -> None:
        self.bridge.store.scheduling.release(connection.id, self.bridge.holder)

    def _claim_next(self, source: str) -> list[tuple[Connection, Ration]]:
        found: list[tuple[Connection, Ration]] = []
        guarded(source, lambda: found.extend(self._claim(source, 1)))
        return found

    def _sync(self, connection: Connection, ration: Ration | None = None) -> None:
        now, user, watch = self.clock(), self._user_of(connection.user_id), self._between_pages
        try:
            outcome = runs.sync_connection(self.bridge, user, connection, at=now, on_page=watch, claimed=ration)
        except Exception as error:  # noqa: BLE001 - a defect in one source must not stop the rest
            log.error("%s: unexpected %s", connection.source, type(error).__name__)  # its text may be personal
            outcome = record_defect(self.bridge.store, connection, error, holder=self.bridge.holder, now=now)
        self.sync_counts[connection.source, outcome.outcome] += 1

    def _user_of(self, user_id: int) -> User:
        if user_id not in self.users:
            self.users[user_id] = self.bridge.store.people.user_by_id(user_id)
        return self.users[user_id]

    def _between_pages(self, stream: str, records: int) -> None:  # noqa: ARG002 - the callback's shape
        if self.stopping.is_set():
            raise Interrupted("the daemon was stopped", retry_at=self.clock())

    def _run_due_tasks(self) -> None:
        self.users.clear()
        due = due_tasks.users_with_due_tasks(self.bridge, self.everybody.at(self.clock()), now=self.clock())
        for user in due:
            if self.stopping.is_set():
                return
            due_tasks.run_due_tasks(self.bridge, user, now=self.clock())
        if due:
            self.start_publishing()

    def stop(self, patience: float) -> bool:
        """Start nothing more, wait ``patience`` seconds for running work, and return True if all of it ended."""
        self.stopping.set()
        begun = time.monotonic()
        if self.pool.wait_until_idle(patience):
            return True
        freeing = partial(guarded, "leases", lambda: self.bridge.store.scheduling.release_all(self.bridge.holder))
        last = threading.Thread(target=freeing, daemon=True)
        last.start()
        last.join(SHUTDOWN_LAST_SECONDS)  # the next start frees leases that a busy database keeps
        log.warning("%d threads cut off after %d s", sum(self.pool.busy().values()), time.monotonic() - begun)
        return False
