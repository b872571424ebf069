"""Check-ins as an input of the meters."""

import doctest
from contextlib import closing
from statistics import pvariance

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.advice.recommend import load_snapshot
from bridge.domain.rendering import told
from bridge.domain.samples import CHECK_INS
from bridge.domain.types import Sample
from bridge.ingest import checkins
from bridge.meters import Past, read
from bridge.meters import check_in as module
from bridge.store import Store
from lab.plans.run import bridge_of
from rhythm_env.interface import Meter

from .life import DAY, HOUR, MORNING, body, known

NOON = MORNING + 6 * HOUR


def said(score, ago, about=None):
    at = NOON - ago * DAY
    return Sample(
        key=f"check_in/{about}/{ago}", metric=CHECK_INS[about], start=at, day=at.date(), value=score, offset=60
    )


def share(*answers, meter=Meter.VITALITY, at=NOON):
    reading = read(known(*body(), *answers, at=at))[meter]
    return next((b for b in reading.because if b.signal == "check_in"), None)


def test_worked_examples():
    assert doctest.testmod(module).failed == 0


def test_an_answer_about_nothing_in_particular_counts_for_all():
    readings = read(known(said(5, 0), at=NOON))
    assert all(told(readings[meter].because[-1].fact) == "you said 5 of 5" for meter in Meter)
    assert all(reading.level > 0.7 for reading in readings.values())


def test_an_answer_about_one_meter_counts_for_that_one_and_goes_before_the_general_one():
    assert share(said(1, 0, Meter.SERENITY)) is None
    assert share(said(1, 0, Meter.SERENITY), said(5, 0), meter=Meter.SERENITY).z < 0
    assert share(said(1, 0, Meter.SERENITY), said(5, 0)).z > 0


def test_a_newer_answer_about_nothing_in_particular_goes_before_an_older_one_about_the_meter():
    old = said(5, 5, Meter.VITALITY)
    since = [said(1, ago) for ago in (4, 3, 2, 1)]
    assert told(share(old, *since).fact) == "you said 1 of 5"
    assert told(share(*since, said(5, 1, Meter.VITALITY)).fact) == "you said 5 of 5"


def test_it_is_the_persons_own_scale_that_counts():
    """A person who always says 2 is not unwell at 2, and one who always says 5 is not at their best at 4."""
    low = [said(2, ago) for ago in range(1, 40)]
    high = [said(5, ago) for ago in range(1, 40)]
    assert share(*low, said(2, 0)).z == pytest.approx(0, abs=0.25)
    assert share(*low, said(3, 0)).z > 0.2
    assert share(*high, said(4, 0)).z < -0.2


def test_answers_fade_until_they_tell_next_to_nothing_and_later_ones_do_not_count_yet():
    lone = [share(said(1, ago)) for ago in (0, 1, 3, 8, 15, 22)]
    found = [abs(one.contribution) for one in lone]
    assert found == sorted(found, reverse=True)
    assert share(said(1, 30)) is None
    often = [said(1 + 2 * (ago % 2), ago) for ago in range(26, 56)]
    assert share(*often) is not None  # many answers tell something for longer than one
    assert share(said(5, 0), at=NOON - HOUR) is None


def test_bad_today_moves_todays_level_visibly():
    usual = [said(3 + ago % 2, ago) for ago in range(1, 30)]
    for meter, least in ((Meter.VITALITY, 0.15), (Meter.SERENITY, 0.10)):
        without, bad = (read(known(*body(), *usual, *more, at=NOON))[meter].level for more in ([], [said(1, 0)]))
        assert bad < without - least


def test_words_say_when_earlier_answers_outweigh_the_last():
    bad = [said(1 + ago % 2, ago) for ago in range(1, 12)]
    fine = [said(4, ago) for ago in range(12, 40)]
    assert told(share(*fine, *bad, said(3.5, 0)).fact) == "you said 3.5 of 5, after lower answers"
    assert told(share(*fine, said(3, 4)).fact) == "you said 3 of 5 4 days ago"


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.floats(0, 60), st.floats(1, 5)), min_size=1, max_size=40))
def test_the_filter_is_the_gaussian_process(answers):
    import numpy as np

    answers = sorted(answers, reverse=True)
    days, scores = (np.array(column) for column in zip(*answers, strict=True))
    given_at = module.Said([(NOON - day * DAY, score) for day, score in answers])
    mean, spread = given_at.scale(len(answers))
    apart = np.abs(days[:, None] - days[None, :])

    def alike(distance):
        by_hour = 0.8 + 0.2 * np.cos(2 * np.pi * distance)
        return 0.25 * np.exp(-distance) * by_hour + 0.10 * np.exp(-distance / 14)

    shares = np.linalg.solve(alike(apart) + 0.65 * np.eye(len(days)), alike(days))
    said, weight = given_at.remembered(len(answers), NOON)
    assert weight == pytest.approx(shares.sum(), abs=1e-6)
    expected = shares @ ((scores - mean) / spread)
    assert said * weight == pytest.approx(np.clip(expected / shares.sum(), -3, 3) * weight, abs=1e-6)


@pytest.mark.parametrize("count", [1, 5])
def test_mean_and_spread_are_of_all_answers_and_lean_on_the_middle(count):
    scores = [3.0, 3.0, 3.0, 3.0, 1.0][-count:]
    mean, spread = module.Said([(NOON + k * DAY, score) for k, score in enumerate(scores)]).scale(count)
    assert mean == pytest.approx((sum(scores) + 2 * 3.3) / (count + 2))
    assert spread == pytest.approx(((count * pvariance(scores) + 5 * 0.9**2) / (count + 5)) ** 0.5)


def test_an_answer_is_judged_by_what_was_said_as_a_whole():
    """Two bad months of a life that was good for years are bad months, not the new normal."""
    years = [said(4 + ago % 2, ago) for ago in range(70, 700, 3)]
    months = [said(2 + ago % 2, ago) for ago in range(1, 60)]
    assert share(*years, *months).z < share(*months).z - 0.5


def test_half_a_day_later_an_answer_says_no_more_than_a_day_later():
    once = module.Said([(NOON, 2.0)])
    hours = [once.remembered(1, NOON + after * HOUR)[1] for after in (0, 6, 12, 24, 36)]
    assert hours == pytest.approx([0.35, 0.254, 0.188, 0.185, 0.123], abs=0.001)


def test_few_answers_count_half():
    few, more = (share(*(said(4 + ago % 2, ago) for ago in range(n))) for n in (3, 4))
    assert abs(few.contribution / few.z) < abs(more.contribution / more.z)


def test_without_sensors_an_answer_alone_is_a_reading():
    reading = read(known(*(said(3, ago) for ago in range(1, 10)), said(1, 0), at=NOON))[Meter.VITALITY]
    assert reading.coverage > 0
    assert reading.level < 0.7


def test_answers_from_long_before_are_read_from_the_store():
    with closing(Store("sqlite://")) as store:
        user = store.people.add_user("ana", "Europe/Berlin", now=NOON - 500 * DAY)
        for ago in (400, 300, 200, 1):
            at = NOON - ago * DAY
            checkins.record_check_in(store, user, checkins.CheckIn(at=at, score=4, about=None), now=at)
        known_now = load_snapshot(bridge_of(store), user, at=NOON)
    assert len(Past(known_now).answers.about(Meter.VITALITY, NOON)) == 4
