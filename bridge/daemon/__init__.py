"""The daemon: it asks the database what is due, source by source, and attends to everybody once per slot.

The database owns what is due and who is at it, so that commands and workers may run beside it, and nothing is lost when
it is killed. Every source has threads of its own, people and housekeeping one each.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial

from bridge import adapters, app, housekeeping, leases, registry, rhythm
from bridge.daemon.crew import Crew
from bridge.daemon.watch import Watch
from bridge.ending import LAST
from bridge.errors import Interrupted
from bridge.ports import Connection, Presence, User
from bridge.rhythm import guarded
from bridge.sync import CADENCE, LEASE, failed

log = logging.getLogger(__name__)

LOOK, PEOPLE, HOUSE = "look", "people", "housekeeping"
STEP = timedelta(seconds=1)  # between two connections that became overdue together, after a start or a sleep


@dataclass(slots=True, kw_only=True)
class Daemon:
    """An open bridge, a clock, work under way, and whether it is time to stop."""

    bridge: app.Bridge
    clock: Callable[[], datetime] = app.now
    steady: Callable[[], float] | None = None  # None: the clock is not watched
    stopping: threading.Event = field(default_factory=threading.Event)
    looked: datetime | None = None
    done: Counter[tuple[str, str]] = field(default_factory=Counter)  # (source, outcome) -> syncs
    syncing: set[int] = field(default_factory=set)  # connections
    owed: set[int] = field(default_factory=set)  # connections whose leases may not have been given back
    crew: Crew = field(default_factory=lambda: Crew(at_once))
    watch: Watch | None = None
    people: dict[int, User] = field(default_factory=dict)
    presence: Presence | None = None  # of the only daemon here; None: nobody asks

    def start(self) -> None:
        """Free what the dead held, recall what a clock put off, and let what is overdue become due bit by bit."""
        if self.steady is not None:
            self.watch = Watch(clock=self.clock, steady=self.steady)
        leases.free_all_dead(self.bridge.store)
        self._recall()
        self._spread()

    def tick(self) -> None:
        """Look once and wait until all that it led to is done."""
        self.look()
        self.crew.idle()

    def look(self) -> None:
        """Begin whatever is due and not yet under way; returns at once. What cannot be done now, the next look does."""
        if not self._alone() or self.stopping.is_set():
            return
        guarded("the clock", self._keep_in_step)
        guarded("what is due", self._begin_syncs)
        guarded("people", self._begin_people)
        guarded("housekeeping", self._begin_housekeeping)
        self.looked = self.clock()

    def _begin_people(self) -> None:
        if self.crew.free(PEOPLE):
            self.crew.begin(PEOPLE, lambda: guarded("people", self._attend))

    def _begin_housekeeping(self) -> None:
        if self.crew.free(HOUSE) and housekeeping.is_due(self.bridge, now=self.clock()):
            self.crew.begin(HOUSE, lambda: guarded("housekeeping", self._tidy))

    def _tidy(self) -> None:
        gone = housekeeping.daily(self.bridge, now=self.clock())
        log.info("housekeeping: %d raw records, %d outcomes of syncs went", gone.raw, gone.runs)
        for user in self.bridge.store.users():
            guarded(f"adapter of user {user.id}", partial(self._personalise, user))

    def _personalise(self, user: User) -> None:
        """A person's own adapter of the language model, where one is tuned here and it is time."""
        if not self.stopping.is_set():
            adapters.personalise_due(self.bridge, user, self.clock(), stopped=self.stopping.is_set)

    def _alone(self) -> bool:
        """Whether no other daemon has come while the database was away."""
        if self.presence is None:
            return True
        try:
            if self.presence.taken():
                return True
            log.error("another daemon is at this store; nothing is begun here")
        except Exception as error:  # noqa: BLE001 - each database's driver has its own
            log.error("the database is away: %s", type(error).__name__)
        return False

    def _keep_in_step(self) -> None:
        """At every look: a sync that was under way when the clock was put right ends by the false one."""
        self._recall()
        if self.watch is not None and (ahead := self.watch.jumped()):
            log.warning("the clock moved by %d s", ahead.total_seconds())
            self._spread()

    def _recall(self) -> None:
        self.bridge.store.work.recall(now=self.clock(), lease=LEASE)

    def _spread(self) -> None:
        self.bridge.store.work.spread(now=self.clock(), step=STEP, within=CADENCE)

    def _begin_syncs(self) -> None:
        self._give_back()
        for source in self.bridge.store.work.due(now=self.clock()):
            guarded(source, partial(self._begin, source))

    def _begin(self, source: str) -> None:
        for connection in self._claim(source, self.crew.free(source)):
            if not guarded(source, partial(self.crew.begin, source, partial(self._work_off, connection))):
                self.owed.add(connection.id)

    def _claim(self, source: str, limit: int) -> list[Connection]:
        """What is under way is not begun again, be its lease over by a clock that was set."""
        mine, now, but = self.bridge.holder, self.clock(), tuple(self.syncing)
        return self.bridge.store.claim_due(mine, now=now, lease=LEASE, limit=limit, source=source, but=but)

    def _give_back(self) -> None:
        """Leases that could not be given back when their sync ended, for the database was away."""
        for connection_id in tuple(self.owed):
            self.bridge.store.release(connection_id, self.bridge.holder)
            self.owed.discard(connection_id)

    def _work_off(self, connection: Connection | None) -> None:
        """Sync a connection, then whatever else of its source is due."""
        while connection is not None:
            work = self._sync if not self.stopping.is_set() else self._let_go
            self.syncing.add(connection.id)
            if not guarded(connection.source, partial(work, connection)):
                self.owed.add(connection.id)
            self.syncing.discard(connection.id)
            connection = None if self.stopping.is_set() else self._next(connection.source)

    def _let_go(self, connection: Connection) -> None:
        self.bridge.store.release(connection.id, self.bridge.holder)

    def _next(self, source: str) -> Connection | None:
        found: list[Connection] = []
        guarded(source, lambda: found.extend(self._claim(source, 1)))
        return found[0] if found else None

    def _sync(self, connection: Connection) -> None:
        """One connection; whatever happens to it, it is due again later and the others are not touched."""
        now, user = self.clock(), self._person(connection.user_id)
        try:
            outcome = app.sync_connection(self.bridge, user, connection, at=now, on_page=self._between_pages)
        except Exception as error:  # noqa: BLE001 - a defect in one source must not stop the others
            log.error("%s: unexpected %s", connection.source, type(error).__name__)  # the text may be personal
            outcome = failed(self.bridge.store, connection, error, holder=self.bridge.holder, now=now)
        self.done[connection.source, outcome.outcome] += 1

    def _person(self, user_id: int) -> User:
        if user_id not in self.people:
            self.people = {user.id: user for user in self.bridge.store.users()}
        return self.people[user_id]

    def _between_pages(self, stream: str, records: int) -> None:  # noqa: ARG002 - the callback's shape
        """A page has landed: a good moment to stop, and to go on from at the next start."""
        if self.stopping.is_set():
            raise Interrupted("the daemon was stopped", retry_at=self.clock())

    def _attend(self) -> None:
        self.people = {user.id: user for user in self.bridge.store.users()}
        for user in rhythm.waiting(self.bridge, self.people.values(), now=self.clock()):
            if self.stopping.is_set():
                return
            rhythm.attend(self.bridge, user, now=self.clock())

    def stop(self, patience: float) -> bool:
        """Begin nothing more and wait so many seconds for what is under way; what then is not done is let go of.

        False when something was: it ends with the process, and its last page is fetched again at the next start.
        """
        self.stopping.set()
        begun = time.monotonic()
        if self.crew.idle(patience):
            return True
        freeing = partial(guarded, "leases", lambda: self.bridge.store.work.free_all(self.bridge.holder))
        last = threading.Thread(target=freeing, daemon=True)
        last.start()
        last.join(LAST)  # a database that is busy or away is not waited for: the next start frees them
        log.warning("%d left in the middle after %d s", sum(self.crew.busy().values()), time.monotonic() - begun)
        return False


def at_once(kind: str) -> int:
    """How much of a kind of work may be at once."""
    return 1 if kind in (LOOK, PEOPLE, HOUSE) else registry.spec(kind).at_once
