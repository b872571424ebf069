"""Times of sport that count: no entry left out because of illness, and none of another kind than the goal's."""

from dataclasses import replace

import pytest

from bridge.advice.review import times_done
from bridge.day.body import Mode, ModeKind
from bridge.day.grid import grid_of
from bridge.day.terms import _ago, _of_goal, _of_last_time
from bridge.day.view import View, of_action
from bridge.domain.facts import fact
from bridge.domain.records import SAID, Deed
from bridge.domain.rendering import for_person
from bridge.domain.wishes import Wishes

from .lives import DAY, TODAY, at, entry, workout
from .persons import SUNDAY, A, free_sunday, person
from .test_outcomes import advice
from .test_put_off import recorded

SIGNS = (fact("resting_hr_up"), fact("skin_warmer"))
BOULDERING = [workout(SUNDAY - back * DAY, 1080, 60, "bouldering") for back in (7, 14, 21, 28)]


def viewed(one, day):
    return View(grid=grid_of(one, one.now) if day == one.date_of(one.now) else grid_of(one, at(day, 720)))


def ago(one, day):
    return _ago(of_action(A.EXERCISE, one), viewed(one, day))


@pytest.mark.parametrize("seen", [-3, -1, 0])
@pytest.mark.parametrize("back", [1, 2, 3])
def test_sport_left_out_because_of_illness_is_no_time_of_it(seen, back):
    """Seen from the days of the illness and from the one after it."""
    climbing = entry(SUNDAY - back * DAY, 1080, 1170, A.EXERCISE, "Climbing")
    one = free_sunday(climbing, episodes=BOULDERING)
    one = replace(one, now=at(SUNDAY + seen * DAY, 600), _read={})
    assert ago(one, SUNDAY) == back
    ill = Mode(kind=ModeKind.ILL, since=SUNDAY - 4 * DAY, until=SUNDAY - DAY, said=True)
    said = replace(one, mode=Mode(past=(ill,)) if seen == 0 else ill, _read={})
    assert ago(said, SUNDAY) == 7
    assert viewed(said, SUNDAY).times_held(A.EXERCISE) == 0


@pytest.mark.parametrize("back", [1, 2, 3])
def test_sport_on_a_day_on_which_the_watch_showed_illness_counts_only_if_it_was_recorded(back):
    day = SUNDAY - back * DAY
    climbing = entry(day, 1080, 1170, A.EXERCISE, "Climbing")
    for done in (False, True):
        one = free_sunday(climbing, episodes=[*BOULDERING, *([workout(day, 1085, 80, "climbing")] if done else [])])
        one._read["fought", day] = fact("illness_of_night", day=day.isoformat(), signs=SIGNS)
        assert ago(one, SUNDAY) == (back if done else 7)


@pytest.mark.parametrize(
    ("title", "asked", "counts"),
    [
        ("Climbing with Leo", "swimming", False),
        ("Bouldering", "swimming", False),
        ("Swim with Ana", "swimming", True),
        ("Schwimmen", "swimming", True),
        ("Lap swimming", "swim", True),
        ("Running club", "swimming, run", True),
        ("Yoga", "something sporty", True),
        ("", "swimming", True),
    ],
)
def test_only_the_kind_of_sport_that_a_goal_names_counts_for_it(title, asked, counts):
    wishes = Wishes(goals={A.EXERCISE: 2}, named={A.EXERCISE: asked})
    for back in (1, 2, 3):
        own = entry(TODAY - back * DAY, 1080, 1140, A.EXERCISE, title)
        one = person(own, hour=16, wishes=wishes)
        assert viewed(one, TODAY).times_held(A.EXERCISE) == counts


def test_the_last_time_told_beside_a_goal_is_of_the_kind_that_it_names():
    swum = [workout(SUNDAY - back * DAY, 1080, 45, "swimming") for back in (5, 6, 12, 13, 19, 20, 26, 27)]
    climbing = entry(SUNDAY - 3 * DAY, 1080, 1170, A.EXERCISE, "Climbing")
    one = free_sunday(climbing, hour=16, episodes=swum)
    for named, days, done in (({A.EXERCISE: "swimming"}, 5, 2), ({}, 3, 3)):
        view = viewed(replace(one, wishes=Wishes(goals={A.EXERCISE: 4}, named=named)), SUNDAY)
        sport = of_action(A.EXERCISE, view.person)
        told = " ".join(for_person([_of_last_time(sport, view, 0), _of_goal(sport, view, 0)]))
        assert f"the last time was {days} days ago" in told
        assert f"your goal: {done} of 4" in told
        assert named or "(swimming)" not in told


@pytest.mark.parametrize(
    ("of", "action", "counts"),
    [
        ({"outcome": Deed.DONE, "evidence": SAID}, A.FAMILY_TIME, 1),
        ({"outcome": Deed.NOT_DONE, "evidence": SAID}, A.FAMILY_TIME, 0),
        ({"outcome": Deed.UNKNOWN}, A.FAMILY_TIME, 0),
        ({"outcome": Deed.DONE, "evidence": SAID}, A.LEARN, 0),
    ],
)
@pytest.mark.parametrize("met", [False, True])
def test_what_is_said_to_be_done_counts_for_a_goal_once_a_day_in_plans_and_the_review(of, action, counts, met):
    given = advice(action, at(TODAY - DAY, 720), kind="suggested", start=4, what="Mam", **of)
    lunch = [entry(TODAY - DAY, 780, 840, A.FAMILY_TIME, "Lunch with mam")] if met else []
    wishes = Wishes(goals={A.FAMILY_TIME: 2}, named={A.FAMILY_TIME: "mam"})
    one = person(*lunch, hour=16, wishes=wishes, advised=[recorded(given)])
    expected = 1 if met else counts
    assert viewed(one, TODAY).times_held(A.FAMILY_TIME) == expected
    (told,) = for_person([_of_goal(of_action(A.FAMILY_TIME, one), viewed(one, TODAY), 0)])
    assert f"your goal: {expected} of 2" in told
    week = at(TODAY - TODAY.weekday() * DAY, 0), at(TODAY, 960)
    assert times_done(A.FAMILY_TIME, one.known, week, one.advised) == expected
