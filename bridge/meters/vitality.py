"""Vitality: the energy that last night left, mostly from sleep.

Z = sum(l q z) / (1 + sum(l q)), weights l from the proxy map, over sleep, heart-rate variability, resting heart rate
(less is better), yesterday's steps, signs of illness and the user's check-in. All that is known of how a person feels
comes from sleep (docs/evidence.md). The other signals stay for days of illness, and on ordinary days move nothing. The
cap on steps follows Paluch 2022: the benefit flattens at 8,000 to 10,000 steps a day.
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
LOWERED = 1.0  # spreads below normal, beyond which variability counts
RED = -2.0  # times a recovery's distance: half a spread below normal is where a vendor's red begins


def read(past: Past, at: datetime) -> Reading:
    """Return Vitality's reading at ``at``."""
    said = check_in(past.answers, Meter.VITALITY, at)
    slept = by_strain(body.sleep(past, at), strain(past, at))
    measured = (variability(past, at), body.resting_hr(past, at), steps(past, at), illness.illness(past, at))
    return fuse(past.proxies, Meter.VITALITY, (*slept, *measured, said), reasons=past.reasons)


def by_strain(slept: Signal | None, share: float) -> tuple[Signal | None, ...]:
    """Return the signal of sleep, of which a ``share`` of a good night is "sleep_strained", a row of its own.

    A long sleep of a body that fights something is need, not energy, so that this row weighs nothing as shipped.
    """
    if slept is None or slept.z <= 0 or not share:
        return (slept,)
    strained = replace(slept, name="sleep_strained", quality=slept.quality * share)
    return replace(slept, quality=slept.quality * (1 - share)), strained


def strain(past: Past, at: datetime) -> float:
    """Return from 0 to 1 how ill the last night looked, or how red the vendor calls it.

    It grows with signs of illness from a distance of 1 to 2, and with a recovery from 0.5 to 1 spread below normal.
    """
    recovered = body.recovery(past, at)
    red = 0.0 if recovered is None else RED * recovered.z
    return clip(max(illness.distance(past, at), red) - 1)


def variability(past: Past, at: datetime) -> Signal | None:
    """Return the signal of variability, whose z counts from one spread below normal on, as ``resting_hr`` does above.

    On ordinary nights it says nothing of how a person feels (LifeSnaps). With a vendor's recovery it counts as it is,
    because no red day may read normal.
    """
    varied = body.hrv(past, at)
    if varied is None or body.recovery(past, at) is not None:
        return varied
    return replace(varied, z=min(varied.z + LOWERED, 0.0))


def steps(past: Past, at: datetime) -> Signal | None:
    """Return the z of the logarithm of the last complete day's steps, at most +1, or None."""
    day = past.latest(Metric.STEPS, at)
    return None if day is None else body.nightly("steps", day, at, past.kept(_walked, day))


def _walked(_past: Past, day: Latest) -> tuple[float, Fact]:
    constants = CONSTANTS[Metric.STEPS]
    z = min(day.normal.z(day.value, constants), MAX_Z_OF_STEPS)
    compared = words.relative(day.value, unscale(day.normal.centre, constants), day.normal)
    return z, fact("steps", steps=day.value, compared=compared)
