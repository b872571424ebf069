"""Vitality: the energy that last night left, mostly from sleep.

Z = sum(l q z) / (1 + sum(l q)) over sleep, heart-rate variability, resting heart rate (less is better), yesterday's
steps and the user's check-in. The proxy map holds the weights l. The within-person rank correlation with reported
energy on the day is about 0.12 (LifeSnaps, 34 persons). Nearly all of it comes from sleep. The other signals stay for
days of illness. The cap on steps follows Paluch 2022: the benefit flattens at 8,000 to 10,000 steps a day.
"""

from __future__ import annotations

from datetime import datetime

from bridge.domain.metrics import Metric
from bridge.domain.types import Reading
from bridge.meters import body, words
from bridge.meters.baseline import CONSTANTS, unscale
from bridge.meters.check_in import check_in
from bridge.meters.fuse import Signal, fuse
from bridge.meters.past import Past
from rhythm_env.interface import Meter

MAX_Z_OF_STEPS = 1.0


def read(past: Past, at: datetime) -> Reading:
    """Return Vitality's reading at ``at``."""
    said = check_in(past.answers, Meter.VITALITY, at)
    signals = (body.sleep(past, at), body.hrv(past, at), body.resting_hr(past, at), steps(past, at), said)
    return fuse(past.proxies, Meter.VITALITY, signals)


def steps(past: Past, at: datetime) -> Signal | None:
    """Return a signal of the steps of the last complete day, or None if they are unknown.

    Its z is that of the steps' logarithm, and at most +1.
    """
    constants = CONSTANTS[Metric.STEPS]
    day = past.latest(Metric.STEPS, at)
    if day is None:
        return None
    z = min(day.normal.z(day.value, constants), MAX_Z_OF_STEPS)
    text = words.relative(day.value, unscale(day.normal.centre, constants), day.normal)
    return body.nightly("steps", day, z, f"{day.value:,.0f} steps yesterday, {text}")
