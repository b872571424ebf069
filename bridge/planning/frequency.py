"""Decide when an action was suggested often enough, and when a coming week holds it as often as the user's routine."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from bridge.domain.facts import Fact, fact
from bridge.domain.slots import moment_at
from bridge.planning.kept_entries import is_planned
from bridge.planning.situation import Situation
from rhythm_env.interface import ActionType

REPEATS_MAX = 3  # of the last seven days on which one kind of slot may get the same action
WEEKLY_MAX = 4  # days of the last seven on which the same action may be suggested at all
WEEK, A_DAY = timedelta(days=7), timedelta(days=1)


def said_too_often(situation: Situation, action: ActionType, at: datetime) -> Fact | None:
    """Return a fact if an action was suggested too often in the last seven days. Return None if it was not.

    Too often is on four other days than today, or on three at this part of the day. Suggestions of the plan so far
    count, also those of days before. Actions with a goal have no limit. Neither have habits of this weekday, except
    ADMIN_WORK.
    """
    day = situation.date_of(at)
    habit = situation.routine.habits.get(action)
    routine = habit is not None and day.weekday() in habit.starts and action is not ActionType.ADMIN_WORK
    if action in situation.wishes.goals or routine:
        return None
    slot = moment_at(at, situation.known.zones).slot
    recent = [
        one.moment
        for one in situation.advised
        if one.action is action and one.kind == "suggested" and at - one.created_at < WEEK and one.moment.date != day
    ]
    recent += [moment_at(start, situation.known.zones) for start in _previewed(situation, action, day)]
    if len({moment.date for moment in recent}) >= WEEKLY_MAX:
        return fact("often_this_week", times=WEEKLY_MAX)
    same = {moment.date for moment in recent if moment.slot is slot}
    if len(same) < REPEATS_MAX:
        return None
    return fact("often_in_slot", slots=slot.name.lower(), times=REPEATS_MAX)


def _previewed(situation: Situation, action: ActionType, day: date) -> list[datetime]:
    """Return the starts of an action's suggestions of the plan so far, within the seven days before ``day``."""
    starts = [start for said, start, _ in situation.previewed if said is action]
    return [start for start in starts if day - WEEK < situation.date_of(start) < day]


def often_enough(situation: Situation, action: ActionType, at: datetime) -> Fact | None:
    """Return a fact if a coming day needs no more of an action than the days before it hold. Return None if it does.

    The user's routine says how often a week is enough, rounded, and at least once. The action's dates within the seven
    days that end with the date of ``at`` count: entries, workouts, and suggestions of the plan so far. Today needs no
    such fact, because what was done tells enough. Actions with a goal, or without a habit, have no limit.
    """
    day, habit = situation.date_of(at), situation.routine.habits.get(action)
    if habit is None or action in situation.wishes.goals or day <= situation.date_of(situation.now):
        return None
    enough = max(round(habit.per_week), 1)
    if len(_dates(situation, action, day)) < enough:
        return None
    return fact("often_enough", count=enough)


def _dates(situation: Situation, action: ActionType, day: date) -> set[date]:
    """Return the dates within the seven days up to ``day``, it included, that have an action done or expected."""
    planned = [o.start for o, label in situation.entries if is_planned(o, label, action)]
    found = {situation.date_of(start) for start in (*planned, *_previewed(situation, action, day))}
    if action is ActionType.EXERCISE:
        found |= {one for k in range(WEEK.days) if situation.workouts(one := day - k * A_DAY)}
    return {one for one in found if day - WEEK < one <= day}
