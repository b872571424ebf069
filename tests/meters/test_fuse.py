"""Fusing signals into a reading."""

import doctest
from math import exp, log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.meters import fuse as module
from bridge.meters import words
from bridge.meters.fuse import NOTHING, Signal, freshness, fuse, level_of, warmed

WEIGHTS = {"a": 2.0, "b": 0.6, "c": 0.3}


def signal(name="a", z=0.0, quality=1.0):
    return Signal(name=name, z=z, quality=quality, age_hours=1.0, text="a reason")


signals = st.tuples(
    *(st.none() | st.builds(signal, st.just(name), st.floats(-3, 3), st.floats(0, 1)) for name in WEIGHTS)
)


def test_worked_examples():
    assert doctest.testmod(module).failed == 0
    assert doctest.testmod(words).failed == 0


def test_two_signals_by_hand():
    reading = fuse(WEIGHTS, [signal("a", z=-1.0, quality=0.5), signal("b", z=2.0), None])
    z = (-1.0 + 1.2) / (1 + 1.0 + 0.6)
    level = 1 / (1 + exp(-(log(0.7 / 0.3) + z)))
    assert reading.level == pytest.approx(level)
    assert reading.sd == pytest.approx(level * (1 - level) / 2.6**0.5)
    assert reading.coverage == pytest.approx(1.6 / 2.9)
    assert [b.contribution for b in reading.because] == pytest.approx([-1.0 / 2.6, 1.2 / 2.6])


def test_nothing_is_exactly_normal():
    for missing in ([], [None, None], [signal(z=3.0, quality=0.0)]):
        reading = fuse(WEIGHTS, missing)
        assert (reading.level, reading.coverage, reading.because) == (0.70, 0.0, ())
        assert reading.note == NOTHING
        assert reading.sd == pytest.approx(0.21)


@settings(deadline=None)
@given(signals)
def test_level_sd_and_coverage_stay_in_range_and_reasons_add_up(given_signals):
    reading = fuse(WEIGHTS, given_signals)
    assert 0.05 <= reading.level <= 0.98
    assert 0 < reading.sd <= 0.25
    assert 0 <= reading.coverage <= 1 + 1e-9
    assert level_of(sum(b.contribution for b in reading.because)) == pytest.approx(reading.level)


@settings(deadline=None)
@given(signals, st.sampled_from(sorted(WEIGHTS)), st.floats(-3, 3), st.floats(-3, 3), st.floats(0, 1))
def test_monotone_in_every_input_with_the_others_fixed(others, name, one, other, quality):
    rest = [s for s in others if s is not None and s.name != name]
    low, high = (fuse(WEIGHTS, [*rest, signal(name, z, quality)]).level for z in sorted((one, other)))
    assert low <= high


@settings(deadline=None)
@given(signals, st.sampled_from(sorted(WEIGHTS)), st.floats(0.01, 1))
def test_one_more_input_of_any_value_makes_it_surer(others, name, quality):
    rest = [s for s in others if s is not None and s.name != name]
    less, more = fuse(WEIGHTS, rest), fuse(WEIGHTS, [*rest, signal(name, 0.0, quality)])
    assert more.coverage > less.coverage
    assert abs(more.level - 0.7) <= abs(less.level - 0.7) + 1e-12


def test_trust_fades_with_age_and_halves_while_calibrating():
    assert freshness(8) == pytest.approx(0.5**0.5)
    assert freshness(30) > 0
    assert freshness(30.01) == freshness(-0.01) == 0
    assert [warmed(0.8, n) for n in (0, 3, 4, 60)] == [0.4, 0.4, 0.8, 0.8]
