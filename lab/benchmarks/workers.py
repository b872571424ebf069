"""Measure one and two ``bridge worker`` processes on PostgreSQL (``python -m lab.benchmarks.workers``).

Every user has three sources, which answer late and are due again as soon as they have been synced, without news.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

import sqlalchemy as sa

from bridge.auth.vault import Vault
from bridge.store import Store
from lab.fleet import stage
from lab.fleet.accounts import SOURCES

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
BEGUN = 20  # syncs, after which the workers are under way
LOOK_SECONDS = 1.0  # between two looks at what was synced


@contextmanager
def working(count: int, at_once: int, variables: Mapping[str, str]) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Run ``count`` worker processes of ``at_once`` jobs each until the context ends."""
    command = [sys.executable, "-m", "bridge", "worker", "--concurrency", str(at_once)]
    environment = {**os.environ, **variables}
    started = [subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) for _ in range(count)]  # noqa: S603
    try:
        yield started
    finally:
        for worker in started:
            worker.terminate()
        for worker in started:
            worker.wait()


def cpu(workers: list[subprocess.Popen[bytes]]) -> float:
    """Return the CPU seconds that processes have used so far."""
    fields = (Path(f"/proc/{worker.pid}/stat").read_text().rpartition(")")[2].split() for worker in workers)
    return sum(int(field[11]) + int(field[12]) for field in fields) / TICKS_PER_SECOND


def measured(
    store: Store, count: int, at_once: int, seconds: float, variables: Mapping[str, str]
) -> tuple[float, float]:
    """Return (syncs per second, CPU milliseconds of the workers per sync) of ``count`` workers over ``seconds``."""
    with working(count, at_once, variables) as workers:
        start = synced(store)
        while synced(store) < start + BEGUN:
            due_again(store)
        before, began, spent = synced(store), time.monotonic(), cpu(workers)
        while time.monotonic() < began + seconds:
            due_again(store)
        done = synced(store) - before
        return done / (time.monotonic() - began), 1000 * (cpu(workers) - spent) / max(done, 1)


def due_again(store: Store) -> None:
    """Make every connection due that no worker is syncing, and sleep LOOK_SECONDS."""
    with store.database.write() as db:
        db.execute(sa.text("UPDATE connections SET due_at = NULL WHERE lease_holder IS NULL AND due_at IS NOT NULL"))
    time.sleep(LOOK_SECONDS)


def synced(store: Store) -> int:
    """Return the number of sync outcomes that were written so far."""
    query = "SELECT n_tup_ins + n_tup_upd FROM pg_stat_user_tables WHERE relname = 'sync_runs'"
    with store.database.read() as db:
        return int(db.execute(sa.text(query)).scalar_one())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=40)
    parser.add_argument("--at-once", type=int, default=10, help="jobs of a worker")
    parser.add_argument("--wait", type=float, default=0.3, help="seconds before a vendor answers")
    parser.add_argument("--seconds", type=float, default=30)
    asked = parser.parse_args()
    with (
        stage.staged(2, stage.OWN_CLUSTER, wait=asked.wait) as found,
        closing(Store(found["BRIDGE_DATABASE"])) as store,
    ):
        limits = ",".join(f"{source}={4 * asked.at_once}" for source in SOURCES)
        chosen = {"BRIDGE_POLICY": "heuristic", "BRIDGE_CLASSIFIER": "keywords", "BRIDGE_RATE": "whoop=1000"}
        variables = {**found, **chosen, "BRIDGE_AT_ONCE": limits}
        stage.populate(store, asked.users, Vault([variables["BRIDGE_KEY"]]))
        with working(2, asked.at_once, variables):
            while synced(store) < len(SOURCES) * asked.users:
                time.sleep(LOOK_SECONDS)
        print(f"{'workers':>7} {'syncs/s':>8} {'CPU ms a sync':>14}  x one")
        for _ in range(2):
            one = 0.0
            for count in (1, 2):
                pace, spent = measured(store, count, asked.at_once, asked.seconds, variables)
                one = one or pace
                print(f"{count:7} {pace:8.2f} {spent:14.1f}  {pace / one:.2f}", flush=True)


if __name__ == "__main__":
    main()
