"""Tasks that are due stand in the day, or it says why not; and "no room" is said only where there is none."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import numpy as np
import pytest

from bridge.day.body import Mode, ModeKind
from bridge.day.grid import run
from bridge.day.rules import NO_GAP, RULES, fit
from bridge.day.view import candidates
from bridge.domain.rendering import told
from bridge.domain.slots import moment_at
from bridge.domain.types import Task
from rhythm_env.interface import ActionType, Answer

from .lives import BERLIN, DAY, TODAY, at, entry, nights, sleep
from .persons import HOUR, MINUTE, SUNDAY, blocks, person, week
from .test_outcomes import advice
from .test_put_off import recorded
from .test_room import crowded

A = ActionType


def without_a_word(one, day):
    """Titles of what is due by a day that neither stands in it nor is named among what has no place."""
    plan = week(one)
    shown = plan.blocks(day)
    named = [block.title for block in shown]
    named += [fact.title.reveal() for block in shown for fact in block.facts if fact.kind == "for_task"]
    named += [name for fact in plan.unmet(day) if fact.title for name in fact.title.reveal().split(", ")]
    named += [said.what for said in one.advised if said.end and said.end > one.now and said.answer is None]
    return {task.title for task in one.known.tasks if task.due <= day} - {*named}


def refused(task, action, start, now, **of):
    """The suggestion of a task, refused."""
    given = advice(action, start, kind="suggested", what=task.title, answer=Answer.IGNORE, **of)
    return recorded(given, start=start, end=start + HOUR, moment=moment_at(now, BERLIN))


@pytest.mark.parametrize("seed", range(40))
def test_what_is_due_stands_in_the_day_or_is_said_to_have_no_place(seed):
    for day in (SUNDAY, TODAY):
        one = crowded(seed, day)
        tasks = one.known.tasks
        no = refused(tasks[0], one.task_actions[tasks[0].key], one.now, one.now)
        short = replace(one.known, episodes=[*nights(30, -60, 420, last=day - DAY), sleep(day, 180, 400)])
        for other in (one, replace(one, advised=[no], _read={}), replace(one, known=short, _read={})):
            assert not without_a_word(other, day), [task.title for task in tasks]


@pytest.mark.parametrize("ahead", range(1, 6))
@pytest.mark.parametrize("spare", range(3))
def test_time_for_focus_on_a_coming_day_is_for_what_is_due_soon_after_it(ahead, spare):
    day = TODAY + ahead * DAY
    focus = entry(day, 585, 705, A.DEEP_WORK, "Focus time")
    task = Task(key="r", list="l", title="Update roadmap", due=day + spare * DAY)
    plan = week(person(focus, tasks=(task,), task_actions={"r": A.DEEP_WORK}))
    before = [block for k in range(ahead) for block in plan.blocks(TODAY + k * DAY) if block.title == task.title]
    (block,) = (block for block in plan.blocks(day) if block.title == "Focus time")
    assert [fact.kind for fact in block.facts] == ([] if before else ["for_task"])
    after = [block for k in range(8) for block in plan.blocks(TODAY + k * DAY) if block.title == task.title]
    assert after == before  # it stands once


def test_what_the_ill_leave_undone_is_said():
    late = Task(key="i", list="l", title="Send invoice", due=TODAY - 4 * DAY)
    one = person(tasks=(late,), task_actions={"i": A.ADMIN_WORK}, mode=Mode(kind=ModeKind.ILL, since=TODAY, said=True))
    (told_of,) = [fact for fact in week(one).unmet(TODAY) if fact.kind == "task_unmet"]
    assert told(told_of) == "no place for what is due (Send invoice): you said that you are ill"


def test_what_is_due_today_goes_before_two_others():
    tasks = [
        Task(key="d", list="l", title="Hand in sheet", due=TODAY, effort=1.0),
        Task(key="l", list="l", title="Post stamps", due=TODAY - 2 * DAY),
        Task(key="n", list="l", title="Order books", due=TODAY + DAY),
    ]
    full = [entry(TODAY, low, high, A.LEARN, "Lecture") for low, high in ((600, 700), (900, 1020))]
    full += [entry(TODAY, low, high, A.FAMILY_TIME, "Party") for low, high in ((480, 590), (1025, 1370))]
    actions = {"d": A.LEARN, "l": A.ADMIN_WORK, "n": A.ADMIN_WORK}
    one = person(*full, hour=7.5, tasks=tasks, task_actions=actions, work=False)
    assert "Hand in sheet" in {block.title for block in week(one).blocks(TODAY)}


def test_not_now_moves_what_is_due_at_noon_by_an_hour_and_not_past_its_time():
    task = Task(key="t", list="l", title="Hand in sheet", due=SUNDAY, due_at=at(SUNDAY, 720), effort=0.5)
    now = at(SUNDAY, 510)
    no = refused(task, A.ADMIN_WORK, now, now)
    one = person(hour=8.5, day=SUNDAY, work=False, tasks=(task,), task_actions={"t": A.ADMIN_WORK}, advised=[no])
    (block,) = blocks(one, "task", SUNDAY)
    assert now + 2 * HOUR <= block.start < block.end <= task.due_at


def test_the_shift_of_a_relative_takes_no_time_of_the_day():
    shift = entry(TODAY, 840, 1320, A.FAMILY_TIME, "Papa Spätschicht", busy=False)
    task = Task(key="t", list="l", title="Hand in sheet", due=TODAY, effort=1.0)
    one = person(shift, hour=18, tasks=(task,), task_actions={"t": A.LEARN})
    assert [block.title for block in blocks(one, "task", TODAY)] == [task.title]


@pytest.mark.parametrize("seed", range(40))
def test_no_room_is_said_only_where_the_hours_of_a_kind_hold_no_gap(seed):
    for candidate, view, why in tried(seed):
        if getattr(why, "kind", "") in NO_GAP:
            assert (why.kind == "no_gap_within") is holds_a_gap(candidate, view), (candidate, why)


def tried(seed):
    """Yield each candidate of two days full of short gaps, with the view of the day and why it has no place."""
    for day in (SUNDAY, TODAY):
        one = crowded(seed, day)
        agenda = [entry(day, low, low + 100, A.ADMIN_WORK, "Review") for low in range(450, 1200, 150 - seed % 4 * 5)]
        one = replace(one, known=replace(one.known, agenda=[*one.known.agenda, *agenda]), _read={})
        view = week(one)._view(day, [])
        for candidate in candidates(one, view.grid):
            why = fit(candidate, view, view.now, view.grid.size)
            yield candidate, view, why


def holds_a_gap(candidate, view):
    """True if the cells that every rule before that of free time allows hold a gap between the entries."""
    free, begins = np.ones(view.grid.size, dtype=bool), np.arange(view.grid.size) >= view.now
    for rule in RULES[: [rule.name for rule in RULES].index("free")]:
        mask = rule.mask(candidate, view) if rule.holds_for(candidate) else True
        free, begins = (free, begins & mask) if rule.starts else (free & mask, begins)
    free &= ~view.grid.touched(view.entries)
    return bool((begins & (run(free) >= -(-candidate.least // 5))).any())


@pytest.mark.parametrize("seed", range(40))
def test_a_gap_that_ways_take_is_told_with_its_times_and_what_is_left_of_it(seed):
    for candidate, view, why in tried(seed):
        if getattr(why, "kind", "") == "no_gap_within":
            start, end = (datetime.fromisoformat(str(why.values[name])) for name in ("start", "end"))
            assert (end - start) / MINUTE >= candidate.least > why.values["left"] >= 0
            assert start >= view.person.now
            assert not any(low < end and start < high for low, high in view.entries), why
            assert f"{start:%H:%M} to {end:%H:%M}, ways" in told(why)
