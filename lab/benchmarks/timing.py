"""Timing of repeated runs."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

RUNS = 5


def best(run: Callable[[], object], runs: int = RUNS) -> float:
    """Return the seconds of the fastest of several runs. Other work on the machine only ever slows a run down."""
    taken = []
    for _ in range(runs):
        begun = perf_counter()
        run()
        taken.append(perf_counter() - begun)
    return min(taken)
