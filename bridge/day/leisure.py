"""Find the hours that a person wishes or has reserved for an action, and judge free time: gaps and evenings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time
from typing import Any

import numpy as np

from bridge.calendar.busy import Stretch, clipped, merged, takes_time
from bridge.calendar.busy import length as length_of
from bridge.day.grid import DAY, HARD_WEEK, HOUR, MINUTE, NIGHT_WORK, OFFICE_WORK, Cells, Numbers, Starts
from bridge.day.shifts import SHIFT
from bridge.day.view import WEEKEND, Candidate, View, due_tasks, is_own, kind_on
from bridge.domain.facts import Fact, fact, length
from bridge.domain.types import Because
from bridge.domain.wish_terms import is_within
from bridge.domain.wishes import Hours, Spare, Wishes
from rhythm_env.interface import ActionType

A = ActionType
NARROW = 3 * HOUR  # of a waking day, to which hours that are the only ones leave it, so that they are the person's word
GETTING_UP = 10 * MINUTE  # our choice
SPORT_BEFORE_BED = HOUR  # hard sport that ends later delays sleep (Stutz 2019)
WHOLE_DAY: Sequence[Hours] = ((time(0), time(0)),)
FREE, EVENING_FROM, QUIET_EVENING = 90, 17 * 60, 19.5 * 60  # minutes of free time; minutes after midnight
IDLE_UNTIL = 20 * 60  # minutes after midnight, until which a thing never done is a reason
QUIET_FROM = 15 * 60  # minutes after midnight, the latest begin of a quiet stretch
TURN = 4  # days, on the last of which a thing never done is a reason
FULL_WEEK = 15  # hours of work in the calendar within six days
HARD_DAYS, HARD = 24, 27  # hours within three, of which none is then short (our choice); that are reason enough
LOAD, AWAKE = 360.0, 6 * HOUR  # minutes of tiring entries that are a load; half of the hours that company counts
OF_EVENING: Mapping[str, ActionType] = {"week_over": A.ME_TIME, "free_days": A.BINGE_WATCH, "work_again": A.MEDITATE}


def hours_of(candidate: Candidate, view: View) -> list[Stretch]:
    """Return the hours of the day that a person prefers for an action, or its only allowed hours if those are few."""
    action, wishes, grid = candidate.action, view.wishes, view.grid
    if action is None or action is A.SLEEP or candidate.task is not None:
        return []
    best, only = wishes.best.get(action), wished_spans(wishes.hours.get(action, ()), view)
    if best is not None and best.hours and (not best.days or grid.date.weekday() in best.days):
        return wished_spans(best.hours, view)
    narrow = length_of(clipped(only, grid.begin, grid.bed)) <= NARROW
    return only if narrow and wishes.asks_for(action, grid.date.weekday()) else []


def told_hours(candidate: Candidate, view: View) -> dict[str, Any]:
    """Return begin and end of the wished hours as values for a fact."""
    low, high = hours_of(candidate, view)[0]
    low = min(max(low, view.grid.begin), high) if low == view.grid.midnight else low
    return {"start": view.person.local(low), "end": view.person.local(high)}


def own_spans(candidate: Candidate, view: View) -> list[Stretch]:
    """Return the wished hours that lie between getting up and bedtime. There are none in illness."""
    latest = view.grid.bed - (SPORT_BEFORE_BED if candidate.action is A.EXERCISE else 0 * HOUR)
    ill = view.is_today and view.person.body.ill
    return [] if ill else clipped(hours_of(candidate, view), view.grid.begin + GETTING_UP, latest)


def own_hours(candidate: Candidate, view: View) -> Cells | None:
    """Return the steps of the day's grid that lie in the hours wished for a candidate, or None if none are wished."""
    spans = own_spans(candidate, view)
    return view.grid.inside(spans) if spans else None


def is_wanted(action: ActionType | None, view: View) -> bool:
    """Return True if an action has an open goal or is wished for the weekday, and is not done yet that day."""
    if action is None or not view.wishes.asks_for(action, view.grid.date.weekday()):
        return False
    until = view.person.now if view.is_today else view.grid.bed
    reached = view.times_held(action) >= view.wishes.goals.get(action, 7)
    return not reached and view.grid.date not in view.times(action, until)


def wished(candidate: Candidate, view: View) -> Cells | bool:
    spare = None if candidate.action in (None, A.SLEEP) else view.wishes.spare
    if spare is None or not _is_spared(spare, view):
        return _wished(candidate, view)
    return _wished(candidate, view) & ~view.grid.touched(wished_spans(spare.hours or WHOLE_DAY, view))


def _is_spared(spare: Spare, view: View) -> bool:
    today = view.grid.date
    monday, left = today - today.weekday() * DAY, 6 - today.weekday()
    given = [view.person.local(one.start) for one in view.said if one.action is not A.SLEEP]
    had = {at.date() for at in given if monday <= at.date() < today and is_within(at.time(), spare.hours or WHOLE_DAY)}
    return today.weekday() - len(had) + left < spare.times


def _wished(candidate: Candidate, view: View) -> Cells | bool:
    wishes, today = view.wishes, view.grid.date.weekday()
    own = candidate.action is A.ADMIN_WORK and is_own(candidate.task) and _of_all_work(wishes)
    if candidate.action is None or own:  # a task of whatever kind leaves free what is wished of all
        kinds = [one for one in ActionType if one is not A.SLEEP and not (own and one in OFFICE_WORK)]
        return _of_any([_wished(replace(candidate, action=one), view) for one in kinds])
    if today not in wishes.days.get(candidate.action, range(7)):
        return False
    most = wishes.most.get(candidate.action) if candidate.task is None else None
    if most is not None and view.times_this_week(candidate.action, view.grid.bed) >= most:
        return False
    apart = wishes.apart.get(candidate.action, 0) if candidate.task is None else 0
    near = view.times(candidate.action, view.grid.bed + apart * DAY) if apart else set()
    if any(0 < abs((day - view.grid.date).days) <= apart for day in near):
        return False
    kind = wishes if candidate.task is not None else kind_on(candidate.action, view.person, view.grid.date)
    barred = [one.hours for one in kind.barred.get(candidate.action, ()) if today in one.days]
    free = ~view.grid.touched(wished_spans([hour for hours in barred for hour in hours], view)) if barred else True
    if (before := kind.before_bed.get(candidate.action)) is not None:
        free = free & view.grid.inside([(view.grid.begin, view.grid.bed - before * MINUTE)])
    if candidate.action not in kind.hours:
        return free
    return view.grid.inside(wished_spans(kind.hours[candidate.action], view)) & free


def _of_any(masks: Sequence[Cells | bool]) -> Cells | bool:
    cells = [mask for mask in masks if isinstance(mask, np.ndarray)]
    return any(mask is True for mask in masks) or (np.logical_or.reduce(cells) if cells else False)


def _of_all_work(wishes: Wishes) -> bool:
    """Return True if what is wished of errands is wished of all work, which one's own errands are not."""
    each = (wishes.days, wishes.hours, wishes.barred)
    return all(one.get(A.ADMIN_WORK) == one.get(A.DEEP_WORK) for one in each)


def wished_spans(hours: Sequence[Hours], view: View) -> list[Stretch]:
    """Return hours as stretches of a day. Hours over midnight that go on after waking are of its morning as well."""
    found = []
    for begin, end in hours:
        low, high = (view.grid.midnight + one.hour * HOUR + one.minute * MINUTE for one in (begin, end))
        found.append((low, high if high > low else high + DAY))
        if view.grid.begin < high <= low:
            found.append((view.grid.midnight, high))
    return merged(found)


def wanted_then(candidate: Candidate, view: View, _lengths: Starts) -> Numbers | float:
    """Return 1 at the wished hours of an action not yet done that day, or -1 outside the hours of a daily wish."""
    action, grid = candidate.action, view.grid
    best = None if action is None or candidate.task is not None else view.wishes.best.get(action)
    if best is None or action is None:
        return 0.0
    within = grid.inside(wished_spans(best.hours, view)) if best.hours else np.full(grid.size, True)
    if not best.days:
        return 0.0 if view.wishes.asks_for(action, grid.date.weekday()) else np.where(within, 0.0, -1.0)
    until = view.person.now if view.is_today else grid.bed
    wanted = grid.date.weekday() in best.days and grid.date not in view.times(action, until)
    return within.astype(float) if wanted else 0.0


def wished_hours(candidate: Candidate, view: View, _lengths: Starts) -> Numbers | float:
    """Return 1 at the hours wished for an action, if the action is wanted on the day."""
    own = own_hours(candidate, view)
    return 0.0 if own is None or not is_wanted(candidate.action, view) else own.astype(float)


def of_wished_hours(candidate: Candidate, view: View, _start: int) -> Fact:
    return fact("wished_hours", **told_hours(candidate, view))


def of_wanted_then(_candidate: Candidate, view: View, _start: int) -> Fact:
    return fact("wanted_then", day=view.grid.date.isoformat())


# Free time ------------------------------------------------------------------------------------------------------------


def free_time(candidate: Candidate, view: View, _lengths: Starts) -> Numbers | float:
    """Return 1 at starts where leisure has time: for oneself after hard days, or as suits the kind of evening."""
    long, evening = view.free * 5 >= FREE, view.grid.minutes >= EVENING_FROM
    if candidate.action is A.ME_TIME and A.ME_TIME not in _said(view) and view.grid.worked(3) >= HARD_DAYS:
        return long.astype(float)
    kind = _evening_kind(view)
    if OF_EVENING.get(kind) is not candidate.action:
        return 0.0
    if kind != "week_over":
        evening = view.grid.minutes >= QUIET_EVENING
    return (long & evening).astype(float)


def tells(why: Because, view: View) -> bool:
    """Return False for an input that explains little, such as missing company just after waking."""
    if why.signal == "company_now":
        return view.person.now >= view.grid.wake + AWAKE
    if why.signal == "meetings":
        return float(view.grid.strained[view.now]) >= LOAD or view.grid.worked(3) >= HARD_DAYS
    return True


def carries(candidate: Candidate, view: View) -> int:
    """Return 2 (a sufficient reason) after many hours of work or for meditation, and 1 for a free evening alone."""
    hard = view.grid.worked(3) >= HARD or view.grid.worked(5, 1) >= HARD_WEEK
    return 2 if hard or candidate.action is A.MEDITATE else 1


def _evening_kind(view: View) -> str:
    person, day = view.person, view.grid.date
    if float(view.grid.strained[-1]) >= LOAD and not person.work(day):
        return ""  # no free day, whatever one usually does on it
    works = [bool(person.work(day + k * DAY)) for k in range(3)]
    end = view.grid.end_of_date
    if not works[0] and clipped(view.entries, view.grid.since(QUIET_EVENING * MINUTE), end):
        return ""
    if not works[0] and works[1]:
        begins = _first_entry(view) or person.work(day + DAY)[0][0]
        return "work_again" if off(view, day) and begins < end + NIGHT_WORK else ""
    if works[1] or not off(view, day + DAY) or clipped(view.entries, end, end + DAY / 2):
        return ""
    late = any(t.due is not None and t.due < day for t in due_tasks(person, day))  # that a free day takes
    return "week_over" if works[0] else "free_days" if works[2] and not late else ""


def _first_entry(view: View) -> datetime | None:
    end = view.grid.end_of_date
    work = (o.start for o, label in view.person.entries if takes_time(o.event) and label.action in OFFICE_WORK)
    return min((start for start in work if end <= start < end + DAY), default=None)


def off(view: View, day: date) -> bool:
    """Return True for a weekend, or a date that the calendar or the person says is free, without a shift."""
    return (day.weekday() >= WEEKEND or view.person.free_day(day)) and not _has_shift(view, day)


def _has_shift(view: View, day: date) -> bool:
    mine = ((o, label) for o, label in view.person.entries if takes_time(o.event) and label.action in OFFICE_WORK)
    return any(o.end - o.start >= SHIFT and view.person.date_of(o.start) == day for o, _ in mine)


def of_free_time(candidate: Candidate, view: View, _start: int) -> Fact:
    person, kind = view.person, _evening_kind(view)
    if candidate.action is A.ME_TIME and kind != "week_over":
        return fact("days_held", hours=round(view.grid.worked(3)))
    if kind == "work_again":
        first = _first_entry(view)
        if first is not None:
            return fact("work_again_at", time=view.person.local(first))
        return fact("work_again" if person.routine.work_known else "new_week")
    hours = round(view.grid.worked(5, 1))
    if hours >= (FULL_WEEK if kind == "week_over" else HARD_WEEK):
        return fact("week_over_after", hours=hours)
    if kind == "free_days":
        return fact("free_days")
    return fact("week_over" if person.routine.work_known else "weekend_begins")


def never_lately(candidate: Candidate, view: View, _lengths: Starts) -> Numbers | float:
    """Return 1 for sport of a user without recorded sport, every fourth day and until eight in the evening."""
    person, day = view.person, view.grid.date
    if candidate.action in person.routine.habits or not person.known.episodes or candidate.action in _said(view):
        return 0.0
    turn = (day - person.known.zones[0].since.date()).days % TURN == TURN - 1
    return ((view.grid.minutes <= IDLE_UNTIL) & turn).astype(float)


def _said(view: View) -> set[ActionType | None]:
    return {*(one.action for one in view.person.advised), *(one.action for one in view.said)}


def quiet_stretch(candidate: Candidate, view: View, _lengths: Starts) -> Numbers | float:
    """Return 1 at starts of a long free time within working hours, for users who do deep work."""
    grid, habits = view.grid, view.person.routine.habits
    if not grid.entries or candidate.task is not None or A.DEEP_WORK not in habits or off(view, grid.date):
        return 0.0
    return ((view.free * 5 >= FREE) & (grid.minutes <= QUIET_FROM) & grid.inside(grid.work)).astype(float)


def of_quiet_stretch(_candidate: Candidate, view: View, start: int) -> Fact:
    grid, begin = view.grid, view.grid.at(start)
    end, over = grid.at(start + int(view.free[start])), grid.work[-1][1]
    entry = next((low for low, _ in view.entries if end <= low < grid.bed), None)  # without the way to it
    if entry is None:
        return fact("free_in_work", length=length((over - begin) / MINUTE))
    return fact("long_free", length=length((entry - begin) / MINUTE), time=view.person.local(entry))
