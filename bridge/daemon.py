"""The daemon: one ticking job that asks the database what is due, syncs it, and advises everybody once per slot.

The database owns what is due and who is at it, so that any number of daemons and commands may run beside each other.
"""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from bridge import app, leases, rhythm
from bridge.errors import TryLater
from bridge.ports import Connection, User
from bridge.sync import LEASE, finish
from bridge.types import Outcome

log = logging.getLogger(__name__)

AT_ONCE = 10  # connections claimed per round: a lease must not run out while others are synced before it


@dataclass(slots=True, kw_only=True)
class Daemon:
    """An open bridge, a clock, and whether it is time to stop."""

    bridge: app.Bridge
    clock: Callable[[], datetime] = app.now
    stopping: threading.Event = field(default_factory=threading.Event)

    def tick(self) -> None:
        """Sync what is due, then advise whoever has entered a new slot."""
        self._sync_due()
        for user in self.bridge.store.users():
            if self.stopping.is_set():
                return
            rhythm.attend(self.bridge, user, now=self.clock())

    def _sync_due(self) -> None:
        people = {user.id: user for user in self.bridge.store.users()}
        while not self.stopping.is_set():
            now = self.clock()
            due = self.bridge.store.claim_due(self.bridge.holder, now=now, lease=LEASE, limit=AT_ONCE)
            if not due:
                return
            for connection in due:
                if self.stopping.is_set():
                    self.bridge.store.release(connection.id, self.bridge.holder)
                else:
                    self._sync(people[connection.user_id], connection, now)

    def _sync(self, user: User, connection: Connection, now: datetime) -> None:
        """One connection; whatever happens to it, it is due again later and the others are not touched."""
        try:
            app.sync_connection(self.bridge, user, connection, at=now, on_page=self._between_pages)
        except Exception as error:  # noqa: BLE001 - a defect in one source must not stop the others
            log.error("%s: unexpected %s", connection.source, type(error).__name__)  # the text may be personal
            because = f"an unexpected {type(error).__name__}; run: bridge sync --user {user.name}"
            outcome = Outcome(
                source=connection.source, connection=connection.name, outcome="failed", skipped_because=because
            )
            self.bridge.store.release(connection.id, self.bridge.holder)
            finish(self.bridge.store, connection, outcome, started=now, finished=now)

    def _between_pages(self, stream: str, records: int) -> None:  # noqa: ARG002 - the callback's shape
        """A page has landed: a good moment to stop, and to go on from at the next start."""
        if self.stopping.is_set():
            raise TryLater("the daemon was stopped", retry_at=self.clock())


def run(bridge: app.Bridge, *, every: int) -> None:
    """Tick every so many seconds until SIGTERM or Ctrl-C; what is under way is finished up to its next page."""
    from apscheduler.schedulers.blocking import BlockingScheduler

    daemon = Daemon(bridge=bridge)
    for user in bridge.store.users():
        for connection in bridge.store.connections(user.id):
            leases.free_dead(bridge.store, connection)
    scheduler = BlockingScheduler(timezone="UTC")
    scheduler.add_job(
        daemon.tick,
        "interval",
        seconds=every,
        next_run_time=datetime.now().astimezone(),
        coalesce=True,
        max_instances=1,
    )

    def stop(number: int, frame: object) -> None:  # noqa: ARG001 - the signal's shape
        daemon.stopping.set()
        threading.Thread(target=scheduler.shutdown, daemon=True).start()  # not within the handler: it takes locks

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    log.info("running, every %s s", every)
    scheduler.start()
    log.info("stopped")
