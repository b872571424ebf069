"""The suggestions of a coming week, whose days count those of the days before."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bridge.day.person import Person
from bridge.day.routine import learn_routine
from bridge.domain.types import Task
from bridge.domain.wishes import Wishes
from bridge.installation import Bridge
from rhythm_env.interface import ActionType
from tests.day.lives import DAY, TODAY, at, known, nights, workout
from tests.day.persons import week
from tests.day.test_flights import bridge, flies, plan  # noqa: F401 - the fixture

A = ActionType
WEDNESDAY = TODAY - 2 * DAY
COMING = [WEDNESDAY + k * DAY for k in range(8)]
# Thursday to Sunday on two or three days of each of six weeks: each weekday is usual, and about 2.7 times a week are.
RUNS = [(back, day) for back in range(1, 7) for day in range(4) if (back + day) % 3]


def person(*, wishes: Wishes | None = None) -> Person:
    """Return a Wednesday noon after six weeks of runs on Thursdays to Sundays."""
    done = [workout(WEDNESDAY + (day + 1 - 7 * back) * DAY, 1080, 45) for back, day in RUNS]
    life = known([*nights(35, -60, 420, last=WEDNESDAY), *done], now=at(WEDNESDAY, 720))
    return Person(known=life, now=life.at, routine=learn_routine(life), wishes=wishes or Wishes())


def exercise(made: Person) -> list[datetime]:
    ahead = week(made)
    return [
        block.start
        for day in COMING
        for block in ahead.blocks(day)
        if block.kind == "suggested" and block.action is A.EXERCISE
    ]


def test_a_coming_week_holds_an_action_as_often_as_the_routine() -> None:
    made = person()
    habit = made.routine.habits[A.EXERCISE]
    assert set(habit.starts) == {3, 4, 5, 6}
    assert round(habit.per_week) == 3
    found = exercise(made)
    assert 1 <= len(found) <= 3
    assert all(round(habit.per_week) >= sum(day <= one < day + 7 * DAY for one in found) for day in found)


def test_a_goal_is_planned_as_often_as_it_says() -> None:
    assert len(exercise(person(wishes=Wishes(goals={A.EXERCISE: 5})))) > 3


@pytest.mark.parametrize("goal", [1, 2, 3, 5])
def test_a_goal_below_the_habit_plans_no_more_than_the_habit(goal: int) -> None:
    found = exercise(made := person(wishes=Wishes(goals={A.EXERCISE: goal})))
    monday = at(WEDNESDAY - 2 * DAY, 0)
    most = max(goal, round(made.routine.habits[A.EXERCISE].per_week))
    assert all(sum(low <= one < low + 7 * DAY for one in found) <= most for low in (monday, monday + 7 * DAY))


def test_a_goal_that_is_reached_is_planned_no_more_without_a_habit() -> None:
    done = [workout(WEDNESDAY - back * DAY, 1080, 45) for back in (1, 2)]
    usual = [workout(WEDNESDAY - back * DAY, 1080, 45) for back in (22, 25, 28)]
    life = known([*nights(35, -60, 420, last=WEDNESDAY), *usual, *done], now=at(WEDNESDAY, 720))
    made = Person(known=life, now=life.at, routine=learn_routine(life), wishes=Wishes(goals={A.EXERCISE: 2}))
    sunday = at(WEDNESDAY + 5 * DAY, 0)
    assert [one for one in exercise(made) if one < sunday] == []


def test_a_day_after_one_with_exercise_counts_from_it() -> None:
    made = person()
    (first, *_) = exercise(made)
    ahead = week(made)
    told = [
        fact.kind
        for day in COMING
        for block in ahead.blocks(day)
        if block.start > first and block.action is A.EXERCISE
        for fact in block.facts
    ]
    assert "last_sport" not in told


def test_eight_days_hold_at_least_four_kinds() -> None:
    tasks = [Task(key=key, list="l", title=key, due=WEDNESDAY + DAY) for key in ("Pay rent", "Read chapter 3")]
    made = person()
    actions = {"Pay rent": A.ADMIN_WORK, "Read chapter 3": A.LEARN}
    ahead = week(replace(made, known=replace(made.known, tasks=tasks), task_actions=actions))
    kinds = {block.action for day in COMING for block in ahead.blocks(day) if block.kind in ("suggested", "task")}
    assert len(kinds) >= 4


@pytest.mark.parametrize("ahead", [3, 6, 7, 8, 13, 20, 40])
def test_no_night_lies_over_the_entry_of_a_far_date(bridge: Bridge, tmp_path: Path, ahead: int) -> None:  # noqa: F811
    day = TODAY + ahead * DAY
    race = ("Europe/Berlin", f"{day:%Y%m%d}T063000", "Europe/Berlin", f"{day:%Y%m%d}T090000")
    flies(bridge, tmp_path, race, title="Half marathon")
    now = datetime.combine(TODAY, datetime.min.time(), UTC)
    found, before = plan(bridge, now, day), plan(bridge, now, day - DAY)
    (entry,) = [block for block in found.blocks if block.kind == "entry"]
    assert found.wake is not None
    assert found.wake < entry.start
    assert not [b for b in (*found.blocks, *before.blocks) if b.kind == "sleep" and b.end > entry.start > b.start]
    assert before.bedtime is not None
    assert any(b.start == before.bedtime for b in found.blocks if b.kind == "sleep")
