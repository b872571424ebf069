"""Tell which entries of the calendar are activities of the user's own that are worth keeping."""

from __future__ import annotations

from datetime import timedelta

from bridge.calendar import expansion
from bridge.calendar.busy import Stretch, clipped, takes_time
from bridge.calendar.plans import COMPANY
from bridge.day.sleep import is_night
from bridge.domain.types import Label, Occurrence
from bridge.planning.situation import Situation
from bridge.planning.waking_day import LUNCH, MINUTE
from rhythm_env.interface import ActionType

KEEP = frozenset(ActionType) - {ActionType.ADMIN_WORK, ActionType.BINGE_WATCH}  # entries that are worth keeping
KEEP_LENGTHS = (timedelta(minutes=5), timedelta(hours=12))  # of an entry that is an activity of a day
MEAL_MAX = timedelta(minutes=75)
SURE = 0.5  # confidence in an entry's label from which its action counts as planned


def planned_entry(situation: Situation, action: ActionType, span: Stretch) -> Occurrence | None:
    """Return the first calendar entry of an action that is worth keeping (``is_own``) and falls into a span.

    Return None without any. The entry begins before the end of the span, and ends more than 15 minutes after the begin
    of the span. ADMIN_WORK and BINGE_WATCH are never worth keeping.
    """
    if action not in KEEP:
        return None
    for occurrence, label in situation.entries:
        if not is_own(situation, occurrence, label):
            continue
        inside = occurrence.start < span[1] and occurrence.end > span[0] + 15 * MINUTE
        if inside and label.action is action:
            return occurrence
    return None


def is_own(situation: Situation, occurrence: Occurrence, label: Label) -> bool:
    """Return True if a calendar entry is the user's own and worth keeping.

    It is no company with other guests in working hours, no meal labelled ME_TIME, and no part of a flight. It must take
    five minutes to twelve hours and be no night's sleep. Its label must have a confidence of 0.5 or more. ADMIN_WORK
    and BINGE_WATCH are never worth keeping.
    """
    if label.action not in KEEP or label.confidence < SURE or is_night(occurrence, label):
        return False
    if not takes_time(occurrence.event):
        return False
    if not KEEP_LENGTHS[0] <= occurrence.end - occurrence.start <= KEEP_LENGTHS[1] or in_flight(situation, occurrence):
        return False
    if label.action in COMPANY:
        at_work = clipped(situation.work(situation.date_of(occurrence.start)), occurrence.start, occurrence.end)
        return not (at_work and occurrence.event.others)
    return not (label.action is ActionType.ME_TIME and is_meal(situation, occurrence))


def in_flight(situation: Situation, occurrence: Occurrence) -> bool:
    """Return True if a calendar entry is a flight, or overlaps a flight or the ways to and from the airport."""
    return bool(clipped(situation.journeys, occurrence.start, occurrence.end))


def is_meal(situation: Situation, occurrence: Occurrence) -> bool:
    """Return True if a calendar entry begins from 11:30 on and before 14:00, and takes 75 minutes or less."""
    midnight = expansion.midnight(situation.date_of(occurrence.start), situation.known.zones)
    at_noon = midnight + LUNCH[0] <= occurrence.start < midnight + LUNCH[1]
    return at_noon and occurrence.end - occurrence.start <= MEAL_MAX


def is_planned(occurrence: Occurrence, label: Label, action: ActionType) -> bool:
    """Return True if a calendar entry takes time for an action, by a label with a confidence of 0.5 or more."""
    return label.action is action and label.confidence >= SURE and takes_time(occurrence.event)
