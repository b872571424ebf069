"""Wishes that put all work on some of Monday to Friday tell the working days, whatever the calendar shows."""

from __future__ import annotations

from datetime import time

import pytest

from bridge.advice import wishing
from bridge.advice.recommend import load_person
from bridge.day.work import OFFICE, OFFICE_WORK, said_week
from bridge.domain.records import User
from bridge.domain.wishes import Wishes
from bridge.installation import Bridge
from rhythm_env.interface import ActionType

from .lives import DAY
from .test_kept import NOON, home  # noqa: F401 - the fixture

NONE = ((),) * 7
LEARNT = ((), (), (), (), (), ((510.0, 830.0),), ())  # a Saturday


def wished(days, hours=None, actions=OFFICE_WORK):
    spans = {} if hours is None else dict.fromkeys(actions, hours)
    return Wishes(days=dict.fromkeys(actions, frozenset(days)), hours=spans)


@pytest.mark.parametrize("days", [range(5), range(4), (0, 2, 4), (1,)])
def test_the_days_that_are_said_are_worked_and_no_others(days):
    for week, hours, expected in (
        (NONE, ((time(9), time(17)),), (540.0, 1020.0)),
        (LEARNT, ((time(9), time(17)),), (540.0, 1020.0)),
        (LEARNT, None, (510.0, 830.0)),
        (NONE, None, OFFICE),
    ):
        said = said_week(week, wished(days, hours))
        assert said == tuple((expected,) if day in days else () for day in range(7))


def test_days_of_a_weekend_or_of_one_kind_of_work_tell_no_working_days():
    assert said_week(LEARNT, wished(range(4, 7))) is None
    assert said_week(LEARNT, wished({0, 1, 2, 3, 5, 6})) is None  # "no work on Fridays"
    assert said_week(LEARNT, wished(range(5), actions=[ActionType.DEEP_WORK])) is None
    assert said_week(LEARNT, Wishes()) is None


def test_working_days_said_in_words_are_those_of_the_plan(home: tuple[Bridge, User]) -> None:  # noqa: F811
    bridge, user = home
    for text in ("I work Monday to Friday", "I work from 9 to 5"):
        wishing.say_wish(bridge.store, user, text, confirmed=True, now=NOON)
    person = load_person(bridge, user, now=NOON)
    monday = NOON.date() - NOON.weekday() * DAY
    worked = [[(low.hour, high.hour) for low, high in person.work(monday + k * DAY)] for k in range(7)]
    assert worked == [[(9, 17)]] * 5 + [[], []]
    assert person.routine.work_known
