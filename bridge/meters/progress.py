"""Progress: the work of the last days against the user's normal, and for the model the work done this week.

People see Z = sum(l q z) / (1 + sum(l q)), weights l from the proxy map, over:

- tasks: (logit p - logit 0.7) / 0.8 with p = (done + 3.5) / (due + 5) over seven days, halved every three;
- focus: the hours of focus against habit (``bridge.meters.habit``), halved every two days, or up to every seven where
  entries are rare;
- deadlines (less is better): 1.2 (1 - exp(-q)) with q the pressure of ``bridge.calendar.deadline_pressure``;
- the user's check-in.

The model sees 1 - exp(-1.6 (0.6 done / planned + 0.4 focus / (5 f0))) since Monday 06:00. Its simulator counts from
zero each week. An unknown share adds no coverage. It is set to the value expected then, which rises evenly from 0 to
0.8 over the week (a proposal). Open tasks due in an earlier week do not count. Progress towards goals precedes gains in
well-being (Steca 2016); the constants are a proposal.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from math import exp, log
from statistics import median

from bridge.calendar.expansion import midnight
from bridge.domain.facts import Fact, fact
from bridge.domain.slots import DAY, Moment
from bridge.domain.types import Reading
from bridge.meters.baseline import clip
from bridge.meters.check_in import check_in
from bridge.meters.fuse import HIGHEST, LOWEST, OFFSET, Signal, fuse, spread
from bridge.meters.past import Past
from rhythm_env.interface import STEPS_PER_WEEK, Meter, MeterState, Slot

INPUT_SHARES = {"tasks": 0.6, "focus": 0.4}  # of a week's progress
PACE = 1.6
END_OF_WEEK = 0.8
FOCUS_DAYS = 28  # days whose median is the user's usual focus
USUAL_FOCUS, LEAST_FOCUS_DAYS = 120.0, 5
HALF_LIFE, LONGEST_HALF_LIFE = timedelta(days=2), timedelta(days=7)  # of focus
LEAST_DAYS = 4  # of four weeks with focus, from which on its absence tells something
TASK_DAYS = timedelta(days=7)
TASK_HALF_LIFE = timedelta(days=3)


def read(past: Past, at: datetime) -> Reading:
    """Return Progress at ``at``, compared with the user's normal, and as ``model`` the work done this week."""
    found = (*signals(past, at), check_in(past.answers, Meter.PROGRESS, at))
    return fuse(past.proxies, Meter.PROGRESS, found, model=this_week(past, at), reasons=past.reasons)


def signals(past: Past, at: datetime) -> tuple[Signal | None, ...]:
    """Return the signals of tasks, focus and deadlines for the level that people see. None stands for a missing one."""
    return tasks(past, at), focus(past, at), deadlines(past, at)


def this_week(past: Past, at: datetime) -> MeterState:
    """Return, for policies, the work done since Monday 06:00 as a level from 0 to 0.98, with sd and coverage.

    For tasks or focus that are unknown, the share expected by now is used, without coverage.
    """
    now = past.moment(at)
    monday = min(past.begin(Moment(week=now.week, day=0, slot=Slot.MORNING)), at)
    expected = -log(1 - END_OF_WEEK * now.timestep / STEPS_PER_WEEK) / PACE
    shares = {"tasks": _done_share(past, monday, at, now), "focus": _focus_share(past, monday, at)}
    made = sum(INPUT_SHARES[name] * (expected if share is None else share) for name, share in shares.items())
    level = clip(1 - exp(-PACE * made), 0.0, HIGHEST)
    known = [name for name, share in shares.items() if share is not None]
    trust = sum(past.proxies.of(Meter.PROGRESS)[name].weight for name in known)
    sd = spread(Meter.PROGRESS, max(level, LOWEST), trust)
    return MeterState(level=level, sd=sd, coverage=sum((INPUT_SHARES[name] for name in known), 0.0))


def tasks(past: Past, at: datetime) -> Signal | None:
    """Return a signal of tasks done, compared with tasks due in the last days, or None if none was done or overdue."""
    since = at - TASK_DAYS
    done = [at - completed for completed in past.tasks.done(since, at)]
    overdue = [at - end for end, *_ in past.tasks.open(at) if since <= end <= at]
    if not done and not overdue:
        return None
    weight_done, weight_open = (sum(0.5 ** (age / TASK_HALF_LIFE) for age in ages) for ages in (done, overdue))
    p = (weight_done + 3.5) / (weight_done + weight_open + 5)
    told = past.told(lambda: fact("tasks_done", count=len(done) + len(overdue), done=len(done)))
    return Signal(name="tasks", z=(log(p / (1 - p)) - OFFSET) / 0.8, fact=told)


def focus(past: Past, at: datetime) -> Signal | None:
    """Return a signal of hours of focus, compared with habit.

    None if the calendar seldom has focus, or lately had none.
    """
    habit = past.calendar.focused.compared(at, least_days=LEAST_DAYS, half_life=HALF_LIFE, longest=LONGEST_HALF_LIFE)
    if habit is None:
        return None
    told = past.told(lambda: fact("focus", minutes=past.calendar.focus_of_day(at), compared=habit.fact))
    return Signal(name="focus", z=habit.z, quality=habit.quality, fact=told)


def deadlines(past: Past, at: datetime) -> Signal | None:
    """Return a signal of the pressure of due dates, of which more is a positive z. None if no task has a due date."""
    pressure = past.tasks.pressure(at)
    if pressure is None:
        return None
    return Signal(name="deadlines", z=1.2 * (1 - exp(-pressure)), fact=past.told(lambda: _due(past, at)))


def _due(past: Past, at: datetime) -> Fact:
    ends = [end for end, *_ in past.tasks.open(at)]
    tomorrow = at + DAY
    soon, late = sum([at <= end < tomorrow for end in ends]), sum([end < at for end in ends])
    found = [fact("tasks_soon", count=soon)] if soon or not late else []
    if late:
        found.append(fact("tasks_overdue", count=late))
    return fact("several", parts=tuple(found)) if len(found) > 1 else found[0]


def usual_focus(past: Past, at: datetime) -> float:
    """Return the median focus minutes of days with focus in the last 28 days, or 120 if these are fewer than five."""
    days = (past.calendar.focus_of_day(at - k * DAY) for k in range(1, FOCUS_DAYS + 1))
    focused = [minutes for minutes in days if minutes > 0]
    return median(focused) if len(focused) >= LEAST_FOCUS_DAYS else USUAL_FOCUS


def _done_share(past: Past, monday: datetime, at: datetime, now: Moment) -> float | None:
    done = len(past.tasks.done(monday, at))
    week_ends = midnight(now.week + 7 * DAY, past.zones)
    planned = done + sum([monday <= end <= week_ends for end, *_ in past.tasks.open(at)])
    return done / planned if planned else None


def _focus_share(past: Past, monday: datetime, at: datetime) -> float | None:
    made = past.calendar.focus(monday, at)
    if not made and not past.calendar.focused.is_kept(monday, LEAST_DAYS):
        return None
    return made / (5 * past.kept(usual_focus, monday))
