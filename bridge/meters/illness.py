"""Signs of illness: several signals of the body far from normal in the same night.

A single signal strays for many reasons. Resting heart rate and breathing up, variability down and a warm skin in the
same night are what a fever, alcohol or a great strain does (Mishra 2020, Quer 2021). Distances are not clipped here,
because a fever lies ten spreads out.

An illness lasts some days. In the first three weeks of a history its nights would soon be the user's normal. A value is
then compared with the nights before those days too, and the largest distance counts.

The distance ``together`` exceeds 1.5 in 10 % and 5 in 0.6 % of LifeSnaps' nights, sick nights included. In 14 months of
a WHOOP it exceeds 5 in 1.0 %, and the vendor scored each of these nights below 27 of 100.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from bridge.domain.facts import Fact, fact
from bridge.domain.metrics import Metric
from bridge.meters import body
from bridge.meters.baseline import CLIP, CONSTANTS, clip
from bridge.meters.fuse import Signal
from bridge.meters.past import Latest, Past, shared

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
CALLED_KIND = "illness"  # of the fact that the body fights something
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


def illness(past: Past, at: datetime) -> Signal | None:
    """Return a signal of several signs of illness in the last night.

    Returns None if their distance together is at most 1.5. Its z is always -3. Its quality grows from 0 to 1 with a
    distance from 1.5 to 5, and is halved if the largest sign's normal rests on under four values.
    """
    signs = sorted(_signs(past, at), key=lambda sign: -sign[0])
    far = distance(past, at)
    if far <= FIRST:
        return None
    named = tuple(dict.fromkeys(sign for z, sign, _ in signs if z >= STANDS_OUT))
    told = fact(CALLED_KIND if far >= CALLED else "illness_signs", signs=named)
    severity = clip((far - FIRST) / (CALLED - FIRST))
    return body.nightly("illness", signs[0][2], at, -CLIP, told, quality=severity)


@shared
def distance(past: Past, at: datetime) -> float:
    """Return the distance together of the last night's signs of illness, 0 without signs (see ``together``)."""
    return together([z for z, _, _ in _signs(past, at)])


def together(distances: Sequence[float]) -> float:
    """Return the second-largest distance, half of the third, and a quarter of what the largest exceeds 3.

    Negative distances count as 0. The excess counts up to 6. It is multiplied by the second distance while that is
    below 1, because a single signal says little.

    >>> together([10.0]), together([10.0, 0.5]), together([6.0, 4.0, 3.0])
    (0.0, 1.25, 6.25)
    """
    first, second, third = (max(z, 0.0) for z in (*sorted(distances, reverse=True), 0.0, 0.0, 0.0)[:3])
    excess = min(max(first - 3.0, 0.0), EXCESS_MAX)
    return second + 0.5 * third + 0.25 * excess * clip(second)


@shared
def _signs(past: Past, at: datetime) -> list[tuple[float, Fact, Latest]]:
    """Return (distance in spreads, fact, value) of each sign of illness of the newest night.

    A positive distance is towards illness.
    """
    values = tuple(past.latest(metric, at) for metric in SIGNS)
    stand_ins = tuple(past.latest(metric, at) for metric in STAND_INS)
    return past.kept(_signs_of, values, body.variability(past, at), stand_ins)


def _signs_of(
    past: Past, values: tuple[Latest | None, ...], hrv: tuple[str, Latest] | None, stand_ins: tuple[Latest | None, ...]
) -> list[tuple[float, Fact, Latest]]:
    """Return the signs of illness of the newest night from the newest values, as ``_signs`` does.

    Without variability (``hrv``) the first known of ``stand_ins`` is a sign: recovery score, then body battery. A
    recovery score that is the only sign counts twice, because the vendor makes it of several values.
    """
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
    """Return a value's distance from normal towards illness, in spreads.

    ``direction`` is 1 for a value that rises in illness, and -1 for one that falls. In a history of under 21 nights,
    the normals without the last 3 and the last 6 nights are tried too. They must rest on three nights. The largest
    distance is returned.
    """
    normals = [one.normal]
    if one.normal.n < SETTLED_NIGHTS:
        earlier = (past.normal_before(metric, one, nights) for nights in SAME_ILLNESS)
        normals += [normal for normal in earlier if normal.n >= LEAST_EARLIER]
    return max(direction * normal.far(one.value, CONSTANTS[metric]) for normal in normals)


def _once(signs: Sequence[tuple[float, Fact, Latest]]) -> list[tuple[float, Fact, Latest]]:
    """Return the signs, of those with the same fact only the largest, because two thermometers make a single sign."""
    best: dict[Fact, tuple[float, Fact, Latest]] = {}
    for sign in signs:
        if sign[1] not in best or sign[0] > best[sign[1]][0]:
            best[sign[1]] = sign
    return list(best.values())
