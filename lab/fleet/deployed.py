"""Measure an installation as deployed, with ``bridge worker`` processes, their queue, limits and regular tasks.

The stages are every user's first sync, a sync without news of all at once, the same spread over time, recommendations
for all at the start of a slot, and an idle time.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import fmean
from typing import Any

import sqlalchemy as sa

from bridge.auth.vault import Vault
from bridge.config import AT_ONCE_MAX
from bridge.daemon.procrastinate_queue import open_queue
from bridge.domain.errors import BridgeError
from bridge.domain.slots import ZoneSpan, moment_at
from bridge.ingest.outcomes import SYNC_CADENCE
from bridge.store import Store, tables
from lab.fleet import count, growth, stage, usage
from lab.fleet.accounts import NOW, SOURCES, ZONE
from lab.fleet.clocked import read_clock, set_clock

LOOK_SECONDS = 0.5  # between two looks at how far it is
STUCK_SECONDS = 120.0  # without any progress
IDLE_SECONDS = 20.0  # two ticks
SLOT = datetime(2026, 11, 20, 17, 0, tzinfo=UTC)  # when the evening begins in the fleet's zone
AHEAD = timedelta(minutes=25)  # due times that are still to come, before anybody is due for a second time
ZONES = [ZoneSpan(since=NOW - timedelta(days=1), zone=ZONE.key)]

Step = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """The measurements of a part of the load test, of which ``done`` operations were finished in ``seconds``."""

    done: int
    seconds: float
    spent: usage.Moment
    busy: Mapping[str, float]  # what limits it -> the mean share in use

    def ms(self, part: str) -> float | None:
        """Return the CPU milliseconds per operation of ``part`` ("workers" or "postgres"), or None if unknown."""
        seconds: float | None = getattr(self.spent, part)
        return None if seconds is None else round(1000 * seconds / max(self.done, 1), 2)


@dataclass(slots=True, kw_only=True)
class Deployment:
    """Workers on a store with many users, with a simulated time."""

    store: Store
    clock: Path
    users: int
    workers: Sequence[subprocess.Popen[bytes]]
    concurrency: int
    limit: int  # of syncs of a source at once
    postmaster: int | None
    busy: dict[str, list[float]] = field(default_factory=dict)
    connections: int = 0  # to the database, at most

    def used(self) -> usage.Moment:
        return usage.used([worker.pid for worker in self.workers], self.postmaster)

    def play(self, left: Callable[[], int], step: Step, seconds: float = 0.0) -> Played:
        """Wait until ``left()`` is 0 and ``seconds`` have passed, and return the measurements.

        Raises BridgeError if a worker ends or nothing is finished for STUCK_SECONDS.
        """
        self.busy = {}
        whole = fewest = left()
        began = moved = time.monotonic()
        before = self.used()
        while fewest or time.monotonic() < began + seconds:
            time.sleep(LOOK_SECONDS)
            if any(worker.poll() is not None for worker in self.workers):
                raise BridgeError("a worker of the fleet ended before its time; try: bridge doctor")
            self._look()
            if (now := left()) < fewest:
                fewest, moved = now, time.monotonic()
            elif time.monotonic() > max(moved, began + seconds) + STUCK_SECONDS:
                raise BridgeError(
                    f"the fleet's workers left {fewest} undone; with fewer people: bridge fleet --users 20"
                )
            step(whole - fewest, whole)
        took, spent = time.monotonic() - began, self.used().since(before)
        shares = {what: fmean(seen) for what, seen in self.busy.items()}
        shares["a core for each worker"] = spent.workers / took / len(self.workers)
        shares["the machine's cores"] = spent.machine / took / (os.cpu_count() or 1)
        return Played(done=whole - fewest, seconds=took, spent=spent, busy=shares)

    def _look(self) -> None:
        now = read_clock(self.clock)
        self.connections = max(self.connections, usage.connections(self.store))
        room = self.concurrency * len(self.workers)
        seen = {"jobs at once of the workers": usage.jobs(self.store)[1] / room}
        for source in SOURCES:
            seen[f"BRIDGE_AT_ONCE of {source}"] = self.store.scheduling.lease_count(source, now=now) / self.limit
        for what, share in seen.items():
            self.busy.setdefault(what, []).append(share)

    def syncs(self, base: datetime, step: Step, *, over: float = 0.0) -> tuple[Played, list[float]]:
        """Make all connections due within ``over`` seconds, and wait until they are synced.

        Returns the measurements and the sorted delays of the syncs in seconds.
        """
        self.move(base)
        begin = read_clock(self.clock)
        until = begin + timedelta(seconds=over)
        with self.store.database.read() as db:
            last = db.execute(sa.select(sa.func.max(tables.sync_runs.c.finished))).scalar()
        stage.spread(self.store, begin, until)
        due = self._due_times()

        def left() -> int:
            c = tables.connections.c
            undone = sa.or_(c.due_at <= until, c.due_at.is_(None), c.lease_holder.is_not(None))
            with self.store.database.read() as db:
                return int(db.execute(sa.select(sa.func.count()).where(undone)).scalar_one())

        played = self.play(left, step, over)
        runs = tables.sync_runs.c
        begun = sa.select(runs.connection_id, sa.func.min(runs.started)).group_by(runs.connection_id)
        if last is not None:
            begun = begun.where(runs.started > last)
        with self.store.database.read() as db:
            lags = sorted((at - due[number]).total_seconds() for number, at in db.execute(begun))
        return played, lags

    def _due_times(self) -> dict[int, datetime]:
        c = tables.connections.c
        with self.store.database.read() as db:
            return {row.id: row.due_at for row in db.execute(sa.select(c.id, c.due_at))}

    def advice(self, step: Step) -> Played:
        """Begin a slot without due syncs, and wait until every user has been considered for a recommendation."""
        self.move(SLOT)
        moment = moment_at(SLOT, ZONES)

        def left() -> int:
            return self.users - len(self.store.waiting.by_slot([moment], since=SLOT, now=SLOT)[moment].advised)

        return self.play(left, step)

    def move(self, base: datetime) -> None:
        """Set the simulated time to ``base``, with nothing due for some time."""
        stage.spread(self.store, base + AHEAD, base + AHEAD)
        set_clock(self.clock, base)


@contextmanager
def deployment(
    store: Store, variables: Mapping[str, str], users: int, workers: int, concurrency: int
) -> Iterator[Deployment]:
    """Return a context manager of running workers, begun when the queue knows all of them."""
    clock = Path(variables["BRIDGE_HOME"]) / "clock"
    set_clock(clock, NOW)
    limit = min(workers * concurrency, AT_ONCE_MAX)
    limits = ",".join(f"{source}={limit}" for source in SOURCES)
    environment = {**os.environ, **variables, "FLEET_CLOCK": str(clock)}
    environment |= {"BRIDGE_AT_ONCE": limits, "BRIDGE_RATE": "whoop=10000"}
    command = [sys.executable, "-m", "lab.fleet.clocked", "worker", "--concurrency", str(concurrency)]
    pipes: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    running = [subprocess.Popen(command, env=environment, **pipes) for _ in range(workers)]  # noqa: S603
    try:
        while usage.jobs(store)[0] < workers:
            time.sleep(LOOK_SECONDS)
            if any(worker.poll() is not None for worker in running):
                raise BridgeError("a worker of the fleet did not start; try: bridge doctor")
        yield Deployment(
            store=store,
            clock=clock,
            users=users,
            workers=running,
            concurrency=concurrency,
            limit=limit,
            postmaster=usage.postmaster(store),
        )
    finally:
        for worker in running:
            worker.terminate()
        for worker in running:
            worker.wait()


def run(
    users: int,
    *,
    days: int,
    database: str,
    workers: int,
    concurrency: int,
    wait: float,
    progress: Callable[[str], Step],
) -> dict[str, Any]:
    """Run all parts of the load test, and return their costs and the result of ``count``."""
    with ExitStack() as stack:
        variables = stack.enter_context(stage.staged(days, database, wait=wait))
        store = stack.enter_context(closing(Store(variables["BRIDGE_DATABASE"])))
        stage.populate(store, users, Vault([variables["BRIDGE_KEY"]]))
        stage.spread(store, NOW + AHEAD, NOW + AHEAD)
        _leave_out(store, users)
        open_queue(variables["BRIDGE_DATABASE"], 1)
        usage.watch_queue(store)
        here = stack.enter_context(deployment(store, variables, users, workers, concurrency))
        pids = [worker.pid for worker in here.workers]
        first, late = here.syncs(NOW, progress("first syncs"))
        early, loaded = usage.megabytes(pids), growth.parts(store)
        whole, _ = here.syncs(_next(here), progress("nothing new, at once"))
        usage.waits(store, "sync")
        over = min(2 * whole.seconds, AHEAD.total_seconds())
        half, lags = here.syncs(_next(here), progress("nothing new, half the pace"), over=over)
        queued, mb_late = usage.waits(store, "sync"), usage.megabytes(pids)
        advice = here.advice(progress("advice"))
        idle = here.play(lambda: 0, progress("nothing due"), IDLE_SECONDS)
        machine, later, held = usage.machine(store), growth.parts(store), growth.held(store, users, days)
        counted, missed = count.count(store, users, days), count.missed(store, 2)
        each = growth.bytes_per_advice(store)
    stages = {"first_sync": first, "sync_nothing_new": whole, "sync_half_pace": half, "advice": advice}
    wall, share = max(whole.busy.items(), key=lambda one: one[1])
    others = whole.spent.others / whole.seconds / (os.cpu_count() or 1)
    return {
        "users": users,
        "days": days,
        "workers": workers,
        "database": "postgresql",
        "jobs_at_once": concurrency,
        "vendors_answer_after_s": wait,
        "machine": machine,
        "date": datetime.now(UTC).date().isoformat(),
        "syncs": first.done + whole.done,
        "syncs_per_s": round((first.done + whole.done) / (first.seconds + whole.seconds), 2),
        "first_syncs_per_s": round(first.done / first.seconds, 2),
        "syncs_nothing_new_per_s": round(whole.done / whole.seconds, 2),
        "advice_per_s": round(advice.done / advice.seconds, 2),
        **{f"cpu_ms_per_{name}": played.ms("workers") for name, played in stages.items()},
        **{f"postgres_ms_per_{name}": played.ms("postgres") for name, played in stages.items()},
        "cpu_ms_idle_per_s": round(1000 * idle.spent.workers / idle.seconds, 1),
        "postgres_ms_idle_per_s": None
        if idle.spent.postgres is None
        else round(1000 * idle.spent.postgres / idle.seconds, 1),
        **growth.lag_figures(lags, late),
        "pace": round(whole.seconds / over, 2),
        "queued_p95_s": round(growth.at_share(queued, 0.95), 3),
        "seconds": round(first.seconds + whole.seconds + half.seconds + advice.seconds, 2),
        "peak_mb": round(mb_late, 1),
        "mb_early": round(early, 1),
        "mb_late": round(mb_late, 1),
        "lost": counted.lost,
        "doubled": counted.doubled,
        "missed_syncs": missed,
        "in_use": {what: round(part, 3) for what, part in sorted(whole.busy.items(), key=lambda one: -one[1])},
        "connections_per_worker": -(-here.connections // workers),
        "others_in_use": round(others, 3),
        "first_wall": f"{wall}, {100 * share:.0f} % in use",
        **growth.figures(users, days, each, loaded, later),
        **held,
    }


def _next(here: Deployment) -> datetime:
    return read_clock(here.clock) + SYNC_CADENCE


def _leave_out(store: Store, users: int) -> None:
    """Mark each user's first slot as one without a recommendation, because there are no data yet."""
    moment = moment_at(NOW, ZONES)
    one = {"week": moment.week, "timestep": moment.timestep, "made_at": NOW, "probability": 0.5}
    with store.database.write() as db:
        db.execute(sa.insert(tables.silences), [{"user_id": number, **one} for number in range(1, users + 1)])
