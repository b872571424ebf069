"""Plan a day for a user with suggestions made and expected, calendar entries, tasks, and the night."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from bridge.advice import outcomes, recommend
from bridge.advice.choosing import unheard
from bridge.advice.labels import labelled
from bridge.advice.observation import newest_if_old, observe
from bridge.advice.personalise import for_person
from bridge.calendar.expansion import midnight
from bridge.calendar.flights import moves
from bridge.calendar.plans import planned_shares
from bridge.day.blocks import Block
from bridge.day.body import ModeKind
from bridge.day.choice import Propensities, policy_term
from bridge.day.known import NEAR, is_blank
from bridge.day.person import Person
from bridge.day.plan import DayPlan, Week
from bridge.domain.facts import Fact, fact
from bridge.domain.guard import Guard
from bridge.domain.records import Silence, Snapshot, User
from bridge.domain.slots import DAY, Moment, ZoneSpan, local_time, moment_at, slot_bounds, today_at, zone_at
from bridge.meters.outlook import outlook
from rhythm_env.interface import STEPS_PER_WEEK, ActionType, Observation, Policy

if TYPE_CHECKING:
    from bridge.installation import Bridge

FAR = ("entry", "wind_down", "sleep")  # kinds of blocks of a date far from now
AROUND = (-2, 3)  # days from a date, between whose midnights lie the entries that its nights are planned by
Ahead = dict[date, tuple[Block, ...]]  # what is placed on coming dates, once planned


def plan_day(
    bridge: Bridge,
    user: User,
    day: date | None,
    *,
    now: datetime,
    seen: bool = True,
    known: Snapshot | None = None,
    ahead: Ahead | None = None,
) -> DayPlan:
    """Return the plan of a date, or of today if None, for which the current recommendation is made if missing.

    If ``seen``, the recommendation and changes count as shown. ``known`` is loaded if None. ``ahead`` caches the blocks
    of coming dates between calls.
    """
    today = today_at(now, user.zones)
    wanted = day or today
    if known is None:
        known = recommend.load_snapshot(bridge, user, at=now)
    person = recommend.person_of(bridge, user, known)
    if abs(wanted - today) + AROUND[1] * DAY > NEAR:
        person = _farther(bridge, user, person, wanted)
    if wanted == today:
        advice = recommend.made(bridge, user, bridge.policy(), now=now, person=person)
        if seen and not isinstance(advice, Silence):
            bridge.store.recommendations.mark_shown(advice.id, now=now)
        person = recommend.replace_advice(person, bridge.store, user)
    heard = person if newest_if_old(bridge.store, user, known) is None else unheard(person)
    week = week_of(bridge, user, heard, {} if ahead is None else ahead)
    blocks = week.blocks(wanted)
    if abs(wanted - today) >= NEAR:
        blocks = tuple(block for block in blocks if block.kind in FAR or block.recommendation_id is not None)
    if wanted == today:
        _keep_places(bridge, user, person, blocks)
    some, told = not is_blank(known), tuple[Fact, ...]()
    levels = outlook(person.known, wanted, lambda one: bool(person.work(one)))
    ill = person.body.ill or person.mode.on(wanted) is ModeKind.ILL  # and like days, of a well person, tell nothing
    if wanted == today:
        told = outcomes.told_withdrawn(bridge.store, user, seen=seen, now=now)
    return DayPlan(
        date=wanted,
        zone=zone_at(now if wanted == today else midnight(wanted, user.zones), user.zones).key,
        bedtime=person.sleep(wanted + DAY)[0] if some else None,
        wake=person.sleep(wanted)[1] if some else None,
        work=tuple(person.work(wanted)) if some else (),
        blocks=blocks,
        changes=(*told, *_changes(bridge, user, wanted, seen_at=now if seen else None)),
        unmet=(*week.unmet(wanted), *((fact("not_foretold"),) if ill and levels else ())),
        outlook=() if ill else levels,
        moves=_moves(person, wanted, blocks),
    )


def _farther(bridge: Bridge, user: User, person: Person, day: date) -> Person:
    begin, end = (midnight(day + k * DAY, user.zones) for k in AROUND)
    held = {one.key for one, _ in person.entries}
    found = [one for one in labelled(bridge, user, begin, end, at=person.now) if one[0].key not in held]
    return replace(person, farther=found, _read={})


def week_of(bridge: Bridge, user: User, person: Person, planned: Ahead) -> Week:
    """Return the planner of a person's days, with the configured policy and what it learnt from this user's answers."""
    said = {one.moment: one.action for one in person.advised}
    observation, readings = observe(person.known, recommended=said)
    ask = asked(for_person(bridge.store, user, bridge.policy()), bridge.guard, person, observation)
    chance = bridge.store.recommendations.silence(user.id, moment_at(person.now, user.zones))
    silent = chance is not None and chance < 1
    read = replace(person, readings=readings)
    return Week(person=read, ask=ask, readings=readings, planned=planned, silent=silent)


def asked(policy: Policy, guard: Guard, person: Person, observation: Observation) -> Propensities:
    """Return a function from (slot, feasible actions) to action -> score by the policy.

    Actions that the guard forbids in that slot are left out.
    """

    def ask(moment: Moment, feasible: Sequence[ActionType]) -> Mapping[ActionType, float]:
        if not feasible:
            return {}
        start, end = slot_bounds(moment, person.known.zones)
        seen = replace(
            observation,
            timestep=moment.timestep,
            day=moment.day,
            slot=moment.slot,
            remaining_steps=STEPS_PER_WEEK - moment.timestep,
            feasible=tuple(feasible),
            planned=planned_shares(person.known.agenda, start, end),
        )
        local = local_time(start, person.known.zones)
        allowed, _ = guard.allowed(seen, now=local, sleep=ActionType.SLEEP in feasible)
        decision = policy.decide(allowed, random.Random(f"{moment.week}/{moment.timestep}"))
        term = policy_term(decision)
        return {action: term.get(action, 0.0) for action in allowed.feasible}

    return ask


def _keep_places(bridge: Bridge, user: User, person: Person, blocks: Sequence[Block]) -> None:
    places = {block.task: (block.start, block.end) for block in blocks if block.kind == "task" and block.task}
    new = {key: place for key, place in places.items() if person.places.get(key, place[:0])[:2] != place}
    if new:
        bridge.store.task_notes.save_places(user.id, new, now=person.now)


def _moves(person: Person, day: date, blocks: Sequence[Block]) -> tuple[ZoneSpan, ...]:
    begin, zones = midnight(day, person.known.zones), person.known.zones
    starts = [block.start for block in blocks if not block.all_day and block.start >= begin]
    if not starts:
        return ()
    found = moves(zones, begin, max(starts) + timedelta(seconds=1))  # what lasts for days knows later ones
    if not found or found[0].since <= min(starts):
        return tuple(found)
    return (ZoneSpan(since=min(starts), zone=zone_at(min(starts), zones).key), *found)


def _changes(bridge: Bridge, user: User, day: date, *, seen_at: datetime | None) -> Iterator[Fact]:
    """Yield a fact per recommendation withdrawn because the day changed. With ``seen_at``, mark them as seen."""
    since, until = (midnight(day + k * DAY, user.zones) for k in (0, 1))
    for advice in bridge.store.recommendations.taken_back(user.id, since=since, until=until):
        if advice.start is not None and advice.kind != "sleep":  # a night is moved, never taken back
            time = local_time(advice.start, user.zones)
            nap = advice.kind == "suggested" and advice.action is ActionType.SLEEP
            yield fact("taken_back", action="NAP" if nap else str(advice.action), time=time)
        if seen_at is not None:
            bridge.store.recommendations.close(advice.id, now=seen_at)
