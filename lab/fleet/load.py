"""A load run, with everybody's first sync due at once, then a round without news at a steady rate."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from bridge.auth.vault import Vault
from bridge.domain.errors import BridgeError
from bridge.ingest.outcomes import SYNC_CADENCE
from bridge.store import Store, tables
from lab.fleet import advised, count, stage
from lab.fleet.accounts import NOW, SOURCES
from rhythm_env.interface import SLOTS_PER_DAY

THREADS = 4  # of a worker
SPREAD = 0.75  # of the time the first round took, the second one's due times take: it is quicker, so it keeps up
RAW_DAYS = 90  # of what came from the sources, as it came, are kept
RUN_DAYS = 90  # of how syncs ended
DAILY = (
    tables.records,
    tables.arrivals,
    tables.samples,
    tables.packed_samples,
    tables.episodes,
    tables.events,
)  # grow with the days
PER_DAY = len(SOURCES) * (timedelta(days=1) // SYNC_CADENCE)  # syncs of one person

Progress = Callable[[str], Callable[[int, int], None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """Measurements of the workers in a round."""

    seconds: float
    reports: Sequence[dict[str, Any]]

    @property
    def lags(self) -> list[float]:
        return sorted(lag for report in self.reports for lag in report["lags"])

    @property
    def cpu(self) -> float:
        return float(sum(report["cpu_s"] for report in self.reports))

    def lag(self, share: float) -> float:
        """The seconds behind its due time that ``share`` of the syncs began within."""
        lags = self.lags
        return lags[min(round(share * len(lags)), len(lags) - 1)] if lags else 0.0


def fleet(users: int, *, days: int, database: str | None, workers: int, progress: Progress) -> dict[str, Any]:
    """Run the load and a round without news. Returns the cost, and the store's content beside the vendors'."""
    with ExitStack() as stack:
        variables = stack.enter_context(stage.staged(days, database))
        store = stack.enter_context(closing(Store(variables["BRIDGE_DATABASE"])))
        stage.populate(store, users, Vault([variables["BRIDGE_KEY"]]))
        processes = [
            stack.enter_context(stage.process("worker", str(THREADS), variables=variables)) for _ in range(workers)
        ]
        for worker in processes:
            stage.heard(worker)
        first = _round(processes, NOW, NOW, progress("first syncs"), users)
        parts = [_parts(store)]
        base = NOW + SYNC_CADENCE + timedelta(seconds=first.seconds)
        until = base + timedelta(seconds=SPREAD * first.seconds)
        _spread(store, base, until)
        second = _round(processes, base, until, progress("nothing new"), users)
        parts.append(_parts(store))
        counted, missed = count.count(store, users, days), count.missed(store, 2)
        advice = advised.bytes_per_advice(store)
    figures = {"users": users, "days": days, "workers": workers, "database": store.database.engine.dialect.name}
    figures |= _pace(first, second) | {"lost": counted.lost, "doubled": counted.doubled, "missed_syncs": missed}
    return figures | _growth(users, days, advice, *parts)


def _round(
    processes: Sequence[subprocess.Popen[str]],
    base: datetime,
    until: datetime,
    step: Callable[[int, int], None],
    users: int,
) -> Played:
    """Let every worker work until nothing is due any more."""
    began, done = time.monotonic(), [0] * len(processes)
    reports: list[dict[str, Any]] = []
    told = json.dumps({"base": base.isoformat(), "until": until.isoformat(), "origin": began}) + "\n"

    def follow(place: int) -> None:
        while "report" not in (said := stage.heard(processes[place])):
            done[place] = said["done"]
            step(sum(done), users * len(SOURCES))
        reports.append(said["report"])

    following = [threading.Thread(target=follow, args=(place,)) for place in range(len(processes))]
    for worker, thread in zip(processes, following, strict=True):
        if worker.stdin is not None:
            worker.stdin.write(told)
            worker.stdin.flush()
        thread.start()
    for thread in following:
        thread.join()
    broken = [name for report in reports for name in report["failed"]]
    if len(reports) < len(processes) or broken:
        raise BridgeError(f"a worker of the fleet failed ({', '.join(broken) or 'it ended'}); try: bridge doctor")
    return Played(seconds=max(report["ended"] for report in reports) - began, reports=reports)


def _spread(store: Store, base: datetime, until: datetime) -> None:
    """Make the connections due in turn, evenly spaced, as they are after the daemon has run for some time."""
    with store.database.write() as db:
        c = tables.connections.c
        low, high = db.execute(sa.select(sa.func.min(c.id), sa.func.max(c.id))).one()
        pace = tables.microseconds(until) - tables.microseconds(base)
        due = tables.microseconds(base) + sa.type_coerce(c.id - low, sa.BigInteger) * (pace // (high - low + 1))
        db.execute(sa.update(tables.connections).values(due_at=sa.type_coerce(due, tables.Instant)))


def _pace(first: Played, second: Played) -> dict[str, Any]:
    syncs = len(first.lags), len(second.lags)
    return {
        "syncs": sum(syncs),
        "syncs_per_s": round(sum(syncs) / (first.seconds + second.seconds), 2),
        "first_syncs_per_s": round(syncs[0] / first.seconds, 2),
        "cpu_ms_per_first_sync": round(1000 * first.cpu / max(syncs[0], 1), 2),
        "cpu_ms_per_sync_nothing_new": round(1000 * second.cpu / max(syncs[1], 1), 2),
        "lag_p50_s": round(second.lag(0.50), 3),
        "lag_p95_s": round(second.lag(0.95), 3),
        "burst_lag_p50_s": round(first.lag(0.50), 3),
        "burst_lag_p95_s": round(first.lag(0.95), 3),
        "seconds": round(first.seconds + second.seconds, 2),
        "peak_mb": round(sum(report["peak_mb"] for report in second.reports), 1),
        "mb_early": round(sum(_at(report["megabytes"], 0.25) for report in first.reports), 1),
        "mb_late": round(sum(report["megabytes"][-1] for report in second.reports), 1),
    }


def _at(sizes: Sequence[float], share: float) -> float:
    return sizes[int(share * (len(sizes) - 1))]


def _parts(store: Store) -> dict[str, int]:
    """Return the bytes of every table with its indices, and of the whole database."""
    grown, whole = (*DAILY, tables.sync_runs), stage.size(store)
    try:
        return {table.name: stage.part(store, table) for table in grown} | {"all": whole}
    except sa.exc.OperationalError:  # a SQLite built without its tables' statistics: all of it counts as data
        return {table.name: 0 for table in grown} | {"records": whole, "all": whole}


def _growth(users: int, days: int, advice: float, loaded: dict[str, int], later: dict[str, int]) -> dict[str, Any]:
    """Return the bytes of a person's day, of a sync's outcome and of an advice, and the sum of a person's year.

    Only tables that grow are measured. Space that updates leave behind is used again and is no growth.
    """
    run = later["sync_runs"] / (2 * users * len(SOURCES))  # everybody was synced twice
    day = sum(loaded[table.name] for table in DAILY) / users / days
    raw_day = loaded["arrivals"] / users / days
    year = 365 * (day - raw_day + SLOTS_PER_DAY * advice) + RAW_DAYS * raw_day + RUN_DAYS * PER_DAY * run
    return {
        "database_mb": round(later["all"] / 1e6, 2),
        "bytes_per_user_day": round(day),
        "raw_bytes_per_user_day": round(raw_day),
        "bytes_per_sync_run": round(run, 1),
        "bytes_per_advice": round(advice),
        "bytes_per_user_year": round(year),
    }
