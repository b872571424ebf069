"""Vitality: how much energy last night left, from sleep above all.

Z = sum(l q z) / (1 + sum(l q)) over sleep, heart-rate variability, resting heart rate (less is better), yesterday's
steps and the person's own check-in; the weights l stand in the proxy map. Against the energy people report on the day
the whole reaches a within-person rank correlation of about 0.12 (LifeSnaps, 34 persons), nearly all of it from sleep;
the rest is kept for days of illness. The cap on steps: Paluch 2022 (benefit flattens at 8-10,000 a day).
"""

from __future__ import annotations

from datetime import datetime

from bridge.meters import body, words
from bridge.meters.baseline import CONSTANTS, unscale
from bridge.meters.check_in import check_in
from bridge.meters.fuse import Signal, fuse
from bridge.meters.past import Past
from bridge.metrics import Metric
from bridge.types import Reading
from rhythm_env.interface import Meter

MOST_FROM_STEPS = 1.0


def read(past: Past, at: datetime) -> Reading:
    """Vitality as of ``at``."""
    said = check_in(past.answers, Meter.VITALITY, at)
    signals = (body.sleep(past, at), body.hrv(past, at), body.resting_hr(past, at), steps(past, at), said)
    return fuse(past.proxies, Meter.VITALITY, signals)


def steps(past: Past, at: datetime) -> Signal | None:
    """The steps of the last complete day, z of their logarithm, at most +1."""
    constants = CONSTANTS[Metric.STEPS]
    day = past.latest(Metric.STEPS, at)
    if day is None:
        return None
    z = min(day.normal.z(day.value, constants), MOST_FROM_STEPS)
    text = words.relative(day.value, unscale(day.normal.centre, constants), day.normal)
    return body.nightly("steps", day, z, f"{day.value:,.0f} steps yesterday, {text}")
