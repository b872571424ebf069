"""The observation of a user that policies decide by, and a check whether the user's data are too old."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from datetime import date, datetime, timedelta
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING

from bridge.calendar.busy import Labelled, gaps
from bridge.calendar.plans import planned_shares
from bridge.domain.facts import Fact, fact
from bridge.domain.guard import QUIET_ACTIONS
from bridge.domain.records import Snapshot
from bridge.domain.slots import Moment, ZoneHistory, ZoneSpan, local_time, moment_at, slot_bounds, slot_start, zone_at
from bridge.domain.types import Event, Reading
from bridge.meters import METERS, SETTLING, Past, paced, read_at
from bridge.meters.past import past_of
from rhythm_env.interface import (
    HISTORY_DAYS,
    HISTORY_STEPS,
    STEPS_PER_WEEK,
    ActionType,
    Answer,
    Interaction,
    Meter,
    MeterState,
    Observation,
    StepRecord,
    kind_of_slot,
)

if TYPE_CHECKING:
    from bridge.domain.records import Snapshot, User
    from bridge.store import Store

DONE_SHARE = 1 / 3  # the share of a slot that an action needs to count as done
ROOM = timedelta(minutes=15)  # the least free time for an action that is not planned
ROUTINE = timedelta(weeks=8)  # the period in which habits are counted
JUST_BEFORE = timedelta(microseconds=1)
FRESH_ENOUGH = timedelta(days=7)  # meters read the last days; older data are only compared with
SERIES_TELLS = timedelta(days=365)  # our choice: an older series alone does not tell that a calendar is kept
BY_HAND = "check_in"  # the source of what a user says, which alone gives no advice
NO_ADVICE: Mapping[Moment, ActionType] = MappingProxyType({})

Levels = Mapping[Meter, float]


def observe(
    known: Snapshot,
    *,
    recommended: Mapping[Moment, ActionType] = NO_ADVICE,
    earlier: MutableMapping[datetime, dict[Meter, Reading]] | None = None,
) -> tuple[Observation, dict[Meter, Reading]]:
    """Return the observation of the slot (quarter of a day) at ``known.at``, and the meters' readings at that time.

    Levels of earlier slots are those known at their starts, and all levels change no faster than the model allows.
    ``recommended`` names the action recommended in earlier slots. ``earlier`` caches readings of slot starts.
    """
    past = past_of(known)
    now = moment_at(known.at, known.zones)
    slots = _slots(known, now, HISTORY_STEPS + SETTLING)
    kept = known.once("readings", dict[datetime, dict[Meter, Reading]]) if earlier is None else earlier
    for start in (*(start for _, start in slots), known.at):
        if start not in kept:
            kept[start] = read_at(past, start)
    readings = kept[known.at]
    states = paced(past, [*((start, kept[start]) for _, start in slots), (known.at, readings)])
    levels = [_levels(state) for state in states[SETTLING:-1]]
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
        planned=planned_shares(known.agenda, start, end),
        routine=routine(known, history),
    )
    return observation, readings


def routine(known: Snapshot, history: Sequence[Interaction]) -> dict[str, dict[ActionType, float]]:
    """Return kind of slot -> action -> number of recent slots in which the user did the action by own choice."""
    since, shown = known.at - ROUTINE, dict[Moment, list[ActionType]]()
    for occurrence, label in known.agenda:
        over = since <= occurrence.start and occurrence.end <= known.at
        if over and label.action is not None and not occurrence.event.all_day:
            shown.setdefault(moment_at(occurrence.start, known.zones), []).append(label.action)
    followed = {(moment_at(i.at, known.zones).week, i.day, i.slot) for i in history if i.answer is Answer.ACCEPT}
    found: dict[str, dict[ActionType, float]] = {}
    for slot, actions in shown.items():
        if (slot.week, slot.day, slot.slot) not in followed:
            counts = found.setdefault(kind_of_slot(slot.day, slot.slot), {})
            for action in actions:
                counts[action] = counts.get(action, 0.0) + 1 / len(actions)
    return found


def slot_around(at: datetime, zones: ZoneHistory) -> tuple[datetime, datetime]:
    """Return begin and end of the slot at an instant.

    If a journey repeats an hour, the slot is that of the new zone.
    """
    moment = moment_at(at, zones)
    start, end = slot_bounds(moment, zones)
    return (start, end) if at < end else slot_bounds(moment, [ZoneSpan(since=at, zone=zone_at(at, zones).key)])


def _slots(known: Snapshot, now: Moment, completed: int) -> list[tuple[Moment, datetime]]:
    slots = (now.shifted(-back) for back in range(completed, -1, -1))
    return [(slot, min(slot_start(slot, known.zones), known.at)) for slot in slots]


def _levels(states: Mapping[Meter, MeterState]) -> Levels:
    return {meter: state.level for meter, state in states.items()}


def _change(before: Levels, after: Levels) -> dict[Meter, float]:
    return {meter: after[meter] - before[meter] for meter in Meter}


def _from_monday(before: Levels, now: Moment) -> Levels:
    return {**before, Meter.PROGRESS: 0.0} if now.timestep == 0 else before


def _to_sunday(past: Past, after: Levels, slot: Moment, end: datetime) -> Levels:
    """Return the levels after a slot, with Progress as just before its restart if it is the week's last slot."""
    if slot.timestep < STEPS_PER_WEEK - 1:
        return after
    return {**after, Meter.PROGRESS: METERS[Meter.PROGRESS](past, end - JUST_BEFORE).state.level}


def _history(known: Snapshot) -> tuple[Interaction, ...]:
    oldest = known.at - timedelta(days=HISTORY_DAYS)
    return tuple(i for i in known.interactions if oldest <= i.at <= known.at)


def _steps(
    known: Snapshot,
    past: Past,
    slots: Sequence[tuple[Moment, datetime]],
    levels: Sequence[Levels],
    recommended: Mapping[Moment, ActionType],
) -> tuple[StepRecord, ...]:
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
    return {Moment(week=moment_at(i.at, zones).week, day=i.day, slot=i.slot): i for i in history}


def _done(labelled: Labelled, span: tuple[datetime, datetime]) -> ActionType | None:
    shares = planned_shares(labelled, *span)
    action = max(shares, key=lambda a: shares[a], default=None)
    return action if action is not None and shares[action] >= DONE_SHARE else None


def _feasible(known: Snapshot, end: datetime) -> tuple[ActionType, ...]:
    free = sum((e - s for s, e in gaps((one for one, _ in known.agenda), known.at, end)), timedelta(0))
    if free >= ROOM or free == end - known.at:
        return tuple(ActionType)
    planned = planned_shares(known.agenda, known.at, end) or QUIET_ACTIONS
    return tuple(action for action in ActionType if action in planned)


def newest_if_old(store: Store, user: User, known: Snapshot) -> date | None:
    """Return the local date of the user's newest data if these are too old for advice, else None."""
    if _is_recent(known, known.at - FRESH_ENOUGH):
        return None
    measured = newest_measurement(store, user, known.at)
    if (
        measured is not None and measured > known.at - FRESH_ENOUGH
    ):  # such as single heart rates, which no snapshot holds
        return None
    ends = [measured, store.reading.last_event(user.id, known.at)]
    newest = max((end for end in ends if end is not None), default=None)
    return None if newest is None else local_time(newest, user.zones).date()


def newest_measurement(store: Store, user: User, at: datetime) -> datetime | None:
    """Return when the user's newest measurement by ``at`` ended, or None without any. Check-ins do not count."""
    mine = [one.id for one in store.connections.of_user(user.id) if one.source != BY_HAND]
    ends = [store.reading.newest_measurement(connection, at) for connection in mine]
    return max((end for end in ends if end is not None), default=None)


def _is_recent(known: Snapshot, since: datetime) -> bool:
    return (
        any(one.end > since for _, one in reversed(known.episodes))
        or any((one.end or one.start) > since for source, one in reversed(known.samples) if source != BY_HAND)
        or any(entry.end > since and _is_living(entry.event, known.at) for entry, _ in reversed(known.agenda))
        or any(task.due is None or task.due >= since.date() for task in known.tasks if task.completed is None)
        or any(task.completed > since for task in known.tasks if task.completed is not None)
    )


def _is_living(event: Event, at: datetime) -> bool:
    """Return False for an entry of a series that began long ago, whose calendar may no longer be kept."""
    began = event.start.date() if event.start is not None else event.first_day
    return not event.recurrence or began is None or began > (at - SERIES_TELLS).date()


def reasons_of_old(newest: date, user: User) -> tuple[Fact, Fact]:
    """Return two facts for a slot without advice, one with the date of the newest data and one on how to get newer."""
    command = f"bridge import FILE --user {user.name}"
    return fact("old_data", day=newest), fact("newer_data", command=command)
