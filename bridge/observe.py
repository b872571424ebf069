"""What is known of a person at a moment -> the model's observation, as the simulator would show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from types import MappingProxyType

from bridge import agenda
from bridge.guard import QUIET
from bridge.meters import METERS, Past, read_at
from bridge.meters.pace import SETTLING, paced
from bridge.ports import Known
from bridge.types import Reading
from rhythm_env.interface import (
    HISTORY_DAYS,
    HISTORY_STEPS,
    STEPS_PER_WEEK,
    ActionType,
    Answer,
    Interaction,
    Meter,
    MeterState,
    Moment,
    Observation,
    StepRecord,
    ZoneHistory,
    ZoneSpan,
    moment_at,
    slot_bounds,
    slot_start,
    zone_at,
)

SHOWN = 1 / 3  # the share of a slot from which the calendar shows what the person did in it
ROOM = timedelta(minutes=15)  # free time below which nothing new fits
JUST_BEFORE = timedelta(microseconds=1)
NOTHING: Mapping[Moment, ActionType] = MappingProxyType({})

Levels = Mapping[Meter, float]


def observe(
    known: Known, *, recommended: Mapping[Moment, ActionType] = NOTHING
) -> tuple[Observation, dict[Meter, Reading]]:
    """The observation of the slot that holds ``known.at``, and the readings behind its meters.

    Levels of earlier slots are read anew as of their starts, from what was known by then, and follow the readings no
    faster than the model's pace allows. ``deltas`` is the change
    since the start of the previous slot. Progress starts anew each Monday, so its changes are counted within a week.
    What real life cannot know (anomalies, the active event) is None. ``recommended`` names what was advised in
    earlier slots, answered or not. Only the calendar is looked at beyond ``known.at``, to the end of the slot.
    """
    past = Past(known)
    now = moment_at(known.at, known.zones)
    slots = _slots(known, now, HISTORY_STEPS + SETTLING)
    readings = read_at(past, known.at)
    states = paced(past, [*((start, read_at(past, start)) for _, start in slots), (known.at, readings)])
    levels = [_levels(one) for one in states[SETTLING:-1]]
    slots = slots[SETTLING:]
    history = _history(known)
    start, end = slot_around(known.at, known.zones)
    observation = Observation(
        timestep=now.timestep,
        day=now.day,
        slot=now.slot,
        meters=states[-1],
        deltas=_change(_from_monday(levels[-2], now), _levels(states[-1])),
        step_history=_steps(known, past, slots, levels, recommended),
        remaining_steps=STEPS_PER_WEEK - now.timestep,
        reward=history[-1].reward if history else 0.0,
        history=history,
        feasible=_feasible(known, end),
        planned=agenda.planned_shares(known.agenda, start, end),
    )
    return observation, readings


def slot_around(at: datetime, zones: ZoneHistory) -> tuple[datetime, datetime]:
    """Begin and end of the slot an instant is in; of hours that come again on a journey west, by the clock there."""
    moment = moment_at(at, zones)
    start, end = slot_bounds(moment, zones)
    return (start, end) if at < end else slot_bounds(moment, [ZoneSpan(since=at, zone=zone_at(at, zones).key)])


def _slots(known: Known, now: Moment, completed: int) -> list[tuple[Moment, datetime]]:
    """The last ``completed`` slots and the current one, each with its start."""
    slots = (now.shifted(-back) for back in range(completed, -1, -1))
    return [(slot, min(slot_start(slot, known.zones), known.at)) for slot in slots]


def _levels(states: Mapping[Meter, MeterState]) -> Levels:
    return {meter: state.level for meter, state in states.items()}


def _change(before: Levels, after: Levels) -> dict[Meter, float]:
    return {meter: after[meter] - before[meter] for meter in Meter}


def _from_monday(before: Levels, now: Moment) -> Levels:
    """Levels at the start of the slot before ``now``; in the week's first slot Progress counts from zero."""
    return {**before, Meter.PROGRESS: 0.0} if now.timestep == 0 else before


def _to_sunday(past: Past, after: Levels, slot: Moment, end: datetime) -> Levels:
    """Levels at the end of a slot; in the week's last slot Progress is read just before it starts anew."""
    if slot.timestep < STEPS_PER_WEEK - 1:
        return after
    return {**after, Meter.PROGRESS: METERS[Meter.PROGRESS](past, end - JUST_BEFORE).state.level}


def _history(known: Known) -> tuple[Interaction, ...]:
    oldest = known.at - timedelta(days=HISTORY_DAYS)
    return tuple(i for i in known.interactions if oldest <= i.at <= known.at)


def _steps(
    known: Known,
    past: Past,
    slots: Sequence[tuple[Moment, datetime]],
    levels: Sequence[Levels],
    recommended: Mapping[Moment, ActionType],
) -> tuple[StepRecord, ...]:
    """The completed slots; ``slots`` and the ``levels`` at their starts end with the current one."""
    answers = _answers(_history(known), known.zones)
    recent = [one for one in known.agenda if one[0].end > slots[0][1]]
    found: list[StepRecord] = []
    for ((slot, start), (_, end)), (before, after) in zip(pairwise(slots), pairwise(levels), strict=True):
        deltas = _change(before, _to_sunday(past, after, slot, end))
        found.append(_step(slot, _done(recent, (start, end)), answers.get(slot), recommended.get(slot), deltas))
    return tuple(found)


def _step(
    slot: Moment,
    shown: ActionType | None,
    answered: Interaction | None,
    recommended: ActionType | None,
    deltas: Mapping[Meter, float],
) -> StepRecord:
    """One completed slot; an accepted recommendation tells what was done where the calendar shows nothing."""
    if shown is None and answered is not None and answered.answer is Answer.ACCEPT:
        shown = answered.recommended
    return StepRecord(
        timestep=slot.timestep,
        day=slot.day,
        slot=slot.slot,
        action=shown,
        recommended=answered.recommended if answered else recommended,
        answer=answered.answer if answered else None,
        reward=answered.reward if answered else None,
        deltas=deltas,
    )


def _answers(history: Sequence[Interaction], zones: ZoneHistory) -> dict[Moment, Interaction]:
    """The last answer per slot: an interaction's own day and slot, in the week it was given."""
    return {Moment(week=moment_at(i.at, zones).week, day=i.day, slot=i.slot): i for i in history}


def _done(labelled: agenda.Labelled, span: tuple[datetime, datetime]) -> ActionType | None:
    """What the calendar shows for at least a third of a slot, the largest share first."""
    shares = agenda.planned_shares(labelled, *span)
    action = max(shares, key=lambda a: shares[a], default=None)
    return action if action is not None and shares[action] >= SHOWN else None


def _feasible(known: Known, end: datetime) -> tuple[ActionType, ...]:
    """What still fits into the slot: everything, or what is planned once entries leave less than 15 free minutes.

    Rest, where what fills it is none of the actions: a flight is no time for deep work.
    """
    free = sum((e - s for s, e in agenda.gaps((one for one, _ in known.agenda), known.at, end)), timedelta(0))
    if free >= ROOM or free == end - known.at:
        return tuple(ActionType)
    planned = agenda.planned_shares(known.agenda, known.at, end) or QUIET
    return tuple(action for action in ActionType if action in planned)
