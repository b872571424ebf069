"""Requests that every interface offers a user, for a recommendation or to correct an event's label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from bridge.advice import recommend as advise
from bridge.advice.choosing import why_no_other
from bridge.advice.labels import labelled
from bridge.advice.observation import slot_around
from bridge.calendar import corrections
from bridge.calendar.busy import Labelled, takes_time
from bridge.calendar.expansion import expand, series_of
from bridge.calendar.flights import is_by_land, is_journey, journey, to_leave
from bridge.calendar.kinds import title_of
from bridge.day.view import is_there
from bridge.domain.errors import SetupError
from bridge.domain.facts import Fact, fact
from bridge.domain.records import Correction, FullRecommendation, Silence, User
from bridge.domain.slots import local_time, moment_at, slot_start
from bridge.domain.types import Event, Occurrence
from rhythm_env.interface import SLOTS_PER_DAY, ActionType, Slot, observation_from_json

if TYPE_CHECKING:
    from bridge.installation import Bridge

CORRECTED_WITHIN = timedelta(days=60)  # the largest distance of a corrected event from now


def recommend(
    bridge: Bridge, user: User, *, now: datetime, policy: str | None = None, seen: bool = True
) -> FullRecommendation | Silence:
    """Return the current slot's recommendation, or the reasons why there is none, and mark it shown if ``seen``.

    None as ``policy`` is the configured policy. Raises SetupError for an unknown policy.
    """
    advice = advise.made(bridge, user, bridge.policy(policy), now=now)
    if isinstance(advice, Silence):
        return advice
    if seen:
        bridge.store.recommendations.mark_shown(advice.id, now=now)
    return advise.begins_now(advice, now)


def following(bridge: Bridge, user: User, number: int, *, now: datetime) -> FullRecommendation | Silence:
    """Return the suggestion after the refused recommendation ``number``, or the reasons why there is none."""
    found = recommend(bridge, user, now=now)
    if isinstance(found, Silence) or found.id != number:
        return found
    person = advise.load_person(bridge, user, now=now)
    return Silence(moment=found.moment, facts=why_no_other(person, (now, slot_around(now, user.zones)[1])), at=now)


def next_entry(bridge: Bridge, user: User, now: datetime, agenda: Labelled | None = None) -> Fact | None:
    """Return a fact with the day's next calendar entry and when to leave for it, or None without an entry.

    ``agenda`` is loaded if None.
    """
    end = slot_start(replace(moment_at(now, user.zones), slot=Slot.MORNING).shifted(SLOTS_PER_DAY), user.zones)
    if agenda is None:
        agenda = labelled(bridge, user, now, end, at=now)
    aboard = [one for one, _ in agenda if one.start <= now < one.end and _is_trip(one)]  # goes nowhere else
    coming = [one for one, label in agenda if now < one.start < end and is_there(one, label)]
    coming = [one for one in coming if not any(one.start < trip.end for trip in aboard)]
    first = min(coming, key=lambda one: (one.start, one.start - one.end), default=None)  # the longest of those at once
    if first is None:
        return None
    title = title_of(first)
    told = {"time": local_time(first.start, user.zones)}
    if not _is_trip(first):
        return fact("next_entry", title=title, **told)
    leave = to_leave(first, now)
    if leave == "by":
        told["leave"] = local_time(journey(first)[0], user.zones)
    return fact({"by": "next_leave", None: "next_entry"}.get(leave, "next_leave_now"), title=title, **told)


def _is_trip(one: Occurrence) -> bool:
    return takes_time(one.event) and (is_journey(one) or is_by_land(one))


def not_asked(advice: FullRecommendation | Silence, policy: str | None) -> str | None:
    """Return a sentence if the recommendation is by another policy than the wanted ``policy``, otherwise None."""
    if isinstance(advice, Silence):
        return None
    decided = advice.policy.partition("@")[0]
    if policy is None or policy == decided:
        return None
    return (
        f"{policy} was not asked: this slot has its recommendation already, from {decided}. "
        "Ask again in the next slot, or compare policies with: bridge evaluate"
    )


def withheld(bridge: Bridge, user: User, advice: FullRecommendation | Silence) -> dict[ActionType, Fact]:
    """Return action -> why it was not recommended in place of ``advice``. Empty for a Silence."""
    if isinstance(advice, Silence):
        return {}
    if advice.kind is not None:
        return {ActionType(name): why for name, why in advice.withheld.items()}
    seen, then = observation_from_json(advice.observation), advice.created_at
    return bridge.guard.withheld(seen, now=local_time(then, user.zones))


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixed:
    """An event whose action the user corrected, and the number of coming events to which the correction applies."""

    event: Event
    holds_for: int


def fix(bridge: Bridge, user: User, wanted: str, action: ActionType | None, *, now: datetime) -> Fixed:
    """Store that the user gives an event another ``action``, or None for no activity.

    ``wanted`` is the event's key or title. Raises SetupError if no such event is within 60 days of ``now``.
    """
    store = bridge.store
    found = _found(
        store.reading.events(user.id, since=now - CORRECTED_WITHIN, until=now + CORRECTED_WITHIN, at=now), wanted, user
    )
    title = None if found.private else found.title
    said = Correction(series=series_of(found), title=title, action=action, made_at=now)
    store.people.add_correction(user.id, said)
    ahead = store.reading.events(user.id, since=now, until=now + CORRECTED_WITHIN, at=now)
    events = expand([event for _, event in ahead], since=now, until=now + CORRECTED_WITHIN, zones=user.zones)
    made = store.people.corrections(user.id, at=now)
    held = corrections.held_by([occurrence.event for occurrence in events], said.series, made)
    return Fixed(event=found, holds_for=held)


def _found(events: Sequence[tuple[str, Event]], wanted: str, user: User) -> Event:
    exact = [event for _, event in events if wanted in (event.key, series_of(event))]
    titled = exact or [event for _, event in events if event.title and event.title.casefold() == wanted.casefold()]
    if not titled:
        raise SetupError(
            f"no such event within {CORRECTED_WITHIN.days} days; "
            f"list keys: bridge calendar --user {user.name} --week DATE --json"
        )
    return titled[0]
