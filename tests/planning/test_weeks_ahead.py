"""The suggestions of a coming week, whose days count those of the days before."""

from __future__ import annotations

from datetime import date, datetime

from bridge import registry
from bridge.advice.day_plan import Ahead, _blocks
from bridge.day.routine import learn_routine
from bridge.domain.guard import Guard
from bridge.domain.rendering import for_person
from bridge.domain.wishes import Wishes
from bridge.planning.day_plan import Block
from bridge.planning.situation import Situation
from rhythm_env.interface import ActionType
from tests.planning.lives import DAY, TODAY, at, known, nights, workout

A = ActionType
WEDNESDAY = TODAY - 2 * DAY
COMING = [WEDNESDAY + k * DAY for k in range(8)]
# Thursday to Sunday on two or three days of each of six weeks: each weekday is usual, and about 2.7 times a week are.
RUNS = [(week, day) for week in range(1, 7) for day in range(4) if (week + day) % 3]


def situation(*, wishes: Wishes | None = None, runs: int = len(RUNS)) -> Situation:
    """Return a Wednesday noon after six weeks of runs on Thursdays to Sundays."""
    done = [workout(WEDNESDAY + (day + 1 - 7 * week) * DAY, 1080, 45) for week, day in RUNS[:runs]]
    life = known([*nights(35, -60, 420, last=WEDNESDAY), *done], now=at(WEDNESDAY, 720))
    return Situation(known=life, now=life.at, routine=learn_routine(life), wishes=wishes or Wishes())


def planned(made: Situation, day: date, ahead: Ahead | None = None) -> list[Block]:
    policy = registry.policy("planner")
    return list(_blocks(made, day, policy, Guard(explore=0.0), {} if ahead is None else ahead))


def exercise(made: Situation, *, ahead: Ahead | None = None) -> list[datetime]:
    return [
        block.start
        for day in COMING
        for block in planned(made, day, ahead)
        if block.kind == "suggested" and block.action is A.EXERCISE
    ]


def test_a_coming_week_holds_an_action_as_often_as_the_routine() -> None:
    made = situation()
    habit = made.routine.habits[A.EXERCISE]
    assert set(habit.starts) == {3, 4, 5, 6}
    assert round(habit.per_week) == 3
    found = exercise(made)
    assert 1 <= len(found) <= 3
    assert all(round(habit.per_week) >= sum(day <= one < day + 7 * DAY for one in found) for day in found)


def test_a_goal_is_planned_as_often_as_it_says() -> None:
    assert len(exercise(situation(wishes=Wishes(goals={A.EXERCISE: 5})))) > 3


def test_a_plan_of_a_day_is_the_same_alone_and_within_its_week() -> None:
    made, ahead = situation(), Ahead()
    for day in COMING:
        assert planned(made, day) == planned(made, day, ahead)


def test_a_day_after_one_with_exercise_counts_from_it() -> None:
    made = situation()
    (first, *_) = exercise(made)
    told = [
        reason
        for day in COMING
        for block in planned(made, day)
        if block.start > first and block.action is A.EXERCISE
        for reason in for_person(block.facts)
    ]
    assert not any("days ago" in reason for reason in told)
