"""A load test with every user's first sync due at once, and then a sync without news at a steady rate."""

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

from bridge.auth.vault import Vault
from bridge.domain.errors import BridgeError
from bridge.ingest.outcomes import SYNC_CADENCE
from bridge.store import Store
from lab.fleet import count, growth, stage
from lab.fleet.accounts import NOW, SOURCES

THREADS = 4  # of a worker
SPREAD = 0.75  # of the time the first round took, the second one's due times take: it is quicker, so it keeps up

Progress = Callable[[str], Callable[[int, int], None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """The measurements of the workers in a round of syncs."""

    seconds: float
    reports: Sequence[dict[str, Any]]

    @property
    def lags(self) -> list[float]:
        return sorted(lag for report in self.reports for lag in report["lags"])

    @property
    def cpu(self) -> float:
        return float(sum(report["cpu_s"] for report in self.reports))


def fleet(users: int, *, days: int, database: str | None, workers: int, progress: Progress) -> dict[str, Any]:
    """Run the load test, and return its costs and the result of ``count``."""
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
        parts = [growth.parts(store)]
        base = NOW + SYNC_CADENCE + timedelta(seconds=first.seconds)
        until = base + timedelta(seconds=SPREAD * first.seconds)
        stage.spread(store, base, until)
        second = _round(processes, base, until, progress("nothing new"), users)
        parts.append(growth.parts(store))
        counted, missed = count.count(store, users, days), count.missed(store, 2)
        advice = growth.bytes_per_advice(store)
    figures = {"users": users, "days": days, "workers": workers, "database": store.database.engine.dialect.name}
    figures |= _pace(first, second) | {"lost": counted.lost, "doubled": counted.doubled, "missed_syncs": missed}
    return figures | growth.figures(users, days, advice, *parts)


def _round(
    processes: Sequence[subprocess.Popen[str]],
    base: datetime,
    until: datetime,
    step: Callable[[int, int], None],
    users: int,
) -> Played:
    """Let every worker sync until nothing is due up to ``until``, and return the measurements."""
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


def _pace(first: Played, second: Played) -> dict[str, Any]:
    syncs = len(first.lags), len(second.lags)
    return {
        "syncs": sum(syncs),
        "syncs_per_s": round(sum(syncs) / (first.seconds + second.seconds), 2),
        "first_syncs_per_s": round(syncs[0] / first.seconds, 2),
        "cpu_ms_per_first_sync": round(1000 * first.cpu / max(syncs[0], 1), 2),
        "cpu_ms_per_sync_nothing_new": round(1000 * second.cpu / max(syncs[1], 1), 2),
        **growth.lag_figures(second.lags, first.lags),
        "seconds": round(first.seconds + second.seconds, 2),
        "peak_mb": round(sum(report["peak_mb"] for report in second.reports), 1),
        "mb_early": round(sum(_at(report["megabytes"], 0.25) for report in first.reports), 1),
        "mb_late": round(sum(report["megabytes"][-1] for report in second.reports), 1),
    }


def _at(sizes: Sequence[float], share: float) -> float:
    return sizes[int(share * (len(sizes) - 1))]
