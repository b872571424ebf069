"""Write accepted recommendations as entries (plans) into a user's calendar.

If the user deletes such an entry there, its recommendation counts as ignored.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Protocol

from bridge.advice.labels import labelled
from bridge.calendar.busy import free_blocks
from bridge.day.sleep import rounded_up
from bridge.domain.errors import BridgeError
from bridge.domain.records import Feedback, Recommendation, User
from bridge.domain.slots import INSTANT, Moment, moment_at, slot_bounds
from bridge.domain.types import Event, Occurrence, Plan
from bridge.leases import Lease
from rhythm_env.interface import ActionType, Answer

if TYPE_CHECKING:
    from bridge.installation import Bridge

log = logging.getLogger(__name__)

RESCHEDULED_MAX = timedelta(days=8)  # a recommendation is rescheduled by a week at most
# Minutes of a plan if its slot leaves room, else HOUR. The lengths are our choice. The user
# may change the event.
DEFAULT_MINUTES: Mapping[ActionType, float] = {ActionType.MEDITATE: 20, ActionType.SLEEP: 360}
HOUR = 60.0


class Writing(Protocol):
    """A ``bridge.domain.ports.Writer`` bound to an account.

    Calling it writes the plans into the calendar and returns the keys of plans that the user deleted there.
    """

    def __call__(self, plans: Sequence[Plan], *, now: datetime) -> Sequence[str]: ...


def plans(bridge: Bridge, user: User, *, now: datetime) -> list[Plan]:
    """Return the entries to write for recent recommendations that were accepted or put off and are not over."""
    found: list[Plan] = []
    for advice in bridge.store.recommendations.between(user.id, since=now - RESCHEDULED_MAX, until=now + INSTANT):
        plan = _plan(bridge, user, advice, now, beside=found)
        found += [] if plan is None else [plan]
    return [plan for plan in found if plan.start < plan.end]  # a slot's last minutes leave no room


def _meant_for(advice: Recommendation) -> Moment | None:
    if advice.kind == "keep":
        return None
    return {Answer.ACCEPT: advice.moment, Answer.RESCHEDULE: advice.moved_to}.get(advice.answer or Answer.IGNORE)


def _plan(bridge: Bridge, user: User, advice: Recommendation, now: datetime, *, beside: Sequence[Plan]) -> Plan | None:
    """Return the entry of a recommendation, at its own time or the first free time of its slot, or None if over."""
    moment = _meant_for(advice)
    if moment is None or slot_bounds(moment, user.zones)[1] <= now:
        return None
    own = advice.start is not None and moment in (advice.moment, moment_at(advice.start, user.zones))
    if own and advice.start is not None and advice.end is not None:
        begin, over = advice.start, advice.end
    else:
        start, end = slot_bounds(moment, user.zones)
        start = max(start, rounded_up(advice.answered_at or now))
        known = labelled(bridge, user, start, end, at=now)
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
    return Occurrence(key=plan.key, event=Event(key=plan.key, calendar="plans"), start=plan.start, end=plan.end)


def _placed(
    others: Sequence[Occurrence], advice: Recommendation, start: datetime, end: datetime
) -> tuple[datetime, datetime]:
    minutes = DEFAULT_MINUTES.get(advice.action, HOUR)
    free = free_blocks(others, start, end, minutes=minutes)
    begin = free[0][0] if free else start
    return begin, min(begin + timedelta(minutes=minutes), end)


def key_of(user: User, advice: Recommendation) -> str:
    """Return the key of a recommendation's calendar entry, which is equal in an installation that imported it."""
    return f"{user.name}/{advice.moment.week}/{advice.moment.timestep}/{advice.created_at.isoformat()}"


def keep(bridge: Bridge, user: User, write: Writing, lease: Lease) -> bool:
    """Write accepted recommendations into the calendar, answer Ignore for deleted entries, and release ``lease``.

    Returns False if another process holds the lease or the calendar could not be written. Try again then.
    """
    if not lease.taken():
        return False
    now, store = lease.now, bridge.store
    try:
        deleted = set(write(plans(bridge, user, now=now), now=now))
    except BridgeError as error:
        log.warning(
            "%s: the accepted recommendations were not written to the calendar: %s", lease.connection.source, error
        )
        return False
    finally:
        store.scheduling.release(lease.connection.id, lease.holder)
    for advice in store.recommendations.between(user.id, since=now - RESCHEDULED_MAX, until=now + INSTANT):
        if key_of(user, advice) in deleted:
            store.recommendations.save_feedback(advice.id, Feedback(answer=Answer.IGNORE, answered_at=now))
    return True
