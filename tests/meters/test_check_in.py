"""What people say of themselves, as an input."""

import doctest

import pytest

from bridge.domain.metrics import CHECK_INS
from bridge.domain.types import Sample
from bridge.meters import check_in as module
from bridge.meters import read
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
    assert all(readings[meter].because[-1].text == "you said 5 of 5" for meter in Meter)
    assert all(reading.level > 0.7 for reading in readings.values())


def test_an_answer_about_one_meter_counts_for_that_one_and_goes_before_the_general_one():
    assert share(said(1, 0, Meter.SERENITY)) is None
    assert share(said(1, 0, Meter.SERENITY), said(5, 0), meter=Meter.SERENITY).z < 0
    assert share(said(1, 0, Meter.SERENITY), said(5, 0)).z > 0


def test_a_newer_answer_about_nothing_in_particular_goes_before_an_older_one_about_the_meter():
    old = said(5, 5, Meter.VITALITY)
    since = [said(1, ago) for ago in (4, 3, 2, 1)]
    assert share(old, *since).text == "you said 1 of 5"
    assert share(*since, said(5, 1, Meter.VITALITY)).text == "you said 5 of 5"


def test_it_is_the_persons_own_scale_that_counts():
    """Who always says 2 is not unwell at 2; who always says 5 is not at their best at 4."""
    low = [said(2, ago) for ago in range(1, 40)]
    high = [said(5, ago) for ago in range(1, 40)]
    assert share(*low, said(2, 0)).z == pytest.approx(0, abs=0.25)
    assert share(*low, said(3, 0)).z > 0.2
    assert share(*high, said(4, 0)).z < -0.2


def test_answers_expire_after_six_days_and_later_ones_do_not_count_yet():
    usual = [said(3, ago) for ago in range(6, 30)]
    assert share(*usual) is not None
    assert share(*usual[1:]) is None
    assert share(said(5, 0), at=NOON - HOUR) is None


def test_few_answers_count_half():
    few, more = (share(*(said(4 + ago % 2, ago) for ago in range(n))) for n in (3, 4))
    assert abs(few.contribution / few.z) < abs(more.contribution / more.z)


def test_without_sensors_an_answer_alone_is_a_reading():
    reading = read(known(*(said(3, ago) for ago in range(1, 10)), said(1, 0), at=NOON))[Meter.VITALITY]
    assert reading.coverage > 0
    assert reading.level < 0.7
