"""A few of the fleet's people at a store, and real workers at them as processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import sqlalchemy as sa

from bridge.auth.vault import Vault
from bridge.store import Store, tables
from lab.fleet import count, stage
from lab.fleet.accounts import NOW

DAYS = 2
QUICK = {"BRIDGE_POLICY": "heuristic", "BRIDGE_CLASSIFIER": "keywords"}


@dataclass(kw_only=True)
class Fleet:
    """People behind their vendors, and workers that come and go."""

    store: Store
    users: int
    variables: Mapping[str, str]
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)
    began: float = field(default_factory=time.time)

    def now(self) -> datetime:
        """The workers' clock."""
        return NOW + timedelta(seconds=time.time() - self.began)

    def start(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "tests.jobs.impatient", "worker", "--concurrency", "3"]
        environment = {**os.environ, **self.variables, **QUICK, "FLEET_BEGAN": str(self.began)}
        self.workers.append(subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL))
        return self.workers[-1]

    def stop(self) -> list[int]:
        """Tell every worker to stop; how they ended, those that were killed left out."""
        left = [worker for worker in self.workers if worker.poll() is None]
        for worker in left:
            worker.send_signal(signal.SIGTERM)
        return [worker.wait(timeout=30) for worker in left]

    def replace_fallen(self) -> None:
        """Start a worker again that found no database, as a service manager does."""
        for worker in list(self.workers):
            if (worker.poll() or 0) > 0:
                self.workers.remove(worker)
                self.start()

    def kill(self, worker: subprocess.Popen[bytes]) -> None:
        worker.kill()
        worker.wait()

    def due_again(self) -> None:
        """Everything is due, as if it had never been synced."""
        with self.store.database.write() as db:
            db.execute(sa.update(tables.connections).values(due_at=None))

    def waiting(self) -> int:
        """Connections that are due, or that somebody is at."""
        now = self.now()
        return len(self.store.scheduling.due(now=now, limit=10_000)) + self.store.scheduling.lease_count(now=now)

    def unsynced(self) -> int:
        return count.missed(self.store, 1)

    def advised(self) -> int:
        """Return how many users have a recommendation, or were left without one on purpose."""
        both = "SELECT user_id FROM recommendations UNION SELECT user_id FROM silences"
        with self.store.database.read() as db:
            return len(db.execute(sa.text(both)).all())

    def counted(self) -> count.Counted:
        return count.count(self.store, self.users, DAYS)


@contextmanager
def fleet_at(url: str, users: int) -> Iterator[Fleet]:
    with stage.staged(DAYS, url) as variables, closing(Store(url)) as store:
        stage.populate(store, users, Vault([variables["BRIDGE_KEY"]]))
        fleet = Fleet(store=store, users=users, variables=variables)
        try:
            yield fleet
        finally:
            for worker in fleet.workers:
                fleet.kill(worker)


def until(true: Callable[[], bool], *, seconds: float) -> bool:
    """Return True if the condition held in time. While the database is away nothing is known."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with suppress(sa.exc.OperationalError):
            if true():
                return True
        time.sleep(0.2)
    return False
