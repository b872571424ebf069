"""Vitality: the energy that last night left, mostly from sleep.

Z = sum(l q z) / (1 + sum(l q)), weights l from the proxy map, over sleep, heart-rate variability, resting heart rate
(less is better), yesterday's steps, signs of illness and the user's check-in. All that is known of how a person feels
comes from sleep (docs/evidence.md). The other signals stay for days of illness, and on ordinary days move nothing. The
cap on steps follows Paluch 2022: the benefit flattens at 8,000 to 10,000 steps a day.

Signs of illness are several signals of the body far from normal in the same night (Mishra 2020, Quer 2021). Values are
compared with the nights before a possible illness too, which would soon be the user's normal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from bridge.domain.facts import Fact, fact
from bridge.domain.metrics import Metric
from bridge.domain.types import Reading
from bridge.meters import body, words
from bridge.meters.baseline import CLIP, CONSTANTS, clip, unscale
from bridge.meters.check_in import check_in
from bridge.meters.fuse import Signal, fuse
from bridge.meters.past import Latest, Past, shared
from rhythm_env.interface import Meter

# Metric -> its direction in illness.
SIGNS = {
    Metric.RESTING_HR: 1,
    Metric.RESPIRATORY_RATE: 1,
    Metric.SKIN_TEMPERATURE: 1,
    Metric.SKIN_TEMPERATURE_DELTA: 1,
}
# What is made of variability counts only without it, and only the first that is known.
STAND_INS = (Metric.RECOVERY_SCORE, Metric.BODY_BATTERY)
FIRST, CALLED = 1.5, 5.0  # distance together at which the signal begins, and from which the words speak of a fight
EXCESS_MAX = 6.0  # spreads
STANDS_OUT = 1.0  # spreads from which a sign is named
SETTLED_NIGHTS = 21  # of a history that a week of illness cannot turn
SAME_ILLNESS = (3, 6)  # nights before the last that may belong to the same illness
LEAST_EARLIER = 3  # nights before those
SIGN_FACTS = {
    Metric.RESTING_HR: fact("resting_hr_up"),
    Metric.RESPIRATORY_RATE: fact("breathing_faster"),
    Metric.SKIN_TEMPERATURE: fact("skin_warmer"),
    Metric.SKIN_TEMPERATURE_DELTA: fact("skin_warmer"),
    Metric.RECOVERY_SCORE: fact("recovery_down"),
    Metric.BODY_BATTERY: fact("body_battery_low"),
}
VARIABILITY_DOWN = fact("variability_down")
MAX_Z_OF_STEPS = 1.0
LOWERED = 1.0  # spreads below normal, beyond which variability counts
RED = -2.0  # times a recovery's distance: half a spread below normal is where a vendor's red begins


def illness(past: Past, at: datetime) -> Signal | None:
    """Return a signal of several signs of illness in the last night, or None if together they are small."""
    signs = sorted(_signs(past, at), key=lambda sign: -sign[0])
    far = distance(past, at)
    if far <= FIRST:
        return None
    named = tuple(dict.fromkeys(sign for z, sign, _ in signs if z >= STANDS_OUT))
    told = fact("illness" if far >= CALLED else "illness_signs", signs=named)
    severity = clip((far - FIRST) / (CALLED - FIRST))
    return body.nightly("illness", signs[0][2], at, (-CLIP, told), quality=severity)


@shared
def distance(past: Past, at: datetime) -> float:
    """Return the distance from normal of last night's signs of illness, in standard deviations (see ``together``)."""
    return together([z for z, _, _ in _signs(past, at)])


def together(distances: Sequence[float]) -> float:
    """Combine distances of several signs from normal, in standard deviations, into one.

    It is the second-largest, plus half of the third, plus a quarter of the largest's excess over 3 (at most 6), which
    counts fully only if the second-largest is at least 1. Negative distances count as 0.

    >>> together([10.0]), together([10.0, 0.5]), together([6.0, 4.0, 3.0])
    (0.0, 1.25, 6.25)
    """
    first, second, third = (max(z, 0.0) for z in (*sorted(distances, reverse=True), 0.0, 0.0, 0.0)[:3])
    excess = min(max(first - 3.0, 0.0), EXCESS_MAX)
    return second + 0.5 * third + 0.25 * excess * clip(second)


@shared
def _signs(past: Past, at: datetime) -> list[tuple[float, Fact, Latest]]:
    values = tuple(past.latest(metric, at) for metric in SIGNS)
    stand_ins = tuple(past.latest(metric, at) for metric in STAND_INS)
    return past.kept(_signs_of, values, body.variability(past, at), stand_ins)


def _signs_of(
    past: Past, values: tuple[Latest | None, ...], hrv: tuple[str, Latest] | None, stand_ins: tuple[Latest | None, ...]
) -> list[tuple[float, Fact, Latest]]:
    found = [
        (_far(past, metric, direction, one), SIGN_FACTS[metric], one)
        for (metric, direction), one in zip(SIGNS.items(), values, strict=True)
        if one is not None
    ]
    if hrv is not None:
        found.append((_far(past, hrv[0], -1, hrv[1]), VARIABILITY_DOWN, hrv[1]))
    else:
        scores = [(metric, one) for metric, one in zip(STAND_INS, stand_ins, strict=True) if one is not None]
        found += [(_far(past, metric, -1, one), SIGN_FACTS[metric], one) for metric, one in scores[:1]]
    newest = max((one.day for _, _, one in found), default=None)
    kept = _once([sign for sign in found if sign[2].day == newest])
    return kept * 2 if [told for _, told, _ in kept] == [SIGN_FACTS[Metric.RECOVERY_SCORE]] else kept


def _far(past: Past, metric: str, direction: int, one: Latest) -> float:
    normals = [one.normal]
    if one.normal.n < SETTLED_NIGHTS:
        earlier = (past.normal_before(metric, one, nights) for nights in SAME_ILLNESS)
        normals += [normal for normal in earlier if normal.n >= LEAST_EARLIER]
    return max(direction * normal.far(one.value, CONSTANTS[metric]) for normal in normals)


def _once(signs: Sequence[tuple[float, Fact, Latest]]) -> list[tuple[float, Fact, Latest]]:
    best: dict[Fact, tuple[float, Fact, Latest]] = {}
    for sign in signs:
        if sign[1] not in best or sign[0] > best[sign[1]][0]:
            best[sign[1]] = sign
    return list(best.values())


def read(past: Past, at: datetime) -> Reading:
    said = check_in(past.answers, Meter.VITALITY, at)
    slept = by_strain(body.sleep(past, at), strain(past, at))
    measured = (variability(past, at), body.resting_hr(past, at), steps(past, at), illness(past, at))
    return fuse(past.proxies, Meter.VITALITY, (*slept, *measured, said), reasons=past.reasons)


def by_strain(slept: Signal | None, share: float) -> tuple[Signal | None, ...]:
    """Split the signal of a good sleep, giving ``share`` of its quality to a second signal called "sleep_strained".

    The shipped map gives the second no weight, because long sleep in illness shows need and not energy.
    """
    if slept is None or slept.z <= 0 or not share:
        return (slept,)
    strained = replace(slept, name="sleep_strained", quality=slept.quality * share)
    return replace(slept, quality=slept.quality * (1 - share)), strained


def strain(past: Past, at: datetime) -> float:
    """Return how ill the last night looked, from 0 to 1, by the ``distance`` of its signs or a low recovery score."""
    recovered = body.recovery(past, at)
    red = 0.0 if recovered is None else RED * recovered.z
    return clip(max(distance(past, at), red) - 1)


def variability(past: Past, at: datetime) -> Signal | None:
    """Return a signal of heart-rate variability that is 0 unless it is one standard deviation below normal.

    If the vendor gives a recovery score, every difference counts. Returns None if unknown.
    """
    varied = body.hrv(past, at)
    if varied is None or body.recovery(past, at) is not None:
        return varied
    return replace(varied, z=min(varied.z + LOWERED, 0.0))


def steps(past: Past, at: datetime) -> Signal | None:
    """Return a signal of the last complete day's steps, compared with normal, with z at most 1. None if unknown."""
    day = past.latest(Metric.STEPS, at)
    return None if day is None else body.nightly("steps", day, at, past.kept(_walked, day))


def _walked(_past: Past, day: Latest) -> tuple[float, Fact]:
    constants = CONSTANTS[Metric.STEPS]
    z = min(day.normal.z(day.value, constants), MAX_Z_OF_STEPS)
    compared = words.relative(day.value, unscale(day.normal.centre, constants), day.normal)
    return z, fact("steps", steps=day.value, compared=compared)
