"""Made-up lives that show how far the effects of factors can be trusted: false claims, planted effects, intervals."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from bridge.query.effects import Effect, Outcome, effects

FIRST = date(2025, 1, 6)
SHARES = {"alcohol": 0.3, "late coffee": 0.2, "late meetings": 0.12, "travel": 0.06, "reading": 0.45}
PLANTED, MINUTES = "alcohol", -20.0
OUTCOMES = {"asleep": ("min", 60.0, 20.0), "hrv_rmssd": ("ms", 12.0, 4.0), "resting_hr": ("bpm", 3.0, 1.0)}


@dataclass(frozen=True)
class Life:
    """Factors and outcomes by day, and the steps of each day."""

    factors: Mapping[str, Mapping[date, bool]]
    outcomes: Sequence[Outcome]
    steps: Mapping[date, float]


def life(seed: int, count: int, *, shuffled: bool) -> Life:
    """Return a life whose sleep is 20 minutes shorter after ``PLANTED`` days, or one with shuffled factors.

    Habits go by weekday, season and the night before. Figures follow each other from day to day, drift, and a tenth of
    them is missing.
    """
    rng = random.Random(seed)
    days = [FIRST + timedelta(days=n) for n in range(count + 1)]
    tired, drift, level = 0.0, 0.0, dict.fromkeys(OUTCOMES, 0.0)
    given: dict[str, dict[date, bool]] = {name: {} for name in SHARES}
    values: dict[str, dict[date, float]] = {name: {} for name in OUTCOMES}
    steps: dict[date, float] = {}
    phase, tags = rng.uniform(0, 2 * math.pi), rng.sample(sorted(SHARES), len(SHARES))
    for day in days:
        season = math.sin(2 * math.pi * day.timetuple().tm_yday / 365 + phase)
        weekend = day.isoweekday() in (5, 6)
        drift += rng.gauss(0, 0.03)
        for name in tags:
            push = (1.4 if weekend else 0.8) * (1 + 0.3 * season) * (1 + 0.2 * math.tanh(tired))
            given[name][day] = rng.random() < min(SHARES[name] * push, 0.9)
        steps[day] = rng.gauss(8000, 2500) + (2000 if weekend else 0)
        after = day + timedelta(days=1)
        shared = rng.gauss(0, 1)
        for name, (_, sd, _) in OUTCOMES.items():
            level[name] = 0.3 * level[name] + rng.gauss(0, 0.8) + 0.4 * shared
            planted = MINUTES if not shuffled and name == "asleep" and given[PLANTED][day] else 0.0
            usual = 0.3 * season + 0.5 * (after.isoweekday() >= 6) + drift + 0.1 * (steps[day] - 8000) / 2500
            values[name][after] = sd * (level[name] + usual) + planted
        tired = level["asleep"]
    if shuffled:
        for name in tags:
            mixed = rng.sample(list(given[name].values()), len(days))
            given[name] = dict(zip(days, mixed, strict=True))
    kept = {name: {day: v for day, v in some.items() if rng.random() < 0.9} for name, some in values.items()}
    outcomes = [
        Outcome(name=name, unit=unit, values=kept[name], least=least, usual=sd)
        for name, (unit, sd, least) in OUTCOMES.items()
    ]
    return Life(factors=given, outcomes=outcomes, steps=steps)


def found(one: Life, until: int | None = None) -> list[Effect]:
    """Return the effects in a life, as known after so many days."""
    last = FIRST + timedelta(days=until or 100_000)
    outcomes = [
        Outcome(
            name=o.name, unit=o.unit, least=o.least, usual=o.usual,
            values={day: v for day, v in o.values.items() if day <= last},
        )
        for o in one.outcomes
    ]  # fmt: skip
    factors = {name: {day: v for day, v in some.items() if day < last} for name, some in one.factors.items()}
    return effects(factors, outcomes, [one.steps])


def report(lives: int, days: int = 365, first: int = 0) -> dict[str, float]:
    """Return the shares of lives with a false claim, of planted effects found when promised, and of intervals right."""
    false = tests = claims = 0
    for seed in range(first, first + lives):
        told = found(life(seed, days, shuffled=True))
        wrong = sum(one.verdict != "not known" for one in told)
        false += wrong > 0
        claims += wrong
        tests += len(told)
    covered, intervals, on_time, promised, right = 0, 0, 0, 0, 0
    for seed in range(first, first + lives):
        one = life(10_000 + seed, 3 * days, shuffled=False)
        for effect in found(one, days):
            true = MINUTES if (effect.factor, effect.on) == (PLANTED, "asleep") else 0.0
            if effect.interval:
                intervals += 1
                covered += effect.interval[0] <= true <= effect.interval[1]
        early = next(e for e in found(one, 60) if (e.factor, e.on) == (PLANTED, "asleep"))
        until = _after(one.factors[PLANTED], 60, early.days_left)
        if until is not None:
            promised += 1
            late = next(e for e in found(one, until) if (e.factor, e.on) == (PLANTED, "asleep"))
            on_time += late.verdict == "less"
            right += late.verdict != "more"
    return {
        "lives": lives,
        "lives with a false claim": false / lives,
        "false claims of tests": claims / tests,
        "intervals that hold the truth": covered / intervals,
        "planted effects found at the promised day": on_time / promised,
        "planted effects never told the wrong way": right / promised,
        "promised": promised,
    }


def _after(given: Mapping[date, bool], since: int, more: int) -> int | None:
    """Return the day number after which a factor occurred so many more times, or None if the life is too short."""
    for number, (_, present) in enumerate(sorted(given.items())):
        more -= present and number >= since
        if number >= since and more <= 0:
            return number + 1
    return None


if __name__ == "__main__":
    import sys

    for title, value in report(int(sys.argv[1]) if len(sys.argv) > 1 else 200).items():
        print(f"{title}: {value:.3f}" if isinstance(value, float) else f"{title}: {value}")
