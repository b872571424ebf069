"""A person's normal, by hand and in general."""

from dataclasses import replace
from math import log, sqrt

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bridge import registry
from bridge.domain.metrics import METRICS, Metric
from bridge.meters.baseline import CONSTANTS, OWN_SLEEP, asleep, baseline, hrv_quality, scale, unscale

HR = CONSTANTS[Metric.RESTING_HR]
SLEEP = CONSTANTS[Metric.SLEEP_SCORE]


def test_nothing_gives_the_population():
    found = baseline([], HR)
    assert found.n == 0
    assert found.centre == pytest.approx(63.0)
    assert found.spread == pytest.approx(2.2 * sqrt(1 + 1 / 0.1))  # kap / (0 + k kap) = 1 / k
    assert found.z(60, HR) == pytest.approx(-3 / (2.2 * sqrt(11)))


def test_few_values_by_hand():
    found = baseline([70, 80, 90], SLEEP)  # rho 0, so kap = 1; n < 5, so the deviation is the population's
    assert found.centre == pytest.approx((3 * 80 + 3.7 * 77) / 6.7)
    assert found.spread == pytest.approx(5.9 * sqrt(1 + 1 / 6.7))


def test_many_values_by_hand():
    values = [72, 74, 76, 78, 80, 82, 84]  # median 78, median deviation 4
    found = baseline(values, SLEEP)
    pooled = sqrt((7 * (1.4826 * 4) ** 2 + 12 * 5.9**2) / 19)
    assert found.centre == pytest.approx((7 * 78 + 3.7 * 77) / 10.7)
    assert found.spread == pytest.approx(pooled * sqrt(1 + 1 / 10.7))
    assert found.z(88, SLEEP) == pytest.approx((88 - found.centre) / found.spread)


def test_an_autocorrelated_metric_has_a_wider_spread():
    values = [55.0, 56, 54, 55, 57, 53, 55] * 2
    kap = 1.87 / 0.13
    s0 = baseline(values, HR).spread / sqrt(1 + kap / (14 + 0.1 * kap))
    assert baseline(values, replace(HR, rho=0.0)).spread == pytest.approx(s0 * sqrt(1 + 1 / 14.1))


def test_the_logarithm_is_taken_of_variability():
    constants = CONSTANTS[Metric.HRV_RMSSD]
    found = baseline([50.0] * 20, constants)
    assert found.centre == pytest.approx((20 * log(50) + 0.2 * 3.6) / 20.2)
    assert found.z(70, constants) > 0 > found.z(40, constants)


def test_artefacts_and_outliers_are_dropped():
    calm = [54.0, 55, 56, 55, 54, 56, 55]
    assert baseline([*calm, 109.0], HR) == baseline(calm, HR)
    assert baseline([*calm, 250.0, 0.0], HR) == baseline(calm, HR)


def test_a_constant_series_keeps_values_within_the_floor():
    found = baseline([55.0] * 9 + [57.0], HR)
    assert found.n == 10


def test_z_is_clipped_and_says_which_way():
    found = baseline([55.0] * 30, HR)
    assert found.z(200, HR) == 3
    assert found.z(30, HR) == -3


def test_counts_may_be_none():
    row = CONSTANTS[Metric.CONTACTS]
    assert baseline([0.0] * 30, row).z(0, row) > -1
    assert unscale(scale(7, row), row) == pytest.approx(7)


def test_quality_of_variability_is_that_of_the_device():
    told = registry.rmssd_errors()
    assert hrv_quality(Metric.HRV_RMSSD, told["oura"]) == pytest.approx(0.91, abs=0.005)
    assert hrv_quality(Metric.HRV_RMSSD, told["whoop"]) == pytest.approx(0.84, abs=0.005)
    assert hrv_quality(Metric.HRV_RMSSD, told["garmin"]) == pytest.approx(0.77, abs=0.005)
    assert hrv_quality(Metric.HRV_RMSSD, told.get("apple_health")) == pytest.approx(0.77, abs=0.005)  # not known
    assert hrv_quality(Metric.HRV_SDNN, None) < hrv_quality(Metric.HRV_RMSSD, 0.163)  # a wrist's, the widest measured
    assert hrv_quality(asleep(Metric.HRV_RMSSD_BEATS), None) == hrv_quality(Metric.HRV_SDNN, None)
    assert hrv_quality(Metric.RESTING_HR, told["whoop"]) == 1


@pytest.mark.parametrize("metric", sorted(CONSTANTS))
def test_the_table_is_sound(metric):
    row = CONSTANTS[metric]
    assert 0 < row.floor < row.within
    assert 0 <= row.rho < 1
    assert row.k == pytest.approx((row.within / row.between) ** 2, rel=0.15, abs=0.06)
    assert metric.removesuffix("/asleep") in METRICS or metric == OWN_SLEEP


values = st.lists(st.floats(40, 90), max_size=60)


@settings(deadline=None)
@given(values, st.floats(40, 90), st.floats(40, 90))
def test_z_rises_with_the_value(past, one, other):
    normal = baseline(past, HR)
    low, high = sorted((one, other))
    assert normal.z(low, HR) <= normal.z(high, HR)


@settings(deadline=None)
@given(values, st.randoms())
def test_order_does_not_matter(past, rng):
    shuffled = list(past)
    rng.shuffle(shuffled)
    assert baseline(shuffled, HR) == baseline(past, HR)


@settings(deadline=None)
@given(st.lists(st.floats(20, 80), min_size=14, max_size=60), st.floats(20, 80), st.floats(0.7, 1.4))
def test_a_device_that_reads_in_another_scale_has_the_same_z(past, today, factor):
    """Multiplying shifts the logarithm; only the population's pull on the centre tells the two apart."""
    constants = CONSTANTS[Metric.HRV_RMSSD]
    before, after = baseline(past, constants), baseline([v * factor for v in past], constants)
    assume(before.n == after.n)
    moved = after.z(today * factor, constants) - before.z(today, constants)
    assert abs(moved) <= abs(log(factor)) * constants.k / (before.n + constants.k) / before.spread + 1e-6
