"""A worker of a load test, whose threads claim due connections and sync them as the daemon does.

It reads a line of JSON for every round. It prints lines of JSON with the number of finished syncs, and its measurements
at the end.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from bridge import installation
from bridge.ingest import runs
from bridge.leases import LEASE
from lab.fleet.usage import megabytes

TOGETHER = 8  # connections claimed at once
PAUSE = 0.05  # seconds when nothing is due
TELLING = 0.5  # seconds between two words on how far it is


@dataclass(slots=True, kw_only=True)
class Round:
    """The connections due up to ``until``. The simulated time was ``base`` at the monotonic time ``origin`` (s)."""

    bridge: installation.Bridge
    base: datetime
    origin: float
    until: datetime
    lags: list[float] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)
    sizes: list[float] = field(default_factory=list)  # megabytes, every now and then
    failed: list[BaseException] = field(default_factory=list)
    begun: datetime = field(init=False)

    def __post_init__(self) -> None:
        self.begun = self.base

    def clock(self) -> datetime:
        return self.base + timedelta(seconds=time.monotonic() - self.origin)

    def work(self) -> None:
        try:
            self._work()
        except BaseException as error:
            self.failed.append(error)
            raise

    def _work(self) -> None:
        while True:
            now = self.clock()
            claimed = self.bridge.store.scheduling.claim_due(self.bridge.holder, now=now, lease=LEASE, limit=TOGETHER)
            for connection in claimed:
                started = self.clock()
                self.lags.append((started - (connection.due_at or self.begun)).total_seconds())
                user = self.bridge.store.people.user_by_id(connection.user_id)
                self.outcomes[runs.sync_connection(self.bridge, user, connection, at=started).outcome] += 1
            if not claimed and now >= self.until:
                return
            if not claimed:
                time.sleep(PAUSE)

    def told(self) -> dict[str, Any]:
        self.sizes.append(megabytes([os.getpid()]))
        return {"done": self.outcomes.total()}


def play(bridge: installation.Bridge, threads: int, told: dict[str, Any]) -> dict[str, Any]:
    """Sync in ``threads`` threads all connections of the round described by ``told``, and return its measurements."""
    base, until = (datetime.fromisoformat(told[name]) for name in ("base", "until"))
    one = Round(bridge=bridge, base=base, origin=told["origin"], until=until)
    before = time.process_time()
    working = [threading.Thread(target=one.work) for _ in range(threads)]
    for thread in working:
        thread.start()
    for thread in working:
        while thread.is_alive():
            thread.join(TELLING)
            _say(one.told())
    return {
        "lags": [round(lag, 4) for lag in one.lags],
        "outcomes": dict(one.outcomes),
        "cpu_s": time.process_time() - before,
        "megabytes": one.sizes,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000,
        "failed": [type(error).__name__ for error in one.failed],
        "ended": time.monotonic(),
    }


def _say(body: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(body) + "\n")
    sys.stdout.flush()


def main(threads: int) -> None:
    """Run a round for each line of standard input, after loading the libraries that every sync needs."""
    import google_auth_httplib2  # noqa: F401
    import googleapiclient.discovery  # noqa: F401
    import requests  # noqa: F401

    with installation.open_bridge() as bridge:
        bridge.store.scheduling.due(now=installation.now(), limit=1)
        _say({"ready": True})
        for line in sys.stdin:
            _say({"report": play(bridge, threads, json.loads(line))})


if __name__ == "__main__":
    main(int(sys.argv[1]))
