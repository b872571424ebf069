"""Made-up people with the fields of many vendors: ordinary nights, and feverish nights at the end of some lives."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import exp, sqrt

from bridge.domain.metrics import Metric
from bridge.domain.types import Episode, Sample

from .life import DAY, HOUR, MORNING, TODAY, night, nightly

RHR, HRV, SDNN, BREATH = Metric.RESTING_HR, Metric.HRV_RMSSD, Metric.HRV_SDNN, Metric.RESPIRATORY_RATE
SKIN, DELTA, RECOVERY = Metric.SKIN_TEMPERATURE, Metric.SKIN_TEMPERATURE_DELTA, Metric.RECOVERY_SCORE
ASLEEP, SCORE = Metric.ASLEEP, Metric.SLEEP_SCORE
BATTERY, STRESS = Metric.BODY_BATTERY, Metric.DAILY_STRESS

# The fields of a vendor's night, or of the part of it that arrived.
FIELDS: Mapping[str, tuple[Metric, ...]] = {
    "whoop": (ASLEEP, SCORE, RHR, HRV, BREATH, SKIN, RECOVERY),
    "oura": (ASLEEP, SCORE, RHR, HRV, BREATH, DELTA, RECOVERY),
    "garmin": (ASLEEP, SCORE, RHR, HRV, BREATH, DELTA, BATTERY, STRESS),
    "garmin without variability": (ASLEEP, SCORE, RHR, BREATH, BATTERY, STRESS),
    "garmin, heart rate and battery": (ASLEEP, SCORE, RHR, BATTERY),
    "fitbit": (ASLEEP, SCORE, RHR, HRV, BREATH, SKIN),
    "polar": (ASLEEP, SCORE, RHR, HRV, BREATH),
    "withings": (ASLEEP, SCORE, RHR, BREATH),
    "samsung": (ASLEEP, SCORE, RHR, HRV, SKIN, RECOVERY),
    "apple": (ASLEEP, RHR, SDNN, BREATH, SKIN),
    "heart rate and variability": (ASLEEP, RHR, HRV),
    "heart rate and variability, no sleep": (RHR, HRV),
    "skin and heart rate": (ASLEEP, RHR, SKIN),
    "change of skin and heart rate, no sleep": (RHR, DELTA),
    "recovery": (ASLEEP, SCORE, RECOVERY),
    "recovery, no sleep": (RECOVERY,),
}
LOGARITHMIC = (HRV, SDNN)
STRAINED = {RHR: 1, HRV: -1, SDNN: -1, BREATH: 1, SKIN: 1, DELTA: 1, RECOVERY: -1, BATTERY: -1, STRESS: 1}
LIMITS = {RECOVERY: (1, 99), SCORE: (5, 100), BATTERY: (5, 100), STRESS: (3, 95), ASLEEP: (150, 640)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wearer:
    """A person's usual nights: mean and standard deviation by field.

    ``shared`` is the share of the variance that all signs of a night have in common.
    """

    fields: tuple[Metric, ...]
    usual: Mapping[Metric, float]
    strays: Mapping[Metric, float]
    shared: float


def wearer(rng: random.Random, name: str) -> Wearer:
    """Draw a person with the fields of ``name``. A device of four is noisy."""
    noise = rng.choice([1, 1, 1, 1.5])
    drawn = {
        RHR: (rng.uniform(42, 78), noise * rng.uniform(1.2, 3)),
        HRV: (rng.gauss(3.6, 0.42), noise * rng.uniform(0.09, 0.24)),
        SDNN: (rng.gauss(3.7, 0.4), noise * rng.uniform(0.12, 0.3)),
        BREATH: (rng.gauss(15.2, 1.8), noise * rng.uniform(0.25, 0.7)),
        SKIN: (rng.gauss(33.8, 0.7), noise * rng.uniform(0.2, 0.55)),
        DELTA: (rng.gauss(0, 0.15), noise * rng.uniform(0.15, 0.4)),
        RECOVERY: (rng.uniform(38, 72), rng.uniform(12, 20)),
        SCORE: (rng.uniform(62, 88), rng.uniform(4, 10)),
        ASLEEP: (rng.uniform(340, 480), rng.uniform(30, 90)),
        BATTERY: (rng.uniform(55, 88), rng.uniform(8, 16)),
        STRESS: (rng.uniform(22, 42), rng.uniform(4, 8)),
    }
    return Wearer(
        fields=FIELDS[name],
        usual={field: mean for field, (mean, _) in drawn.items()},
        strays={field: spread for field, (_, spread) in drawn.items()},
        shared=rng.uniform(0, 0.4),
    )


def ordinary_night(rng: random.Random, one: Wearer) -> dict[Metric, float]:
    """Draw a night's values. Those with a logarithmic scale are still logarithms."""
    common = rng.gauss(0, 1)
    found = {}
    for field in one.fields:
        tied = one.shared if field in STRAINED else 0.0
        z = STRAINED.get(field, 0) * sqrt(tied) * common + sqrt(1 - tied) * rng.gauss(0, 1)
        found[field] = one.usual[field] + one.strays[field] * z
    return found


def feverish(rng: random.Random, one: Wearer) -> dict[Metric, float]:
    """Draw a night of a fever, in which every sign is far out: slept long or short, scored high or low."""
    found = ordinary_night(rng, one)
    moved = {
        RHR: one.usual[RHR] + max(rng.uniform(7, 31), 2.5 * one.strays[RHR]),
        HRV: one.usual[HRV] - max(rng.uniform(0.45, 1), 2.5 * one.strays[HRV]),
        SDNN: one.usual[SDNN] - max(rng.uniform(0.5, 1), 2.5 * one.strays[SDNN]),
        BREATH: one.usual[BREATH] + max(rng.uniform(1.5, 6), 2.5 * one.strays[BREATH]),
        SKIN: one.usual[SKIN] + max(rng.uniform(0.9, 3), 2.5 * one.strays[SKIN]),
        DELTA: one.usual[DELTA] + max(rng.uniform(0.8, 3), 2.5 * one.strays[DELTA]),
        RECOVERY: rng.uniform(1, 12),
        BATTERY: rng.uniform(5, 30),
        STRESS: rng.uniform(55, 90),
        ASLEEP: rng.choice([rng.uniform(250, 400), rng.uniform(420, 520), rng.uniform(520, 640)]),
        SCORE: rng.choice([rng.uniform(40, 70), rng.uniform(75, 90), rng.uniform(90, 100)]),
    }
    return found | {field: value for field, value in moved.items() if field in found}


def life(rng: random.Random, one: Wearer, *, history: int, sick: int = 0) -> list[Sample | Episode]:
    """Draw so many ordinary nights before today's, a tenth of which are missing, and the last ``sick`` of a fever."""
    found: list[Sample | Episode] = []
    for ago in range(history + max(sick, 1)):
        values = feverish(rng, one) if ago < sick else ordinary_night(rng, one)
        if ago < max(sick, 1) or rng.random() > 0.1:
            found += night_of(ago, values)
    return found


def night_of(ago: int, values: Mapping[Metric, float]) -> Iterator[Sample | Episode]:
    """Return the records of a night that ended ``ago`` days ago, with values within the vendors' limits."""
    kept = {field: _limited(field, value) for field, value in values.items()}
    if ASLEEP in kept:
        scored = {"sleep_score": kept[SCORE]} if SCORE in kept else {}
        yield night(ago, kept[ASLEEP], sleep_efficiency=94, deep_sleep=kept[ASLEEP] * 0.17, **scored)
    for field, value in kept.items():
        if field is SDNN:
            yield from (_spot(ago, field, value, hours) for hours in (-6, -4, -2))
        elif field is BATTERY:
            yield _spot(ago, field, value, 0)
        elif field is STRESS:
            yield _of_day(ago, field, value)
        elif field not in (ASLEEP, SCORE):
            yield nightly(field, ago, value)


def _limited(field: Metric, value: float) -> float:
    low, high = LIMITS.get(field, (float("-inf"), float("inf")))
    return min(max(exp(value) if field in LOGARITHMIC else value, low), high)


def _spot(ago: int, field: Metric, value: float, hours: int) -> Sample:
    at = MORNING - ago * DAY + hours * HOUR
    return Sample(
        key=f"whoop/{field}/{ago}/{hours}", metric=field, start=at, end=at, day=TODAY - ago * DAY, value=value
    )


def _of_day(ago: int, field: Metric, value: float) -> Sample:
    at = MORNING - (ago + 1) * DAY - 7 * HOUR  # the day before the night, from midnight in Berlin
    return Sample(
        key=f"whoop/{field}/{ago}", metric=field, start=at, end=at + DAY, day=TODAY - (ago + 1) * DAY, value=value
    )
