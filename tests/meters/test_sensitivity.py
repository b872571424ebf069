"""The measure of how much a body tells about its owner's feeling."""

import doctest
import random

from bridge.domain.metrics import Metric
from bridge.domain.types import Sample
from bridge.meters import read_slots
from bridge.meters import sensitivity as module
from rhythm_env.interface import Meter

from .life import DAY, HOUR, MORNING, body, known

NOON = MORNING + 6 * HOUR


def said(ago, score):
    at = NOON - ago * DAY
    return Sample(key=f"check_in/{ago}", metric=Metric.CHECK_IN, start=at, day=at.date(), value=score)


def told(answers, meter=Meter.VITALITY):
    return module.sensitivity(known(*body(days=150), *answers, at=NOON), meter)


def levels(days):
    starts = [NOON - ago * DAY for ago in range(days, 0, -1)]
    return [one[Meter.VITALITY].level for one in read_slots(known(*body(days=150), at=NOON), starts)]


def test_worked_examples():
    assert doctest.testmod(module).failed == 0


def test_who_feels_what_the_body_shows_is_told_so():
    followed = [said(40 - k, 1 + 4 * level) for k, level in enumerate(levels(40))]
    assert told(followed).text.startswith("your body says much about how you feel")
    assert told(followed).correlation < 1  # leaning on nothing, because answers are few


def test_who_feels_otherwise_is_told_so():
    rng = random.Random(2)
    assert told([said(ago, rng.choice([2, 3, 4])) for ago in range(1, 41)]).text.startswith("your body says little")


def test_few_answers_and_counted_meters_tell_nothing():
    few = [said(ago, 3 + ago % 2) for ago in range(1, 20)]
    assert told(few) is None
    assert told([*few, *(said(ago, 3) for ago in range(20, 40))], Meter.CONNECTION) is None
