"""Laws of wished amounts: a day's sum, the hours before bed, and what is wanted more or less, all obeyed in plans."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bridge.day.choice import look, options
from bridge.day.sums import minutes_left, times_left
from bridge.day.view import Said
from bridge.domain.types import Task
from bridge.domain.wishes import Wishes
from bridge.wishes.hearing import understood
from bridge.wishes.said import applied
from rhythm_env.interface import ActionType
from tests.day.lives import DAY, TODAY, at, entry
from tests.day.persons import HOUR, MINUTE, SUNDAY, blocks, found, free_sunday, person

A = ActionType
EVERY_DAY = Wishes(goals={A.LEARN: 7})


def wished(text: str, wishes: Wishes = EVERY_DAY) -> Wishes:
    return applied(wishes, understood(text))


def length_of(one, action: ActionType) -> timedelta | None:
    option = found(one, 3)[0].get(action)
    return None if option is None else option.end - option.start


@pytest.mark.parametrize(("minutes", "left"), [(90, 45), (30, 30), (20, 20)])
def test_a_suggestion_is_no_longer_than_the_sum_of_the_day(minutes: int, left: int) -> None:
    made = person(hour=18, wishes=wished(f"at most {minutes} minutes of learning a day"))
    assert length_of(made, A.LEARN) == left * MINUTE


@pytest.mark.parametrize(("most", "left"), [(90, 30), (75, None), (60, None), (180, 45)])
def test_what_the_day_holds_counts_to_its_sum(most: int, left: int | None) -> None:
    made = person(
        entry(TODAY, 1080, 1140, A.LEARN, "Spanish course"),
        hour=17,
        wishes=wished(f"learning at most {most} min a day"),
    )
    view = look(made, made.now)
    assert minutes_left(A.LEARN, view) == most - 60
    given = options(view, (made.now, made.now + 5 * HOUR))[0].get(A.LEARN)
    assert given is None or left is not None


def test_suggestions_made_and_expected_count_to_the_sum_of_the_day() -> None:
    made = person(hour=18, wishes=wished("learning at most once a day; meditate at most twice a day"))
    view = look(made, made.now)
    assert times_left(A.LEARN, view) == 1
    had = [Said(action=A.LEARN, start=at(TODAY, 900), end=at(TODAY, 930))]
    later = type(view)(grid=view.grid, said=had)
    assert times_left(A.LEARN, later) == 0
    assert A.LEARN not in options(later, (made.now, made.now + 3 * HOUR))[0]
    yesterday = [Said(action=A.LEARN, start=at(TODAY - DAY, 900), end=at(TODAY - DAY, 930))]
    assert times_left(A.LEARN, type(view)(grid=view.grid, said=yesterday)) == 1


@pytest.mark.parametrize("most", [60, 90, 120])
def test_the_tasks_of_one_plan_together_keep_the_sum(most: int) -> None:
    due = [Task(key=f"t{k}", list="l", title=f"Write part {k}", due=TODAY, effort=1.0) for k in range(3)]
    of = {"hour": 8, "tasks": due, "task_actions": {one.key: A.DEEP_WORK for one in due}}
    made = person(**of, wishes=Wishes(minutes_daily={A.DEEP_WORK: most}))
    held, free = (
        sum((one.end - one.start for one in placed(each, A.DEEP_WORK)), 0 * HOUR) for each in (made, person(**of))
    )
    assert held == most // 60 * HOUR
    assert free == 3 * HOUR


def placed(one, action: ActionType):
    return [block for kind in ("task", "suggested") for block in blocks(one, kind) if block.action is action]


@pytest.mark.parametrize(
    "text", ["nothing in the last two hours before bed", "keine Serien drei Stunden vor dem Schlafen"]
)
def test_hours_before_bed_follow_the_bedtime(text: str) -> None:
    for hour in (20, 20.5, 21):
        made = person(hour=hour, wishes=wished(text, Wishes(goals={A.MEDITATE: 7, A.BINGE_WATCH: 7})))
        bed = made.sleep(TODAY + DAY)[0]
        before = next(iter(made.wishes.before_bed.values())) * MINUTE
        for action, one in found(made, 3)[0].items():
            assert action not in made.wishes.before_bed or one.end <= bed - before


def test_hours_before_bed_move_with_a_wished_bedtime() -> None:
    base = Wishes(goals={A.MEDITATE: 7})
    early = wished("in bed by 9 pm", base)
    text = "no meditation in the last two hours before bed"
    assert A.MEDITATE in found(person(hour=19.5, wishes=wished(text, base)), 1)[0]
    assert A.MEDITATE in found(person(hour=19.5, wishes=early), 1)[0]
    assert A.MEDITATE not in found(person(hour=19.5, wishes=wished(text, early)), 1)[0]


def test_what_is_wanted_more_is_worth_more_and_what_is_wanted_less_is_worth_less() -> None:
    values = []
    for text in ("less learning", None, "more learning"):
        made = free_sunday(hour=10, wishes=EVERY_DAY if text is None else wished(text))
        values.append(found(made, 6)[0][A.LEARN].value)
    assert values == sorted(values)
    assert len(set(values)) == 3


def test_what_is_wanted_more_is_a_reason_by_itself() -> None:
    assert A.FAMILY_TIME not in found(free_sunday(hour=13), 6)[0]
    given = found(free_sunday(hour=13, wishes=wished("mehr Zeit mit der Familie", Wishes())), 6)[0]
    assert "wished_more" in [one.kind for one in given[A.FAMILY_TIME].facts]


def test_the_sum_of_another_action_changes_nothing() -> None:
    for text in ("at most an hour of tv a day", "no tv two hours before bed", "less tv"):
        assert found(person(hour=18, wishes=wished(text)), 3)[0].get(A.LEARN) == found(
            person(hour=18, wishes=EVERY_DAY), 3
        )[0].get(A.LEARN)


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("only one suggestion on weekends", 1),
        ("at most two suggestions on Sundays", 2),
        ("am Wochenende höchstens ein Vorschlag", 1),
        ("am Sonntag keine Vorschläge", 0),
        ("at most one suggestion on workdays", 3),
    ],
)
def test_the_suggestions_of_some_days_are_so_many(text: str, most: int) -> None:
    wishes = Wishes(goals={A.LEARN: 7, A.MEDITATE: 7, A.FAMILY_TIME: 7, A.ME_TIME: 7})
    made = free_sunday(wishes=wished(text, wishes))
    assert len(blocks(made, "suggested")) == most


GOALS = Wishes(goals=dict.fromkeys((A.LEARN, A.MEDITATE, A.FAMILY_TIME, A.ME_TIME, A.EXERCISE), 7), suggestions=6)


def begun(one, low: int, high: int) -> int:
    return sum(at(SUNDAY, 60 * low) <= block.start < at(SUNDAY, 60 * high) for block in blocks(one, "suggested"))


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("at most one suggestion between eleven am and ten pm", 11, 22),
        ("on Sundays at most one suggestion after eleven am", 11, 24),
        ("zwischen 11 und 22 Uhr höchstens ein Vorschlag", 11, 22),
        ("am Wochenende vor 13 Uhr nur ein Vorschlag", 0, 13),
    ],
)
def test_the_suggestions_of_some_hours_are_so_many(text: str, low: int, high: int) -> None:
    free, held = (free_sunday(hour=8, wishes=one) for one in (GOALS, wished(text, GOALS)))
    assert begun(free, low, high) > 1
    assert begun(held, low, high) == 1


def test_hours_that_hold_their_suggestions_take_no_other() -> None:
    made = free_sunday(hour=13, wishes=wished("at most one suggestion in the afternoon", GOALS))
    view = look(made, made.now)
    had = [Said(action=A.MEDITATE, start=at(SUNDAY, 900), end=at(SUNDAY, 915))]
    for said, allowed in (([], True), (had, False)):
        given = options(type(view)(grid=view.grid, said=said), (made.now, made.now + 4 * HOUR))[0]
        assert any(one.task is None for one in given.values()) is allowed


def test_hours_of_other_days_bound_nothing() -> None:
    made = free_sunday(hour=8, wishes=wished("at most one suggestion in the afternoon on workdays", GOALS))
    assert len(blocks(made, "suggested")) == len(blocks(free_sunday(hour=8, wishes=GOALS), "suggested"))
