"""Habits: how often, when, how long, under which name."""

import random
from dataclasses import replace
from datetime import timedelta

import pytest

from bridge.day.routine import learn_routine
from bridge.domain.metrics import Metric
from bridge.domain.types import EpisodeKind, Response, Sample
from rhythm_env.interface import ActionType

from .lives import DAY, TODAY, at, days, entry, known, nights, sleep, whole_day, workout
from .persons import blocks as blocks_of
from .persons import person

NIGHT = at(TODAY, 1439)
TUESDAYS = [day for day in days(42) if day.weekday() == 1]


def habits(episodes=(), agenda=(), **of):
    return learn_routine(known(episodes, agenda, now=NIGHT, **of)).habits


def exercise(*rows, **of):
    return habits(*rows, **of)[ActionType.EXERCISE]


def test_no_data_no_habit():
    assert habits() == {}


def test_a_weekly_class():
    found = exercise((), [entry(day, 1110, 1170, "EXERCISE", "Yoga #4") for day in TUESDAYS])
    assert found.per_week == pytest.approx(1.0, rel=0.2)
    assert (found.minutes, found.starts, found.names) == (60, {1: 1110}, {1: "Yoga"})


def test_a_workout_that_stands_in_the_calendar_counts_once():
    agenda = [entry(day, 1110, 1170, "EXERCISE", "Run with Ben") for day in TUESDAYS]
    ran = [workout(day, 1118, 47) for day in TUESDAYS]
    assert exercise(ran, agenda) == exercise((), agenda)


def test_a_workout_of_two_sources_counts_once():
    ran = [workout(day, 420, 40) for day in TUESDAYS]
    again = [workout(day, 422, 41, "run", source="strava") for day in TUESDAYS]
    assert exercise([*ran, *again]).per_week == exercise(ran).per_week


def test_the_word_of_the_watch_without_a_calendar():
    found = exercise([workout(day, 420, 40, "HKWorkoutActivityTypeTraditionalStrengthTraining") for day in TUESDAYS])
    assert found.names == {1: "traditional strength training"}


@pytest.mark.parametrize("seed", range(12))
def test_a_named_start_is_one_of_the_latest_entries_with_the_name(seed):
    """Whatever else of the action is near it, in the calendar or measured, and whenever it was moved."""
    rng = random.Random(seed)
    starts = sorted(rng.choice(range(600, 700, 15)) for _ in TUESDAYS)
    yoga = [entry(day, start, start + 60, "EXERCISE", "Yoga") for day, start in zip(TUESDAYS, starts, strict=True)]
    beside = [entry(day, 540, 540 + rng.randrange(7, 59), "EXERCISE", "Gym") for day in rng.sample(TUESDAYS, 2)]
    ran = [workout(day, rng.randrange(500, 540), 20) for day in rng.sample(TUESDAYS, 2)]
    found = exercise(ran, [*yoga, *beside])
    assert found.names[1] == "Yoga"
    assert found.starts[1] in starts[-3:]


def test_what_was_done_once_is_told_as_no_habit():
    for times in range(1, 4):
        agenda = [entry(day, 1110, 1260, "BINGE_WATCH", "Cinema") for day in TUESDAYS[-times:]]
        told = learn_routine(known((), agenda, now=NIGHT)).told_habits
        assert (ActionType.BINGE_WATCH in told) is (times > 1)


def test_a_start_is_usual_from_two_days_on():
    once = exercise((), [entry(TUESDAYS[-1], 1110, 1170, "EXERCISE", "Yoga")])
    assert once.starts == {}
    assert once.names == {}
    assert once.minutes == 60
    twice = exercise((), [entry(day, 1110, 1170, "EXERCISE", "Yoga") for day in TUESDAYS[-2:]])
    assert twice.starts == {1: 1110}


def test_an_all_day_entry_of_an_action_is_its_last_time():
    usual = [entry(day, 1110, 1170, "EXERCISE", "Yoga") for day in TUESDAYS[:-1]]
    ride = TODAY - timedelta(days=2)
    found = exercise((), [*usual, whole_day(ride, "Ride round the lake", "EXERCISE")])
    assert found.last == at(ride + DAY, 0)
    assert replace(found, last=None) == replace(exercise((), usual), last=None)
    assert exercise((), [*usual, whole_day(TODAY + 3 * DAY, "Ride", "EXERCISE")]).last == exercise((), usual).last
    declined = whole_day(ride, "Ride", "EXERCISE", response=Response.DECLINED)
    assert exercise((), [*usual, declined]).last == exercise((), usual).last


def test_the_usual_time_among_others():
    usual = [entry(day, 420, 450, "MEDITATE", "Sit") for day in TUESDAYS]
    other = [entry(day, 1300, 1310, "MEDITATE", "Pause") for day in TUESDAYS[:2]]
    found = habits((), [*usual, *other])[ActionType.MEDITATE]
    assert (found.starts, found.names) == ({1: 420}, {1: "Sit"})


def test_different_titles_give_no_name():
    agenda = [entry(day, 600, 660, "ADMIN_WORK", f"Topic {'abcdef'[k]}") for k, day in enumerate(TUESDAYS)]
    assert habits((), agenda)[ActionType.ADMIN_WORK].names == {}


def test_a_private_entry_gives_no_name():
    agenda = [entry(day, 600, 660, "ME_TIME", "Therapy", private=True) for day in TUESDAYS]
    assert habits((), agenda)[ActionType.ME_TIME].names == {}


def test_of_sleep_only_naps():
    nights = [sleep(day, -60, 400) for day in days(28)]
    planned = [entry(day, 0, 420, "SLEEP", "Sleep") for day in days(28)]
    assert habits(nights, planned) == {}
    naps = [sleep(day, 800, 825, kind=EpisodeKind.NAP) for day in TUESDAYS]
    found = habits([*nights, *naps])[ActionType.SLEEP]
    assert (found.minutes, found.starts) == (25, {1: 800})


def test_sessions_of_mindfulness():
    start, end = at(TUESDAYS[-1], 420), at(TUESDAYS[-1], 432)
    sat = Sample(key="m", metric=Metric.MINDFUL, start=start, end=end, day=TUESDAYS[-1], value=12)
    assert habits(samples=[("apple", sat)])[ActionType.MEDITATE].minutes == 12


@pytest.mark.parametrize(
    "one",
    [
        whole_day(TUESDAYS[-1], "Gym week", "EXERCISE"),
        entry(TUESDAYS[-1], 600, 660, "EXERCISE", response=Response.DECLINED),
        entry(TUESDAYS[-1], 600, 660, "EXERCISE", cancelled=True),
        entry(TUESDAYS[-1], 600, 660, "EXERCISE", busy=False),
        entry(TUESDAYS[-1], 600, 660, "EXERCISE", kind="advice:EXERCISE"),
        entry(TODAY + DAY, 600, 660, "EXERCISE"),
        entry(TODAY - 50 * DAY, 600, 660, "EXERCISE"),
    ],
)
def test_what_is_no_evidence(one):
    assert habits((), [one]) == {}


def test_how_often_counts_from_the_first_data_on():
    ran = [workout(day, 420, 40) for day in days(14)[::2]]
    assert exercise(ran).per_week == pytest.approx(3.5, rel=0.2)
    assert exercise(ran[-1:]).per_week == 1.0


def test_rows_in_any_order():
    rng = random.Random(2)
    titles = ["Run", "run", "Gym", None]
    agenda = [
        entry(day, rng.randint(300, 1300), 1380, rng.choice([*ActionType]), rng.choice(titles)) for day in days(40) * 3
    ]
    ran = [workout(day, rng.randint(300, 1300), 40) for day in days(40)]
    first = known(ran, agenda, now=NIGHT)
    for _ in range(5):
        rng.shuffle(agenda)
        rng.shuffle(ran)
        assert learn_routine(replace(first, agenda=agenda, episodes=ran)) == learn_routine(first)


def test_only_what_is_over_counts():
    agenda = [entry(day, 600, 700, "LEARN", "Course") for day in days(40)]
    now = at(TODAY - 7 * DAY, 660)
    early = learn_routine(known((), agenda, now=now))
    assert early == learn_routine(known((), [one for one in agenda if one[0].end <= now], now=now))
    assert timedelta(minutes=early.habits[ActionType.LEARN].minutes) == timedelta(minutes=100)


@pytest.mark.parametrize(
    ("ago", "settled"), [((1, 3), False), ((1, 3, 5, 6), False), ((1, 8, 15), False), ((1, 3, 8, 15), True)]
)
def test_a_habit_needs_four_times_in_three_weeks_before_it_is_called_usual(ago, settled):
    assert exercise([workout(TODAY - k * DAY, 420, 40) for k in ago]).settled is settled


WEEKS = [TODAY - 7 * k * DAY for k in range(1, 6)]
WEDNESDAY = TODAY - 2 * DAY


@pytest.mark.parametrize(
    ("there", "title", "of", "usual"),
    [
        (None, "", {}, True),
        (WEDNESDAY, "Yoga (moved)", {"master": "y", "original_start": at(TODAY, 1110)}, False),
        (TODAY + DAY, "Yoga (moved)", {"master": "y", "original_start": at(TODAY, 1110)}, False),
        (TODAY + DAY, "Yoga", {}, False),
        (TODAY + DAY, "Pilates", {}, True),
        (WEDNESDAY - 7 * DAY, "Yoga", {}, True),
        (TODAY + DAY, "Yoga", {"response": Response.DECLINED}, True),
    ],
)
def test_what_was_moved_to_another_day_is_not_usual_on_its_own(there, title, of, usual):
    classes = [entry(day, 1110, 1170, "EXERCISE", "Yoga", master="y") for day in WEEKS]
    moved = [] if there is None else [entry(there, 1080, 1140, "EXERCISE", title, **of)]
    run = [workout(day - k * DAY, 420, 30) for day in [*WEEKS, TODAY] for k in (1, 4, 5)]
    made = person(*classes, *moved, work=False, episodes=[*nights(30, -60, 420), *run])
    assert ("Yoga" in [block.title for block in blocks_of(made, "suggested")]) is usual


def test_what_is_usual_on_two_days_stays_so_on_the_second():
    days_of = [day - k * DAY for day in [*WEEKS, TODAY] for k in (0, 3)][:-2]
    classes = [entry(day, 1110, 1170, "EXERCISE", "Yoga") for day in days_of]
    assert "Yoga" in [
        block.title
        for block in blocks_of(person(*classes, entry(TODAY - 3 * DAY, 1110, 1170, "EXERCISE", "Yoga")), "suggested")
    ]
