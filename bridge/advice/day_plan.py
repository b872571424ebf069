"""The plan of a date for a user: given suggestions, suggestions to expect, calendar entries, tasks and the night."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from bridge.advice import recommend, requests
from bridge.advice.observation import observe
from bridge.advice.personalise import for_person
from bridge.calendar.busy import clipped
from bridge.calendar.expansion import midnight
from bridge.calendar.flights import moves
from bridge.calendar.plans import planned_shares
from bridge.domain.facts import Fact, fact
from bridge.domain.guard import Guard
from bridge.domain.records import Deed, Snapshot, User
from bridge.domain.slots import Moment, ZoneSpan, moment_at, slot_bounds, zone_at
from bridge.domain.types import Reading
from bridge.planning.choice import as_wished, sensible, suggested_on
from bridge.planning.day_plan import (
    Block,
    DayPlan,
    clear_of,
    fixed_blocks,
    night_blocks,
    suggestion_block,
    task_blocks,
)
from bridge.planning.outlook import outlook
from bridge.planning.situation import Situation, is_agreed
from bridge.planning.tasks import task_for
from bridge.planning.waking_day import Day
from rhythm_env.interface import STEPS_PER_WEEK, ActionType, Answer, Meter, Observation, Policy, Slot

if TYPE_CHECKING:
    from bridge.installation import Bridge

A_DAY = timedelta(days=1)
AHEAD_MAX = 7  # days ahead for whose plans the days before are planned as well
Ahead = dict[date, list[Block]]  # the suggestions of coming dates, once planned


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
    """Return the plan of a date, or of today if ``day`` is None.

    For today, the current slot's recommendation is in the plan, and is made if there is none. ``seen`` marks it as
    shown to the user. The times of today's tasks are saved, so that the next plan shows them there. Suggestions for
    later slots are a preview, the policy's most likely choice. The real choice is drawn when the slot comes. A plan of
    a coming date counts the previews of the days before, up to seven days ahead. ``known`` is the user's snapshot at
    ``now``, and is loaded if None. ``ahead`` keeps previews for further plans of the same instant and user.
    """
    today = now.astimezone(zone_at(now, user.zones)).date()
    wanted = day or today
    if known is None:
        known = recommend.load_snapshot(bridge.store, user, bridge.classifier, at=now, proxies=bridge.proxies)
    situation = recommend.situation_of(bridge.store, user, bridge.classifier, known)
    if wanted == today:
        requests.recommend(bridge, user, now=now, seen=seen, situation=situation)
        situation = recommend.replace_advice(situation, bridge.store, user)
    policy = recommend_policy(bridge, user)
    blocks = _blocks(situation, wanted, policy, bridge.guard, {} if ahead is None else ahead)
    if wanted == today:
        _keep_places(bridge, user, situation, blocks)
    some = not situation.is_blank
    return DayPlan(
        date=wanted,
        zone=zone_at(now if wanted == today else midnight(wanted, user.zones), user.zones).key,
        bedtime=situation.sleep(wanted + A_DAY)[0] if some else None,
        wake=situation.sleep(wanted)[1] if some else None,
        work=tuple(situation.work(wanted)) if some else (),
        blocks=blocks,
        changes=tuple(_changes(bridge, user, situation, wanted)),
        outlook=outlook(situation, wanted),
        moves=_moves(situation, wanted, blocks),
    )


def _keep_places(bridge: Bridge, user: User, situation: Situation, blocks: Sequence[Block]) -> None:
    """Save new and changed times of today's task blocks, so that the next plan shows the tasks there."""
    places = {block.task: (block.start, block.end) for block in blocks if block.kind == "task" and block.task}
    new = {key: place for key, place in places.items() if situation.places.get(key) != place}
    if new:
        bridge.store.task_notes.save_places(user.id, new, now=situation.now)


def _moves(situation: Situation, day: date, blocks: Sequence[Block]) -> tuple[ZoneSpan, ...]:
    """Return the stays in other time zones that begin between a date's midnight and the end of the latest block."""
    zones = situation.known.zones
    begin = midnight(day, zones)
    return tuple(moves(zones, begin, max([begin, *(block.end for block in blocks)])))


def recommend_policy(bridge: Bridge, user: User) -> Policy:
    """Return the configured policy with the user's newest kept prior, or without a prior if there is none."""
    return for_person(bridge.store, user, bridge.policy())


def _blocks(situation: Situation, day: date, policy: Policy, guard: Guard, ahead: Ahead) -> tuple[Block, ...]:
    """Return the blocks of a date, in order of time: entries, suggestions, tasks, winding down and sleep.

    If nothing is known of the user, only what the calendar fixes is in them.
    """
    blocks = fixed_blocks(situation, day)
    if situation.is_blank:
        return tuple(blocks)
    blocks += _suggested(_after_days_before(situation, day, policy, guard, ahead), day, policy, guard, ahead)
    blocks += task_blocks(situation, Day(situation=situation, date=day), blocks)
    blocks += night_blocks(situation, day, blocks)
    return tuple(sorted(blocks, key=lambda b: (b.start, b.end)))


def _after_days_before(situation: Situation, day: date, policy: Policy, guard: Guard, ahead: Ahead) -> Situation:
    """Return the situation of a coming date, with the suggestions of the days from today until it as made before.

    More than seven days ahead, and for today and past dates, it is the situation itself.
    """
    today = situation.date_of(situation.now)
    if day - today > AHEAD_MAX * A_DAY:
        return situation
    for between in (today + k * A_DAY for k in range((day - today).days)):
        situation = _said_before(situation, _suggested(situation, between, policy, guard, ahead))
    return situation


def _suggested(situation: Situation, day: date, policy: Policy, guard: Guard, ahead: Ahead) -> list[Block]:
    """Return a date's suggestions as blocks, those made and those to expect.

    ``situation`` holds the suggestions of the days before. The suggestions are kept in ``ahead``.
    """
    if day not in ahead:
        given = list(_given(situation, day))
        ahead[day] = [*given, *_previewed(situation, day, policy, guard, [*fixed_blocks(situation, day), *given])]
    return ahead[day]


def _given(situation: Situation, day: date) -> Iterator[Block]:
    """Yield the suggestions already made for a date as blocks, entries to keep and sleep excepted.

    A suggestion that has begun is a block (of kind ``keep``) only if the user agreed to its time. Left out are ignored
    suggestions, those rescheduled without a new time, and those that overlap a calendar entry. So are those that the
    user did before their time.
    """
    for advice in situation.advised:
        if advice.start is None or advice.end is None or advice.kind != "suggested":
            continue
        if situation.date_of(advice.start) != day or advice.answer is Answer.IGNORE:
            continue
        agreed = is_agreed(advice, situation.known.zones)
        if advice.answer is Answer.RESCHEDULE and not agreed:
            continue
        if clipped(situation.attended, advice.start, advice.end):
            continue
        begun = advice.start < situation.now
        if advice.outcome is Deed.DONE and not begun:
            continue
        if begun and not agreed:
            continue
        yield Block(
            start=advice.start,
            end=advice.end,
            kind="keep" if begun else "suggested",
            action=advice.action,
            title=advice.what,
            facts=advice.facts,
            recommendation_id=advice.id,
            task=_task_named(situation, advice.what),
        )


def _task_named(situation: Situation, title: str | None) -> str | None:
    """Return the key of the first open task with this title. Return None without such a task, or without a title."""
    found = (task for task in situation.known.tasks if task.completed is None and task.title and task.title == title)
    return next((str(task.key) for task in found), None)


def _previewed(situation: Situation, day: date, policy: Policy, guard: Guard, blocks: Sequence[Block]) -> list[Block]:
    """Return what the policy would suggest in the later slots of a date as blocks, nights excepted.

    Together with the suggestions already made, they are no more than the user wants a day. Each is the policy's most
    likely choice.
    """
    observation, readings = observe(situation.known, recommended={r.moment: r.action for r in situation.advised})
    found: list[Block] = []
    current = moment_at(situation.now, situation.known.zones)
    for moment in _later_slots(day, current):
        start, end = slot_bounds(moment, situation.known.zones)
        given = suggested_on(situation, start) + len(found)
        if given >= situation.wishes.suggestions:
            break
        block = _preview(situation, (start, end), observation, readings, policy, guard, [*blocks, *found])
        if block is not None:
            found.append(block)
    return found


def _later_slots(day: date, current: Moment) -> list[Moment]:
    """Return the morning, afternoon and evening of a date, as far as they come after the slot ``current``."""
    monday = day - timedelta(days=day.weekday())
    slots = (Moment(week=monday, day=day.weekday(), slot=slot) for slot in (Slot.MORNING, Slot.AFTERNOON, Slot.EVENING))
    return [slot for slot in slots if slot > current]


def _preview(
    situation: Situation,
    span: tuple[datetime, datetime],
    observation: Observation,
    readings: Mapping[Meter, Reading],
    policy: Policy,
    guard: Guard,
    blocks: Sequence[Block],
) -> Block | None:
    """Return the policy's most likely suggestion in a later slot as a block, or None if nothing fits.

    ``span`` is begin and end of the slot. The suggestion overlaps none of ``blocks``.
    """
    ahead = _said_before(situation, blocks)
    found, _ = sensible(ahead, span, readings)
    found = {a: option for a, option in found.items() if option.kind == "suggested" and clear_of(option, blocks)}
    if not found:
        return None
    moment = moment_at(span[0], situation.known.zones)
    seen = replace(
        observation,
        timestep=moment.timestep,
        day=moment.day,
        slot=moment.slot,
        remaining_steps=STEPS_PER_WEEK - moment.timestep,
        feasible=tuple(found),
        planned=planned_shares(situation.known.agenda, *span),
    )
    local = span[0].astimezone(zone_at(span[0], situation.known.zones))
    allowed, _ = guard.allowed(seen, now=local, sleep=ActionType.SLEEP in found)
    decision = policy.decide(allowed, random.Random(f"{moment.week}/{moment.timestep}"))
    decision = as_wished(decision, ahead, {a: found[a] for a in allowed.feasible}, readings)
    chosen = max(allowed.feasible, key=lambda a: (decision.probabilities.get(a, 0.0), a is decision.action))
    return suggestion_block(found[chosen], ahead, readings, task_for(ahead, chosen))


def _said_before(situation: Situation, blocks: Sequence[Block]) -> Situation:
    """Return the situation with the suggestions among ``blocks`` as further suggestions of the plan so far.

    Later suggestions then keep away from them and do not repeat them.
    """
    said = [b for b in blocks if b.kind == "suggested"]
    previewed = ((b.action, b.start, b.end) for b in said)
    titles = (b.title for b in said if b.title is not None)
    return replace(
        situation,
        previewed=(*situation.previewed, *previewed),
        titles=(*situation.titles, *titles),
    )


def _changes(bridge: Bridge, user: User, situation: Situation, day: date) -> Iterator[Fact]:
    """Yield a fact per recommendation of a date that was withdrawn because the calendar or the wishes changed."""
    since, until = (midnight(day + k * A_DAY, user.zones) for k in (0, 1))
    for advice in bridge.store.recommendations.taken_back(user.id, since=since, until=until):
        if advice.start is not None:
            yield fact("taken_back", action=str(advice.action), time=situation.local(advice.start))
