"""Find good times for a recommendation that the user reschedules, and set its new time."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from bridge.advice import feedback, recommend
from bridge.domain.records import Deed, Recommendation, Snapshot, User
from bridge.domain.slots import Moment, moment_at
from bridge.planning import facts
from bridge.planning.choice import gap_in, good_gaps
from bridge.planning.situation import Option, Situation, without_advice
from rhythm_env.interface import Answer

if TYPE_CHECKING:
    from bridge.installation import Bridge


def gaps(
    bridge: Bridge, user: User, advice: Recommendation, *, now: datetime, known: Snapshot | None = None
) -> list[Option]:
    """Return up to three good times for the recommended action in later slots, ascending.

    They lie in the coming 48 hours, or in the coming six days if these hold fewer than three. They begin at least an
    hour after the suggested start, or after ``now`` if that start is past. ``known`` is the user's snapshot at ``now``,
    and is loaded if None.
    """
    situation = _situation(bridge, user, advice, now, known)
    return good_gaps(situation, advice.action, after=_suggested_at(advice, user, now))


def offered(bridge: Bridge, user: User, advice: Recommendation, *, now: datetime) -> list[Option] | None:
    """Return up to three good times if the user rescheduled the recommendation without naming a slot, else None."""
    untimed = advice.answer is Answer.RESCHEDULE and advice.moved_to is None
    return gaps(bridge, user, advice, now=now) if untimed else None


def answer(
    bridge: Bridge,
    user: User,
    number: int,
    given: Answer | Deed,
    *,
    now: datetime,
    moved_to: Moment | None,
    known: Snapshot | None = None,
) -> Recommendation:
    """Store the user's answer to the recommendation ``number``, or whether the user did the action, and return it.

    With Reschedule and ``moved_to``, the recommendation also gets a new time in that slot, if one fits. ``known`` is
    the user's snapshot at ``now``, and is loaded if None. Raises SetupError as ``feedback.answer`` does.
    """
    found = feedback.answer(bridge.store, user, number, given, now=now, moved_to=moved_to)
    if moved_to is None or given is not Answer.RESCHEDULE:
        return found
    situation = _situation(bridge, user, found, now, known)
    option = gap_in(situation, found.action, moved_to, after=_suggested_at(found, user, now))
    if option is not None:
        told = found.facts if found.start == option.start else facts.after_a_move(found.facts)
        bridge.store.recommendations.retime(found.id, option.start, option.end, told)
    return feedback.own(bridge.store, user, number)


def _suggested_at(advice: Recommendation, user: User, now: datetime) -> datetime:
    """Return the suggested start if it is ahead and in the recommendation's own slot, otherwise now."""
    start = advice.start
    return start if start is not None and start > now and moment_at(start, user.zones) == advice.moment else now


def _situation(bridge: Bridge, user: User, advice: Recommendation, now: datetime, known: Snapshot | None) -> Situation:
    """Return the user's situation without this recommendation. ``known`` is the user's snapshot, loaded if None."""
    store, classifier = bridge.store, bridge.classifier
    if known is None:
        found = recommend.load_situation(store, user, classifier, now=now, proxies=bridge.proxies)
    else:
        found = recommend.situation_of(store, user, classifier, known)
    return without_advice(found, advice.id)
