"""Our own score of a night."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.domain.metrics import Metric
from bridge.meters.sleep import night_of, score

from .life import DAY, MORNING, TODAY, night

OFFSET = timedelta(hours=1)


def nights(*episodes):
    return {episode.day: night_of(episode, OFFSET) for episode in episodes}


def test_one_night_by_hand():
    only = night(0, 420, sleep_need=480, sleep_efficiency=90, deep_sleep=63, rem_sleep=84)
    parts = 0.45 * 0.75 + 0.20 * 1.0 + 0.10 * (0.15 / 0.18 + 1) / 2 + 0.15 * (1 - 1 / 2.5)
    assert score(TODAY, nights(only)) == pytest.approx(parts / 0.9)


def test_parts_that_are_not_known_do_not_count():
    assert score(TODAY, nights(night(0, 420))) == pytest.approx((0.45 * 0.75 + 0.15 * 0.6) / 0.6)


def test_regularity_by_hand():
    late = night(0, 480)
    late = replace(late, start=late.start + timedelta(hours=1), end=late.end + timedelta(hours=1))
    assert score(TODAY, nights(late, *(night(ago) for ago in (1, 2, 3)))) == pytest.approx((0.6 + 0.10 * 0.6) / 0.7)
    assert score(TODAY, nights(late, night(1), night(2))) == 1  # two nights are no habit


def test_debt_fades_with_a_half_life_of_two_and_a_half_days():
    tonight, worst = night(0, 480), night(5, 240)
    weight = 0.5**2
    debt = 4 * weight / (1 + weight)
    assert score(TODAY, nights(tonight, worst)) == pytest.approx((0.45 + 0.15 * (1 - debt / 2.5)) / 0.6)


def test_regularity_goes_round_the_clock():
    shift = [replace(n, start=n.start + 8 * OFFSET, end=n.end + 8 * OFFSET) for n in (night(a) for a in (1, 2, 3))]
    just_before = replace(night(0), start=MORNING - DAY + 8.5 * OFFSET, end=MORNING - DAY + 15.5 * OFFSET)
    assert night_of(shift[0], OFFSET).middle == pytest.approx(23)
    found = nights(*shift)
    found[TODAY] = night_of(just_before, OFFSET)
    assert found[TODAY].middle == pytest.approx(7, abs=0.01)
    found[TODAY] = replace(found[TODAY], middle=1.0)  # 13:00 against 11:00: two hours, not twenty-two
    assert score(TODAY, found) == pytest.approx((0.6 + 0.10 * (1 - 2 / 2.5)) / 0.7)


def test_who_regularly_sleeps_around_noon_is_regular():
    found = nights(*(night(ago, 480) for ago in range(5)))
    middles = [23.9, 0.1, 23.8, 0.2, 0.0]
    days = {day: replace(one, middle=middle) for (day, one), middle in zip(found.items(), middles, strict=True)}
    assert score(TODAY, days) > 0.99


@pytest.mark.parametrize(
    ("values", "hours"),
    [
        ({"light_sleep": 200, "deep_sleep": 60, "rem_sleep": 100}, 6.0),
        ({"in_bed": 480, "awake": 60}, 7.0),
        ({"in_bed": 480}, None),
        ({"asleep": 59}, None),
        ({"asleep": 961}, None),
    ],
)
def test_time_asleep_from_what_the_source_tells(values, hours):
    episode = replace(night(0), values={Metric(name): value for name, value in values.items()})
    found = night_of(episode, OFFSET)
    assert (found and found.asleep) == hours


def test_an_impossible_efficiency_is_not_known_and_the_need_is_bounded():
    assert night_of(night(0, sleep_efficiency=12), OFFSET).efficiency is None
    assert night_of(night(0, 432, in_bed=480), OFFSET).efficiency == pytest.approx(0.9)
    assert night_of(night(0, sleep_need=900), OFFSET).need == 9
    assert night_of(night(0, sleep_need=60), OFFSET).need == 5


@settings(deadline=None)
@given(
    st.floats(60, 960),
    st.floats(60, 960),
    st.floats(30, 100),
    st.floats(30, 100),
    st.lists(st.floats(60, 960), max_size=14),
)
def test_longer_and_tighter_sleep_never_scores_less(one, other, tight, loose, before):
    earlier = [night(ago + 1, asleep) for ago, asleep in enumerate(before)]
    worse = score(TODAY, nights(night(0, min(one, other), sleep_efficiency=min(tight, loose)), *earlier))
    better = score(TODAY, nights(night(0, max(one, other), sleep_efficiency=max(tight, loose)), *earlier))
    assert 0 <= worse <= better + 1e-12 <= 1 + 1e-9
