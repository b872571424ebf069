"""Measure CPU time and memory of functions and commands, for the table of ``lab.benchmarks.targets``."""

from __future__ import annotations

import os
import resource
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

RUNS = 7
MS = 1000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A measured figure, beside the figure ``limit`` of the ``peer`` in the same run and unit.

    ``at_least`` is True if larger is better. ``memory`` is the peak memory of the process in MB.
    """

    work: str
    figure: float
    unit: str
    peer: str = ""
    limit: float | None = None
    target: float | None = None
    at_least: bool = False
    memory: float | None = None


def cpu(run: Callable[[], object], runs: int = RUNS, clock: Callable[[], float] = time.process_time) -> float:
    """Return the median seconds of several runs, by default of CPU time, after an additional first run."""
    run()
    return median(once(run, clock) for _ in range(runs))


def together(*runs: Callable[[], object], times: int = RUNS, clock: Callable[[], float]) -> list[float]:
    """Return the median seconds of each function over ``times`` alternating runs, after an additional first run."""
    for run in runs:
        run()
    taken = [[once(run, clock) for run in runs] for _ in range(times)]
    return [median(column) for column in zip(*taken, strict=True)]


def once(run: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    begun = clock()
    run()
    return clock() - begun


def best(run: Callable[[], object], runs: int = 5) -> float:
    """Return the seconds of the fastest of several runs, because other work on the machine only slows runs down."""
    return min(once(run, time.perf_counter) for _ in range(runs))


def peak() -> float:
    """Return the peak memory of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def process(*command: str) -> tuple[float, float]:
    """Return the median CPU seconds and the peak memory in MB of RUNS runs of a command, after an extra first run."""
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - our own commands
    return typical([run_once(command) for _ in range(RUNS)])


def typical(taken: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return the median of the CPU seconds and the maximum of the memory over several runs."""
    return median(seconds for seconds, _ in taken), max(memory for _, memory in taken)


def run_once(command: Sequence[str], variables: Mapping[str, str] | None = None) -> tuple[float, float]:
    """Run a command and return its CPU seconds and peak memory in MB. Raises SystemExit if it fails."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=variables) as started:  # noqa: S603 - our own commands
        _, status, used = os.wait4(started.pid, 0)
        started.returncode = os.waitstatus_to_exitcode(status)
    if started.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
