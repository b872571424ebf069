"""Decide when each of the ten actions can be suggested, for how long, and why not otherwise.

The hours and lengths are our choice where no source is named. A user's wishes come first, then the calendar, then the
routine, then the table of rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from bridge.calendar.busy import Stretch, clipped, merged
from bridge.calendar.plans import COMPANY
from bridge.domain.facts import Fact, fact
from bridge.domain.slots import moment_at
from bridge.domain.types import Occurrence
from bridge.planning.frequency import often_enough, said_too_often
from bridge.planning.kept_entries import is_planned, planned_entry
from bridge.planning.rules import AFTER_DINNER, BEFORE_BED, ILL_COMPANY_UNTIL, RESTS, RULES
from bridge.planning.situation import Option, Situation, is_agreed
from bridge.planning.tasks import TASK_PAUSE, has_room, is_answered, length_of, place_of, task_for
from bridge.planning.waking_day import A_DAY, HOUR, MINUTE, Day, day_of, rounded_up, without
from rhythm_env.interface import ActionType

END_BEFORE_BED = timedelta(minutes=75)  # for anything but quiet
DIGESTION = timedelta(minutes=60)  # from a meal to exercise
NAP_OR_REST = RESTS | {ActionType.SLEEP}  # of which a day gets one kind
WORTH_IT = timedelta(minutes=45)  # of a longer task
FILLED = timedelta(hours=3)  # of entries from which a day is full
ALONE = timedelta(hours=3)  # between an entry of company and more company
APART = timedelta(hours=2)  # between two suggestions, so that they do not fill a day
LEAST_REST = timedelta(minutes=30)  # of sleep that is still worth suggesting


def options(situation: Situation, span: Stretch) -> tuple[dict[ActionType, Option], dict[ActionType, Fact]]:
    """Return (action -> option, action -> reason against it) for a span of time. Each action is in one of the two.

    A suggestion starts within the span. It may end later, as far as the free gap and the action's allowed hours reach.
    """
    day = day_of(situation, span[0])
    found: dict[ActionType, Option] = {}
    held: dict[ActionType, Fact] = {}
    for action in ActionType:
        option = _option(day, action, span)
        if isinstance(option, Option):
            found[action] = option
        else:
            held[action] = option
    return found, held


def free_option(situation: Situation, action: ActionType, span: Stretch) -> Option | None:
    """Return an option at a free time of a span, within the action's hours. Return None if there is no such time.

    The user wishes this option, so it stands even if the action is planned, done or suggested near it. Return None too
    for a vetoed action, and for company while the user is away from home.
    """
    day = day_of(situation, span[0])
    if action in situation.wishes.never or (action in COMPANY and day.away):
        return None
    option = _placed(day, action, span)
    return option if isinstance(option, Option) else None


def _option(day: Day, action: ActionType, span: Stretch) -> Option | Fact:
    """Return the option for an action in a span of time, or the reason against it.

    The first that applies decides: a veto, an entry to keep, a journey, the night's sleep or a due task. A reason in
    ``_against`` and a free gap (``_placed``) follow. A journey speaks against company away from home. Around a change
    of time zone it speaks against all but rests and sleep.
    """
    wishes = day.situation.wishes
    if action in wishes.never:
        return fact("vetoed")
    planned = planned_entry(day.situation, action, span)
    if planned is not None and not _too_much(day, action, planned):
        return _kept(action, planned)
    if action in COMPANY and day.away:
        return fact("away")
    if action not in RESTS | {ActionType.SLEEP} and day.in_new_zone:
        return fact("new_zone")
    if action is ActionType.SLEEP and (night := _night(day, span)) is not None:
        return night
    due = _due(day, action, span)
    if due is not None:
        return due
    why = _against(day, action, span)
    return _placed(day, action, span) if why is None else why


def _too_much(day: Day, action: ActionType, planned: Occurrence) -> bool:
    """Return True if keeping an entry is no advice for a user who is ill: sport, late company, an early start."""
    if not day.situation.body.ill:
        return False
    waking = day.situation.routine.sleep_ending_on(day.situation.date_of(planned.start), day.situation.zones)[1]
    late = action in COMPANY and planned.end > day.since(ILL_COMPANY_UNTIL)
    return action is ActionType.EXERCISE or late or planned.start < waking


def _due(day: Day, action: ActionType, span: Stretch) -> Option | None:
    """Return an option for the open task that an action works on, if it is due by the next day. Otherwise return None.

    Such a task is suggested even if the user had the action a few hours ago. Return None too if the day has no room for
    it within the span. The same holds if the action was suggested too often or has a calendar entry before bedtime, and
    if the user set its hours.
    """
    situation, task = day.situation, task_for(day.situation, action)
    if task is None or task.due is None or task.due > day.date + A_DAY or action in situation.wishes.hours:
        return None
    focus = (situation.now, day.bed)  # an entry of the action takes the task, as the plan says beside it
    if situation.now < day.bed and planned_entry(situation, action, focus) is not None:
        return None
    if said_too_often(situation, action, span[0]) or not has_room(task, day, ()):
        return None
    place = place_of(task, day, [*occupied(day), *_said_around(situation, span, TASK_PAUSE)])
    if place is None or not span[0] <= place[0] < span[1]:
        return None
    return Option(action=action, kind="suggested", start=place[0], end=place[1])


def _kept(action: ActionType, occurrence: Occurrence) -> Option:
    title = None if occurrence.event.private else occurrence.event.title
    return Option(action=action, kind="keep", start=occurrence.start, end=occurrence.end, what=title)


def _night(day: Day, span: Stretch) -> Option | None:
    """Return the option of the night's sleep, if the span begins during it or up to 90 minutes before it.

    Otherwise return None. Also return None if a calendar entry lies in that sleep, or if less than 30 minutes are left.
    """
    for date_ in (day.date, day.date + A_DAY):
        bed, wake = day.situation.sleep(date_)
        start = max(rounded_up(span[0]), bed)
        free = not clipped(day.situation.attended, start, wake)
        if bed - BEFORE_BED <= span[0] < wake - LEAST_REST and start < wake - LEAST_REST and free:
            return Option(action=ActionType.SLEEP, kind="sleep", start=start, end=wake)
    return None


def _against(day: Day, action: ActionType, span: Stretch) -> Fact | None:
    """Return the first reason against an action or None if none holds.

    The reasons are that it is planned later, was done lately, was suggested too often, or comes often enough.
    """
    return (
        _planned_later(day, action, span)
        or _done_lately(day.situation, action, span[0])
        or said_too_often(day.situation, action, span[0])
        or often_enough(day.situation, action, span[0])
    )


def _planned_later(day: Day, action: ActionType, span: Stretch) -> Fact | None:
    """Return the time at which the action is planned between the span and bedtime.

    Return None if it is not.
    """
    later = planned_entry(day.situation, action, (span[1], day.bed))
    return None if later is None else fact("planned_later", time=day.situation.local(later.start))


def _done_lately(situation: Situation, action: ActionType, at: datetime) -> Fact | None:
    """Return the reason against an action that was done or suggested too shortly before ``at``.

    Return None if there is none. Too shortly is within the hours of ``Rule.again``. A suggestion so near ``at`` in the
    plan so far, before or after it, is such a reason too. So is another kind of rest suggested on the same day.
    """
    since = at - RULES[action].again * HOUR
    if any(since < o.end <= at and is_planned(o, label, action) for o, label in situation.entries):
        return fact("had_lately")
    if action is ActionType.EXERCISE and (
        done := [e for e in situation.workouts(situation.date_of(at)) if e.end > since]
    ):
        return fact("trained", time=situation.local(done[-1].start))
    if any(
        since < one.created_at < at
        and one.action is action
        and one.kind != "keep"
        and moment_at(one.created_at, situation.known.zones) != moment_at(at, situation.known.zones)
        for one in situation.advised
    ):
        return fact("suggested_lately")
    if any(
        action is said and since < end and start < at + RULES[action].again * HOUR
        for said, start, end in situation.previewed
    ):
        return fact("suggested_elsewhere")
    if action in NAP_OR_REST and _rest_is_said(situation, action, at):
        return fact("another_rest")
    return None


def _rest_is_said(situation: Situation, action: ActionType, at: datetime) -> bool:
    """Return True if another rest than ``action`` is suggested on the day of ``at``.

    Rests are a nap, meditation and time for oneself.
    """
    said = [(one.action, one.start) for one in situation.advised if one.kind == "suggested" and one.start is not None]
    ahead = [(one, start) for one, start, _ in situation.previewed if one is not None]
    day = situation.date_of(at)
    return any(
        one in NAP_OR_REST and one is not action and situation.date_of(start) == day for one, start in [*said, *ahead]
    )


def _placed(day: Day, action: ActionType, span: Stretch) -> Option | Fact:
    """Return the option of a suggestion that begins in a free gap of a span.

    Otherwise return the reason against it. The suggestion lies in the hours that the action's rule and the
    user's wishes allow. It begins after the rule's notice from now. The user's usual hour comes first, then the gap
    that ``_best`` picks.
    """
    rule, situation = RULES[action], day.situation
    late = day.bed if action in (ActionType.MEDITATE, ActionType.SLEEP) else day.bed - END_BEFORE_BED
    windows = clipped(merged(w for w in rule.windows(day, action) if w[0] < w[1]), day.wake, late)
    if not clipped(windows, *span):
        return rule.against(day)
    if action in situation.wishes.hours:
        windows = _common(windows, _wished(day, action))
        if not clipped(windows, *span):
            return fact("outside_hours")
    least, usual = _lengths(day, action)
    start_at = rounded_up(
        max(span[0], situation.now + (rule.notice * MINUTE if span[0] <= situation.now else 0 * MINUTE))
    )
    busy = [*_not_for(day, action), *_said_around(situation, span)]
    places = [
        (rounded_up(low), high)
        for window in clipped(windows, start_at, span[1] + 6 * HOUR)
        for low, high in _with_time_after(without([window], busy), window[1], rule.after * MINUTE)
    ]
    fitting = [(low, high) for low, high in places if low < span[1] and high - low >= least]
    if not fitting:
        return fact("no_gap", minutes=least // MINUTE)
    task = task_for(situation, action)
    if task is not None and not is_answered(task, day, fitting[0][0]):
        return fact("no_calls")
    at_usual = _at_usual_hour(day, action, fitting, span)
    if at_usual is not None:
        return at_usual
    first, latest = rounded_up(day.wake + HOUR), min(day.since(RULES[action].latest * HOUR), span[1])
    until = day.bed if action in (ActionType.MEDITATE, ActionType.SLEEP) else day.spent_from
    fitting = [(max(low, first), min(high, until)) for low, high in fitting]
    fitting = [(low, high) for low, high in fitting if low < latest and high - low >= least]
    return _best(day, action, fitting, usual) if fitting else fact("hour_of_day")


def occupied(day: Day) -> list[Stretch]:
    """Return the stretches of a day in which nothing is suggested.

    They are all that is busy, journeys, rests, meals and time with the family. They are not sorted, and may overlap.
    """
    return [*day.situation.busy, *day.rests, *day.journeys, *day.meals, *day.with_family]


def _not_for(day: Day, action: ActionType) -> list[Stretch]:
    """Return the stretches of a day in which an action is not suggested, which differ by action.

    Exercise also leaves out the hour after a meal. Company may fall on a meal, but stays three hours from calendar
    entries of company. FAMILY_TIME may also fall on time with the family.
    """
    if action is ActionType.EXERCISE:
        return [*occupied(day), *((end, end + DIGESTION) for _, end in day.meals)]
    if action not in COMPANY:
        return occupied(day)
    own = [] if action is ActionType.FAMILY_TIME else day.with_family
    other = [(o.start - ALONE, o.end + ALONE) for o, label in day.entries if label.action in COMPANY]
    return [*day.situation.busy, *day.rests, *day.journeys, *own, *other]


def _said_around(situation: Situation, span: Stretch, apart: timedelta = APART) -> list[Stretch]:
    """Return the stretches of suggestions in other slots and in the plan so far, widened by ``apart`` at both ends.

    Suggestions that the user ignored, or put off without a new time, do not count.
    """
    moment = moment_at(span[0], situation.known.zones)
    said = [
        (one.start, one.end)
        for one in situation.advised
        if one.kind == "suggested" and one.start and one.end and one.moment != moment
        if one.answer is None or is_agreed(one, situation.known.zones)
    ]
    planned = [(low, high) for _, low, high in situation.previewed]
    return [(low - apart, high + apart) for low, high in (*said, *planned)]


def _with_time_after(gaps: Sequence[Stretch], until: datetime, after: timedelta) -> list[Stretch]:
    """Return the gaps shortened by ``after`` at their end. Gaps that end at ``until`` keep their length."""
    return [(low, high if high == until else high - after) for low, high in gaps]


def _lengths(day: Day, action: ActionType) -> tuple[timedelta, timedelta]:
    """Return (least length, wanted length) of a suggestion that is not at the user's usual hour.

    The wanted length is the user's usual length, within ``least`` and ``usual`` of the action's rule. If a task is
    open, it is what the task needs, up to the rule's ``most``. The least length is then what the task needs, or less:
    45 minutes suffice for a longer task. For actions in company without a task, both lengths are equal.
    """
    rule, habit = RULES[action], day.situation.routine.habits.get(action)
    own = rule.usual if habit is None else round(habit.minutes / 5) * 5
    usual = min(max(own, rule.least), rule.usual) * MINUTE
    least = usual if action in COMPANY else rule.least * MINUTE
    task = task_for(day.situation, action)
    if task is None:
        return least, usual
    needed = min(max(length_of(task, action), least), rule.most * MINUTE)
    return min(needed, max(least, WORTH_IT)), needed


def _wished(day: Day, action: ActionType) -> list[Stretch]:
    """Return the stretches in which the user wishes to have an action on the day.

    They may reach into the night after it.
    """
    found: list[Stretch] = []
    for begin, end in day.situation.wishes.hours[action]:
        low = day.midnight + begin.hour * HOUR + begin.minute * MINUTE
        high = day.midnight + end.hour * HOUR + end.minute * MINUTE
        found.append((low, high if high > low else high + A_DAY))
    return merged(found)


def _common(some: Sequence[Stretch], others: Sequence[Stretch]) -> list[Stretch]:
    """Return the stretches that two lists of disjoint stretches have in common."""
    return [part for low, high in some for part in clipped(others, low, high)]


def _at_usual_hour(day: Day, action: ActionType, places: Sequence[Stretch], span: Stretch) -> Option | None:
    """Return the option at the user's usual hour of this weekday, in the usual length.

    Return None without a usual hour. Return None too unless the option begins before the end of ``span`` and fits into
    one of the free ``places``. SOCIALIZE has none, because what is usual in company is off on a day without its entry.
    An evening filled by an entry leaves room for a nap or meditation only.
    """
    if action is ActionType.SOCIALIZE:
        return None
    rule, habit = RULES[action], day.situation.routine.habits.get(action)
    hour = None if habit is None else habit.starts.get(day.date.weekday())
    if habit is None or hour is None:
        return None
    start = rounded_up(day.midnight + hour * MINUTE)
    end = start + min(max(round(habit.minutes / 5) * 5, rule.least), rule.most) * MINUTE
    name = habit.names.get(day.date.weekday())
    until = next((high for low, high in places if low <= start < span[1] and end <= high), None)
    if until is None or (action not in (ActionType.MEDITATE, ActionType.SLEEP) and start >= day.spent_from):
        return None
    return Option(action=action, kind="suggested", start=start, end=end, what=name, usual=True, until=until)


def _best(day: Day, action: ActionType, places: Sequence[Stretch], usual: timedelta) -> Option:
    """Return the option in the first of the free ``places`` with room for the length ``usual``, else in the longest.

    Meditation is placed in the first after three hours of tiring entries, if there is one. In the evening it is placed
    as late as its rule allows.
    """
    enough = [p for p in places if p[1] - p[0] >= usual] or [max(places, key=lambda p: p[1] - p[0])]
    low, high = enough[0]
    if action is ActionType.MEDITATE:
        low, high = next((p for p in enough if day.strained(p[0]) >= FILLED), enough[0])
        if high >= day.since(AFTER_DINNER) + HOUR:
            low = max(low, rounded_up(min(high - 5 * MINUTE, day.since(RULES[action].latest * HOUR)) - usual))
    end = min(low + usual, high)
    length = (end - low) // (5 * MINUTE) * (5 * MINUTE)
    return Option(action=action, kind="suggested", start=low, end=low + length, until=high)
