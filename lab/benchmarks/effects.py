"""Measure how often the 95 % intervals of ``bridge effect`` hold the truth. Run ``python -m lab.benchmarks.effects``.

Simulated people get recommendations for some weeks. The probability of an action depends on a hidden mood, as a
policy's depends on its belief. Outcomes depend on the person, the mood and the recommendation, with a known effect or
none. In the second table the effects differ between people, and each estimate is shrunk towards the mean of all. Ten
seconds of a core per 100 runs and row.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from bridge.advice.effect import MANY, pooled
from bridge.advice.excursion import Point, effect
from bridge.domain.guard import FADES, SILENT

RUNS = 400
A_DAY = 3
CHANCES = (0.02, 0.5, 0.96)  # of an action that is tried, close to another, or clearly best
EFFECTS = {False: 0.3, True: 0.3}  # binary -> the effect, as a difference or a log ratio of shares
CROWDS, SPREADS = (6, 20), (0.0, 0.2, 0.5)  # people with effects of their own, and the spread of these
BASE = 0.3  # share of outcomes without the advice


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """The options of a simulation, with ``true`` as the effect of a recommendation on the outcome.

    ``binary`` outcomes are 0 or 1, others are numbers.
    """

    people: int
    weeks: int
    binary: bool
    true: float
    silent: bool = False  # True: advice against no advice

    @property
    def kind(self) -> str:
        return "advice or none" if self.silent else "yes or no" if self.binary else "a number"


KINDS = ((False, False), (True, False), (False, True))  # (binary, silent)
CASES = tuple(
    Case(people=people, weeks=weeks, binary=binary, true=size * EFFECTS[binary], silent=silent)
    for (people, weeks), (binary, silent), size in product(((1, 12), (4, 8), (20, 6), (60, 4)), KINDS, (1, 0))
)


class Coverage(NamedTuple):
    """The number of runs with an estimate, and of those whose interval held the truth or claimed an effect.

    ``bias`` is the mean error of the estimates.
    """

    told: int
    held: int
    claimed: int
    bias: float


def points(case: Case, seed: int) -> Iterator[Point]:
    """Yield the randomised decisions of a run with their outcomes."""
    rng, days = np.random.default_rng(seed), 7 * case.weeks
    for person in range(case.people):
        usual, mood, dosage = rng.normal(0, 0.5), 0.0, 0.0
        for step in range(A_DAY * days):
            mood = 0.5 * mood + rng.normal(0, 0.5)
            chance = CHANCES[int(np.digitize(mood + rng.normal(0, 0.5), (-0.2, 0.5)))]
            if case.silent:
                chance = 1 - (SILENT[0] + (SILENT[1] - SILENT[0]) * dosage)
            given = bool(rng.random() < chance)
            dosage = FADES * dosage + (1 - FADES) * given
            late = float(step % A_DAY == A_DAY - 1)
            if case.binary:
                rate = BASE * float(np.exp(0.2 * (usual + mood) + case.true * given))
                outcome = float(rng.random() < rate)
            else:
                outcome = usual + mood + 0.3 * late + case.true * given + rng.normal(0, 1)
            cluster = f"{person}/{step // A_DAY}" if case.people < MANY else str(person)
            moderators = (late, step / (A_DAY * days))
            yield Point(cluster=cluster, given=given, chance=chance, outcome=outcome, moderators=moderators)


def coverage(case: Case, runs: int) -> Coverage:
    """Estimate the effect in many simulated runs, and count how often the interval holds the truth."""
    found = [effect(list(points(case, seed)), binary=case.binary) for seed in range(runs)]
    told = [one for one in found if one is not None]
    held = sum(one.ci95[0][0] <= case.true <= one.ci95[0][1] for one in told)
    bias = float(np.mean([one.estimates[0] - case.true for one in told])) if told else float("nan")
    return Coverage(len(told), held, sum(one.told for one in told), bias)


def coverage_of_each(people: int, spread: float, runs: int) -> tuple[int, int, float]:
    """Return (number of estimates, of intervals that hold the truth, mean width) for people with different effects.

    ``spread`` is the standard deviation of the true effects. Each estimate is pooled with all others.
    """
    told, held, width = 0, 0, 0.0
    for seed in range(runs):
        rng, own, true = np.random.default_rng(seed), [], []
        for person in range(people):
            size = float(rng.normal(EFFECTS[False], spread))
            case = Case(people=1, weeks=12, binary=False, true=size, silent=True)
            found = effect(list(points(case, 1_000 * seed + person)))
            if found is not None:
                own.append(found)
                true.append(size)
        for share, size in zip(pooled(own), true, strict=True):
            told += 1
            held += share.ci95[0] <= size <= share.ci95[1]
            width += share.ci95[1] - share.ci95[0]
    return told, held, width / max(told, 1)


def main(runs: int) -> None:
    print("| people | weeks | outcome | effect | told | intervals that hold it | claims | mean error |")
    print("|---|---|---|---|---|---|---|---|")
    for case in CASES:
        found = coverage(case, runs)
        told = max(found.told, 1)
        print(
            f"| {case.people} | {case.weeks} | {case.kind} | {case.true:g} | {found.told} of {runs} "
            f"| {found.held / told:.1%} | {found.claimed / told:.1%} | {found.bias:+.3f} |",
            flush=True,
        )
    print("\n| people, each 12 weeks | spread of their effects | told | intervals that hold it | mean width |")
    print("|---|---|---|---|---|")
    for people, spread in product(CROWDS, SPREADS):
        known, inside, width = coverage_of_each(people, spread, max(runs // people, 1))
        print(f"| {people} | {spread:g} | {known} | {inside / max(known, 1):.1%} | {width:.2f} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS)
