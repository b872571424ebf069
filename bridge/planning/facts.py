"""Give the reasons of a suggestion: facts of the calendar, the tasks and the body, the strongest first.

No reason promises an effect.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta

from bridge.calendar.meetings import is_meeting
from bridge.calendar.plans import COMPANY
from bridge.domain.facts import Fact, fact, length
from bridge.domain.types import Because, Reading, Task
from bridge.planning.night_facts import MINUTE, of_night, of_waking
from bridge.planning.rules import RESTS
from bridge.planning.situation import Option, Situation
from bridge.planning.waking_day import EASY, Day, day_of
from rhythm_env.interface import ActionType, Meter

NORMAL = 0.70  # the level of a meter that is the user's normal
BODY_FACTS_MAX = 2
FACT_MIN = 0.02  # contribution of an input that is worth telling
# The meter of which low readings speak for an action, and the meter of which high readings allow it.
SERVES = {
    ActionType.SLEEP: Meter.VITALITY,
    ActionType.EXERCISE: Meter.SERENITY,
    ActionType.MEDITATE: Meter.SERENITY,
    ActionType.ME_TIME: Meter.SERENITY,
    ActionType.FAMILY_TIME: Meter.CONNECTION,
    ActionType.SOCIALIZE: Meter.CONNECTION,
}
NEEDS = {ActionType.DEEP_WORK: Meter.COGNITION, ActionType.LEARN: Meter.COGNITION}
LAST_DAYS = (2, 21)  # days ago that are worth telling
COMPANY_DAYS = 5  # without company, from which on it is worth telling
LONG_AGO = 10  # days after which the last time is long ago, however rare it is
TELLING_TASK, TONIGHT = timedelta(days=3), timedelta(days=1)  # until a task is due, that speaks for work
# After midnight; later only a task that is due tomorrow speaks for work.
LATE, LATE_ON_FREE_DAYS = timedelta(hours=19), timedelta(hours=17)
NIGHT_TOLD_UNTIL = timedelta(hours=14)  # after midnight; later a good night is no reason to work
BEHIND = (timedelta(hours=5), timedelta(hours=3))  # of entries that call for rest; since the last of them
MEETINGS_FOR_SPORT = timedelta(hours=4)  # of entries after which some exercise is good
TO_LEARN = fact("answer_teaches")
TOLD_LAST = frozenset(
    {ActionType.EXERCISE, ActionType.MEDITATE, ActionType.ME_TIME, ActionType.FAMILY_TIME, ActionType.SOCIALIZE}
)


def reasons(
    option: Option, situation: Situation, readings: Mapping[Meter, Reading], task: Task | None = None
) -> tuple[Fact, ...]:
    """Return the facts that speak for an option, the strongest first, each once.

    A suggestion without any gets the fact that the user's answer to it teaches what suits. ``task`` is the task that
    the action would work on, or None without a task. ``readings`` may lack meters.
    """
    found = [*_of_calendar(option, situation), *grounds(option, situation, readings, task)]
    if option.kind == "suggested":
        found += [
            *of_task(task, situation, situation.date_of(option.start)),
            *_of_body(option, situation, readings),
            *_of_hour(option, situation),
        ]
        found = found or [TO_LEARN]
    return tuple(dict.fromkeys(found))


def after_a_move(given: Sequence[Fact]) -> tuple[Fact, ...]:
    """Return the facts of a suggestion that the user moved, without those of its former time. The move comes first.

    >>> [one.kind for one in after_a_move([fact("free_until"), fact("due_today")])]
    ['moved', 'due_today']
    """
    return fact("moved"), *(one for one in given if one.kind not in {*OF_THE_HOUR, "moved"})


def grounds(
    option: Option, situation: Situation, readings: Mapping[Meter, Reading], task: Task | None = None
) -> list[Fact]:
    """Return the facts that justify a suggestion, the strongest first, or an empty list if none does.

    The list is also empty for an option that is no suggestion. Company (family, friends) must be a habit or a goal.
    ``task`` is the task that the action would work on, or None without a task.
    """
    action = option.action
    if option.kind != "suggested":
        return []
    if action in COMPANY and action not in situation.routine.habits and action not in situation.wishes.goals:
        return []
    return [
        *(_of_calendar(option, situation)),
        *(of_task(task, situation, situation.date_of(option.start)) if _presses(task, option, situation) else ()),
        *_of_goal(option, situation),
        *_of_last_time(option, situation),
        *_of_load(option, situation),
        *_of_quiet(option, situation),
        *(_of_body(option, situation, readings) if action in SERVES else ()),
    ]


def _presses(task: Task | None, option: Option, situation: Situation) -> bool:
    """Return True if the task is due soon enough to justify work at the option's start.

    That is overdue or due within three days. From 19:00 on, or from 17:00 on days without work, it is due that day or
    the next. Return False without a task or a due date.
    """
    if task is None or task.due is None:
        return False
    left = task.due - situation.date_of(option.start)
    day = day_of(situation, option.start)
    if option.start >= day.since(LATE if day.work else LATE_ON_FREE_DAYS):
        return timedelta(0) <= left <= TONIGHT
    return left <= TELLING_TASK


def _of_calendar(option: Option, situation: Situation) -> list[Fact]:
    """Return a list with the time at which the action is in the calendar or usual.

    For the night's sleep it is the time of getting up. An option that is neither kept, sleep nor usual gets
    the facts of a short night (``of_night``).
    """
    if option.kind == "keep":
        return [_in_calendar(option, situation)]
    if option.kind == "sleep":
        return [of_waking(situation, situation.date_of(option.end))]
    if option.usual:
        habit = situation.routine.habits.get(option.action)
        known = habit is not None and habit.settled
        return [fact("usually_done" if known else "done_before", time=situation.local(option.start))]
    return of_night(option, situation)


def _in_calendar(option: Option, situation: Situation) -> Fact:
    """Return the begin of a calendar entry to keep, with the first entry between now and that begin, if any.

    A private entry's title is no part of it.
    """
    at, first = situation.local(option.start), situation.first_before(option.start)
    if first is None:
        return fact("in_calendar", time=at)
    title = None if first.event.private else first.event.title
    return fact("in_calendar_after", time=at, before=situation.local(first.start), title=title)


def of_task(task: Task | None, situation: Situation, day: date) -> tuple[Fact, ...]:
    """Return how far from ``day``, the date of the plan, a task is due.

    Return an empty tuple without a task or a due date. For a plan of a later date than today, it counts from that
    date.
    """
    if task is None or task.due is None:
        return ()
    days = (task.due - day).days
    if day > situation.date_of(situation.now):
        return (_of_task_then(days),)
    if days < 0:
        return (fact("was_due", count=-days),)
    if days < 2:
        return (fact("due_tomorrow" if days else "due_today"),)
    return (fact("due_in", days=days),)


def _of_task_then(days: int) -> Fact:
    """Return the fact of a task that is due ``days`` after the day of a plan that lies ahead."""
    if days < 0:
        return fact("due_before", count=-days)
    if days < 2:
        return fact("due_day_after" if days else "due_that_day")
    return fact("due_later", days=days)


def _of_goal(option: Option, situation: Situation) -> list[Fact]:
    """Return a list with a fact on the weekly goal for an option's action, as "2 of 3 so far".

    It counts the days with the action in the week of the option, before the option. The list is empty without a goal,
    or once it is reached.
    """
    goal = situation.wishes.goals.get(option.action)
    if goal is None:
        return []
    ahead = _is_ahead(option, situation)
    done = times_this_week(situation, option.action, at=option.start if ahead else None)
    if done >= goal:
        return []
    return [fact("goal_then" if ahead else "goal", done=done, goal=goal)]


def _is_ahead(option: Option, situation: Situation) -> bool:
    """Return True if an option starts on a later date than today, on the user's clock."""
    return situation.date_of(option.start) > situation.date_of(situation.now)


def times_this_week(situation: Situation, action: ActionType, *, at: datetime | None = None) -> int:
    """Return on how many days since Monday the user did an action, as calendar and workouts show.

    Without ``at``, entries count that have ended by now. ``at`` is an instant ahead. With it, the week is that of
    ``at``, and planned entries that end by then count as well.
    """
    until = at or situation.now
    today = situation.date_of(until)
    monday = today - timedelta(days=today.weekday())
    shown = {
        situation.date_of(o.start)
        for o, label in situation.entries
        if label.action is action and o.end <= until and situation.date_of(o.start) >= monday
    }
    if action is ActionType.EXERCISE:
        shown |= {monday + timedelta(days=k) for k in range(7) if situation.workouts(monday + timedelta(days=k))}
    return len(shown)


def _of_body(option: Option, situation: Situation, readings: Mapping[Meter, Reading]) -> list[Fact]:
    """Return up to two facts about the inputs that move a meter most, the strongest first.

    For an action that raises a meter (``SERVES``), they say why that meter is below normal (0.70). For an action that
    needs a meter (``NEEDS``), they say why that meter is normal or above. The list is empty for other actions, for
    later dates than today, and without a reading.
    """
    action = option.action
    if _is_ahead(option, situation):
        return []
    if action in SERVES:
        reading = readings.get(SERVES[action])
        found = [] if reading is None or reading.level >= NORMAL else _strong(reading.because, sign=-1)
        found = [one for one in found if one.kind not in SLEPT]  # told against the usual night instead
    elif action in NEEDS:
        reading = readings.get(NEEDS[action])
        found = [] if reading is None or reading.level < NORMAL else _strong(reading.because, sign=1)
        found = [one for one in found if not any(part.kind in LACKS for part in one.parts())]  # they speak for no work
        late = situation.now >= day_of(situation, situation.now).since(NIGHT_TOLD_UNTIL)
        if late or situation.slept(situation.date_of(situation.now)) is None:  # without it, that was an earlier night
            found = [one for one in found if one.kind not in SLEPT]
    else:
        found = []
    return sorted(found, key=lambda one: -abs(one.weight))[:BODY_FACTS_MAX]


SLEPT = frozenset({"slept_short_well", "slept_short", "slept_enough_badly", "slept_enough"})
LACKS = frozenset({"slept_short_well", "slept_short", "below_usual", "variability_week_below"})


def _strong(because: Sequence[Because], *, sign: int) -> list[Fact]:
    return [b.fact for b in because if sign * b.contribution >= FACT_MIN and b.source]


def _of_last_time(option: Option, situation: Situation) -> list[Fact]:
    """Return a list with a fact of how many days before an option the user last did its action.

    The days must be the usual distance or more, and at most 21. The usual distance is 7 / ``per_week`` days, limited to
    2 to 10, for company 5 to 10. The list is empty otherwise, for an action outside of ``TOLD_LAST``, and without a
    habit. It is empty too if the calendar has the action between now and the option, on a date after the last time. A
    suggestion of a day before, in the plan so far, counts as the last time.
    """
    habit = situation.routine.habits.get(option.action)
    if habit is None or habit.last is None or option.action not in TOLD_LAST:
        return []
    planned = [o.start for o, label in situation.entries if label.action is option.action]
    between = [at for at in planned if situation.now <= at < option.start]
    if between and situation.date_of(max(between)) > situation.date_of(habit.last):
        return []
    ahead = [start for said, start, _ in situation.previewed if said is option.action and start < option.start]
    ago = (situation.date_of(option.start) - situation.date_of(max([habit.last, *ahead]))).days
    least = COMPANY_DAYS if option.action in COMPANY else LAST_DAYS[0]
    usual = max(least, min(round(7 / habit.per_week), LONG_AGO))
    if not usual <= ago <= LAST_DAYS[1]:
        return []
    last = fact("last_time", days=ago)
    if ahead:
        last = fact("last_time_then", days=ago)
    elif habit.last_sport:
        last = fact("last_sport", days=ago, title=habit.last_sport)
    if habit.per_week < WEEKLY or not habit.settled:
        return [last]
    return [fact("last_and_often", last=last, often=_often(habit.per_week))]


# Kinds that hold for a suggestion's own time alone.
OF_THE_HOUR = frozenset({"long_free", "free_until", "work_over", "load_then", "in_calendar", "in_calendar_after"})
QUIET, QUIET_FROM = timedelta(minutes=90), timedelta(hours=15)  # a long free stretch; after midnight, its latest begin
AFTER_WORK = timedelta(minutes=90)  # within which the end of work is worth telling
TOLD_SHARE = 0.15  # of the time of a day that a kind of entries takes, from which it is told
WEEKLY = 0.75  # times a week from which a habit is told


def _often(per_week: float) -> Fact:
    """Return how often a week something is done, rounded, and at least once."""
    times = max(round(per_week), 1)
    if times < 3:
        return fact("once_a_week" if times == 1 else "twice_a_week")
    return fact("times_a_week", times=times)


def _of_load(option: Option, situation: Situation) -> list[Fact]:
    """Return a list with a fact of the hours of tiring entries on an option's day before it.

    Meditation and time for oneself need five hours of them, exercise four. An entry must end within the three hours
    before the option. Otherwise, and for other actions, the list is empty.
    """
    day = day_of(situation, option.start)
    least = BEHIND[0] if option.action in RESTS else MEETINGS_FOR_SPORT
    if option.action not in RESTS and option.action is not ActionType.EXERCISE:
        return []
    hours = day.strained(option.start)
    lately = any(option.start - BEHIND[1] <= end <= option.start for _, end in day.strains)
    if hours < least or not lately:
        return []
    told = "load" if hours == day.strained(situation.now) else "load_then"
    return [fact(told, hours=round(hours / timedelta(hours=1)), kinds=_kinds_of(day))]


def _kinds_of(day: Day) -> tuple[str, ...]:
    """Return up to three kinds of a day's tiring entries, meetings, classes or work, the longest in total first.

    A kind with less than 15 % of the time is left out. Without any, it is work.
    """
    times = Counter[str]()
    for occurrence, label in day.entries:
        if label.action not in EASY:
            work = "classes" if label.action is ActionType.LEARN else "work"
            times["meetings" if is_meeting(occurrence.event) else work] += (occurrence.end - occurrence.start) // MINUTE
    return tuple(kind for kind, minutes in times.most_common() if minutes >= TOLD_SHARE * times.total()) or ("work",)


def _of_quiet(option: Option, situation: Situation) -> list[Fact]:
    """Return a list with a fact of the free time of 90 minutes or more from a deep-work option's start.

    The option must start by 15:00, on a day with entries. Otherwise the list is empty. So it is for a user with a habit
    of learning and none of deep work.
    """
    if option.action is not ActionType.DEEP_WORK or option.until is None:
        return []
    habits, day = situation.routine.habits, day_of(situation, option.start)
    works = ActionType.DEEP_WORK in habits or ActionType.LEARN not in habits
    free = option.until - option.start
    if not works or not day.entries or free < QUIET or option.start > day.since(QUIET_FROM):
        return []
    return [fact("long_free", length=length(free // MINUTE), time=situation.local(option.until))]


def _of_hour(option: Option, situation: Situation) -> list[Fact]:
    """Return a list with a fact that the user is free until an entry, or that work is over.

    Work must have ended up to 90 minutes before the option's start. Meditation, time for oneself and unknown working
    hours get no such fact. The list is empty if neither holds, or if ``_of_quiet`` tells the free time already.
    """
    if option.until is not None and situation.busy_from(option.until) is not None and not _of_quiet(option, situation):
        return [fact("free_until", time=situation.local(option.until))]
    told = situation.routine.work_known and option.action not in RESTS
    work = situation.work(situation.date_of(option.start)) if told else []
    if work and work[-1][1] <= option.start <= work[-1][1] + AFTER_WORK:
        return [fact("work_over")]
    return []
