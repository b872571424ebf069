"""Fusing signals into a reading."""

import doctest
from math import exp, log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.domain.facts import fact
from bridge.domain.records import Proxy, ProxyMap
from bridge.meters import fuse as module
from bridge.meters import words
from bridge.meters.fuse import KNOWABLE, NOT_VALIDATED, NOTHING_FRESH, Signal, freshness, fuse, precision, warmed
from rhythm_env.interface import Meter

WEIGHTS = {"a": 2.0, "b": 0.6, "c": 0.3}
V = Meter.VITALITY


def row(name, weight, **of):
    return Proxy(**{"meter": V, "signal": name, "inputs": ("asleep",), "direction": 1, "weight": weight, **of})


MAP = ProxyMap(version="test", rows=tuple(row(*pair) for pair in WEIGHTS.items()), validity={V: 0.1})


def signal(name="a", z=0.0, quality=1.0, age_hours=1.0):
    return Signal(name=name, z=z, quality=quality, age_hours=age_hours, fact=fact("by_lot"))


signals = st.tuples(
    *(st.none() | st.builds(signal, st.just(name), st.floats(-3, 3), st.floats(0, 1)) for name in WEIGHTS)
)


def test_worked_examples():
    assert doctest.testmod(module).failed == 0
    assert doctest.testmod(words).failed == 0


def test_two_signals_by_hand():
    reading = fuse(MAP, V, [signal("a", z=-1.0, quality=0.5), signal("b", z=2.0), None])
    z = (-1.0 + 1.2) / (1 + 1.0 + 0.6)
    level = 1 / (1 + exp(-(log(0.7 / 0.3) + z)))
    assert reading.level == pytest.approx(level)
    assert reading.sd == pytest.approx(level * (1 - level) * (1 - KNOWABLE * 1.6 / 2.6) ** 0.5)
    assert reading.coverage == pytest.approx(1.6 / 2.9)
    shares = [-1.0 / 2.6, 1.2 / 2.6]
    assert [b.contribution for b in reading.because] == pytest.approx([(level - 0.7) * s / z for s in shares])


@given(st.sampled_from(list(Meter)), st.floats(0.05, 0.98), st.floats(0, 4))
def test_the_trust_behind_a_reading_can_be_told_from_its_sd(meter, level, total):
    sd = module.spread(meter, level, total)
    assert precision(meter, level, sd) == pytest.approx(1 + total, rel=1e-6)
    assert module.spread(meter, level, total + 1) < sd  # more is known, and never more than signs can tell
    assert meter not in module.FELT or sd >= level * (1 - level) * (1 - KNOWABLE) ** 0.5


def test_what_a_person_says_makes_surer_than_signs_ever_can():
    signs, said = signal("a", z=0.0), signal(module.OWN_WORD, z=0.0)
    told = ProxyMap(version="test", rows=(row("a", 100.0), row(module.OWN_WORD, 2.0)))
    most = 0.7 * 0.3 * (1 - KNOWABLE) ** 0.5
    assert fuse(told, V, [signs]).sd == pytest.approx(most, rel=0.01)
    assert fuse(told, V, [signs, said]).sd == pytest.approx(0.21 / (1 / (1 - KNOWABLE) + 2.0) ** 0.5, rel=0.01)


def test_opposite_signals_of_equal_weight_leave_normal_and_keep_their_shares():
    reading = fuse(MAP, V, [signal("b", z=1.0), signal("c", z=-2.0)])
    assert reading.level == pytest.approx(0.70)
    assert [b.contribution for b in reading.because] == pytest.approx([0.21 * 0.6 / 1.9, -0.21 * 0.6 / 1.9])


def test_a_direction_turns_a_signal_and_a_half_life_fades_it():
    rows = (row("a", 1.0, direction=-1), row("b", 1.0, half_life_h=8))
    fading = ProxyMap(version="test", rows=rows)
    reading = fuse(fading, V, [signal("a", z=1.0), signal("b", z=1.0, age_hours=8.0)])
    assert [b.z for b in reading.because] == [-1.0, 1.0]
    assert reading.because[0].contribution == pytest.approx(-2 * reading.because[1].contribution)
    assert reading.coverage == pytest.approx(1.5 / 2)
    assert reading.note == NOT_VALIDATED
    assert fuse(fading, V, [signal("b", z=1.0, age_hours=31.0)]).coverage == 0


def test_what_is_optional_lowers_no_coverage_and_adds_none_beyond_all():
    more = ProxyMap(version="test", rows=(row("a", 1.0), row("b", 1.0, optional=True)))
    assert fuse(more, V, [signal("a", z=1.0)]).coverage == 1
    assert fuse(more, V, [signal("a", z=1.0), signal("b", z=1.0)]).coverage == 1
    assert fuse(more, V, [signal("b", z=1.0)]).coverage == 1


def test_only_what_is_optional_may_have_a_weight():
    mine = ProxyMap(version="test", rows=(row("a", 0.0), row("b", 1.0, optional=True), row("c", 1.0, optional=True)))
    assert fuse(mine, V, [signal("a", z=1.0), signal("b", z=1.0)]).coverage == 0.5
    nothing = ProxyMap(version="test", rows=(row("a", 0.0), row("b", 0.0, optional=True)))
    assert fuse(nothing, V, [signal("a", z=1.0), signal("b", z=1.0)]).coverage == 0


def test_next_to_nothing_is_nothing_and_says_from_what():
    reading = fuse(MAP, V, [signal("c", z=-3.0, quality=0.4)])  # 0.12 of 2.9
    assert (reading.level, reading.coverage, reading.because) == (0.70, 0.0, ())
    assert reading.note == "too little to tell from c alone"


def test_nothing_is_exactly_normal():
    for missing in ([], [None, None], [signal(z=3.0, quality=0.0)]):
        reading = fuse(MAP, V, missing)
        assert (reading.level, reading.coverage, reading.because) == (0.70, 0.0, ())
        assert reading.note == NOTHING_FRESH
        assert reading.sd == pytest.approx(0.21)


@settings(deadline=None)
@given(signals)
def test_level_sd_and_coverage_stay_in_range_and_reasons_add_up(given_signals):
    reading = fuse(MAP, V, given_signals)
    assert 0.05 <= reading.level <= 0.98
    assert 0 < reading.sd <= 0.25
    assert 0 <= reading.coverage <= 1 + 1e-9
    assert sum(b.contribution for b in reading.because) == pytest.approx(reading.level - 0.7)


@settings(deadline=None)
@given(signals, st.sampled_from(sorted(WEIGHTS)), st.floats(-3, 3), st.floats(-3, 3), st.floats(0, 1))
def test_monotone_in_every_input_with_the_others_fixed(others, name, one, other, quality):
    rest = [s for s in others if s is not None and s.name != name]
    low, high = (fuse(MAP, V, [*rest, signal(name, z, quality)]).level for z in sorted((one, other)))
    assert low <= high


@settings(deadline=None)
@given(signals, st.sampled_from(sorted(WEIGHTS)), st.floats(0.5, 1))
def test_one_more_input_of_any_value_makes_it_surer(others, name, quality):
    rest = [s for s in others if s is not None and s.name != name]
    less, more = fuse(MAP, V, rest), fuse(MAP, V, [*rest, signal(name, 0.0, quality)])
    assert more.coverage > less.coverage
    assert less.coverage == 0 or abs(more.level - 0.7) <= abs(less.level - 0.7) + 1e-12


def test_trust_fades_with_age_and_halves_while_calibrating():
    assert freshness(8, 16) == pytest.approx(0.5**0.5)
    assert freshness(30, 16) > 0
    assert freshness(30.01, 16) == freshness(-0.01, 16) == 0
    assert [warmed(0.8, n) for n in (0, 3, 4, 60)] == [0.4, 0.4, 0.8, 0.8]
