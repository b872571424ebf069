"""How much a day holds: room by its free hours and the person's own number, and no work on days off without a cause."""

import random

import pytest

from bridge.day.body import Mode, ModeKind
from bridge.day.grid import run
from bridge.domain.types import Task
from bridge.domain.wishes import Wishes
from rhythm_env.interface import ActionType, Answer

from .lives import DAY, TODAY, at, entry, nights, sleep, workout
from .persons import HOUR, SUNDAY, blocks, found, free_sunday, grid, person, runs, week
from .test_outcomes import advice
from .test_put_off import recorded

A = ActionType


def crowded(seed, day=SUNDAY):
    """Somebody with habits and one to five tasks, late, due or soon due, on a day with or without work."""
    rng = random.Random(seed)
    titles = ["Write report", "Prepare talk", "Pay invoice", "Tax return", "Read chapter"][: rng.randint(1, 5)]
    actions = dict(zip(titles, (A.DEEP_WORK, A.DEEP_WORK, A.ADMIN_WORK, A.ADMIN_WORK, A.LEARN), strict=False))
    tasks = [Task(key=t, list="l", title=t, due=day + rng.choice([-4, -2, -1, 0, 0, 1, 2]) * DAY) for t in titles]
    dinners = [entry(day - k * DAY, 1140, 1290, A.FAMILY_TIME, "Dinner") for k in (8, 15, 22)]
    slept = [*nights(30, -60, 420, last=day), *runs(4, 7, 11, 14, 18, 21)]
    hour = rng.choice([7.6, 9.2, 12.4, 15.3])
    return person(*dinners, hour=hour, day=day, episodes=slept, tasks=tasks, task_actions=actions, work=day != SUNDAY)


@pytest.mark.parametrize("seed", range(40))
def test_a_day_holds_as_much_as_its_free_hours_and_the_person_s_number_give_room(seed):
    for day in (SUNDAY, TODAY):
        one = crowded(seed, day)
        placed = [*blocks(one, "suggested", day), *blocks(one, "task", day)]
        due = {task.title for task in one.known.tasks if task.due == day}
        other = [block for block in placed if block.title not in due]
        assert len(placed) <= max(one.wishes.suggestions, len(due)), placed
        assert len(placed) <= len(due) + 1 + (grid(one).bed - one.now) / (4 * HOUR) or not other
        if day == SUNDAY:
            tasks = {task.title for task in one.known.tasks}
            assert sum(block.title in tasks for block in other) <= 1, other


def test_a_day_with_little_time_left_holds_one_suggestion_beside_nothing_due():
    one = free_sunday(hour=19.4, episodes=runs(7, 14, 21, 28), wishes=Wishes(suggestions=5))
    assert len(blocks(one, "suggested", SUNDAY)) <= 1


def test_what_is_wished_for_the_day_has_room_beside_its_tasks():
    tasks = [Task(key=t, list="l", title=t, due=SUNDAY) for t in ("Pay rent", "Tax return", "Read")]
    wanted = Wishes(goals={A.EXERCISE: 7})
    one = free_sunday(
        tasks=tasks, task_actions=dict.fromkeys(("Pay rent", "Tax return", "Read"), A.ADMIN_WORK), wishes=wanted
    )
    assert [block.action for block in blocks(one, "suggested", SUNDAY)] == [A.EXERCISE]


def test_nobody_is_sent_to_focus_work_on_a_saturday_off_or_full_without_a_task():
    saturday = TODAY + DAY
    focus, often = (
        [entry(saturday - k * 7 * DAY, 600, 720, A.DEEP_WORK, "Focus time") for k in weeks]
        for weeks in ((2, 5), (1, 2, 4, 5))
    )
    visit = entry(saturday, 840, 1220, A.FAMILY_TIME, "Family visit")
    for agenda in ((), (visit,)):
        one = person(*focus, *agenda, hour=8.5, day=saturday)
        assert A.DEEP_WORK not in found(one, 4)[0]
        assert found(one, 4)[1][A.DEEP_WORK].kind == "no_working_time"
    task = Task(key="t", list="l", title="Write report", due=saturday)
    due = person(*focus, visit, hour=8.5, day=saturday, tasks=[task], task_actions={"t": A.DEEP_WORK})
    assert "Write report" in {block.title for kind in ("task", "suggested") for block in blocks(due, kind, saturday)}
    assert A.DEEP_WORK in found(person(*often, hour=8.5, day=saturday), 4)[0]
    assert A.DEEP_WORK not in found(person(*often, visit, hour=8.5, day=saturday), 4)[0]
    wish = Wishes(goals={A.DEEP_WORK: 7})
    assert A.DEEP_WORK in found(person(*focus, hour=8.5, day=saturday, wishes=wish), 4)[0]
    assert A.DEEP_WORK not in found(person(*focus, visit, hour=8.5, day=saturday, wishes=wish), 4)[0]


def test_a_lesson_that_was_long_ago_is_no_reason_to_learn_on_another_day():
    lessons = [entry(TODAY - k * DAY, 600, 660, A.LEARN, "Spanish") for k in (9, 16, 23, 30, 37)]
    for day in (TODAY, TODAY + DAY):
        assert A.LEARN not in found(person(*lessons, hour=16.5, day=day, work=False), 5)[0]
    at_its_hour = person(*lessons, hour=9.5, day=TODAY + 5 * DAY, work=False)
    assert found(at_its_hour, 4)[0][A.LEARN].what == "Spanish"


def test_who_got_up_late_is_sent_to_bed_no_earlier_than_usual_within_eight_hours():
    ill = Mode(kind=ModeKind.ILL, said=True)
    for woke in (1000, 860, 480):
        slept = [*nights(30, -60, 420, last=TODAY - DAY), sleep(TODAY, woke - 400, woke)]
        one = person(hour=18, episodes=slept, work=False, mode=ill)
        bed, usual = one.sleep(TODAY + DAY)[0], one.usual_sleep(TODAY + DAY)[0]
        assert bed >= min(usual, at(TODAY, woke) + 8 * HOUR), woke
        assert bed < usual or woke > 860
    one = person(hour=18, episodes=nights(30, -60, 420, last=TODAY - DAY), work=False, mode=ill)  # last night unknown
    assert one.earliest_bed(TODAY + DAY) < one.usual_sleep(TODAY + DAY)[0] - HOUR


def test_usual_sport_has_room_beside_a_task_due_that_day_and_one_due_the_next():
    trained = [workout(TODAY - k * DAY, 1080, 45) for k in (7, 14, 21, 28)]
    tasks = [Task(key=t, list="l", title=t, due=TODAY + k * DAY) for k, t in enumerate(("Write report", "Pay invoice"))]
    actions = {"Write report": A.DEEP_WORK, "Pay invoice": A.ADMIN_WORK}
    slept = [*nights(30, -60, 420), *trained]
    one = person(hour=15.3, episodes=slept, tasks=tasks, task_actions=actions, work=False)
    assert [block.action for block in blocks(one, "suggested", TODAY)] == [A.EXERCISE]
    assert len(blocks(one, "task", TODAY)) == 2


@pytest.mark.parametrize("count", range(1, 8))
@pytest.mark.parametrize("hour", [7.5, 8.2, 9.0])
def test_on_an_empty_day_off_all_that_is_due_that_day_has_a_place(count, hour):
    titles = [f"Order costume {n}" for n in range(count)]
    tasks = [Task(key=t, list="l", title=t, due=SUNDAY, effort=0.4) for t in titles]
    one = free_sunday(hour=hour, tasks=tasks, task_actions=dict.fromkeys(titles, A.ADMIN_WORK))
    assert {block.title for block in blocks(one, "task", SUNDAY)} == set(titles)
    assert not [told for told in week(one).unmet(SUNDAY) if told.kind == "task_unmet"]


@pytest.mark.parametrize("seed", range(20))
def test_other_things_come_first_only_where_they_leave_no_time(seed):
    """``least`` minutes, with pauses of half an hour, are not free between ten and six beside what is placed."""
    for day in (SUNDAY, TODAY):
        one = crowded(seed, day)
        lived, of_day = week(one), grid(one)
        placed = [*blocks(one, "suggested", day), *blocks(one, "task", day)]
        held = ((block.start - HOUR / 2, block.end + HOUR / 2) for block in placed)
        open_hours = of_day.inside([(max(one.now + HOUR / 4, of_day.since(10 * HOUR)), of_day.since(18 * HOUR))])
        left = run(~of_day.busy & ~of_day.inside(of_day.work) & ~of_day.touched(held) & open_hours).max() * 5
        for told in (told for told in lived.unmet(day) if told.kind == "task_unmet"):
            assert told.values["why"].kind != "others_first" or left < 60, (day, left, placed)
            if told.values["why"].kind == "day_off_enough":
                tasks = {task.title: task.due for task in one.known.tasks}
                assert day == SUNDAY
                assert sum(tasks.get(block.title, day) != day for block in placed) == 1


@pytest.mark.parametrize("minutes", [25, 40, 45])
@pytest.mark.parametrize("due", [0, 1])
def test_beside_what_is_agreed_a_task_of_the_day_takes_the_time_that_is_left(minutes, due):
    party = entry(SUNDAY, 930, 1320, A.SOCIALIZE, "Birthday party")
    said = recorded(
        advice(A.MEDITATE, at(SUNDAY, 720), kind="suggested", start=2, minutes=20, what=None),
        answer=Answer.ACCEPT,
        answered_at=at(SUNDAY, 800),
    )
    task = Task(key="t", list="l", title="Order costumes", due=SUNDAY + due * DAY, effort=minutes / 60)
    one = free_sunday(party, hour=13.8, tasks=[task], task_actions={"t": A.ADMIN_WORK}, advised=[said])
    placed = [block for block in blocks(one, "task", SUNDAY) if block.title == task.title]
    why = [told.values["why"] for told in week(one).unmet(SUNDAY) if told.kind == "task_unmet"]
    assert (len(placed), why) == (1, []) or due
    assert all(block.end <= at(SUNDAY, 930) for block in placed)


@pytest.mark.parametrize("shift", [None, (420, 900), (810, 1290), (1200, 1680)], ids=str)
def test_a_weekend_with_a_shift_is_no_day_off(shift):
    titles = [f"Order costume {n}" for n in range(3)]
    tasks = [Task(key=t, list="l", title=t, due=SUNDAY - DAY, effort=0.4) for t in titles]
    agenda = [] if shift is None else [entry(SUNDAY, *shift, A.ADMIN_WORK, "Late shift")]
    one = free_sunday(*agenda, tasks=tasks, task_actions=dict.fromkeys(titles, A.ADMIN_WORK))
    assert blocks(one, "task", SUNDAY)
    (why,) = (told.values["why"].kind for told in week(one).unmet(SUNDAY))
    assert (why == "day_off_enough") == (shift is None)
