"""Make the network's input from an observation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from policies.llm.sequence.slots import Slots, felt, present, tallies, vectors, weighed
from policies.planner.evidence import levels_before
from policies.planner.inference import answered
from policies.planner.plans import NORMAL
from rhythm_env.constants import METERS, SLOTS
from rhythm_env.dynamics import ACTIONS, EVENT_NAMES
from rhythm_env.interface import Answer, Interaction, Meter, MeterState, Observation

Array = NDArray[Any]

NUMBER = {action: at for at, action in enumerate(ACTIONS)}
ANSWER = {answer: at for at, answer in enumerate(Answer)}
RECALLED = 120  # newest answers that are read, 30 days of four slots
UNKNOWN_METER = MeterState(level=NORMAL, sd=0.21, coverage=0.0)  # of a meter without fresh inputs


def read(observation: Observation, *, learns: bool = True) -> tuple[Array, Array]:
    """Return the network's input: (completed slots (t, PER_SLOT), oldest first, present (PRESENT,))."""
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
