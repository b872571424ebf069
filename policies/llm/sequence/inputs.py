"""Convert an observation into input vectors of the sequence model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from policies.llm.sequence.slots import (
    ANSWERS,
    PER_SLOT,
    PRESENT,
    TALLIES,
    Slots,
    felt,
    present,
    tallies,
    vectors,
    weighed,
)
from policies.planner.evidence import levels_before
from policies.planner.inference import answered
from policies.planner.plans import NORMAL
from rhythm_env.constants import EVENTS, METERS, SLOTS, SOCIAL, SOLO, STEPS, WORK
from rhythm_env.dynamics import ACTIONS, EVENT_NAMES, C, S, V
from rhythm_env.interface import ActionType, Answer, Interaction, Meter, MeterState, Observation

Array = NDArray[Any]
NUMBER = {action: at for at, action in enumerate(ACTIONS)}
ANSWER = {answer: at for at, answer in enumerate(Answer)}
RECALLED = 120  # newest answers that are read, 30 days of four slots
UNKNOWN_METER = MeterState(level=NORMAL, sd=0.21, coverage=0.0)  # of a meter without fresh inputs
HATS = 24  # steps into which a number's range is divided
SLOTS_MAX = 27  # completed slots that are read: a week with the present slot
FIELDS = 5  # positions of a slot: the slot itself, its event and the three digits
ASKING = FIELDS - 1
# (columns, lowest, highest) of the numbers in ``slots.vectors``
_LEVELS = 3 * len(ACTIONS) + 2 * SLOTS + ANSWERS
_CHANGES, _ANOMALIES, _UNEXPLAINED = (_LEVELS + METERS * k for k in (1, 2, 3))
_SINGLE = _LEVELS + 4 * METERS
PAST_NUMBERS = (
    (range(_LEVELS, _LEVELS + METERS), 0.0, 1.0),
    (range(_CHANGES, _CHANGES + METERS), -1.2, 1.2),
    (range(_ANOMALIES, _ANOMALIES + METERS), -1.4, 1.4),
    (range(_UNEXPLAINED, _UNEXPLAINED + METERS), -3.0, 3.0),
    (range(_SINGLE + 1, _SINGLE + 2), -1.0, 2.5),
    (range(_SINGLE + 2, _SINGLE + 3), -1.5, 1.5),
)
# and in ``slots.present``
_NOW = SLOTS + STEPS // SLOTS + 2
WEIGHT_COLUMN = _NOW + 3 * METERS + len(EVENTS)  # first column of the five weights and their deviations
PRESENT_NUMBERS = (
    (range(_NOW, _NOW + METERS), 0.0, 1.0),
    (range(_NOW + METERS, _NOW + 2 * METERS), 0.0, 1.2),
    (range(_NOW + 2 * METERS, _NOW + 3 * METERS), 0.0, 1.0),
    (range(WEIGHT_COLUMN, WEIGHT_COLUMN + METERS), -0.4, 1.6),
    (range(WEIGHT_COLUMN + METERS, WEIGHT_COLUMN + 2 * METERS), 0.0, 0.9),
)
TOLD = slice(PRESENT - 1 - TALLIES, PRESENT)


def read(observation: Observation, *, learns: bool = True) -> tuple[Array, Array]:
    """Return (completed slots (t, PER_SLOT) oldest first, present slot (PRESENT,)), the input of ``forward.think``.

    Without ``learns`` no slot and no answer is included.
    """
    stated = _stated(observation) if learns else _answers(())
    slots = stated if stated.step.size else _answers(observation.history[-RECALLED:] if learns else ())
    step = np.array([observation.timestep])
    told = tallies(slots, np.append(slots.step, step) % SLOTS)[-1:]
    weights = weighed(slots.changes[None] * slots.stated, felt(slots)[None] * slots.stated)
    event = EVENT_NAMES.index(observation.active_event) if observation.active_event in EVENT_NAMES else 0
    read_now = (observation.meters.get(meter, UNKNOWN_METER) for meter in Meter)
    states = [state if state.coverage > 0 else UNKNOWN_METER for state in read_now]  # an assumed level is no evidence
    levels, sds, coverages = (
        np.array([[getattr(state, name) for state in states]]) for name in ("level", "sd", "coverage")
    )
    meters = levels, sds, coverages
    now = present(step, meters, np.array([event]), float(answered(observation)), (weights, told))
    return vectors(slots), now[0]


def _stated(observation: Observation) -> Slots:
    shown = [
        (record, before)
        for record, before in levels_before(observation)
        if record.anomalies is not None and record.action is not None and record.reward is not None
    ][::-1]
    count = len(shown)
    nothing = np.full(count, -1, dtype=np.intp)
    return Slots(
        step=np.array([record.timestep for record, _ in shown], dtype=np.intp),
        action=np.array([NUMBER[record.action] for record, _ in shown if record.action], dtype=np.intp),
        levels=np.array([before for _, before in shown]).reshape(count, METERS),
        changes=_by_meter([record.deltas for record, _ in shown]),
        anomalies=_by_meter([record.anomalies for record, _ in shown]),
        reward=np.array([record.reward for record, _ in shown], dtype=float),
        refused=nothing,
        answer=nothing,
        moved=nothing,
        stated=True,
    )


def _by_meter(values: Sequence[Any]) -> Array:
    return np.array([[row[meter] for meter in Meter] for row in values], dtype=float).reshape(len(values), METERS)


def _answers(history: Sequence[Interaction]) -> Slots:
    # Changes, anomalies and rewards are 0, because they are unknown for a user.
    advised = np.array([NUMBER[one.recommended] for one in history], dtype=np.intp)
    answer = np.array([ANSWER[one.answer] for one in history], dtype=np.intp)
    nothing = np.zeros((len(history), METERS))
    return Slots(
        step=np.array([one.day * SLOTS + one.slot for one in history], dtype=np.intp),
        action=np.where(answer == 0, advised, -1),
        levels=np.array([[one.levels.get(m, NORMAL) for m in Meter] for one in history]).reshape(-1, METERS),
        changes=nothing,
        anomalies=nothing,
        reward=nothing[:, 0],
        refused=np.where(answer > 0, advised, -1),
        answer=answer,
        moved=np.array([-1 if one.moved_to is None else one.moved_to[1] for one in history], dtype=np.intp),
        stated=False,
    )


def _count(numbers: tuple[tuple[range, float, float], ...]) -> int:
    return sum(len(columns) for columns, _, _ in numbers)


ANOMALY_COLUMNS = 16

PAST = PER_SLOT + HATS * _count(PAST_NUMBERS) + ANOMALY_COLUMNS

RATES = 2 * len(ACTIONS) + 1

NOW = PRESENT + HATS * _count(PRESENT_NUMBERS) + RATES

USUAL, AS_MANY = 0.4, 2.0  # share of advice that is taken, and the number of answers that it counts as


def past(slots: Array) -> Array:
    """Return the first layer's input (..., PAST) from the vectors (..., PER_SLOT) of completed slots."""
    return np.concatenate([_with_hats(slots, PAST_NUMBERS), _shown(slots)], axis=-1)


def _shown(slots: Array) -> Array:
    action, slot = slots[..., : len(ACTIONS)], slots[..., 3 * len(ACTIONS) : 3 * len(ACTIONS) + SLOTS]
    odd = slots[..., _ANOMALIES : _ANOMALIES + METERS]
    social, work, solo, exercise, binge = (
        sum(action[..., ACTIONS.index(one)] for one in kind)
        for kind in (SOCIAL, WORK, SOLO, (ActionType.EXERCISE,), (ActionType.BINGE_WATCH,))
    )
    morning, evening = work * slot[..., 0], work * (slot[..., 2] + slot[..., 3])
    shown = (
        social * slots[..., _SINGLE + 1] / 2,
        social * odd[..., S] * 2,
        morning * odd[..., C] * 2,
        evening * odd[..., C] * 2,
        work * odd[..., V] * 2,
        work * odd[..., S],
        solo * odd[..., S],
        exercise * odd[..., S] * 3,
        binge * odd[..., S],
        slots[..., _UNEXPLAINED + V] * 2,
    )
    return np.stack([*shown, social, work, morning, evening, solo, exercise], axis=-1).astype(np.float32)


def now(present: Array) -> Array:
    """Return the first layer's input (..., NOW) from the vector (..., PRESENT) of the slot to decide."""
    return np.concatenate([_with_hats(present, PRESENT_NUMBERS), rates(present)], axis=-1)


def rates(present: Array) -> Array:
    """Return shares of accepted recommendations (..., RATES), from the counts in vectors of ``slots.present``.

    They are that of all less USUAL, of each action less that of all, and of each action at this time of day less that
    of the action, shrunk (for few answers) and scaled by 4.
    """
    counts = np.expm1(3 * present[..., TOLD][..., :TALLIES]).reshape(*present.shape[:-1], 2, 2, len(ACTIONS))
    ever, here = counts[..., 0, :, :], counts[..., 1, :, :]  # (..., taken or refused, action)
    of_all = _drawn_to(USUAL, ever.sum(axis=-1, keepdims=True))
    of_each = _drawn_to(of_all, ever)
    of_here = _drawn_to(of_each, here)
    found = [of_all - USUAL, of_each - of_all, of_here - of_each]
    return (4 * np.concatenate(found, axis=-1)).astype(np.float32)


def _drawn_to(wider: Array | float, counts: Array) -> Array:
    taken, refused = counts[..., 0, :], counts[..., 1, :]
    return (taken + AS_MANY * wider) / (taken + refused + AS_MANY)


def _with_hats(values: Array, numbers: tuple[tuple[range, float, float], ...]) -> Array:
    parts = [values]
    for columns, low, high in numbers:
        some = np.clip(values[..., columns.start : columns.stop], low, high)
        at = (some - np.float32(low)) * np.float32((HATS - 1) / (high - low))
        hats = np.maximum(1 - np.abs(at[..., None] - np.arange(HATS, dtype=np.float32)), 0)
        parts.append(hats.reshape(*values.shape[:-1], HATS * len(columns)))
    return np.concatenate(parts, axis=-1)
