"""Vitality: the energy that last night left, mostly from sleep.

Z = sum(l q z) / (1 + sum(l q)) over sleep, heart-rate variability, resting heart rate (less is better), yesterday's
steps and the user's check-in. The proxy map holds the weights l. The within-person rank correlation with reported
energy on the day is about 0.12 (LifeSnaps, 34 persons). Nearly all of it comes from sleep. The other signals stay for
days of illness. The cap on steps follows Paluch 2022: the benefit flattens at 8,000 to 10,000 steps a day.

Signs of illness are several signals of the body far from normal in the same night. A single signal strays for many
reasons. Resting heart rate and breathing up, variability down and a warm skin in the same night are what a fever,
alcohol or a great strain does (Mishra 2020, Quer 2021). Their distances are not clipped, because a fever lies ten
spreads out. The distance together exceeds 1.5 in 10 % and 5 in 0.6 % of LifeSnaps' nights, sick nights included. In 14
months of a WHOOP it exceeds 5 in 1.0 %, and the vendor scored each of these nights below 27 of 100.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from bridge.domain.languages import listed, say
from bridge.domain.metrics import Metric
from bridge.domain.types import Reading
from bridge.meters import body, words
from bridge.meters.baseline import CLIP, CONSTANTS, clip, unscale
from bridge.meters.check_in import check_in
from bridge.meters.fuse import Signal, fuse
from bridge.meters.past import Latest, Past, shared
from rhythm_env.interface import Meter

MAX_Z_OF_STEPS = 1.0
AGAINST_SLEEP = 1.0  # spreads of the body below normal at which a good night begins to count less; at 2 it counts 0


def read(past: Past, at: datetime) -> Reading:
    """Return Vitality's reading at ``at``."""
    said = check_in(past.answers, Meter.VITALITY, at)
    slept = outweighed(body.sleep(past, at), against(past, at))
    measured = (slept, body.hrv(past, at), body.resting_hr(past, at), steps(past, at), illness(past, at))
    return fuse(past.proxies, Meter.VITALITY, (*measured, said), reasons=past.reasons)


def outweighed(slept: Signal | None, distance: float) -> Signal | None:
    """Return the signal of sleep, with less quality for a good night in which the body was far below normal.

    The quality falls from full at a ``distance`` of 1 to zero at 2. A long sleep on such a night is need, not energy.
    The correlation with reported energy rises by it (LifeSnaps).
    """
    if slept is None or slept.z <= 0:
        return slept
    less = clip(distance - AGAINST_SLEEP)
    return replace(slept, quality=slept.quality * (1 - less)) if less else slept


def against(past: Past, at: datetime) -> float:
    """Return the body's distance below normal last night, in spreads, as the largest of four.

    They are variability, a raised resting heart rate, signs of illness together, and twice the vendor's recovery score.
    It is at least 0.
    """
    parts = ((body.hrv(past, at), -1.0), (body.resting_hr(past, at), 1.0), (body.recovery(past, at), -2.0))
    return max([distance(past, at), *(times * one.z for one, times in parts if one is not None)])


def steps(past: Past, at: datetime) -> Signal | None:
    """Return a signal of the steps of the last complete day, or None if they are unknown.

    Its z is that of the steps' logarithm, and at most +1.
    """
    day = past.latest(Metric.STEPS, at)
    return None if day is None else body.nightly("steps", day, at, *past.kept(_walked, day))


def _walked(_past: Past, day: Latest) -> tuple[float, str]:
    """Return (z, words) of a day's steps, by the rule of ``steps``."""
    constants = CONSTANTS[Metric.STEPS]
    z = min(day.normal.z(day.value, constants), MAX_Z_OF_STEPS)
    text = words.relative(day.value, unscale(day.normal.centre, constants), day.normal)
    return z, say("{steps:,.0f} steps yesterday, {compared}", steps=day.value, compared=text)


# Metric -> its direction in illness. The vendor's score counts only without the variability that it is made of.
SIGNS = {
    Metric.RESTING_HR: 1,
    Metric.RESPIRATORY_RATE: 1,
    Metric.SKIN_TEMPERATURE: 1,
    Metric.SKIN_TEMPERATURE_DELTA: 1,
}
FIRST, CALLED = 1.5, 5.0  # distance together at which the signal begins, and from which the words speak of a fight
EXCESS_MAX = 6.0  # spreads
STANDS_OUT = 1.0  # spreads from which a sign is named
FIGHTING = say("your body is fighting something: {signs}")
SAME_NIGHT = say("in the same night {signs}")
SIGN_NAMES = {
    Metric.RESTING_HR: say("resting heart rate up"),
    Metric.RESPIRATORY_RATE: say("breathing faster"),
    Metric.SKIN_TEMPERATURE: say("skin warmer"),
    Metric.SKIN_TEMPERATURE_DELTA: say("skin warmer"),
    Metric.RECOVERY_SCORE: say("recovery down"),
}
VARIABILITY_DOWN = say("heart-rate variability down")


def illness(past: Past, at: datetime) -> Signal | None:
    """Return a signal of several signs of illness in the last night.

    Returns None if their distance together is at most 1.5. Its z is always -3. Its quality grows from 0 to 1 with a
    distance from 1.5 to 5.
    """
    signs = sorted(_signs(past, at), key=lambda sign: -sign[0])
    far = distance(past, at)
    if far <= FIRST:
        return None
    named = listed([name for z, name, _ in signs if z >= STANDS_OUT])
    text = say(FIGHTING if far >= CALLED else SAME_NIGHT, signs=named)
    severity = clip((far - FIRST) / (CALLED - FIRST))
    return body.nightly("illness", signs[0][2], at, -CLIP, text, quality=severity)


@shared
def distance(past: Past, at: datetime) -> float:
    """Return the distance together of the last night's signs of illness, 0 without signs (see ``together``)."""
    return together([z for z, _, _ in _signs(past, at)])


def together(distances: Sequence[float]) -> float:
    """Return the second-largest distance, half of the third, and a quarter of what the largest exceeds 3.

    A single signal says little, so that the last part counts only as far as a second signal stands out.

    >>> together([10.0]), together([10.0, 0.5]), together([6.0, 4.0, 3.0])
    (0.0, 1.25, 6.25)
    """
    first, second, third = (max(z, 0.0) for z in (*sorted(distances, reverse=True), 0.0, 0.0, 0.0)[:3])
    excess = min(max(first - 3.0, 0.0), EXCESS_MAX)
    return second + 0.5 * third + 0.25 * excess * clip(second)


@shared
def _signs(past: Past, at: datetime) -> list[tuple[float, str, Latest]]:
    """Return (distance in spreads, words, value) of each sign of illness of the newest night.

    A positive distance is towards illness.
    """
    values = tuple(past.latest(metric, at) for metric in SIGNS)
    return past.kept(_signs_of, values, body.variability(past, at), past.latest(Metric.RECOVERY_SCORE, at))


def _signs_of(
    _past: Past, values: tuple[Latest | None, ...], hrv: tuple[str, Latest] | None, recovery: Latest | None
) -> list[tuple[float, str, Latest]]:
    """Return the signs of illness from the newest values, as ``_signs`` does.

    The vendor's recovery score counts only without variability.
    """
    found = [
        (direction * one.far(CONSTANTS[metric]), SIGN_NAMES[metric], one)
        for (metric, direction), one in zip(SIGNS.items(), values, strict=True)
        if one is not None
    ]
    if hrv is not None:
        found.append((-hrv[1].far(CONSTANTS[hrv[0]]), VARIABILITY_DOWN, hrv[1]))
    elif recovery is not None:
        found.append((-recovery.far(CONSTANTS[Metric.RECOVERY_SCORE]), SIGN_NAMES[Metric.RECOVERY_SCORE], recovery))
    newest = max((one.day for _, _, one in found), default=None)
    return _once([sign for sign in found if sign[2].day == newest])


def _once(signs: Sequence[tuple[float, str, Latest]]) -> list[tuple[float, str, Latest]]:
    """Return the largest of the signs with the same words, because two thermometers make a single sign."""
    best: dict[str, tuple[float, str, Latest]] = {}
    for sign in signs:
        if sign[1] not in best or sign[0] > best[sign[1]][0]:
            best[sign[1]] = sign
    return list(best.values())
