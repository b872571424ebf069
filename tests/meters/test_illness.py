"""Several signs of illness in one night, on a thousand sick and some thousands of ordinary nights."""

import doctest
import random
from dataclasses import replace
from statistics import median

import pytest

from bridge.domain.metrics import Metric
from bridge.domain.types import Episode
from bridge.meters import vitality as module
from bridge.meters import read
from rhythm_env.interface import Meter

from .life import HOUR, MORNING, body, known, night, nightly, signals

WEEKS = 3


def ordinary(seed):
    """Three weeks of nights with every sign, each with the spread of ordinary nights."""
    rng = random.Random(seed)
    return [
        *body(seed, days=7 * WEEKS, hrv=rng.uniform(20, 100)),
        *(nightly(Metric.SKIN_TEMPERATURE, ago, rng.gauss(33.8, 0.45)) for ago in range(7 * WEEKS)),
        *(nightly(Metric.RESPIRATORY_RATE, ago, rng.gauss(15, 0.5)) for ago in range(7 * WEEKS)),
    ]


def sick(items, seed):
    """The last night of a life made that of a fever, slept long: with two signs at least, often with four."""
    rng = random.Random(seed)
    extra = {Metric.SKIN_TEMPERATURE: rng.uniform(1.2, 3), Metric.RESPIRATORY_RATE: rng.uniform(2, 5)}
    dropped = rng.sample(list(extra), rng.randrange(3))
    raised, lower = rng.uniform(9, 31), rng.uniform(0.38, 0.6)
    return [
        _sick(one, raised, lower, extra) for one in items if getattr(one, "metric", None) not in dropped or _old(one)
    ]


def _old(one):
    return one.day != MORNING.date()


def _sick(one, raised, lower, extra):
    if _old(one):
        return one
    if isinstance(one, Episode):
        return replace(one, values={**one.values, Metric.ASLEEP: 570.0, Metric.SLEEP_EFFICIENCY: 95.0})
    if one.metric is Metric.RESTING_HR:
        return replace(one, value=one.value + raised)
    if one.metric is Metric.HRV_RMSSD:
        return replace(one, value=one.value * lower)
    return replace(one, value=one.value + extra.get(one.metric, 0.0))


def vitality(items, at=MORNING + 2 * HOUR):
    return read(known(*items, at=at))[Meter.VITALITY]


def is_called(reading):
    return any(one.text.message == module.FIGHTING for one in reading.because)


def test_worked_examples():
    assert doctest.testmod(module).failed == 0


def test_no_sick_night_of_a_thousand_reads_normal():
    readings = [vitality(sick(ordinary(seed), seed)) for seed in range(1000)]
    levels = [reading.level for reading in readings]
    assert max(levels) < 0.70
    assert median(levels) < 0.45
    called = [reading for reading in readings if is_called(reading)]
    assert len(called) > 500
    assert max(reading.level for reading in called) < 0.40


@pytest.mark.slow
def test_at_most_one_ordinary_night_of_two_hundred_is_called_ill():
    called = sum(is_called(vitality(ordinary(1000 + seed))) for seed in range(1000))
    assert called <= 5


def test_a_night_of_many_is_called_by_the_signs_that_stand_out():
    one = next(one for one in vitality(sick(ordinary(1), 3)).because if one.signal == "illness")
    assert one.contribution < 0
    assert "heart-rate variability down" in one.text


def test_a_single_sign_far_out_is_no_illness():
    life = [one for one in body(3, days=30) if getattr(one, "metric", None) is not Metric.RESTING_HR]
    rates = [nightly(Metric.RESTING_HR, ago, 55 + 25 * (ago == 0)) for ago in range(30)]
    assert "illness" not in signals(vitality([*life, *rates]))


def test_signs_of_different_nights_are_not_counted_together():
    rates = [nightly(Metric.RESTING_HR, ago, 55 + 25 * (ago == 1)) for ago in range(1, 30)]
    warm = [nightly(Metric.SKIN_TEMPERATURE, ago, 34 + 3 * (ago == 0)) for ago in range(30)]
    assert "illness" not in signals(vitality([*rates, *warm], at=MORNING + HOUR))


def test_two_thermometers_are_one_sign():
    warm = [nightly(Metric.SKIN_TEMPERATURE, ago, 34 + 3 * (ago == 0)) for ago in range(30)]
    change = [nightly(Metric.SKIN_TEMPERATURE_DELTA, ago, 3.0 * (ago == 0), source="oura") for ago in range(30)]
    assert "illness" not in signals(vitality([*warm, *change]))


@pytest.mark.parametrize("asleep", [420.0, 480.0, 600.0])
@pytest.mark.parametrize("usual", [42.0, 67.0])
def test_no_night_that_the_vendor_calls_red_reads_normal(asleep, usual):
    nights = [night(ago, 430.0 if ago else asleep, sleep_efficiency=92, sleep_score=80) for ago in range(30)]
    low = [nightly(Metric.RECOVERY_SCORE, ago, usual + ago % 7 - 3 if ago else 33.0) for ago in range(30)]
    hrv = [nightly(Metric.HRV_RMSSD, ago, 50 + ago % 5 if ago else 47.0) for ago in range(30)]
    assert vitality([*nights, *low, *hrv]).level < 0.70
    assert vitality([*nights, *low]).level < 0.70


def test_a_raised_heart_rate_lowers_and_a_low_one_does_nothing():
    nights = [night(ago, 430.0) for ago in range(30)]

    def level(rate):
        rates = (nightly(Metric.RESTING_HR, ago, rate if ago == 0 else 55 + ago % 3) for ago in range(30))
        return vitality([*nights, *rates])

    assert level(45).level == level(55).level == level(56).level > level(62).level > level(66).level
    texts = [next(b.text for b in level(rate).because if b.signal == "resting_hr") for rate in (50, 64)]
    assert texts[0] == "resting heart rate not raised"
    assert "above your usual" in texts[1]
