"""Rules of what may be on a day: one table, each with the cells of the day that it allows and the fact it refuses with.

A rule is a row of ``RULES``. Hours are our choice where no source is named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from bridge.calendar.busy import Stretch, merged
from bridge.calendar.plans import COMPANY
from bridge.day.candidates import RESTS, WEEKEND, WORK, Candidate, deadline, is_call
from bridge.day.grid import DAY, EVENING, HOUR, MINUTE, OFFICE_WORK, Cells, Grid, run, without
from bridge.day.view import WEEK, View, promised
from bridge.domain.facts import Fact, fact, length
from bridge.domain.slots import moment_at, zone_at
from rhythm_env.constants import EFFECTS
from rhythm_env.interface import SLOTS_PER_DAY, ActionType, Meter, Slot

A = ActionType
Starts = NDArray[np.intp]

BEFORE_BED, END_BEFORE_BED, TASK_BEFORE_BED = 90 * MINUTE, 75 * MINUTE, 2 * HOUR
FREE_FROM = 10 * HOUR  # after midnight, on free days, for company, learning and work
NAP_FROM, NAP_UNTIL = 13 * HOUR, 15 * HOUR  # later naps delay the night's sleep
SPORT_FROM, SPORT_UNTIL = 9 * HOUR, 21 * HOUR  # the first on free days
BEFORE_SHIFT, SHIFT = 5 * HOUR, 6 * HOUR
DAY_SLEEP = 12 * HOUR  # a sleep that ends later was in the daytime
NOON, OFFICE_END, AFTERNOON, AFTER_DINNER = 12 * HOUR, 17 * HOUR, 13 * HOUR, 19 * HOUR
TIRING = 8.5 * 60  # minutes of entries, after which there is no sport and no more work
SHORT_NIGHT = HOUR  # a night so much shorter than usual is short
ANSWERED = ((8 * HOUR, 12 * HOUR), (13.5 * HOUR, 18 * HOUR))  # hours in which calls are answered, Monday to Friday
DIGESTION, ALONE, APART, PAUSE = HOUR, 3 * HOUR, 2 * HOUR, 30 * MINUTE
LATEST = {A.DEEP_WORK: 20, A.ADMIN_WORK: 20, A.LEARN: 19.5, A.SLEEP: 15, A.EXERCISE: 20, A.MEDITATE: 22}
LATEST |= {A.FAMILY_TIME: 19.5, A.SOCIALIZE: 19, A.ME_TIME: 21.0, A.BINGE_WATCH: 21}  # starts, hours after midnight
URGENT_UNTIL, ERRANDS_UNTIL, TASKS_UNTIL = 22 * HOUR, 18 * HOUR, 20 * HOUR
AGAIN = {A.DEEP_WORK: 3, A.ADMIN_WORK: 4, A.LEARN: 10, A.SLEEP: 20, A.EXERCISE: 16, A.MEDITATE: 20}
AGAIN |= {A.FAMILY_TIME: 10, A.SOCIALIZE: 20, A.ME_TIME: 20, A.BINGE_WATCH: 20}  # hours until it may be said again
REPEATS_MAX, WEEKLY_MAX = 3, {A.MEDITATE: 2}  # days of seven with the same action in a part of the day, and at all
WEEKLY_ELSE = 4
LONELY = 0.5  # Connection
SHOWN_LOW, TAKES = 0.35, -0.05  # a level shown as low, and an effect that lowers it further
ONE_REST = RESTS | {A.SLEEP}
LEISURE = ONE_REST | {A.BINGE_WATCH}  # of which a day gets one kind
ALL_DAY = COMPANY | {A.EXERCISE}  # of which an all-day entry is enough
OF_PERSON = frozenset({"veto", "not today", "body", "mode", "away", "wished hours"})  # rules of what changes in a slot
PLANNED_ONCE = frozenset(A) - {A.ADMIN_WORK, A.BINGE_WATCH}  # a planned one is enough


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """``mask`` gives the cells in which a candidate may lie, or with ``starts`` those in which it may begin.

    ``actions`` None is every action. A ``firm`` rule holds even for what the person puts off.
    """

    name: str
    mask: Callable[[Candidate, View], Cells | bool]
    refusal: Callable[[Candidate, View], Fact]
    actions: frozenset[ActionType] | None = None
    starts: bool = False
    firm: bool = True

    def holds_for(self, candidate: Candidate) -> bool:
        return self.actions is None or candidate.action in self.actions


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """Cells that a candidate has from each start, 0 where it may not begin, or the fact that refuses it."""

    cells: Starts
    refusal: Fact | None = None


def fit(candidate: Candidate, view: View, first: int, last: int, *, asked: bool = False) -> Fit:
    """Return where a candidate may begin from the cell ``first`` to before ``last``, else the first refusal.

    ``asked`` says that the person wants it: then firm rules alone count.
    """
    size, least, wanted = view.grid.size, -(-candidate.least // 5), candidate.wanted // 5
    free, begins = np.ones(size, dtype=bool), np.zeros(size, dtype=bool)
    begins[first:last] = True
    run_of = run(free)
    for rule in RULES:
        if not rule.holds_for(candidate) or (asked and not rule.firm):
            continue
        mask = rule.mask(candidate, view)
        if mask is True:
            continue
        if rule.starts or mask is False:
            begins = begins & mask
        else:
            free = free & mask
            run_of = run(free)
        if not (begins & (run_of >= least)).any():
            return Fit(cells=np.zeros(size, dtype=np.intp), refusal=rule.refusal(candidate, view))
    fitting = begins & (run_of >= least)
    none = None if fitting.any() else fact("nothing_fits")
    return Fit(cells=np.where(fitting, np.minimum(run_of, wanted), 0), refusal=none)


def taken_back(candidate: Candidate, view: View, start: datetime, end: datetime) -> Fact | None:
    """Return the fact by which what the person said or how they are speaks against what was suggested, if any."""
    low, high = view.grid.up(start), view.grid.down(end)
    for rule in RULES:
        if rule.name in OF_PERSON and rule.holds_for(candidate):
            mask = rule.mask(candidate, view)
            if mask is False or (mask is not True and not mask[low:high].all()):
                return rule.refusal(candidate, view)
    return None


def _says(kind: str) -> Callable[[Candidate, View], Fact]:
    return lambda _candidate, _view: fact(kind)


def _is_urgent(candidate: Candidate, view: View) -> bool:
    return candidate.due == view.grid.date


def _presses(candidate: Candidate, view: View) -> bool:
    return candidate.due is not None and candidate.due <= view.grid.date + DAY


# Wishes, body and mode ------------------------------------------------------------------------------------------------


def _not_vetoed(candidate: Candidate, view: View) -> bool:
    return candidate.action not in view.person.wishes.never


def _not_resting(candidate: Candidate, view: View) -> bool:
    named = "" if candidate.task is None else candidate.task.title or ""
    resting = view.person.resting.get(view.grid.date, ())
    return not any(action is candidate.action and what in ("", named) for action, what in resting)


def _body_allows(candidate: Candidate, view: View) -> Cells | bool:
    state = view.person.body.state if view.is_today else "well"
    if state == "well":
        return True
    if state == "strained":
        return candidate.action is not A.EXERCISE
    return candidate.action in ONE_REST or (candidate.task is not None and _is_urgent(candidate, view))


def _of_body(_candidate: Candidate, view: View) -> Fact:
    why = view.person.body.facts
    return why[0] if why else fact("said_ill")


def _mode_allows(candidate: Candidate, view: View) -> bool:
    mode = view.person.mode.on(view.grid.date)
    if mode == "normal":
        return True
    due = candidate.task is not None and _presses(candidate, view)
    if mode == "ill":
        return candidate.action in ONE_REST or due
    if mode == "holiday":
        return candidate.action not in OFFICE_WORK or due
    return mode != "away" or candidate.action not in COMPANY


def _of_mode(_candidate: Candidate, view: View) -> Fact:
    return fact(f"mode_{view.person.mode.on(view.grid.date)}")


def _at_home(_candidate: Candidate, view: View) -> bool:
    return not view.person.away(view.grid.date)


def _with_somebody(candidate: Candidate, view: View) -> bool:
    """Company needs somebody, and learning something to learn: a habit or a goal shows it, or a task.

    Whose connection is low hears of company all the same.
    """
    connection = view.readings.get(Meter.CONNECTION) if view.is_today and candidate.action is A.SOCIALIZE else None
    return (
        candidate.task is not None
        or (connection is not None and connection.coverage > 0 and connection.level < LONELY)
        or candidate.action in view.person.routine.habits
        or candidate.action in view.person.wishes.goals
    )


def _in_own_zone(candidate: Candidate, view: View) -> Cells | bool:
    """On a day in a new zone only rest, and none before the flight."""
    grid = view.grid
    if not grid.in_new_zone or candidate.action not in ONE_REST:
        return not grid.in_new_zone
    return ~grid.touched((grid.begin, start) for start, _ in view.person.journeys if start < grid.bed)


def _level_allows(candidate: Candidate, view: View) -> bool:
    return _lowered(candidate, view) is None or (candidate.task is not None and _presses(candidate, view))


def _lowered(candidate: Candidate, view: View) -> Meter | None:
    if candidate.action is None or not view.is_today:
        return None
    for meter, change in zip(Meter, EFFECTS[candidate.action], strict=True):
        reading = view.readings.get(meter)
        taxes = change <= TAKES or (candidate.action is A.EXERCISE and meter is Meter.VITALITY)
        if taxes and reading is not None and reading.coverage > 0 and reading.level < SHOWN_LOW:
            return meter
    return None


def _of_level(candidate: Candidate, view: View) -> Fact:
    meter = _lowered(candidate, view) or Meter.VITALITY
    return fact("level_is_low", meter=str(meter), level=round(view.readings[meter].level, 2))


# What the day and the week have already -------------------------------------------------------------------------------


def _not_planned(candidate: Candidate, view: View) -> bool:
    return _planned_at(candidate, view) is None and not _that_day(candidate, view)


def _that_day(candidate: Candidate, view: View) -> bool:
    return candidate.action in ALL_DAY and candidate.task is None and view.all_day(candidate.action)


def _planned_at(candidate: Candidate, view: View) -> datetime | None:
    takes = candidate.action is A.DEEP_WORK or candidate.task is None or not _presses(candidate, view)
    since = max(view.person.now, view.grid.wake)
    ahead = (
        [o.start for o in view.planned(candidate.action) if o.end > since and o.start < view.grid.bed] if takes else []
    )
    return min(ahead, default=None)


def _of_planned(candidate: Candidate, view: View) -> Fact:
    at = _planned_at(candidate, view)
    return fact("planned_that_day") if at is None else fact("planned_later", time=local(view, at))


def _not_lately(candidate: Candidate, view: View) -> Cells | bool:
    if candidate.action is None:
        return True
    apart = (AGAIN[candidate.action] if candidate.task is None else 0.5) * HOUR
    lately = (
        [o.end for o in view.planned(candidate.action) if o.end <= view.person.now] if candidate.task is None else []
    )
    if candidate.action is A.EXERCISE:
        lately += [e.end for e in view.person.workouts(view.grid.date)]
    around = [(one.start - apart, one.end + apart) for one in view.near if one.action is candidate.action]
    return ~view.grid.touched([*((end, end + apart) for end in lately), *around])


def _of_lately(candidate: Candidate, view: View) -> Fact:
    done = view.person.workouts(view.grid.date) if candidate.action is A.EXERCISE else []
    if done:
        return fact("trained", time=local(view, done[-1].start))
    said = [one for one in view.near if one.action is candidate.action]
    if said:
        return fact("suggested_lately" if said[-1].start <= view.person.now else "suggested_elsewhere")
    return fact("had_lately")


def _not_too_often(candidate: Candidate, view: View) -> Cells | bool:
    if candidate.action is None or _is_own(candidate.action, view) or _presses(candidate, view):
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


def _of_too_often(candidate: Candidate, view: View) -> Fact:
    days = set() if candidate.action is None else {day for day, _ in _said_days(candidate.action, view)}
    return fact("often_this_week", times=len(days))


def _not_enough(candidate: Candidate, view: View) -> bool:
    habit = None if candidate.action is None else view.person.routine.habits.get(candidate.action)
    if candidate.action is None or habit is None or candidate.task is not None:
        return True
    if candidate.action in view.person.wishes.goals:
        return True
    return len(view.times(candidate.action, view.grid.bed)) < max(round(habit.per_week), 1)


def _of_enough(candidate: Candidate, view: View) -> Fact:
    habit = None if candidate.action is None else view.person.routine.habits.get(candidate.action)
    return fact("often_enough", count=1 if habit is None else max(round(habit.per_week), 1))


def _one_kind_of_rest(candidate: Candidate, view: View) -> bool:
    if candidate.action in view.person.wishes.goals:
        return True
    day = view.person.date_of
    made = [(one.action, one.start) for one in view.person.advised if one.kind == "suggested" and one.start is not None]
    said = [*made, *((one.action, one.start) for one in view.near)]
    return not any(a in LEISURE and a is not candidate.action and day(start) == view.grid.date for a, start in said)


# Hours ----------------------------------------------------------------------------------------------------------------


def _rested(_candidate: Candidate, view: View) -> bool:
    return _tired(view) is None


def _tired(view: View) -> Fact | None:
    """Return why the person is too tired for sport and long work: a short night, a day sleep, or a long day."""
    grid, short = view.grid, view.person.short_of_sleep if view.is_today else None
    if short is not None and short >= SHORT_NIGHT:
        return fact("short_night", length=length(short / MINUTE))
    if grid.wake > grid.since(DAY_SLEEP):
        return fact("slept_until", time=local(view, grid.wake))
    strained = float(grid.strained[-1])
    return None if strained < TIRING else fact("tiring_day", length=length(strained))


def _of_tired(_candidate: Candidate, view: View) -> Fact:
    return _tired(view) or fact("tiring_day", length=length(float(view.grid.strained[-1])))


def _hours(candidate: Candidate, view: View) -> Cells | bool:
    grid = view.grid
    waits = candidate.action is A.DEEP_WORK and not _is_urgent(candidate, view)
    if candidate.task is not None and not (waits and grid.work):
        return False if waits and _can_wait(candidate, view) else _free_of_dinner(candidate, view)
    if candidate.action is None:
        return True
    return grid.inside(
        merged(one for one in (*HOURS[candidate.action](grid), *usual(candidate, view)) if one[0] < one[1])
    )


def _free_of_dinner(candidate: Candidate, view: View) -> Cells:
    """The hours of a task. On a free day what is not due until the next keeps clear of dinner."""
    grid, hours = view.grid, view.grid.inside([_task_hours(candidate, view)])
    if grid.work or _presses(candidate, view):
        return hours
    return hours & ~grid.touched(meal for meal in grid.meals if meal[0] >= grid.since(OFFICE_END))


def _can_wait(candidate: Candidate, view: View) -> bool:
    """Return True if deep work is overdue on a free day, or not due before the next working day."""
    routine, day, due = view.person.routine, view.grid.date, candidate.due
    if not routine.work_known:
        return False
    working = next((one for one in (day + k * DAY for k in range(1, 8)) if routine.work[one.weekday()]), None)
    return working is not None and (due is None or due < day or due >= working)


def _has_room(candidate: Candidate, view: View) -> bool:
    work = candidate.task is not None or candidate.action in WORK
    return not work or _is_urgent(candidate, view) or float(view.grid.strained[-1]) < TIRING


def _task_hours(candidate: Candidate, view: View) -> Stretch:
    grid = view.grid
    low = max(grid.wake + HOUR, grid.wake if grid.work else grid.since(FREE_FROM))
    if _is_urgent(candidate, view):
        return low, min(grid.bed - END_BEFORE_BED, grid.since(URGENT_UNTIL))
    until = ERRANDS_UNTIL if candidate.action is A.ADMIN_WORK else TASKS_UNTIL
    return low, min(grid.bed - TASK_BEFORE_BED, grid.since(until), grid.spent_from - 45 * MINUTE)


def usual(candidate: Candidate, view: View, around: timedelta = HOUR) -> list[Stretch]:
    """Return the person's usual stretch of the action on this weekday, widened at both ends, in a list."""
    habit = None if candidate.action is None else view.person.routine.habits.get(candidate.action)
    start = None if habit is None else habit.starts.get(view.grid.date.weekday())
    if habit is None or start is None:
        return []
    at = view.grid.midnight + start * MINUTE
    return [(at - around, at + habit.minutes * MINUTE + around)]


def _work_hours(grid: Grid) -> list[Stretch]:
    shown = [o.end for o, label in grid.entries if label.action in OFFICE_WORK and grid.wake < o.start]
    end = max([grid.since(OFFICE_END), *shown])
    return [(low, min(high, end)) for low, high in grid.work]


def _learning_hours(grid: Grid) -> list[Stretch]:
    low = grid.wake + HOUR if grid.work else max(grid.wake + HOUR, grid.since(FREE_FROM))
    return grid.off_work(low, grid.bed - BEFORE_BED)


def _sport_hours(grid: Grid) -> list[Stretch]:
    """Until two hours before bedtime (Stutz 2019) and 21:00, and clear of a late shift and the five hours before."""
    late = [
        (o.start - BEFORE_SHIFT, o.end)
        for o, _ in grid.entries
        if o.end - o.start >= SHIFT and o.start >= grid.since(EVENING)
    ]
    end = min(grid.bed - 2 * HOUR, grid.since(SPORT_UNTIL))
    begin = grid.wake + HOUR if grid.work else max(grid.wake + HOUR, grid.since(SPORT_FROM))
    return [one for part in grid.off_work(begin, end) for one in without([part], late)]


def _company_hours(grid: Grid) -> list[Stretch]:
    """After work, and where none is known after usual hours, Monday to Friday; on a free day from ten."""
    weekday = grid.date.weekday() < WEEKEND and not grid.person.free_day(grid.date)
    after = max((end for _, end in grid.work), default=grid.since(OFFICE_END if weekday else FREE_FROM))
    return [(max(grid.wake + HOUR, grid.since(FREE_FROM), after), grid.bed - BEFORE_BED)]


def _screen_hours(grid: Grid) -> list[Stretch]:
    since = max((end for _, end in grid.work), default=grid.since(AFTERNOON))
    return [(max(grid.wake + HOUR, since, grid.since(AFTER_DINNER if grid.work else AFTERNOON)), grid.bed - HOUR)]


def _own_hours(grid: Grid) -> list[Stretch]:
    """After a day of work, on a free day from noon, and from ten before a late shift."""
    begin = grid.since(NOON)
    if grid.work:
        begin = grid.work[-1][1] if grid.work[0][0] < begin else grid.since(FREE_FROM)
    return grid.off_work(max(grid.wake + HOUR, begin), grid.bed - HOUR)


def _nap_hours(grid: Grid) -> list[Stretch]:
    low, high = max(grid.since(NAP_FROM), grid.wake + 4 * HOUR), grid.since(NAP_UNTIL)
    return [(low, high)] if grid.person.at_home(grid.date) else grid.off_work(low, high)


HOURS: dict[ActionType, Callable[[Grid], list[Stretch]]] = {
    A.DEEP_WORK: _work_hours,
    A.ADMIN_WORK: _work_hours,
    A.LEARN: _learning_hours,
    A.SLEEP: _nap_hours,
    A.EXERCISE: _sport_hours,
    A.MEDITATE: lambda grid: [(grid.wake + HOUR / 2, grid.bed - HOUR)],
    A.FAMILY_TIME: _company_hours,
    A.SOCIALIZE: _company_hours,
    A.ME_TIME: _own_hours,
    A.BINGE_WATCH: _screen_hours,
}


OTHERWISE: Mapping[ActionType, str] = {  # kind of the fact that no hours are left
    A.DEEP_WORK: "no_working_time",
    A.ADMIN_WORK: "no_working_time",
    A.LEARN: "late_or_work",
    A.SLEEP: "bedtime_far",
    A.EXERCISE: "no_sport_now",
    A.MEDITATE: "hours_of_sleep",
    A.FAMILY_TIME: "no_company_now",
    A.SOCIALIZE: "no_company_now",
    A.ME_TIME: "work_time",
    A.BINGE_WATCH: "no_series_now",
}


def _of_hours(candidate: Candidate, view: View) -> Fact:
    if candidate.task is None and candidate.action is not None:
        return fact(OTHERWISE[candidate.action])
    return fact("late_for_it" if view.is_today and view.person.now >= view.grid.since(OFFICE_END) else "hour_of_day")


def _short_night(_candidate: Candidate, view: View) -> bool:
    short = view.person.short_of_sleep if view.is_today else None
    ill = view.is_today and view.person.body.state == "ill"
    return ill or (short is not None and short >= SHORT_NIGHT)


def _after_waking(candidate: Candidate, view: View) -> Cells | bool:
    grid, person = view.grid, view.person
    low = grid.wake + HOUR / 2
    if view.is_today and person.body.state == "ill":
        low = max(low, person.routine.sleep_ending_on(grid.date, person.known.zones)[1])
    own = usual(candidate, view, timedelta(0))
    low = low if candidate.action is A.MEDITATE or (own and own[0][0] < low + HOUR / 2) else low + HOUR / 2
    return grid.inside([(low, grid.bed)])


def _wished(candidate: Candidate, view: View) -> Cells | bool:
    hours, days = view.person.wishes.hours, view.person.wishes.days
    if candidate.action is None or view.grid.date.weekday() not in days.get(candidate.action, range(7)):
        return candidate.action is None
    if candidate.action not in hours:
        return True
    found = []
    for begin, end in hours[candidate.action]:
        low, high = (view.grid.midnight + one.hour * HOUR + one.minute * MINUTE for one in (begin, end))
        found.append((low, high if high > low else high + DAY))
    return view.grid.inside(merged(found))


def _answered(candidate: Candidate, view: View) -> Cells | bool:
    if candidate.task is None or not is_call(candidate.task):
        return True
    if view.grid.date.weekday() >= 5:
        return False
    hours = np.zeros(view.grid.size, dtype=bool)
    for low, high in ANSWERED:
        hours |= (view.grid.minutes >= low / MINUTE) & (view.grid.minutes < high / MINUTE)
    return hours


def _by_the_deadline(candidate: Candidate, view: View) -> Cells | bool:
    end = deadline(candidate, view.person)
    return True if end is None else view.grid.inside([(view.grid.begin, end)])


# Free time ------------------------------------------------------------------------------------------------------------


def _free(candidate: Candidate, view: View) -> Cells:
    grid = view.grid
    taken = [
        *promised(view.person),
        *view.attended_beside,
        *([] if candidate.action is A.FAMILY_TIME else grid.with_family),
    ]
    if candidate.action in COMPANY:
        taken += [(o.start - ALONE, o.end + ALONE) for o, label in grid.entries if label.action in COMPANY]
    if candidate.action is A.EXERCISE:
        taken += [(end, end + DIGESTION) for start, end in grid.meals if (start, end) in view.person.attended]
    after = candidate.length.after // 5
    busy = grid.busy
    if after:  # time to wash, or for the way, after it
        busy = busy | _shifted(busy, after)
    return ~(busy | grid.touched(taken))


def _shifted(cells: Cells, by: int) -> Cells:
    found = cells.copy()
    ends = np.flatnonzero(cells)
    for start in ends[np.flatnonzero(np.diff(ends, prepend=-2) > 1)]:
        found[max(start - by, 0) : start] = True
    return found


def _of_free(candidate: Candidate, view: View) -> Fact:
    now = view.person.now
    for occurrence, _ in view.grid.entries:
        if occurrence.start <= now < occurrence.end:
            title = None if occurrence.event.private else occurrence.event.title
            return fact("entry_until", time=local(view, occurrence.end), title=title)
    return fact("no_gap", minutes=candidate.least)


def _apart(candidate: Candidate, view: View) -> Cells | bool:
    apart = APART if candidate.task is None else PAUSE
    return ~view.grid.touched((one.start - apart, one.end + apart) for one in view.near) if view.near else True


def _of_apart(_candidate: Candidate, view: View) -> Fact:
    return fact("suggestion_at", time=local(view, view.near[-1].start)) if view.near else fact("nothing_fits")


def _ahead(candidate: Candidate, view: View) -> Cells | bool:
    if view.grid.begin > view.person.now + DAY:
        return True
    first = view.grid.up(view.person.now + candidate.length.notice * MINUTE)
    return np.arange(view.grid.size) >= first


def _not_too_late(candidate: Candidate, view: View) -> Cells | bool:
    if candidate.action is None or candidate.task is not None:
        return True
    grid = view.grid
    quiet = candidate.action in (A.MEDITATE, A.SLEEP)
    ends = (grid.bed if quiet else min(grid.bed - END_BEFORE_BED, grid.spent_from)) if grid.size else grid.begin
    cells = np.arange(grid.size)
    latest = cells < grid.up(grid.since(LATEST[candidate.action] * HOUR) + MINUTE)
    own = usual(candidate, view, timedelta(0))
    if own:
        latest = latest | (cells == grid.up(own[0][0]))
    return latest & (cells + candidate.least // 5 <= grid.down(ends))


def local(view: View, at: datetime) -> datetime:
    return at.astimezone(zone_at(at, view.person.known.zones))


RULES: tuple[Rule, ...] = (
    Rule(name="veto", mask=_not_vetoed, refusal=_says("vetoed")),
    Rule(name="not today", mask=_not_resting, refusal=_says("not_today"), firm=False),
    Rule(name="tired", actions=frozenset({A.EXERCISE}), mask=_rested, refusal=_of_tired),
    Rule(name="body", mask=_body_allows, refusal=_of_body),
    Rule(name="mode", mask=_mode_allows, refusal=_of_mode),
    Rule(name="subject", actions=frozenset({A.LEARN}), mask=_with_somebody, refusal=_says("no_grounds"), firm=False),
    Rule(name="away", actions=COMPANY, mask=_at_home, refusal=_says("away")),
    Rule(name="somebody", actions=COMPANY, mask=_with_somebody, refusal=_says("nobody_known"), firm=False),
    Rule(name="new zone", mask=_in_own_zone, refusal=_says("new_zone"), firm=False),
    Rule(name="level", mask=_level_allows, refusal=_of_level),
    Rule(name="planned", actions=PLANNED_ONCE, mask=_not_planned, refusal=_of_planned, firm=False),
    Rule(name="lately", mask=_not_lately, refusal=_of_lately, firm=False),
    Rule(name="deadline", mask=_by_the_deadline, refusal=_says("deadline_over")),
    Rule(name="too often", mask=_not_too_often, refusal=_of_too_often, firm=False),
    Rule(name="often enough", mask=_not_enough, refusal=_of_enough, firm=False),
    Rule(name="one rest", actions=LEISURE, mask=_one_kind_of_rest, refusal=_says("another_rest"), firm=False),
    Rule(name="nap", actions=frozenset({A.SLEEP}), mask=_short_night, refusal=_says("bedtime_far"), firm=False),
    Rule(name="long day", mask=_has_room, refusal=_of_tired),
    Rule(name="hours", mask=_hours, refusal=_of_hours),
    Rule(name="after waking", mask=_after_waking, refusal=_says("hour_of_day")),
    Rule(name="wished hours", mask=_wished, refusal=_says("outside_hours")),
    Rule(name="calls", actions=WORK, mask=_answered, refusal=_says("no_calls"), starts=True),
    Rule(name="ahead", mask=_ahead, refusal=_says("hour_of_day"), starts=True),
    Rule(name="free", mask=_free, refusal=_of_free),
    Rule(name="apart", mask=_apart, refusal=_of_apart, firm=False),
    Rule(name="late", mask=_not_too_late, refusal=_says("hour_of_day"), starts=True),
)
