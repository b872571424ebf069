"""Times of a day that an action or task may have: its hours, and what the day and week have already.

Hours are our choice where no source is named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta

import numpy as np

from bridge.calendar.busy import Stretch, merged
from bridge.calendar.expansion import midnight
from bridge.calendar.kinds import may_be_for
from bridge.calendar.plans import COMPANY
from bridge.day.agreed import refused_slots
from bridge.day.grid import DAY, EVENING, HOUR, MINUTE, OFFICE_WORK, Cells, Grid, without
from bridge.day.known import LONG_SPORT
from bridge.day.leisure import own_hours
from bridge.day.person import TIRED_BELOW
from bridge.day.view import DUE_DAYS, RESTS, WEEK, WEEKEND, Candidate, View, deadline, is_call, is_shopping
from bridge.day.work import public_holidays
from bridge.domain.facts import Fact, fact
from bridge.domain.metrics import Metric
from bridge.domain.slots import moment_at, zone_at
from bridge.domain.types import EpisodeKind
from rhythm_env.interface import SLOTS_PER_DAY, ActionType, Slot

A = ActionType

BEFORE_BED, END_BEFORE_BED, TASK_BEFORE_BED = 90 * MINUTE, 75 * MINUTE, 2 * HOUR
FREE_FROM = 10 * HOUR  # after midnight, on free days, for learning and work
NAP_FROM, NAP_UNTIL, NAP_BEFORE = 13 * HOUR, 15 * HOUR, 7 * HOUR  # the last before bedtime: later ones delay the night
LONG_NIGHT = 9 * HOUR  # in bed, after which a nap comes an hour later
SPORT_FROM, SPORT_UNTIL = 9 * HOUR, 21 * HOUR  # the first on free days
BEFORE_SHIFT, SHIFT = 5 * HOUR, 6 * HOUR
NOON, OFFICE_END, AFTERNOON, AFTER_DINNER = 12 * HOUR, 17 * HOUR, 13 * HOUR, 19 * HOUR
ANSWERED = ((8 * HOUR, 12 * HOUR), (13.5 * HOUR, 17 * HOUR))  # hours in which offices answer, Monday to Friday
SHOPS = 9 * HOUR, 20 * HOUR  # in which they are open
# Where the law shuts shops on Sundays: Germany, Austria, Switzerland, Norway, Poland, Greece.
SHUT_ON_SUNDAYS = frozenset(
    f"Europe/{name}" for name in ("Berlin", "Busingen", "Vienna", "Zurich", "Oslo", "Warsaw", "Athens")
)
BEFORE_EXAM = 4 * HOUR  # in which nothing else is begun that can wait; our choice
URGENT_UNTIL, ERRANDS_UNTIL, TASKS_UNTIL = 22 * HOUR, 18 * HOUR, 20 * HOUR
SHORT_TASK = 30  # minutes of a task that an evening holds once it is overdue
TOLD_NEAR, MISSED = 30.0, 5 * HOUR  # minutes around the usual hour that tell; after it, in which missed sport fits
FRESH, BEFORE_RACE = 36 * HOUR, 2 * DAY  # of rest before and after long or hard sport; dates before a race
LONGER, HARD = 1.5, 14.0  # times the usual length; and the strain that WHOOP calls strenuous, of a hard workout
REPEATS_MAX = 3  # days of seven with the same action in a part of the day
ONE_REST = RESTS | {A.SLEEP}
LEISURE = ONE_REST | {A.BINGE_WATCH}  # of which a day gets one kind
OVERDUE = 7 * DAY  # for which work that was due takes a free day too
WORKDAYS_AHEAD = 28  # in which the next working day is looked for
ALL_DAY = COMPANY | {A.EXERCISE}  # of which an all-day entry is enough
PLANNED_ONCE = frozenset(A) - {A.ADMIN_WORK, A.BINGE_WATCH}  # a planned one is enough


def is_urgent(candidate: Candidate, view: View) -> bool:
    return candidate.due == view.grid.date


def presses(candidate: Candidate, view: View) -> bool:
    return candidate.due is not None and candidate.due <= view.grid.date + DAY


def is_near(candidate: Candidate, view: View) -> bool:
    """Return True for a task due that day or the next day. Overdue tasks are not included."""
    return candidate.due is not None and view.grid.date <= candidate.due <= view.grid.date + DAY


def urgency(due: date | None, today: date) -> int:
    """Return 0 for a task overdue or due today, 1 for tomorrow, 2 for the day after, and 3 for later."""
    return 3 if due is None else min(max((due - today).days, 0), 3)


def before(due: date, action: ActionType | None, today: date) -> bool:
    """Return True if a task with this due date must come before an action, or before another task (None)."""
    waits = DUE_DAYS if action in LEISURE else 1 if action in COMPANY else 0
    return urgency(due, today) <= waits


def hours(candidate: Candidate, view: View) -> Cells | bool:
    grid = view.grid
    if candidate.task is not None and candidate.task.key in view.person.errands:
        return grid.inside([view.person.errands[candidate.task.key].hours])
    waits = candidate.action is A.DEEP_WORK and not is_urgent(candidate, view)
    if waits and candidate.task is not None and not presses(candidate, view) and _late_shift(grid):
        return False  # another morning
    if candidate.task is not None and not (waits and grid.work):
        return False if waits and _working_day(candidate, view) else _free_of_dinner(candidate, view)
    if candidate.action is None:
        return True
    free = candidate.action in OFFICE_WORK and view.person.free_day(grid.date)  # then no habit of work holds
    own = [] if free or candidate.action is A.SLEEP else usual(candidate, view)  # a late nap is none, usual or not
    if candidate.action is A.EXERCISE:  # nor is sport in the night
        own = [one for one in own if one[0] + HOUR <= grid.since(SPORT_UNTIL + HOUR / 2)]
    return grid.inside(merged(one for one in (*HOURS[candidate.action][0](grid), *own) if one[0] < one[1]))


def _late_shift(grid: Grid) -> bool:
    long = (o.start for o, label in grid.entries if o.end - o.start >= SHIFT and label.action in OFFICE_WORK)
    return any(grid.since(NOON) <= start < grid.bed for start in long)


def _free_of_dinner(candidate: Candidate, view: View) -> Cells:
    """Return the hours of a task. On free days, a task that can wait leaves dinner free, on weekends the evening."""
    grid, hours = view.grid, view.grid.inside([_task_hours(candidate, view)])
    if grid.date.weekday() >= WEEKEND and not is_near(candidate, view):
        return hours & grid.inside([(grid.begin, grid.since(ERRANDS_UNTIL))])
    if grid.work or presses(candidate, view):
        return hours
    return hours & ~grid.touched(meal for meal in grid.meals if meal[0] >= grid.since(OFFICE_END))


def _working_day(candidate: Candidate, view: View) -> date | None:
    """Return the next working day to which deep work can wait from a free day, or None if it must not wait."""
    person, day, due = view.person, view.grid.date, candidate.due
    if not person.routine.work_known:
        return None
    ahead = (day + k * DAY for k in range(1, WORKDAYS_AHEAD + 1))
    working = next((one for one in ahead if person.routine.work[one.weekday()] and not person.free_day(one)), None)
    waits = due is None or working is None or due >= working or due < day - OVERDUE
    return working if waits else None


def _brief_and_late(candidate: Candidate, view: View) -> bool:
    """Return True for a short, late paper that needs nobody to answer, and so takes the evening of a weekday."""
    task, late = candidate.task, candidate.due is not None and candidate.due < view.grid.date
    errand = candidate.action is A.ADMIN_WORK and candidate.wanted <= SHORT_TASK
    return late and errand and task is not None and not is_call(task)


def _task_hours(candidate: Candidate, view: View) -> Stretch:
    grid = view.grid
    timed = candidate.task is not None and candidate.task.due_at is not None and is_urgent(candidate, view)
    low = max(grid.wake + HOUR, grid.wake if grid.work or timed else grid.since(FREE_FROM))
    if grid.work and not presses(candidate, view) and grid.work[0][0] < grid.since(NOON):
        low = max(low, grid.work[0][0])  # what has days of time is nothing for before work
    if timed:  # which cannot be done later
        return low, grid.bed
    if is_urgent(candidate, view):
        return low, min(grid.bed - END_BEFORE_BED, grid.since(URGENT_UNTIL))
    waits = candidate.action is A.ADMIN_WORK and urgency(candidate.due, grid.date) > 0
    late = candidate.wanted <= SHORT_TASK and urgency(candidate.due, grid.date) == 0
    until = URGENT_UNTIL if late else ERRANDS_UNTIL if waits else TASKS_UNTIL
    spent = grid.bed if late else grid.spent_from - 45 * MINUTE
    if grid.work and not presses(candidate, view) and grid.spent_from < grid.bed:
        spent = min(spent, grid.since(OFFICE_END))  # what has days waits where the evening is taken
    before_bed = BEFORE_BED if _brief_and_late(candidate, view) else TASK_BEFORE_BED
    return low, min(grid.bed - before_bed, grid.since(until), spent)


def usual(candidate: Candidate, view: View, around: timedelta = HOUR) -> list[Stretch]:
    """Return the person's usual stretch of the action on this weekday, widened at both ends, in a list."""
    habit = view.habit(candidate.action)
    start = None if habit is None else habit.starts.get(view.grid.date.weekday())
    if habit is None or start is None:
        return []
    at = view.grid.midnight + start * MINUTE
    late = MISSED if around and candidate.action is A.EXERCISE and sport_missed(view) is not None else around
    return [(at - around, at + habit.minutes * MINUTE + late)]


def sport_missed(view: View) -> datetime | None:
    """Return the usual time of sport if it passed without sport on a day for which a watch has data, else None."""
    habit, watched = view.habit(A.EXERCISE), view.is_today and view.person.slept(view.grid.date) is not None
    start = habit.starts.get(view.grid.date.weekday()) if habit is not None and habit.settled and watched else None
    at = None if start is None else view.grid.midnight + (5 * round(start / 5) + TOLD_NEAR) * MINUTE
    planned = any(view.grid.wake < o.end and o.start < view.grid.bed for o in view.planned(A.EXERCISE))
    over = at is not None and at < view.person.now < at + MISSED
    missed = over and not planned and not view.person.workouts(view.grid.date)
    return at - TOLD_NEAR * MINUTE if missed and at is not None else None


def _work_hours(grid: Grid) -> list[Stretch]:
    shown = [o.end for o, label in grid.entries if label.action in OFFICE_WORK and grid.wake < o.start]
    end = max([grid.since(OFFICE_END), *shown])
    return [(low, min(high, end)) for low, high in grid.work]


def _learning_hours(grid: Grid) -> list[Stretch]:
    low = grid.wake + HOUR if grid.work else max(grid.wake + HOUR, grid.since(FREE_FROM))
    return grid.off_work(low, grid.bed - BEFORE_BED)


def _sport_hours(grid: Grid) -> list[Stretch]:
    """Return the hours for sport: until two hours before bed (Stutz 2019), and not near late shifts or family."""
    late = [o for o, _ in grid.entries if o.end - o.start >= SHIFT and o.start >= grid.since(EVENING)]
    shifts = [(o.start - BEFORE_SHIFT, o.end) for o in late]
    family = [o for o, label in grid.entries if label.action is A.FAMILY_TIME and o.end > grid.since(AFTER_DINNER)]
    end = min([grid.bed - 2 * HOUR, grid.since(SPORT_UNTIL), *(o.start for o in family)])
    begin = grid.wake + HOUR if grid.work else max(grid.wake + HOUR, grid.since(SPORT_FROM))
    return [one for part in grid.off_work(begin, end) for one in without([part], shifts)]


def _company_hours(grid: Grid) -> list[Stretch]:
    """Return the hours for company: after work or office hours, on a free day from noon, until before bed."""
    weekday = grid.date.weekday() < WEEKEND and not grid.person.free_day(grid.date)
    after = max((end for _, end in grid.work), default=grid.since(OFFICE_END if weekday else NOON))
    return [(max(grid.wake + HOUR, grid.since(NOON), after), grid.bed - BEFORE_BED)]


def _screen_hours(grid: Grid) -> list[Stretch]:
    since = max((end for _, end in grid.work), default=grid.since(AFTERNOON))
    return [(max(grid.wake + HOUR, since, grid.since(AFTER_DINNER if grid.work else AFTERNOON)), grid.bed - HOUR)]


def _own_hours(grid: Grid) -> list[Stretch]:
    """Return the hours for oneself: after work, on a free day from noon, and from ten before a late shift."""
    begin = grid.since(NOON)
    if grid.work:
        begin = grid.work[-1][1] if grid.work[0][0] < begin else grid.since(FREE_FROM)
    return grid.off_work(max(grid.wake + HOUR, begin), grid.bed - HOUR)


def nap_until(grid: Grid) -> datetime:
    """Return the latest end of a nap, early enough for the coming night, whoever sleeps it and when."""
    return min(grid.since(NAP_UNTIL), grid.bed - NAP_BEFORE)


def nap_span(grid: Grid) -> Stretch:
    """Return the hours in which a nap helps, at work or not: from noon to its latest end."""
    night = grid.person.slept(grid.date)
    long = night is not None and night.end - night.start >= LONG_NIGHT
    return max(grid.since(NAP_FROM), grid.wake + (5 if long else 4) * HOUR), nap_until(grid)


def _nap_hours(grid: Grid) -> list[Stretch]:
    night, (low, high) = grid.person.slept(grid.date), nap_span(grid)
    hardly = night is not None and night.end - night.start < TIRED_BELOW
    return [(low, high)] if hardly or grid.person.at_home(grid.date) else grid.off_work(low, high)


HOURS: Mapping[ActionType, tuple[Callable[[Grid], list[Stretch]], str]] = {  # and the kind of fact that none are left
    A.DEEP_WORK: (_work_hours, "no_working_time"),
    A.ADMIN_WORK: (_work_hours, "no_working_time"),
    A.LEARN: (_learning_hours, "work_time"),
    A.SLEEP: (_nap_hours, "bedtime_far"),
    A.EXERCISE: (_sport_hours, "no_sport_now"),
    A.MEDITATE: (lambda grid: [(grid.wake + HOUR / 2, grid.bed - HOUR)], "hours_of_sleep"),
    A.FAMILY_TIME: (_company_hours, "no_company_now"),
    A.SOCIALIZE: (_company_hours, "no_company_now"),
    A.ME_TIME: (_own_hours, "work_time"),
    A.BINGE_WATCH: (_screen_hours, "no_series_now"),
}


def of_hours(candidate: Candidate, view: View) -> Fact:
    if candidate.action is A.SLEEP and view.is_today and view.person.now >= nap_until(view.grid):
        return fact("nap_late")
    errand = None if candidate.task is None else view.person.errands.get(candidate.task.key)
    if errand is not None and errand.hours[0] <= view.person.now < errand.hours[1]:
        return fact("closes_soon", minutes=int((errand.hours[1] - view.person.now) / MINUTE))
    kind = None if candidate.action is None or candidate.task is not None else HOURS[candidate.action][1]
    at_work = any(low <= view.person.now < high or not view.is_today for low, high in view.grid.work)
    if kind is not None and (kind != "work_time" or at_work):
        return fact(kind)
    working = _working_day(candidate, view) if candidate.action is A.DEEP_WORK and not view.grid.work else None
    if working is not None:
        return fact("waits_for_work", day=working.isoformat())
    return fact("late_for_it" if view.is_today and view.person.now >= view.grid.since(OFFICE_END) else "hour_of_day")


def after_waking(candidate: Candidate, view: View) -> Cells | bool:
    grid, person = view.grid, view.person
    low = grid.wake + HOUR / 2
    if view.is_today and person.body.state == "ill":
        low = max(low, person.usual_sleep(grid.date)[1])
    own = usual(candidate, view, timedelta(0))
    low = low if candidate.action is A.MEDITATE or (own and own[0][0] < low + HOUR / 2) else low + HOUR / 2
    return grid.inside([(low, grid.bed)])


def answered(candidate: Candidate, view: View) -> Cells | Fact | bool:
    if candidate.task is None or not is_call(candidate.task):
        return True
    if view.grid.date.weekday() >= WEEKEND or view.grid.date in public_holidays(view.person.known):
        return fact("offices_closed")
    return view.grid.inside((view.grid.since(low), view.grid.since(high)) for low, high in ANSWERED)


def shops_open(candidate: Candidate, view: View) -> Cells | bool:
    task = candidate.task
    if task is None or candidate.action is not A.ADMIN_WORK or task.due_at is not None or not is_shopping(task):
        return True
    if task.key in view.person.errands:  # which has hours of its own
        return True
    shut = view.grid.date.weekday() > WEEKEND and zone_at(view.grid.wake, view.person.zones).key in SHUT_ON_SUNDAYS
    if shut or view.grid.date in public_holidays(view.person.known):
        return False
    return view.grid.inside([(view.grid.since(SHOPS[0]), view.grid.since(SHOPS[1]))])


def before_exam(candidate: Candidate, view: View) -> Cells | bool:
    ahead = [(exam.start - BEFORE_EXAM, exam.start) for exam in view.person.exams]
    return is_urgent(candidate, view) or ~view.grid.touched(ahead)


def by_the_deadline(candidate: Candidate, view: View) -> Cells | bool:
    end = deadline(candidate, view.person)
    return True if end is None else view.grid.inside([(view.grid.begin, end)])


def ahead(candidate: Candidate, view: View) -> Cells | bool:
    if view.grid.begin > view.person.now + DAY:
        return True
    first = view.grid.up(view.person.now + candidate.length.notice * MINUTE)
    return np.arange(view.grid.size) >= first


def not_too_late(candidate: Candidate, view: View) -> Cells | bool:
    if candidate.action is None or candidate.task is not None:
        return True
    grid = view.grid
    quiet = candidate.action in (A.MEDITATE, A.SLEEP)
    ends = (grid.bed if quiet else min(grid.bed - END_BEFORE_BED, grid.spent_from)) if grid.size else grid.begin
    cells = np.arange(grid.size)
    latest = cells < grid.up(grid.since(candidate.length.latest * HOUR) + MINUTE)
    own = usual(candidate, view, timedelta(0))
    if own:
        start = grid.up(own[0][0])
        latest = latest | ((cells <= start) if candidate.action in COMPANY else (cells == start))
    return latest & (cells + candidate.least // 5 <= grid.down(ends))


# Repetition -----------------------------------------------------------------------------------------------------------


def not_planned(candidate: Candidate, view: View) -> Fact | bool:
    since = max(view.person.now, view.grid.wake)
    planned, task = view.planned(candidate.action), candidate.task
    pressing = task is not None and urgency(task.due, view.grid.date) == 0
    if task is not None and (pressing or refused_slots(view.person, task.title)):  # it takes the next free time
        planned = [o for o in planned if may_be_for(o, task)]
    ahead = [o.start for o in planned if o.end > since and o.start < view.grid.bed]
    if ahead and (candidate.action is A.DEEP_WORK or not presses(candidate, view)):
        return fact("planned_later", time=view.person.local(min(ahead)))
    that_day = candidate.action in ALL_DAY and candidate.task is None and view.all_day(candidate.action)
    return not that_day or fact("planned_that_day")


def not_lately(candidate: Candidate, view: View) -> Cells | bool:
    if candidate.action is None:
        return True
    apart = (candidate.length.again if candidate.task is None else 0.5) * HOUR
    over = [o.end for o in view.planned(candidate.action) if o.end <= view.person.now]
    lately = over if candidate.task is None else []
    if candidate.action is A.EXERCISE:
        lately += [e.end for e in view.person.workouts(view.grid.date)]
    again = candidate.action is A.EXERCISE and sport_missed(view) is not None and _said_once(view)
    near = [] if again else [one for one in view.near if one.action is candidate.action]
    around = [*((end, end, end + apart) for end in lately)]
    around += [(one.start - apart, one.start, one.end + apart) for one in near]
    resting = ~view.grid.touched((low, high) for _, low, high in _long_sport(candidate, view))
    free, own = ~view.grid.touched((low, high) for low, _, high in around), own_hours(candidate, view)
    if own is not None and view.grid.date not in [view.person.date_of(at) for _, at, _ in around]:
        free = free | own
    return free & resting


def _said_once(view: View) -> bool:
    day, now = view.grid.date, view.person.now
    of_day = [one for one in view.person.advised if one.action is A.EXERCISE and one.moment.date == day]
    return len(of_day) == 1 and of_day[0].answer is None and of_day[0].end is not None and of_day[0].end <= now


def _long_sport(candidate: Candidate, view: View) -> list[tuple[datetime, datetime, datetime]]:
    """Return (begin, rest from, rest until) of sport, of the calendar or recorded, that is long or hard."""
    if candidate.action is not A.EXERCISE or candidate.task is not None:
        return []
    habit = view.habit(A.EXERCISE)
    long = max(LONG_SPORT, LONGER * habit.minutes * MINUTE) if habit is not None else LONG_SPORT
    done = [e for e in view.person.recorded if e.kind is EpisodeKind.WORKOUT]
    hard = [(e.start, e.end) for e in done if e.end - e.start >= long or e.values.get(Metric.STRAIN, 0) >= HARD]
    hard += [(o.start, o.end) for o in view.planned(A.EXERCISE) if o.end - o.start >= LONG_SPORT]
    found = [(start, start - FRESH, end + FRESH) for start, end in hard]
    for race in (o for o in view.person.races if o.end - o.start >= LONG_SPORT):
        eve = midnight(view.person.date_of(race.start) - BEFORE_RACE, view.person.zones)
        found.append((race.start, eve, race.start if race.key in view.person.missed else race.end + FRESH))
    return sorted(one for one in found if one[1] < view.grid.bed and one[2] > view.grid.wake)


def of_lately(candidate: Candidate, view: View) -> Fact:
    done = view.person.workouts(view.grid.date) if candidate.action is A.EXERCISE else []
    if done:
        return fact("trained", time=view.person.local(done[-1].start))
    for start in (begin for begin, low, high in _long_sport(candidate, view) if low <= view.person.now < high):
        days = (view.person.date_of(start) - view.grid.date).days
        today = "long_sport_done" if start <= view.person.now else "long_sport_today"
        kind = {0: today, -1: "long_sport_yesterday"}.get(days, "long_sport" if days > 0 else "had_lately")
        return fact(kind, time=view.person.local(start))
    said = [one for one in view.near if one.action is candidate.action]
    if said and said[-1].end <= view.person.now and view.person.date_of(said[-1].start) == view.grid.date:
        return fact("suggestion_over", start=view.person.local(said[-1].start), end=view.person.local(said[-1].end))
    if said:
        return fact("suggested_lately" if said[-1].start <= view.person.now else "suggested_elsewhere")
    return fact("had_lately")


def not_too_often(candidate: Candidate, view: View) -> Cells | bool:
    if candidate.action is None or _is_own(candidate.action, view) or presses(candidate, view):
        return True
    days = _said_days(candidate.action, view)
    if len({day for day, _ in days}) >= candidate.length.weekly:
        return False
    full = [slot for slot in Slot if len({day for day, one in days if one is slot}) >= REPEATS_MAX]
    return ~view.grid.touched(_part(view.grid, slot) for slot in full) if full else True


def _is_own(action: ActionType, view: View) -> bool:
    habit = view.habit(action)
    routine = habit is not None and view.grid.date.weekday() in habit.starts and action is not A.ADMIN_WORK
    return view.wishes.asks_for(action, view.grid.date.weekday()) or routine


def _said_days(action: ActionType, view: View) -> set[tuple[object, Slot]]:
    day, zones = view.grid.date, view.person.known.zones
    said = [one.moment for one in view.person.advised if one.action is action and one.kind == "suggested"]
    said += [moment_at(one.start, zones) for one in view.said if one.foreseen and one.action is action]
    return {(one.date, one.slot) for one in said if day - WEEK < one.date < day}


def _part(grid: Grid, slot: Slot) -> Stretch:
    hours = 24 // SLOTS_PER_DAY
    return grid.since((slot + 1) * hours * HOUR), grid.since((slot + 2) * hours * HOUR)


def of_too_often(candidate: Candidate, view: View) -> Fact:
    days = set() if candidate.action is None else {day for day, _ in _said_days(candidate.action, view)}
    return fact("often_this_week", times=len(days))


def not_enough(candidate: Candidate, view: View) -> Fact | bool:
    action, person, weekday = candidate.action, view.person, view.grid.date.weekday()
    if action is None or candidate.task is not None:
        return True
    habit, goal = person.routine.habits.get(action), view.wishes.goals.get(action)
    count = 0 if habit is None else max(round(habit.per_week) + view.wishes.more.get(action, 0), 1)
    if goal is not None and not replace(view.wishes, goals={}).asks_for(action, weekday):
        reached = fact("often_enough", count=count) if count > goal else fact("goal_held", goal=goal)
        return view.times_held(action) < max(goal, count) or reached
    if view.wishes.asks_for(action, weekday):
        return True
    return habit is None or len(view.times(action, view.grid.bed)) < count or fact("often_enough", count=count)


def one_kind_of_rest(candidate: Candidate, view: View) -> bool:
    if view.wishes.asks_for(candidate.action, view.grid.date.weekday()):
        return True
    day = view.person.date_of
    made = [(one.action, one.start) for one in view.person.advised if one.kind == "suggested" and one.start is not None]
    said = [*made, *((one.action, one.start) for one in view.near)]
    return not any(a in LEISURE and a is not candidate.action and day(start) == view.grid.date for a, start in said)
