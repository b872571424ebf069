"""Makes the decisions of which R's MRTAnalysis estimates the effects. ``python -m tests.r.points FOLDER`` writes them.

Every number comes from ``random.random``, which is the same in every release of Python.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Mapping
from math import exp
from pathlib import Path
from random import Random

from bridge.advice.excursion import Point

# case -> (people, decisions of each, yes or no, with controls and moderators)
CASES: Mapping[str, tuple[int, int, bool, bool]] = {
    "number": (24, 40, False, False),
    "number_controlled": (24, 40, False, True),
    "number_few": (23, 12, False, True),
    "binary": (24, 40, True, False),
    "binary_controlled": (30, 40, True, True),
}
COLUMNS = ("id", "given", "chance", "outcome", "late", "dose", "level", "steps")


def points(case: str) -> list[Point]:
    """Return a case's decisions, all moderators centred, as the estimator centres them."""
    people, each, binary, controlled = CASES[case]
    made = list(_made(Random(case), people, each, binary=binary))
    centres = [sum(one.moderators[at] for one in made) / len(made) for at in (0, 1)]
    return [
        Point(
            cluster=one.cluster,
            given=one.given,
            chance=one.chance,
            outcome=one.outcome,
            controls=one.controls if controlled else (),
            moderators=tuple(v - c for v, c in zip(one.moderators, centres, strict=True)) if controlled else (),
        )
        for one in made
    ]


def _made(rng: Random, people: int, each: int, *, binary: bool) -> Iterator[Point]:
    for person in range(people):
        usual, mood, dose = _normal(rng) / 2, 0.0, 0.0
        for step in range(each):
            mood = 0.5 * mood + _normal(rng) / 2
            late, level, steps = float(step % 3 == 2), usual + mood + _normal(rng) / 4, _normal(rng)
            chance = (0.3, 0.5, 0.8)[(mood > -0.3) + (mood > 0.3)]
            given = rng.random() < chance
            effect = 0.3 + 0.2 * late - 0.2 * dose
            if binary:
                rate = min(0.25 * exp(0.2 * (usual + mood) + effect * given), 0.95)
                outcome = float(rng.random() < rate)
            else:
                outcome = usual + mood + 0.3 * late + 0.1 * steps + effect * given + _normal(rng)
            yield Point(
                cluster=f"{person:02}",
                given=given,
                chance=chance,
                outcome=outcome,
                controls=(level, steps),
                moderators=(late, dose),
            )
            dose = 0.95 * dose + 0.05 * given


def _normal(rng: Random) -> float:
    """Return a number with mean 0, variance 1 and almost the shape of a normal distribution."""
    return sum(rng.random() for _ in range(12)) - 6


def main(folder: Path) -> None:
    for case in CASES:
        with (folder / f"{case}.csv").open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file)
            table.writerow(COLUMNS)
            for one in points(case):
                row = (one.cluster, int(one.given), one.chance, one.outcome, *(one.moderators or (0, 0)))
                table.writerow([*row, *(one.controls or (0, 0))])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
