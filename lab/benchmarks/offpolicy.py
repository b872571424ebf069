"""Measures how often the 95 % intervals of ``bridge evaluate --logged`` hold the truth.

Run: ``python -m lab.benchmarks.offpolicy``. Each log holds the feedback of 40 simulated lives of two weeks. Their
advice is drawn at random by the policy ``random`` behind the guard. No two logs share a person. A log takes 40 seconds
of a core.
"""

from __future__ import annotations

import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator

os.environ.setdefault("OMP_NUM_THREADS", "1")

from statistics import mean

from bridge import registry
from bridge.domain.guard import Guard, Guarded
from lab.evaluation.offpolicy import estimate, model
from lab.evaluation.simulated_logs import simulated, wanted

LOGS, LIVES = 12, 40
FIRST = 1_000  # seeds from here on, so that no person of another table is met again
POLICIES = ("heuristic", "random", "thompson")
WAYS = ("ips", "snips", "dr")


def errors(number: int) -> Iterator[tuple[str, str, float, bool]]:
    """Yield policy, estimator, error of the estimate, and whether its interval holds the truth, of a log."""
    first = FIRST + LIVES * number
    log = simulated(lambda: Guarded(registry.policy("random"), Guard()), range(first, first + LIVES))
    supposed = model(log.logged)
    for name in POLICIES:
        chosen = wanted(log.logged, lambda name=name: registry.policy(name))  # type: ignore[misc]
        truth = float((chosen * log.truth).sum(axis=1).mean())
        found = estimate(log.logged, chosen, modelled=supposed)
        for way in WAYS:
            low, high = found[way]["ci95"]
            yield name, way, found[way]["mean"] - truth, low <= truth <= high


def main(logs: int) -> None:
    within, missed = Counter[tuple[str, str]](), defaultdict[tuple[str, str], list[float]](list)
    for number in range(logs):
        for name, way, error, holds in errors(number):
            within[name, way] += holds
            missed[name, way].append(error)
        print(f"\r{number + 1} of {logs} logs", end="\n" if number + 1 == logs else "", file=sys.stderr, flush=True)
    print("| policy | estimator | intervals that hold the truth | mean error | mean size of the error |")
    print("|---|---|---|---|---|")
    for (name, way), values in missed.items():
        size = mean(abs(value) for value in values)
        print(f"| {name} | {way} | {within[name, way]} of {logs} | {mean(values):+.3f} | {size:.3f} |")
    print(f"\nin all {sum(within.values())} of {logs * len(missed)}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else LOGS)
