"""What people ask for their day, wherever they ask it: one recommendation, and another word on what an event is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from bridge import advise, agenda, corrections
from bridge.errors import SetupError
from bridge.personalise import for_person
from bridge.ports import Correction, Recommendation, User
from bridge.types import Event
from rhythm_env.interface import ActionType, observation_from_json, zone_at

if TYPE_CHECKING:
    from bridge.app import Bridge

REACH = timedelta(days=60)  # how far from now an event may lie that is corrected


def recommend(
    bridge: Bridge, user: User, *, now: datetime, policy: str | None = None, seen: bool = True
) -> Recommendation:
    """The slot's one recommendation; of another policy than the one set where named. ``seen``: the person looks at it,
    not a program.
    """
    chosen = for_person(bridge.store, user, bridge.policy(policy))
    advice = advise.recommend(  # in no transaction: a policy may ask a service, and nobody else should wait for it
        bridge.store, user, bridge.classifier, chosen, now=now, proxies=bridge.proxies, guard=bridge.guard
    )
    if seen:
        bridge.store.mark_shown(advice.id, now=now)
    return advice


def withheld(bridge: Bridge, user: User, advice: Recommendation) -> dict[ActionType, str]:
    """What could not be advised then, and why."""
    seen, then = observation_from_json(advice.observation), advice.created_at
    return bridge.guard.withheld(seen, now=then.astimezone(zone_at(then, user.zones)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixed:
    """A corrected event, and for how many of the days ahead the correction holds."""

    event: Event
    holds_for: int


def fix(bridge: Bridge, user: User, wanted: str, action: ActionType | None, *, now: datetime) -> Fixed:
    """Keep the person's word on an event, by its key or title; it holds for its series and titles like it.

    Raises SetupError where there is no such event within 60 days.
    """
    store = bridge.store
    found = _found(store.events(user.id, since=now - REACH, until=now + REACH, at=now), wanted, user)
    title = None if found.private else found.title
    said = Correction(series=corrections.series_of(found), title=title, action=action, made_at=now)
    store.correct(user.id, said)
    ahead = store.events(user.id, since=now, until=now + REACH, at=now)
    events = agenda.expand([event for _, event in ahead], since=now, until=now + REACH, zones=user.zones)
    made = store.corrections(user.id, at=now)
    held = corrections.held_by([occurrence.event for occurrence in events], said.series, made)
    return Fixed(event=found, holds_for=held)


def _found(events: Sequence[tuple[str, Event]], wanted: str, user: User) -> Event:
    """The event with that key, or the first with that title."""
    exact = [event for _, event in events if wanted in (event.key, corrections.series_of(event))]
    titled = exact or [event for _, event in events if event.title and event.title.casefold() == wanted.casefold()]
    if not titled:
        raise SetupError(
            f"no such event within {REACH.days} days; see the keys in: bridge today --user {user.name} --json"
        )
    return titled[0]
