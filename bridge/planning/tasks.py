"""Plan open tasks: which of them an action works on, how long they take, and where a day has room for them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta

from bridge.calendar.busy import Stretch, clipped, merged
from bridge.calendar.expansion import midnight
from bridge.domain.types import Task
from bridge.planning.situation import Situation
from bridge.planning.waking_day import A_DAY, FREE_FROM, HOUR, MINUTE, TIRING, Day, rounded_up, without
from rhythm_env.interface import ActionType

WORK = frozenset({ActionType.DEEP_WORK, ActionType.ADMIN_WORK, ActionType.LEARN})
FOCUS = WORK - {ActionType.ADMIN_WORK}
DUE_DAYS = 2  # tasks due within so many days get a place in the plan
TASKS_MAX = 4  # that are looked at in a day
URGENT_MOST, OTHERS_MOST = 3, 2  # tasks that get a place in a day: with those due by then, and without them
LONG_DAY, LONG_DAY_MOST = 6 * HOUR, 1  # of entries; and tasks that have room beside them
LEAST, MOST = 15 * MINUTE, 3 * HOUR
USUAL, PAPERS, ERRAND = 60 * MINUTE, 45 * MINUTE, 25 * MINUTE  # of a task without an estimate, by its kind
TASK_PAUSE = 30 * MINUTE  # between a task and anything else that is suggested
BEFORE_EVENING = 45 * MINUTE  # between a task and an entry that fills the evening
SOON = 15 * MINUTE  # before the first task
URGENT_UNTIL, ERRANDS_UNTIL, TASKS_UNTIL = 20 * HOUR + 30 * MINUTE, 18 * HOUR, 20 * HOUR  # after midnight
OFFICES = (8 * HOUR, 18 * HOUR)  # after midnight, from Monday to Friday: hours in which calls are answered
OFFICE_LUNCH = (12 * HOUR, 13.5 * HOUR)  # in which many practices and offices close
WEEKEND = 5
# Words of errands that take minutes, and of those that need somebody to answer: en, de, fr, es, it, nl, pt.
QUICK = re.compile(
    r"\b(pay|book|call|phone|ring|reply|answer|email|e-mail|mail|send|order|buy|renew|confirm|cancel|sign|submit|"
    r"bezahlen|überweisen|anrufen|buchen|antworten|bestellen|kaufen|kündigen|payer|appeler|réserver|répondre|"
    r"pagar|llamar|reservar|pagare|chiamare|prenotare|betalen|bellen|boeken|ligar|marcar)\b",
    re.IGNORECASE,
)
CALL = re.compile(
    r"\b(book|call|phone|ring|dentist|doctor|anrufen|zahnarzt|arzt|ärztin|appeler|dentiste|médecin|llamar|dentista|"
    r"médico|chiamare|medico|bellen|tandarts|huisarts|ligar)\b",
    re.IGNORECASE,
)


def task_for(situation: Situation, action: ActionType) -> Task | None:
    """Return the most pressing open task with a due date that an action works on. Return None if there is none.

    A task that an upcoming suggestion already names is left out. Only work and learning have tasks. Tasks due today or
    tomorrow press most, then overdue tasks, then later tasks. Calls press least at weekends and from 18:00 on.
    """
    if action not in WORK:
        return None
    open_tasks = (t for t in situation.known.tasks if t.completed is None and t.due is not None and t.title)
    told = situation.told
    mine = (t for t in open_tasks if situation.task_actions.get(t.key) is action and t.title not in told)
    return min(mine, key=lambda t: _order(t, situation), default=None)


def _order(task: Task, situation: Situation) -> tuple[bool, int, date, str]:
    """Return the sort key of a task, by which the most pressing task sorts first.

    Tasks due today or tomorrow come first, then overdue tasks, then later tasks, each by due date and key. Calls come
    last at weekends and from 18:00 on.
    """
    due, today = task.due or date.max, situation.date_of(situation.now)
    rank = 1 if due < today else 0 if due <= today + A_DAY else 2
    is_late = situation.now >= midnight(today, situation.known.zones) + OFFICES[1]
    return is_call(task) and (is_late or today.weekday() >= WEEKEND), rank, due, task.key


def is_call(task: Task) -> bool:
    """Return True if the title of a task has a word for a phone call or for an appointment.

    A task with an estimate of its length gives False.
    """
    return task.effort is None and CALL.search((task.title or "")[:200]) is not None


def due_tasks(situation: Situation) -> list[Task]:
    """Return up to four open tasks that are overdue or due within two days, the most pressing first.

    Tasks due today or tomorrow press most, then overdue tasks. Calls press least at weekends and from 18:00 on. Of
    several tasks with the same title, only the first is returned.
    """
    today = situation.date_of(situation.now)
    last = today + DUE_DAYS * A_DAY
    found = [
        t for t in situation.known.tasks if t.completed is None and t.due is not None and t.due <= last and t.title
    ]
    ranked = sorted(found, key=lambda t: _order(t, situation))
    once: dict[str | None, Task] = {}  # lists may repeat a task
    for task in ranked:
        once.setdefault(task.title, task)
    return list(once.values())[:TASKS_MAX]


def length_of(task: Task, action: ActionType | None) -> timedelta:
    """Return the time that a task takes, which is its estimate, limited to 15 minutes to 3 hours.

    Without an estimate, quick errands of ADMIN_WORK take 25 minutes, other ADMIN_WORK 45, and all other tasks 60.
    ``action`` is the action that works on the task, or None if unknown.
    """
    if task.effort is not None:
        return min(max(timedelta(hours=task.effort), LEAST), MOST)
    if action is not ActionType.ADMIN_WORK:
        return USUAL
    return ERRAND if QUICK.search((task.title or "")[:200]) else PAPERS


def has_room(task: Task, day: Day, before: Sequence[ActionType | None]) -> bool:
    """Return True if a day has room for a task besides ``before``, the actions that are already placed on it.

    A task due on the day has room besides two actions. Another task has room besides one. With six hours of tiring
    entries it has room besides none, and with 8.5 hours no room. On a free day, only ADMIN_WORK has room besides deep
    work or learning. Deep work has room there only if it cannot wait for the next working day.
    """
    if is_urgent(task, day.date):
        return len(before) < URGENT_MOST
    strained, action = day.strained(day.bed), day.situation.task_actions.get(task.key)
    if strained >= TIRING or len(before) >= (LONG_DAY_MOST if strained >= LONG_DAY else OTHERS_MOST):
        return False
    if action is ActionType.ADMIN_WORK or day.work:
        return True
    return FOCUS.isdisjoint(before) and not _can_wait(task, action, day)


def _can_wait(task: Task, action: ActionType | None, day: Day) -> bool:
    """Return True if a task of DEEP_WORK can wait for the next working day.

    That is so if it is overdue, or not due before that day. It is False while the user's working hours are unknown.
    """
    if action is not ActionType.DEEP_WORK or not day.situation.routine.work_known:
        return False
    days = (day.date + k * A_DAY for k in range(1, 8))
    working = next((one for one in days if day.situation.routine.work[one.weekday()]), None)
    return working is not None and (task.due is None or task.due < day.date or task.due >= working)


def is_urgent(task: Task, day: date) -> bool:
    """Return True if a task is due on ``day`` itself.

    An overdue task is not urgent, because it can wait for a good hour.
    """
    return task.due == day


def kept_place(task: Task, day: Day, busy: Sequence[Stretch]) -> Stretch | None:
    """Return the stretch at which an earlier plan has shown a task, so that the task stays there.

    Return None if no plan has shown it. Also return None if the stretch has ended, lies outside of the waking day, or
    is no longer free. A stretch of more than 3 hours, and a call when calls are not answered, give None too. ``busy``
    holds the stretches that are taken.
    """
    start, end = day.situation.places.get(str(task.key), (day.midnight, day.midnight))
    if not max(start, day.wake) < end <= day.bed or end <= day.situation.now or start < day.wake:
        return None
    taken = clipped(merged(busy), start, end)
    return None if taken or end - start > MOST or not is_answered(task, day, start) else (start, end)


def place_of(task: Task, day: Day, busy: Sequence[Stretch]) -> Stretch | None:
    """Return the first free stretch for a task on a day, in working hours first, then at other waking hours.

    Return None if there is none. The stretch lies from an hour after waking, on free days from 10:00, to two hours
    before bedtime. An hour is enough for a longer task. Deep work on a working day gets working hours only, unless it
    is due that day. Return None too for a later day than today if the task is due before it. ``busy`` holds the
    stretches that are taken.
    """
    situation = day.situation
    if day.date > (task.due or day.date) and day.date > situation.date_of(situation.now):
        return None
    action = situation.task_actions.get(task.key)
    length = length_of(task, action)
    low = rounded_up(max(situation.now + SOON, day.wake + HOUR, *([] if day.work else [day.since(FREE_FROM)])))
    high = min(day.bed - 2 * HOUR, _latest(task, day))
    busy = [*busy, (day.spent_from - BEFORE_EVENING, day.spent_from)]
    office = action is ActionType.DEEP_WORK and day.work and not is_urgent(task, day.date)
    free = [] if office else [day.awake(HOUR, 2 * HOUR)]
    for hours in (day.work, free):
        for start, end in without(clipped(hours, low, high) if low < high else [], busy):
            begin = rounded_up(start)
            if end - begin >= min(length, USUAL) and is_answered(task, day, begin):
                return begin, min(begin + length, end)
    return None


def _latest(task: Task, day: Day) -> datetime:
    """Return the instant by which a task must end on a day.

    That is 20:30 for a task due that day. Otherwise it is 18:00 for ADMIN_WORK, and 20:00 for other tasks. These must
    also end before a calendar entry that fills the evening, or bedtime (``Day.spent_from``).
    """
    if is_urgent(task, day.date):
        return day.since(URGENT_UNTIL)
    errand = day.situation.task_actions.get(task.key) is ActionType.ADMIN_WORK
    return min(day.since(ERRANDS_UNTIL if errand else TASKS_UNTIL), day.spent_from)


def is_answered(task: Task, day: Day, at: datetime) -> bool:
    """Return True if a task can be worked on at ``at``. It needs no call, or calls are answered then.

    Calls are answered from Monday to Friday, 8:00 to 12:00 and 13:30 to 18:00.
    """
    if not is_call(task):
        return True
    is_open = day.since(OFFICES[0]) <= at < day.since(OFFICES[1])
    return (
        day.date.weekday() < WEEKEND and is_open and not day.since(OFFICE_LUNCH[0]) <= at < day.since(OFFICE_LUNCH[1])
    )
