"""Vitality: the energy that last night left, mostly from sleep.

Z = sum(l q z) / (1 + sum(l q)), weights l from the proxy map, over sleep, heart-rate variability, resting heart rate
(less is better), yesterday's steps, signs of illness and the user's check-in. The within-person rank correlation with
reported energy on the day is about 0.12 (LifeSnaps, 34 persons). Nearly all of it comes from sleep. The other signals
stay for days of illness. The cap on steps follows Paluch 2022: the benefit flattens at 8,000 to 10,000 steps a day.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from bridge.domain.facts import Fact, fact
from bridge.domain.metrics import Metric
from bridge.domain.types import Reading
from bridge.meters import body, illness, words
from bridge.meters.baseline import CONSTANTS, clip, unscale
from bridge.meters.check_in import check_in
from bridge.meters.fuse import Signal, fuse
from bridge.meters.past import Latest, Past
from rhythm_env.interface import Meter

MAX_Z_OF_STEPS = 1.0
AGAINST_SLEEP = 1.0  # spreads of the body below normal at which a good night begins to count less; at 2 it counts 0


def read(past: Past, at: datetime) -> Reading:
    """Return Vitality's reading at ``at``."""
    said = check_in(past.answers, Meter.VITALITY, at)
    slept = outweighed(body.sleep(past, at), against(past, at))
    measured = (slept, body.hrv(past, at), body.resting_hr(past, at), steps(past, at), illness.illness(past, at))
    return fuse(past.proxies, Meter.VITALITY, (*measured, said), reasons=past.reasons)


def outweighed(slept: Signal | None, distance: float) -> Signal | None:
    """Return the signal of sleep, with less quality for a good night in which the body was far below normal.

    The quality falls from full at a ``distance`` of 1 to zero at 2. None, and a z of 0 or less, are returned unchanged.
    A long sleep on such a night is need, not energy. The correlation with reported energy rises by it (LifeSnaps).
    """
    if slept is None or slept.z <= 0:
        return slept
    less = clip(distance - AGAINST_SLEEP)
    return replace(slept, quality=slept.quality * (1 - less)) if less else slept


def against(past: Past, at: datetime) -> float:
    """Return the body's distance below normal last night, in spreads, as the largest of four.

    They are low variability, a raised resting heart rate, signs of illness together, and twice a low recovery score of
    the vendor. The result is at least 0.
    """
    parts = ((body.hrv(past, at), -1.0), (body.resting_hr(past, at), 1.0), (body.recovery(past, at), -2.0))
    return max([illness.distance(past, at), *(times * one.z for one, times in parts if one is not None)])


def steps(past: Past, at: datetime) -> Signal | None:
    """Return a signal of the steps of the last complete day, or None if they are unknown.

    Its z is that of the steps' logarithm, and at most +1.
    """
    day = past.latest(Metric.STEPS, at)
    return None if day is None else body.nightly("steps", day, at, *past.kept(_walked, day))


def _walked(_past: Past, day: Latest) -> tuple[float, Fact]:
    """Return (z, fact) of a day's steps, by the rule of ``steps``."""
    constants = CONSTANTS[Metric.STEPS]
    z = min(day.normal.z(day.value, constants), MAX_Z_OF_STEPS)
    compared = words.relative(day.value, unscale(day.normal.centre, constants), day.normal)
    return z, fact("steps", steps=day.value, compared=compared)
