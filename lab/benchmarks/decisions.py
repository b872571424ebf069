"""Measures a decision of the policy that serves users. Run ``python -m lab.benchmarks.decisions [ANSWERS]``.

A cold decision hears all answers anew, as in a new process. A warm decision has heard them but the last. Each figure is
the median CPU time of one core. The answers are those of a simulated life with four pieces of advice a day.
"""

from __future__ import annotations

import os
import sys

os.environ.setdefault("OMP_NUM_THREADS", "1")

import random
import resource
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import islice
from statistics import median
from time import process_time

from bridge import registry
from lab.evaluation.deployed import Life
from policies.adaptive import trust
from policies.planner import particle_filter
from rhythm_env.interface import Observation

ANSWERS, RUNS = 120, 25
A_SLOT = timedelta(hours=6)  # between two answers
MOST = 20  # milliseconds that a cold decision should take
POLICY = "adaptive"


def observed(answers: int) -> Observation:
    """Return an observation with so many answers, one a slot."""
    life = Life(3)
    weeks = answers // 28 + 2
    for _ in islice(life.live(registry.policy("random"), weeks), answers):
        pass
    last = next(life.live(registry.policy("random"), 1, first=weeks)).observation
    found = tuple(replace(one, at=life.answers[0].at + A_SLOT * n) for n, one in enumerate(life.answers[:answers]))
    return replace(last, history=found)


def forget() -> None:
    """Empty the caches of a process."""
    trust.SHARED, particle_filter.SHARED = trust.Listening(), particle_filter.Memory()


def spent(decide: Callable[[], object], before: Callable[[], object]) -> Iterator[float]:
    """Yield the milliseconds of CPU time of each decision."""
    for _ in range(RUNS + 1):
        before()
        begun = process_time()
        decide()
        yield 1000 * (process_time() - begun)


def main(answers: int) -> None:
    policy, observation = registry.policy(POLICY), observed(answers)
    earlier = replace(observation, history=observation.history[:-1])

    def decide(what: Observation = observation) -> object:
        return policy.decide(what, random.Random(0))

    def remember() -> None:
        forget()
        decide(earlier)

    cold, warm = (median(islice(spent(decide, before), 1, None)) for before in (forget, remember))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{len(observation.history)} answers: cold {cold:.1f} ms (at most {MOST}), warm {warm:.1f} ms, "
        f"{memory:.0f} MB of memory"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else ANSWERS)
