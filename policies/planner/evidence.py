"""Collect linear evidence about a person's traits from the last slots, as equations with standard errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import sqrt
from typing import NamedTuple

from policies.planner.population import PLACE
from rhythm_env.constants import (
    CONNECTION_BIAS,
    CONNECTION_DECAY,
    CRASH_LEVEL,
    CRASH_PENALTY,
    GAIN_FLOOR,
    GAIN_SLOPE,
    GUILT_COST,
    PROGRESS_BIAS,
    RANGES,
    REWARD_SCALE,
    SOCIAL,
    SOLO,
    SPIRAL,
    VITALITY_DECAY,
    WORK,
)
from rhythm_env.dynamics import ACTIONS, C, N, P, S, V, tables
from rhythm_env.interface import ActionType, Meter, Observation, Slot, StepRecord

Levels = list[float]

EXACT = 1e-4  # error of the simulator's figures, above zero so that rows may repeat
SURPRISE = 0.03  # standard deviation of the effect of events, about 0.1 in a tenth of the slots
SHOWN_SHARE = 0.3  # share of a true change that shows in readings, whose correlation with the truth is 0.1 to 0.5
SAME = 1e-6  # tolerance within which actions and traits explain a change exactly
TOLERANCE = RANGES["tolerance"]
METERS_BY_PLACE = tuple(Meter)


class Row(NamedTuple):
    """An equation ``sum(share * person[index]) = value`` with the standard error ``sd``.

    ``shares`` maps the index of a trait in a person (18,) to its factor.
    """

    shares: Mapping[int, float]
    value: float
    sd: float


def rows(observation: Observation) -> list[Row]:
    """Return linear equations for a person's traits, from the rewards and changes of meters in the completed slots."""
    found: list[Row] = []
    for record, before in levels_before(observation):
        found += _reward(record, before)
        if record.action is not None and record.deltas is not None:
            found += _stated(record, before) if record.anomalies is not None else _measured(record, before, observation)
    return found


def levels_before(observation: Observation) -> Iterator[tuple[StepRecord, Levels]]:
    """Yield each completed slot with the levels (5,) of the meters before it, newest first.

    The levels are reconstructed backwards, and end at the first slot whose changes are unknown.
    """
    now = [_level(observation, meter) for meter in Meter]
    for record in reversed(observation.step_history):
        if record.deltas is None:
            return
        now = [level - record.deltas.get(meter, 0.0) for level, meter in zip(now, Meter, strict=True)]
        if record.timestep == 0:
            now[P] = 0.0
        yield record, now


def _level(observation: Observation, meter: Meter) -> float:
    state = observation.meters.get(meter)
    return 0.7 if state is None else state.level


def _reward(record: StepRecord, before: Levels) -> Iterator[Row]:
    # A user who answers yields none, because ``reward`` then is the answer, which is processed elsewhere.
    if record.answer is not None or record.reward is None or record.deltas is None or record.anomalies is None:
        return
    deltas = [record.deltas[meter] for meter in Meter]
    crashed = any(level + delta < CRASH_LEVEL for level, delta in zip(before, deltas, strict=True))
    known = PROGRESS_BIAS * deltas[P] + CONNECTION_BIAS * deltas[N] - CRASH_PENALTY * crashed
    yield Row({at: REWARD_SCALE * delta for at, delta in enumerate(deltas)}, record.reward - known, 10 * EXACT)


def neutral(action: ActionType, slot: Slot, vitality: float) -> Levels:
    """Return the changes (5,) that an action makes in the meters of a person with neutral traits, before decay.

    ``vitality`` (0 to 1) is the level before the slot, which scales the positive changes.
    """
    effects = [float(effect) for effect in tables().effects[int(slot), :, ACTIONS.index(action)]]
    gain = GAIN_FLOOR + GAIN_SLOPE * vitality
    return [effect * gain if effect > 0 else effect for effect in effects]


def shares(action: ActionType, slot: Slot, base: Levels) -> dict[int, dict[int, float]]:
    """Return, by index of the meter, how much each trait (by its index in a person) adds to an action's change.

    ``base`` (5,) are the changes of a person with neutral traits.
    """
    work, social, solo = action in WORK, action in SOCIAL, action in SOLO
    found: dict[int, dict[int, float]] = {V: {}, C: {}, S: {}}
    if work:
        found[V][PLACE["work_recovery"]] = 1.0
        found[S][PLACE["work_serenity"]] = 1.0
        if slot is not Slot.AFTERNOON:
            found[C][PLACE["morning_bonus" if slot is Slot.MORNING else "evening_bonus"]] = 1.0
    elif action is not ActionType.SLEEP:
        found[S][PLACE["idle_decay"]] = -1.0
    if social:
        found[V][PLACE["social_cost"]] = base[V]
        found[S][PLACE["social_serenity"]] = 1.0
    if solo:
        found[S][PLACE["solo_serenity"]] = 1.0
    if action is ActionType.BINGE_WATCH:
        found[S][PLACE["guilt"]] = -GUILT_COST
    return found


def _stated(record: StepRecord, before: Levels) -> Iterator[Row]:
    assert record.action is not None and record.anomalies is not None and record.deltas is not None  # noqa: S101, PT018
    base = neutral(record.action, record.slot, before[V])
    anomalies = [record.anomalies[meter] for meter in Meter]
    totals = [b + a for b, a in zip(base, anomalies, strict=True)]
    for meter, parts in shares(record.action, record.slot, base).items():
        calm, sd = _without_spiral(totals[meter], before[S])
        if parts:
            offset = base[V] if meter == V and PLACE["social_cost"] in parts else 0.0
            yield Row(parts, calm - base[meter] + offset, EXACT + sd)
    yield from _decay(record, before, totals)


def _without_spiral(total: float, serenity: float) -> tuple[float, float]:
    if total >= 0 or serenity >= TOLERANCE[1]:
        return total, 0.0
    if serenity < TOLERANCE[0]:
        return total / SPIRAL, 0.0
    spared = total - total / SPIRAL
    return total - spared / 2, abs(spared) / 2


def _decay(record: StepRecord, before: Levels, totals: Levels) -> Iterator[Row]:
    assert record.action is not None and record.deltas is not None  # noqa: S101, PT018
    left = [record.deltas[m] - totals[at] for at, m in enumerate(METERS_BY_PLACE)]
    free = [0 < before[at] + record.deltas[m] < 1 for at, m in enumerate(METERS_BY_PLACE)]
    calm = [abs(left[at]) < SAME for at in (C, P, S) if free[at]]
    if not calm or not all(calm):
        return
    if free[V]:
        yield Row({PLACE["vitality_decay"]: VITALITY_DECAY}, -left[V], EXACT)
    if free[N] and record.action not in SOCIAL:
        yield Row({PLACE["connection_decay"]: CONNECTION_DECAY}, -left[N], EXACT)


def _measured(record: StepRecord, before: Levels, observation: Observation) -> Iterator[Row]:
    assert record.action is not None and record.deltas is not None  # noqa: S101, PT018
    base = neutral(record.action, record.slot, before[V])
    wanted = shares(record.action, record.slot, base)
    wanted[V] = {**wanted[V], PLACE["vitality_decay"]: -VITALITY_DECAY}
    for meter, parts in wanted.items():
        state = observation.meters.get(METERS_BY_PLACE[meter])
        if not parts or state is None or state.coverage <= 0:
            continue
        delta = record.deltas[METERS_BY_PLACE[meter]]
        if not 0 < before[meter] + delta < 1:
            continue
        offset = base[V] if meter == V and PLACE["social_cost"] in parts else 0.0
        shown = SHOWN_SHARE if state.sd > 0 else 1.0
        yield Row(
            {place: shown * share for place, share in parts.items()},
            delta - shown * (base[meter] - offset),
            sqrt(2 * state.sd**2 + SURPRISE**2),
        )
