"""What a person agreed to do becomes plans in a calendar of theirs; a plan they delete there is advice they ignored."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from bridge import advise, agenda
from bridge.errors import BridgeError
from bridge.ports import EventClassifier, Recommendation, Store, User
from bridge.sync import Lease
from bridge.types import Event, Occurrence, Plan
from rhythm_env.interface import ActionType, Answer, Moment, slot_bounds

log = logging.getLogger(__name__)

BACK = timedelta(days=8)  # a week ahead is the farthest advice is put off to
# How long a plan is, where its slot leaves room: an hour but for what is shorter or fills the night. Our choice; the
# person may change the event.
MINUTES: Mapping[ActionType, float] = {ActionType.MEDITATE: 20, ActionType.SLEEP: 360}
HOUR = 60.0


class Writing(Protocol):
    """A ``bridge.ports.Writer`` whose account is known."""

    def __call__(self, plans: Sequence[Plan], *, now: datetime) -> Sequence[str]: ...


def plans(store: Store, user: User, classifier: EventClassifier, *, now: datetime) -> list[Plan]:
    """What was accepted, or put off to a named slot, in slots that are not over; in the order it was advised."""
    found: list[Plan] = []
    for advice in store.recommendations(user.id, since=now - BACK, until=now + advise.INSTANT):
        moment = _meant_for(advice)
        if moment is not None and slot_bounds(moment, user.zones)[1] > now:
            found.append(_plan(store, user, classifier, advice, moment, now, beside=found))
    return [plan for plan in found if plan.start < plan.end]  # accepted in a slot's last minutes, there is no room


def _meant_for(advice: Recommendation) -> Moment | None:
    return {Answer.ACCEPT: advice.moment, Answer.RESCHEDULE: advice.moved_to}.get(advice.answer or Answer.IGNORE)


def _plan(
    store: Store,
    user: User,
    classifier: EventClassifier,
    advice: Recommendation,
    moment: Moment,
    now: datetime,
    *,
    beside: Sequence[Plan],
) -> Plan:
    start, end = slot_bounds(moment, user.zones)
    start = max(start, _rounded_up(advice.answered_at or now))
    known = advise.labelled(store, user, classifier, start, end, at=now)
    others = [one for one, _ in known if one.event.kind.partition(":")[0] != "advice"]
    begin, over = _placed([*others, *map(_entry, beside)], advice, start, end)
    return Plan(
        key=key_of(user, advice),
        slot=f"{moment.week}/{moment.timestep}",
        action=advice.action,
        start=begin,
        end=over,
        agreed_at=advice.answered_at or now,
    )


def _entry(plan: Plan) -> Occurrence:
    """An earlier plan as what it takes of the time."""
    return Occurrence(key=plan.key, event=Event(key=plan.key, calendar="plans"), start=plan.start, end=plan.end)


def _placed(
    others: Sequence[Occurrence], advice: Recommendation, start: datetime, end: datetime
) -> tuple[datetime, datetime]:
    """The first free stretch that is long enough, else the slot's beginning."""
    minutes = MINUTES.get(advice.action, HOUR)
    free = agenda.free_blocks(others, start, end, minutes=minutes)
    begin = free[0][0] if free else start
    return begin, min(begin + timedelta(minutes=minutes), end)


def _rounded_up(at: datetime) -> datetime:
    """To the next five minutes.

    >>> f"{_rounded_up(datetime(2026, 11, 20, 9, 56, 1)):%H:%M}", f"{_rounded_up(datetime(2026, 11, 20, 9, 55)):%H:%M}"
    ('10:00', '09:55')
    """
    over = timedelta(minutes=at.minute % 5, seconds=at.second, microseconds=at.microsecond)
    return at + (timedelta(minutes=5) - over if over else over)


def key_of(user: User, advice: Recommendation) -> str:
    """Of one piece of advice, in this installation and any other."""
    return f"{user.name}/{advice.moment.week}/{advice.moment.timestep}/{advice.created_at.isoformat()}"


def keep(store: Store, user: User, classifier: EventClassifier, write: Writing, lease: Lease) -> bool:
    """Write down what was agreed to; what the person has deleted since is answered with Ignore.

    False when it could not be done: the advice stands, nothing that called this fails, and the next call does it.
    """
    if not lease.taken():
        return False
    now = lease.now
    try:
        deleted = set(write(plans(store, user, classifier, now=now), now=now))
    except BridgeError as error:
        log.warning("%s: accepted advice is not written down: %s", lease.connection.source, error)
        return False
    finally:
        store.release(lease.connection.id, lease.holder)
    for advice in store.recommendations(user.id, since=now - BACK, until=now + advise.INSTANT):
        if key_of(user, advice) in deleted:
            store.answer(advice.id, Answer.IGNORE, now=now)
    return True
