"""Vitality: how much energy last night left, from sleep above all.

Z from sleep (weight 2.0), heart-rate variability (0.6), resting heart rate (0.3) and yesterday's steps (0.15), fused
as in ``fuse``. Against what people say of themselves the whole reaches a within-person Spearman correlation of about
0.2 (PMData) and 0.13 (LifeSnaps), nearly all of it from sleep; the rest is kept for days of illness. Weights and
validity: own analysis of those two data sets; the cap on steps: Paluch 2022 (benefit flattens at 8-10,000 a day).
"""

from __future__ import annotations

from datetime import datetime

from bridge.meters import body, words
from bridge.meters.baseline import CONSTANTS, unscale
from bridge.meters.fuse import Signal, fuse
from bridge.meters.past import Past
from bridge.types import Metric, Reading

WEIGHTS = {"sleep": 2.0, "hrv": 0.6, "resting_hr": 0.3, "steps": 0.15}
MOST_FROM_STEPS = 1.0


def read(past: Past, at: datetime) -> Reading:
    """Vitality as of ``at``."""
    signals = (body.sleep(past, at), body.hrv(past, at), body.resting_hr(past, at), steps(past, at))
    return fuse(WEIGHTS, signals, validated=True)


def steps(past: Past, at: datetime) -> Signal | None:
    """The steps of the last complete day, z of their logarithm, at most +1."""
    constants = CONSTANTS[Metric.STEPS]
    day = past.latest(Metric.STEPS, at)
    if day is None:
        return None
    z = min(day.normal.z(day.value, constants), MOST_FROM_STEPS)
    text = words.relative(day.value, unscale(day.normal.centre, constants), day.normal)
    return body.nightly("steps", day, z, f"{day.value:,.0f} steps yesterday, {text}")
