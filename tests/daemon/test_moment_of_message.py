"""A message waits for the hours at which the person answers soon, as far as the plan and the slot allow."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from bridge.advice import feedback, notify, recommend
from bridge.advice.notify import SOON, chances
from bridge.domain.guard import Guard
from bridge.domain.records import Feedback, Recommendation
from bridge.domain.slots import INSTANT
from rhythm_env.interface import Answer
from tests.daemon.stage import MONDAY, Stage

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
EARLY, LATE = 2, 3  # the three hours from 06:00, and those from 09:00


@pytest.fixture
def stage(stage: Stage) -> Stage:
    stage.add("ana", "Europe/Berlin")
    return stage


def test_hours_at_which_somebody_answers_are_learnt_and_shrunk() -> None:
    everybody = chances([])
    assert max(everybody) - min(everybody) < 1e-9
    assert 0.7 < everybody[0] < 0.85
    once, often = chances([(LATE, False)]), chances([(EARLY, True), (LATE, False)] * 20)
    assert everybody[LATE] > once[LATE] > 0.5  # an answer alone changes little
    assert everybody[EARLY] > once[EARLY] > once[LATE]  # the rate of the person is in all hours
    assert often[EARLY] - often[LATE] > 0.3


def advised(stage: Stage) -> Recommendation:
    bridge, user = stage.bridge, stage.users[0]
    recommend.recommend(bridge, user, bridge.policy(), now=stage.now, guard=Guard(silent=False))
    return bridge.store.recommendations.full_between(user.id, since=stage.now, until=stage.now + INSTANT)[0]


def test_a_message_waits_for_a_better_hour_before_the_plan_begins_and_its_chance_is_kept(stage: Stage) -> None:
    store, user = stage.bridge.store, stage.users[0]
    days = [MONDAY + HOUR + day * DAY for day in range(7, 30) if day % 7 < 5]  # workdays, 07:00 in Berlin
    for number, day in enumerate(days[:16]):  # early ones are answered in the evening, late ones at once
        stage.now = day + (number % 2) * 2 * HOUR
        one = advised(stage)
        assert store.notifications.begin(user.id, one.id, now=stage.now, likely=0.5)
        store.notifications.finish(one.id, None, now=stage.now)
        then = stage.now + (SOON / 2 if number % 2 else 2 * HOUR)
        feedback.give_feedback(store, user, one.id, Feedback(answer=Answer.ACCEPT), now=then)
    stage.now = days[16]
    new = replace(advised(stage), start=None, end=None)
    at, likely = notify.best_moment(store, user, new, now=stage.now)
    assert (at - stage.now, likely > 0.6) == (2 * HOUR, True)  # 09:00 in Berlin
    soon = replace(new, start=stage.now + HOUR)
    assert notify.best_moment(store, user, soon, now=stage.now)[0] == stage.now
    assert len(store.notifications.answers(user.id, until=stage.now)) == 16
