"""Sport on the days after an illness that the person told of or that the watch showed."""

from dataclasses import replace
from datetime import time

import pytest

from bridge.day.body import Mode, ModeKind
from bridge.day.recovery import at_risk
from bridge.domain.facts import fact
from bridge.domain.occasions import Occasion
from bridge.domain.rendering import for_person
from bridge.domain.types import Task
from bridge.domain.wishes import Best, Wishes
from rhythm_env.interface import ActionType

from .lives import DAY, at, entry
from .persons import SUNDAY, A, blocks, found, free_sunday, runs, week

USUAL, HOURS = runs(7, 14, 21, 28), ((time(10), time(12)),)
SIGNS = (fact("resting_hr_up"), fact("skin_warmer"))
GOAL = Wishes(goals={A.EXERCISE: 2})
WEEKLY = Wishes(best={A.EXERCISE: Best(days=frozenset(range(7)))})


def of_date(day, **of):
    return Wishes(terms={Occasion(since=day, until=day): Wishes(**of)})


def said(last):
    return Mode(past=(Mode(kind=ModeKind.ILL, since=last - 2 * DAY, until=last, said=True),))


def after(last, by, *agenda, **of):
    """Somebody who runs on Sundays, on such a Sunday, and whose illness ended on a date."""
    one = free_sunday(*agenda, hour=16.0, episodes=USUAL, **of)
    if "said" in by:
        one = replace(one, mode=said(last))
    if "watch" in by:
        one._read["fought", last] = fact("illness_of_night", day=last.isoformat(), signs=SIGNS)
    return one


@pytest.mark.parametrize("by", ["said", "watch", "said, watch"])
@pytest.mark.parametrize("wishes", [Wishes(), GOAL, WEEKLY], ids=["habit", "goal", "weekday"])
def test_sport_rests_as_long_after_illness_whoever_tells_of_it_and_whatever_asks_for_it(by, wishes):
    for ago, rests in ((1, "Tuesday"), (2, "Monday"), (3, None)):
        one = after(SUNDAY - ago * DAY, by, wishes=wishes)
        offered, held = found(one, 3)
        planned = [block for block in blocks(one, "suggested", SUNDAY) if block.action is A.EXERCISE]
        assert (A.EXERCISE in offered, bool(planned)) == (rests is None,) * 2
        if rests is not None:
            (why,) = for_person([held[A.EXERCISE]])
            assert why.startswith(f"sport rests until {rests}: ")
            assert ("you told of illness until" in why) is ("said" in by)


def test_a_goal_that_illness_leaves_without_a_place_is_told_with_the_illness():
    one = after(SUNDAY - DAY, "said", wishes=GOAL)
    assert for_person(week(one).unmet(SUNDAY)) == [
        "no place for what you wish (exercise): sport rests until Tuesday: you told of illness until Saturday"
    ]


@pytest.mark.parametrize("by", ["said", "watch"])
@pytest.mark.parametrize(
    "wishes",
    [
        of_date(SUNDAY, best={A.EXERCISE: Best(hours=((time(17), time(19)),))}),
        of_date(SUNDAY, goals={A.EXERCISE: 1}),
        of_date(SUNDAY, kinds={"running": Wishes(best={A.EXERCISE: Best(hours=((time(17), time(19)),))})}),
        Wishes(terms={Occasion(since=SUNDAY - 2 * DAY, until=SUNDAY): WEEKLY}),
    ],
)
def test_sport_that_is_wished_for_the_very_date_is_kept_and_made_easy(by, wishes):
    one = after(SUNDAY - DAY, by, wishes=wishes)
    told = for_person(found(one, 3)[0][A.EXERCISE].facts)
    assert any(text.startswith("go easy: ") for text in told)
    assert not any(text.startswith("go easy") for text in for_person(_well(wishes)[A.EXERCISE].facts))


def _well(wishes):
    return found(free_sunday(hour=16.0, episodes=USUAL, wishes=wishes), 3)[0]


@pytest.mark.parametrize("other", [SUNDAY - DAY, SUNDAY + DAY])
def test_a_wish_for_another_date_or_a_goal_of_the_week_is_none_for_the_day(other):
    for wishes in (
        of_date(other, best={A.EXERCISE: Best(hours=HOURS)}),
        Wishes(terms={Occasion(since=SUNDAY - 6 * DAY, until=SUNDAY): GOAL}),
    ):
        assert A.EXERCISE not in found(after(SUNDAY - DAY, "said", wishes=wishes), 3)[0]


@pytest.mark.parametrize("by", ["said", "watch"])
def test_an_entry_of_sport_on_the_days_of_rest_is_kept_with_the_word_to_go_easy(by):
    gym = entry(SUNDAY, 1110, 1170, A.EXERCISE, "Gym")
    for ago, easy in ((1, True), (2, True), (3, False)):
        one = after(SUNDAY - ago * DAY, by, gym)
        (block,) = (block for block in week(one).blocks(SUNDAY) if block.title == "Gym")
        assert ("go_easy" in {why.kind for why in block.facts}) is easy
        assert bool(at_risk(one)) is easy


def test_a_task_of_sport_on_the_days_of_rest_is_kept():
    task = Task(key="t", list="l", title="Run with Ana", due=SUNDAY)
    one = replace(free_sunday(hour=10.0, tasks=[task], task_actions={"t": A.EXERCISE}), mode=said(SUNDAY - DAY))
    (block,) = blocks(one, "task", SUNDAY)
    assert "easy_then" in {why.kind for why in block.facts}


def test_the_preview_and_the_day_agree_on_when_sport_rests():
    """Sunday, seen from the last days of the illness and on the day itself."""
    for wishes in (Wishes(), GOAL):
        for hour, back in ((8, 2), (20, 1), (16, 0)):
            ill = Mode(kind=ModeKind.ILL, since=SUNDAY - 3 * DAY, until=SUNDAY - DAY, said=True)
            one = free_sunday(episodes=USUAL, wishes=wishes, mode=ill if back else said(SUNDAY - DAY))
            one = replace(one, now=at(SUNDAY - back * DAY, 60 * hour), _read={})
            for ahead, rests in ((0, True), (1, True)):
                sport = [b for b in week(one).blocks(SUNDAY + ahead * DAY) if b.action is ActionType.EXERCISE]
                assert (not sport) is rests
