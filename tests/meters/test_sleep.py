"""Our own score of a night."""

import random
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.domain.metrics import Metric
from bridge.meters import sleep
from bridge.meters.sleep import need, night_of

from .life import DAY, MORNING, TODAY, night

OFFSET = timedelta(hours=1)


def score(day, found):
    return sleep.score(day, found, {one: need(one, found) for one in found})


def nights(*episodes):
    return {episode.day: night_of(episode, OFFSET) for episode in episodes}


def test_one_night_by_hand():
    only = night(0, 420, sleep_need=480, sleep_efficiency=90, deep_sleep=63, rem_sleep=84)
    parts = 0.45 * 3 / 3.75 + 0.20 * 1.0 + 0.10 * (0.15 / 0.18 + 1) / 2 + 0.15 * (1 - 0.75 / 2.5)
    assert score(TODAY, nights(only)) == pytest.approx(parts / 0.9)


def test_parts_that_are_not_known_do_not_count():
    assert score(TODAY, nights(night(0, 420))) == pytest.approx((0.45 * 6 / 7 + 0.15 * 0.8) / 0.6)


def test_regularity_by_hand():
    late = night(0, 480)
    late = replace(late, start=late.start + timedelta(hours=1), end=late.end + timedelta(hours=1))
    assert score(TODAY, nights(late, *(night(ago) for ago in (1, 2, 3)))) == pytest.approx((0.6 + 0.10 * 0.6) / 0.7)
    assert score(TODAY, nights(late, night(1), night(2))) == 1  # two nights are no habit


def test_debt_fades_with_a_half_life_of_two_and_a_half_days():
    tonight, worst = night(0, 480), night(5, 240)
    weight = 0.5**2
    debt = 3.5 * weight / (1 + weight)
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
    assert score(TODAY, days) > 0.97


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
    assert night_of(night(0, sleep_need=900), OFFSET).stated == 10
    assert night_of(night(0, sleep_need=60), OFFSET).stated == 5


def weeks(workday, weekend, *, late=0.0, **values):
    """Seven weeks in which free nights last ``weekend`` minutes and end ``late`` hours later."""
    found = []
    for ago in range(49):
        one = night(ago, workday, **values)
        if one.day.weekday() in (5, 6):
            free = {**one.values, Metric.ASLEEP: weekend}
            one = replace(one, end=one.end + late * timedelta(hours=1), values=free)
        found.append(one)
    return nights(*found)


def test_the_need_is_learnt_from_free_nights():
    assert need(TODAY, nights(night(0))) == 7.5
    for hours in (6.5, 7.5, 9.0):
        assert need(TODAY, weeks(60 * hours, 60 * hours)) == pytest.approx(hours, abs=0.7)
    short, long = need(TODAY, weeks(390, 390)), need(TODAY, weeks(540, 540))
    assert short < 7.2 < 8.3 < long


def test_a_night_that_pays_back_debt_tells_no_need():
    """On Saturdays after short weeks people sleep in; the Sunday after has little to pay back."""
    found = weeks(360, 600, late=3)
    paid = need(TODAY, found)
    for day in [day for day in found if day.weekday() == 4]:
        found[day] = replace(found[day], asleep=3.0)  # so that the Saturday after only pays back
    assert need(TODAY, found) < paid


def test_the_vendors_need_is_one_voice():
    assert need(TODAY, weeks(420, 420, sleep_need=540)) == pytest.approx((need(TODAY, weeks(420, 420)) + 9) / 2)


def test_who_sleeps_the_same_every_night_is_not_below_the_need_for_ever():
    below = 0
    for seed in range(20):
        rng = random.Random(seed)
        usual = rng.uniform(380, 500)
        found = nights(*(night(ago, rng.gauss(usual, 50)) for ago in range(60)))
        last = sorted(found)[-20:]
        below += sum(found[day].asleep < need(day, found) - 0.25 for day in last) / 20
    assert 0.2 < below / 20 < 0.55


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
