"""Repetition: what the day and the week have already, planned, done or said."""

from __future__ import annotations

from datetime import datetime

from bridge.calendar.busy import Stretch
from bridge.calendar.plans import COMPANY
from bridge.day.candidates import RESTS, Candidate
from bridge.day.grid import HOUR, Cells, Grid
from bridge.day.hours import presses
from bridge.day.view import WEEK, View, local
from bridge.domain.facts import Fact, fact
from bridge.domain.slots import moment_at
from rhythm_env.interface import SLOTS_PER_DAY, ActionType, Slot

A = ActionType

AGAIN = {A.DEEP_WORK: 3, A.ADMIN_WORK: 4, A.LEARN: 10, A.SLEEP: 20, A.EXERCISE: 16, A.MEDITATE: 20}
AGAIN |= {A.FAMILY_TIME: 10, A.SOCIALIZE: 20, A.ME_TIME: 20, A.BINGE_WATCH: 20}  # hours until it may be said again
LONG_SPORT, FRESH = 1.25 * HOUR, 36 * HOUR  # sport in the calendar that takes rest on either side, and how much
REPEATS_MAX = 3  # days of seven with the same action in a part of the day
WEEKLY_MAX, WEEKLY_ELSE = {A.MEDITATE: 2, A.ME_TIME: 2}, 4  # days of seven with the same action
ONE_REST = RESTS | {A.SLEEP}
LEISURE = ONE_REST | {A.BINGE_WATCH}  # of which a day gets one kind
ALL_DAY = COMPANY | {A.EXERCISE}  # of which an all-day entry is enough
PLANNED_ONCE = frozenset(A) - {A.ADMIN_WORK, A.BINGE_WATCH}  # a planned one is enough


def not_planned(candidate: Candidate, view: View) -> bool:
    return _planned_at(candidate, view) is None and not _that_day(candidate, view)


def _that_day(candidate: Candidate, view: View) -> bool:
    return candidate.action in ALL_DAY and candidate.task is None and view.all_day(candidate.action)


def _planned_at(candidate: Candidate, view: View) -> datetime | None:
    takes = candidate.action is A.DEEP_WORK or candidate.task is None or not presses(candidate, view)
    since = max(view.person.now, view.grid.wake)
    ahead = (
        [o.start for o in view.planned(candidate.action) if o.end > since and o.start < view.grid.bed] if takes else []
    )
    return min(ahead, default=None)


def of_planned(candidate: Candidate, view: View) -> Fact:
    at = _planned_at(candidate, view)
    return fact("planned_that_day") if at is None else fact("planned_later", time=local(view, at))


def not_lately(candidate: Candidate, view: View) -> Cells | bool:
    if candidate.action is None:
        return True
    apart = (AGAIN[candidate.action] if candidate.task is None else 0.5) * HOUR
    lately = (
        [o.end for o in view.planned(candidate.action) if o.end <= view.person.now] if candidate.task is None else []
    )
    if candidate.action is A.EXERCISE:
        lately += [e.end for e in view.person.workouts(view.grid.date)]
    if candidate.action is A.EXERCISE and candidate.task is None:  # a race or a long tour: rest before and after it
        long = [o for o in view.planned(candidate.action) if o.end - o.start >= LONG_SPORT]
        if any(o.start - FRESH < view.grid.bed and o.end + FRESH > view.grid.wake for o in long):
            return ~view.grid.touched((o.start - FRESH, o.end + FRESH) for o in long)
    around = [(one.start - apart, one.end + apart) for one in view.near if one.action is candidate.action]
    return ~view.grid.touched([*((end, end + apart) for end in lately), *around])


def of_lately(candidate: Candidate, view: View) -> Fact:
    done = view.person.workouts(view.grid.date) if candidate.action is A.EXERCISE else []
    if done:
        return fact("trained", time=local(view, done[-1].start))
    said = [one for one in view.near if one.action is candidate.action]
    if said:
        return fact("suggested_lately" if said[-1].start <= view.person.now else "suggested_elsewhere")
    return fact("had_lately")


def not_too_often(candidate: Candidate, view: View) -> Cells | bool:
    if candidate.action is None or _is_own(candidate.action, view) or presses(candidate, view):
        return True
    days = _said_days(candidate.action, view)
    if len({day for day, _ in days}) >= WEEKLY_MAX.get(candidate.action, WEEKLY_ELSE):
        return False
    full = [slot for slot in Slot if len({day for day, one in days if one is slot}) >= REPEATS_MAX]
    return ~view.grid.touched(_part(view.grid, slot) for slot in full) if full else True


def _is_own(action: ActionType, view: View) -> bool:
    habit = view.person.routine.habits.get(action)
    routine = habit is not None and view.grid.date.weekday() in habit.starts and action is not A.ADMIN_WORK
    return action in view.person.wishes.goals or routine


def _said_days(action: ActionType, view: View) -> set[tuple[object, Slot]]:
    day, zones = view.grid.date, view.person.known.zones
    made = [
        (one.moment.date, one.moment.slot)
        for one in view.person.advised
        if one.action is action and one.kind == "suggested" and day - WEEK < one.moment.date < day
    ]
    ahead = [moment_at(one.start, zones) for one in view.said if one.foreseen and one.action is action]
    return {*made, *((one.date, one.slot) for one in ahead if day - WEEK < one.date < day)}


def _part(grid: Grid, slot: Slot) -> Stretch:
    hours = 24 // SLOTS_PER_DAY
    return grid.since((slot + 1) * hours * HOUR), grid.since((slot + 2) * hours * HOUR)


def of_too_often(candidate: Candidate, view: View) -> Fact:
    days = set() if candidate.action is None else {day for day, _ in _said_days(candidate.action, view)}
    return fact("often_this_week", times=len(days))


def not_enough(candidate: Candidate, view: View) -> bool:
    habit = None if candidate.action is None else view.person.routine.habits.get(candidate.action)
    if candidate.action is None or habit is None or candidate.task is not None:
        return True
    if candidate.action in view.person.wishes.goals:
        return True
    return len(view.times(candidate.action, view.grid.bed)) < max(round(habit.per_week), 1)


def of_enough(candidate: Candidate, view: View) -> Fact:
    habit = None if candidate.action is None else view.person.routine.habits.get(candidate.action)
    return fact("often_enough", count=1 if habit is None else max(round(habit.per_week), 1))


def one_kind_of_rest(candidate: Candidate, view: View) -> bool:
    if candidate.action in view.person.wishes.goals:
        return True
    day = view.person.date_of
    made = [(one.action, one.start) for one in view.person.advised if one.kind == "suggested" and one.start is not None]
    said = [*made, *((one.action, one.start) for one in view.near)]
    return not any(a in LEISURE and a is not candidate.action and day(start) == view.grid.date for a, start in said)
