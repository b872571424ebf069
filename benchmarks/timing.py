"""How long something takes."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

RUNS = 5


def best(run: Callable[[], object], runs: int = RUNS) -> float:
    """Seconds, the best of some runs: what else the machine does slows a run down and speeds none up."""
    taken = []
    for _ in range(runs):
        begun = perf_counter()
        run()
        taken.append(perf_counter() - begun)
    return min(taken)
