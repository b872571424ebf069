"""Measure the intervals and the promised power of ``bridge trial``. Run ``python -m lab.benchmarks.trials [TRIALS]``.

Each made-up person lives eight weeks before a trial and then the trial. Their nights are correlated, longer at
weekends, drift over months, have late nights as real ones have, and are not always recorded. The effect is none, small
(a fifth of the spread), large (the spread), or the size that was promised to be found. Four seconds per 1,000 trials.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from bridge.advice.trial import BACK, power, result
from bridge.domain.trials import WEEK, Trial

TRIALS = 2000
START = date(2026, 9, 28)
DAY = timedelta(days=1)
WEEKS = (4, 6, 9)
NONE, SMALL, LARGE, PROMISED = "none", "small", "large", "promised"
SIZES = {NONE: 0.0, SMALL: 0.2, LARGE: 1.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The numbers of trials with a result, with an interval that held the truth, and with an interval without 0."""

    told: int
    held: int
    claimed: int


def nights(rng: random.Random, days: int, spread: float) -> Iterator[float | None]:
    """Yield the minutes asleep of consecutive nights, None if not recorded. ``spread`` is a standard deviation."""
    follows, weekend = rng.uniform(0, 0.5), rng.uniform(0, 60)
    drift, missed, late = rng.gauss(0, 0.2), rng.uniform(0, 0.15), rng.uniform(0, 0.08)
    state = rng.gauss(0, spread)
    for day in range(days):
        state = follows * state + rng.gauss(0, spread) * (1 - follows**2) ** 0.5
        value = 430 + state + drift * day + weekend * (day % WEEK in (4, 5)) - 150 * (rng.random() < late)
        yield None if rng.random() < missed else max(value, 0.0)


def trial(seed: int, size: str) -> tuple[bool, bool] | None:
    """Simulate a trial and return (interval holds the truth, an effect is claimed), or None without a result."""
    rng = random.Random(f"trial/{size}/{seed}")
    spread, weeks = rng.uniform(25, 75), rng.choice(WEEKS)
    first = START - BACK * DAY
    days = {first + n * DAY: one for n, one in enumerate(nights(rng, BACK + weeks * WEEK, spread))}
    known = {day: value for day, value in days.items() if value is not None}
    promised = {length: effect for effect, length in power({d: v for d, v in known.items() if d < START}, weeks)}
    true = promised[weeks] if size == PROMISED else SIZES[size] * spread
    one = Trial(id=1, text="", outcome="sleep", start=START, weeks=weeks, seed=str(rng.random()))
    arms = one.arms()
    found = result(one, {d: v + true * arms[d] for d, v in known.items() if d >= START})
    return None if found is None else (found.low <= true <= found.high, found.verdict != "not known")


def measure(size: str, trials: int) -> Found:
    found = [one for seed in range(trials) if (one := trial(seed, size)) is not None]
    return Found(told=len(found), held=sum(held for held, _ in found), claimed=sum(claim for _, claim in found))


def main(trials: int) -> None:
    print("| effect | told | intervals that hold it | effects claimed |")
    print("|---|---|---|---|")
    for size in (NONE, SMALL, LARGE, PROMISED):
        found = measure(size, trials)
        print(
            f"| {size} | {found.told} of {trials} | {found.held / found.told:.1%} | {found.claimed / found.told:.1%} |",
            flush=True,
        )
    print("Promised is a power of 80 %.")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else TRIALS)
