"""Compute the signals of the body that several meters share. A positive z means more of the quantity."""

from __future__ import annotations

from datetime import datetime

from bridge.domain.facts import Fact, fact
from bridge.domain.metrics import Metric
from bridge.domain.preference import ESTABLISHED
from bridge.domain.slots import DAY
from bridge.meters import words
from bridge.meters.baseline import (
    CLIP,
    CONSTANTS,
    OWN_SLEEP,
    SPOTS,
    WINDOW,
    Baseline,
    asleep,
    clip,
    hrv_quality,
    normal_of,
    scale,
    unscale,
)
from bridge.meters.fuse import Signal, warmed
from bridge.meters.past import Latest, Past, shared
from bridge.meters.sleep import USUAL_NEED

VARIABILITY = (Metric.HRV_RMSSD, *map(asleep, SPOTS), *SPOTS)  # best first within a day
PARALLEL = ESTABLISHED  # nights of history before a new metric replaces an established metric
NOTABLE_Z = 0.3  # of a night that stands out from the week
RAISED = 1.0  # spreads above normal, beyond which a resting heart rate counts
TREND_NIGHTS = 3  # of the last seven (Plews 2014: the averaging effect flattens at 3-4 nights)
TREND_SPREAD = 0.6  # spread of a week's mean as a share of a night's spread (Plews, Altini)
LEAST_STRESS, FULL_STRESS = 40.0, 60.0  # valid minutes that a mean needs, and that full trust needs
DAY_TRUST = 0.5  # quality of yesterday's mean stress when the last six hours have no measurement


@shared
def sleep(past: Past, at: datetime) -> Signal | None:
    """Return a signal of last night's sleep, or None if the night is unknown.

    z is half the z of the night's score S, and half (S - 0.81) / 0.14, each within [-3, 3], so that a chronic short
    sleeper does not read "normal". It is averaged with the z of the vendor's score, if there is one.
    """
    night = past.latest(OWN_SLEEP, at)
    if night is None:
        return None
    vendor = past.of_night(Metric.SLEEP_SCORE, night, at)
    return nightly("sleep", night, at, past.kept(_slept, night, vendor))


def _slept(past: Past, night: Latest, vendor: Latest | None) -> tuple[float, Fact]:
    z = 0.5 * _z(OWN_SLEEP, night) + 0.5 * clip((night.value - CONSTANTS[OWN_SLEEP].mu) / 0.14, -CLIP, CLIP)
    if vendor is not None:
        z = (z + _z(Metric.SLEEP_SCORE, vendor)) / 2
    asleep, need = past.nights.of[night.series][night.day].asleep, past.told_need(night.series, night.day)
    return z, words.slept(asleep, need, z, own=need != USUAL_NEED)


@shared
def hrv(past: Past, at: datetime) -> Signal | None:
    """Return a signal of last night's heart-rate variability, averaged with the vendor's recovery score, if any.

    Without variability, the recovery score or else the body battery is used. Returns None without any of them.
    """
    found, scored = variability(past, at), recovery(past, at)
    if found is None:
        return scored or _body_battery(past, at)
    metric, night = found
    both = scored is not None and past.of_night(Metric.RECOVERY_SCORE, night, at) is not None
    score = scored.z if scored is not None and both else None
    judged = past.kept(_varied, metric, night, past.recent(metric, night, at), score)
    return nightly("hrv", night, at, judged, quality=hrv_quality(metric, past.rmssd_errors.get(night.source or "")))


def _varied(
    _past: Past, metric: str, night: Latest, recent: tuple[float, ...], score: float | None
) -> tuple[float, Fact]:
    z, week = _z(metric, night), _week(metric, night, recent)
    mixed = z if week is None else 0.7 * z + 0.3 * week
    whole = mixed if score is None else (mixed + score) / 2
    usual = unscale(night.normal.centre, CONSTANTS[metric])
    kind, value = "variability", night.value
    if whole * z < 0 and abs(z) > NOTABLE_Z:
        kind = "variability_unlike_week" if mixed * z < 0 else "variability_unlike_vendor"
    elif whole * z < 0:
        value = usual  # a night that hardly differs
    return whole, fact(kind, compared=words.relative(value, usual, night.normal))


@shared
def recovery(past: Past, at: datetime) -> Signal | None:
    """Return a signal of the vendor's recovery score, compared with the user's and most people's normal, if known."""
    night = past.latest(Metric.RECOVERY_SCORE, at)
    return None if night is None else nightly("hrv", night, at, past.kept(_recovered, night))


def _recovered(_past: Past, night: Latest) -> tuple[float, Fact]:
    most = CONSTANTS[Metric.RECOVERY_SCORE]
    mark = max(most.mu, night.normal.centre)
    z = 0.5 * _z(Metric.RECOVERY_SCORE, night) + 0.5 * clip((night.value - mark) / most.within, -CLIP, CLIP)
    whole = night.normal if (night.value - night.normal.centre) * z > 0 else normal_of([], most)
    return z, fact("recovery", compared=words.absolute(night.value, whole.centre, "points", whole))


def hrv_trend(past: Past, at: datetime) -> Signal | None:
    """Return a signal of the week's heart-rate variability: (7-day mean - centre) / (0.6 spread), within [-3, 3].

    Returns None if last night's variability is unknown, or if fewer than three of the seven nights have a value.
    """
    found = variability(past, at)
    if found is None:
        return None
    metric, night = found
    week = past.kept(_week_of, metric, night, past.recent(metric, night, at))
    if week is None:
        return None
    side = "usual" if abs(week) < 0.5 else "above" if week > 0 else "below"
    return Signal(
        name="hrv_trend",
        z=week,
        quality=warmed(1.0, night.normal.n),
        age_hours=night.age_hours(at),
        fact=fact(f"variability_week_{side}"),
        source=night.source,
    )


@shared
def resting_hr(past: Past, at: datetime) -> Signal | None:
    """Return a signal of how much last night's resting heart rate was raised, or None if unknown.

    A rate raised a little gives z = 0, because it says nothing about how a person feels (LifeSnaps).
    """
    night = past.latest(Metric.RESTING_HR, at)
    return None if night is None else nightly("resting_hr", night, at, past.kept(_raised, night))


def _raised(_past: Past, night: Latest) -> tuple[float, Fact]:
    raised = max(_z(Metric.RESTING_HR, night) - RAISED, 0.0)
    if not raised:
        return raised, fact("resting_hr_not_raised")
    compared = words.absolute(night.value, night.normal.centre, "bpm", night.normal)
    return raised, fact("resting_hr", compared=compared)


def stress(past: Past, at: datetime) -> Signal | None:
    """Return a signal of stress in the last hours, compared with the same hours of earlier days, or None if unknown.

    Resting heart rate does not replace it, because that made Serenity worse (LifeSnaps).
    """
    means = {series: one.mean(at) for series, one in past.stress.items()}
    measured = {series: mean for series, mean in means.items() if mean is not None and mean[1] >= LEAST_STRESS}
    if not measured:
        return _stress_management(past, at) or _stress_of_yesterday(past, at)
    normals = {series: _usual_stress(past, series, at) for series in measured}
    series = max(measured, key=lambda s: past.preference.key(s, normals[s].n))
    (mean, minutes), normal = measured[series], normals[series]
    return Signal(
        name="stress",
        z=normal.z(mean, CONSTANTS[Metric.STRESS]),
        quality=warmed(min(1.0, minutes / FULL_STRESS), normal.n),
        age_hours=0.0,
        fact=fact("stress", mean=mean, usual=normal.centre),
        source=series.partition("/")[0],
    )


def nightly(name: str, night: Latest, at: datetime, judged: tuple[float, Fact], *, quality: float = 1.0) -> Signal:
    """Return a signal called ``name`` for the value of a night or day, with the (z, fact) given as ``judged``.

    ``quality`` (0 to 1) is halved if the user's normal is based on fewer than ``CALIBRATED`` values.
    """
    return Signal(
        name=name,
        z=judged[0],
        quality=warmed(quality, night.normal.n),
        age_hours=night.age_hours(at),
        fact=judged[1],
        source=night.source or None,
    )


def _z(metric: str, one: Latest) -> float:
    return one.normal.z(one.value, CONSTANTS[metric])


@shared
def variability(past: Past, at: datetime) -> tuple[str, Latest] | None:
    """Return (metric, newest value) of the one metric of heart-rate variability to use, or None."""
    found = [(metric, night) for metric in VARIABILITY if (night := past.latest(metric, at)) is not None]
    ripe = [one for one in found if one[1].normal.n >= PARALLEL]
    if ripe:
        return max(ripe, key=lambda one: (one[1].day, *past.preference.choice(one[1].series)))
    return max(found, key=lambda one: (one[1].normal.n, one[1].day), default=None)


def _week_of(_past: Past, metric: str, night: Latest, recent: tuple[float, ...]) -> float | None:
    return _week(metric, night, recent)


def _week(metric: str, night: Latest, recent: tuple[float, ...]) -> float | None:
    values = [scale(v, CONSTANTS[metric]) for v in recent]
    if len(values) < TREND_NIGHTS:
        return None
    distance = sum(values) / len(values) - night.normal.centre
    return night.normal.scaled(distance, narrower=TREND_SPREAD)


def _body_battery(past: Past, at: datetime) -> Signal | None:
    night = past.latest(Metric.BODY_BATTERY, at)
    return None if night is None else nightly("hrv", night, at, past.kept(_charged, night))


def _charged(_past: Past, night: Latest) -> tuple[float, Fact]:
    compared = words.absolute(night.value, night.normal.centre, "points", night.normal)
    return _z(Metric.BODY_BATTERY, night), fact("body_battery", compared=compared)


def _stress_management(past: Past, at: datetime) -> Signal | None:
    """Return a signal of stress from last night's stress management score, of which a high value means calm."""
    night = past.latest(Metric.STRESS_MANAGEMENT, at)
    return None if night is None else nightly("stress", night, at, past.kept(_managed, night))


def _managed(_past: Past, night: Latest) -> tuple[float, Fact]:
    compared = words.absolute(night.value, night.normal.centre, "points", night.normal)
    return -_z(Metric.STRESS_MANAGEMENT, night), fact("stress_management", compared=compared)


def _stress_of_yesterday(past: Past, at: datetime) -> Signal | None:
    day = past.latest(Metric.DAILY_STRESS, at)
    return None if day is None else nightly("stress", day, at, past.kept(_strained, day), quality=DAY_TRUST)


def _strained(_past: Past, day: Latest) -> tuple[float, Fact]:
    return _z(Metric.DAILY_STRESS, day), fact("stress_yesterday", mean=day.value, usual=day.normal.centre)


def _usual_stress(past: Past, series: str, at: datetime) -> Baseline:
    means = (past.stress[series].mean(at - k * DAY) for k in range(1, WINDOW + 1))
    return normal_of([m[0] for m in means if m is not None and m[1] >= LEAST_STRESS], CONSTANTS[Metric.STRESS])
