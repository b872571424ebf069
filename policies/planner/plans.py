"""Compute the value of plans for the rest of a week, and search briefly for the best plan.

Many plans run at once by the simulator's dynamics. ``tests/policies/test_planner.py`` compares them with the simulator.
A plan is worth more if it reveals more about a person.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from policies.planner.evidence import levels_before
from rhythm_env.constants import (
    ADAPTED_BY,
    BELIEF,
    CONNECTION_BIAS,
    CONNECTION_DECAY,
    CRASH_LEVEL,
    CRASH_PENALTY,
    EFFICIENCY_FLOOR,
    EFFICIENCY_SPAN,
    GAIN_FLOOR,
    GAIN_SLOPE,
    GRADE_V2,
    GUILT_COST,
    METERS,
    PROGRESS_BIAS,
    QUALITY_FLOOR,
    QUALITY_SPAN,
    REWARD_SCALE,
    SLOTS,
    SOCIAL,
    SPIRAL,
    STEPS,
    VITALITY_DECAY,
    WORK,
)
from rhythm_env.dynamics import ACTIONS, C, N, P, S, V, tables
from rhythm_env.interface import HISTORY_STEPS, ActionType, Meter, Observation

Array = NDArray[np.float64]
Ints = NDArray[np.intp]


ROUNDS = 16  # most rounds of improving the best plan
PAIRS = 300  # plans per round that differ from the best in two slots
DAYS = (  # initial days of the search: a letter per action, in the interface's order
    *("ADGD", "DADG", "DDGD", "GDDD", "DGDG", "AAHH", "ACGD", "EDGD", "GAGD", "DAGA"),
    *("JJJJ", "FAFI", "AGAF", "HHHH", "BBBB", "GAGF"),
)
MIDDLE = 0.45  # assumed level of meters in the middle of the week, if it is no longer observed
NORMAL = 0.7  # level of a meter without readings
HALF = STEPS // 2
# Step -> weight of the information at that step. The belief of the last step is graded, and the belief of the first
# days guides the rest of the week.
LOOK_AT = {HISTORY_STEPS: 0.25, STEPS - 1: 1.25}
# Kind of slot -> mean error of its dimension while the traits are unknown. A dimension is a mean of three ranks,
# stretched by 1.5. Two unknown ranks cost 1.5 / 3 * E|u + v - 1| = 1/6, a rank of morning 1.5 / 2.5 * E|u - 1/2| = .15.
# The loss in idle hours spans .03 / .08 of the ranks of company's serenity, 1.5 / 3 * .03 / .08 * E|u - 1/2| = .047.
SHOWN = {"social": 1 / 6, "work": 1 / 6, "morning": 0.15, "evening": 0.15, "idle": 0.047}
UNKNOWN_TRAIT = -1


@dataclass(frozen=True, slots=True)
class Situation:
    """The state at the beginning of a plan. ``step`` is the slot in the week, 0..27.

    ``middle`` holds the levels (5,) of the meters at the start of the week's second half, None before it or if unknown.
    """

    step: int
    meters: Array  # (5,)
    first: Ints  # numbers of the actions that are possible now
    done: tuple[int | None, ...]  # actions of the last slots, oldest first, None where unknown
    middle: Array | None
    until: int = STEPS  # the step at which the plan ends


def situation_of(observation: Observation) -> Situation:
    """Return the situation for a plan from the observation's slot to the end of its week.

    A meter that the observation lacks gets the level NORMAL.
    """
    levels = [NORMAL if (state := observation.meters.get(m)) is None else state.level for m in Meter]
    done = tuple(None if r.action is None else ACTIONS.index(r.action) for r in observation.step_history)
    first = [ACTIONS.index(action) for action in observation.feasible]
    middle = [before for record, before in levels_before(observation) if record.timestep == HALF]
    return Situation(
        step=observation.timestep,
        meters=np.array(levels),
        first=np.array(first, dtype=np.intp),
        done=done,
        middle=np.array(middle[0]) if middle else (np.array(levels) if observation.timestep == HALF else None),
        until=STEPS,
    )


@dataclass(frozen=True, slots=True)
class Plan:
    """The best plan as indices of actions (steps,), and for each first action (10,) the best value found, else -inf."""

    actions: Ints
    worth: Array


def best_plan(situation: Situation, weights: Array, person: Bodies, objective: str, curiosity: float) -> Plan:
    """Return the best plan that a short search finds, with the best value found for each first action.

    ``weights`` (5,) are the person's weights of the meters. ``objective`` is "reward" or "grade". ``curiosity`` is the
    value of reducing the belief's error by 1.
    """
    found = np.full(len(ACTIONS), -np.inf)
    plans, best = _typical(situation), -np.inf
    chosen = plans[:, 0]
    for turn in range(ROUNDS):
        lived = live(situation.meters, plans, situation.step, person)
        worth = _worth(lived, situation, weights, objective)
        if curiosity:
            worth = worth + curiosity * informed(plans, situation.step, situation.done)
        np.maximum.at(found, plans[0], worth)
        top = int(worth.argmax())
        if worth[top] <= best + 1e-9:
            break
        best, chosen = worth[top], plans[:, top]
        plans = _changed(chosen, situation, turn)
    return Plan(chosen, found)


def _typical(situation: Situation) -> Ints:
    slots = np.arange(situation.step, situation.until) % STEPS
    plans = _weeks()[:, slots].T.copy()
    plans[0] = np.resize(situation.first, plans.shape[1])
    return plans


@cache
def _weeks() -> Ints:
    days = [[ord(letter) - ord("A") for letter in day] for day in DAYS]
    half = [np.resize(day, HALF) for day in days]
    rows = [np.concatenate([a, np.roll(b, HALF % 4)]) for a in half for b in half]
    return np.array(rows, dtype=np.intp)


@cache
def _places(steps: int, turn: int) -> tuple[Ints, Ints]:
    rng = np.random.default_rng((steps, turn))
    return rng.integers(0, steps, (2, PAIRS)), rng.integers(0, len(ACTIONS), (2, PAIRS))


def _changed(best: Ints, situation: Situation, turn: int) -> Ints:
    steps, many = len(best), len(ACTIONS)
    singles = np.repeat(best[:, None], steps * many, axis=1)
    singles[np.repeat(np.arange(steps), many), np.arange(steps * many)] = np.tile(np.arange(many), steps)
    pairs = np.repeat(best[:, None], PAIRS, axis=1)
    for slots, actions in zip(*_places(steps, turn), strict=True):
        pairs[slots, np.arange(PAIRS)] = actions
    plans = np.concatenate([singles, _exchanged(best), pairs], axis=1)
    possible = np.zeros(len(ACTIONS), dtype=bool)
    possible[situation.first] = True
    return np.asarray(plans if possible.all() else plans[:, possible[plans[0]]])


def _exchanged(best: Ints) -> Ints:
    one, other = np.triu_indices(len(best), 1)
    differ = best[one] != best[other]
    one, other = one[differ], other[differ]
    plans, each = np.repeat(best[:, None], len(one), axis=1), np.arange(len(one))
    plans[one, each], plans[other, each] = best[other], best[one]
    return np.asarray(plans)


def _worth(lived: Lived, situation: Situation, weights: Array, objective: str) -> Array:
    if objective == "reward":
        return np.asarray(weights @ lived.total / (situation.until - situation.step))
    start = _start()
    middle = lived.middle
    if middle is None:
        middle = (np.full(METERS, MIDDLE) if situation.middle is None else situation.middle)[:, None]
    early = _half(middle - start, lived.bad[0], weights)
    late = _half(lived.end - middle, lived.bad[1], weights)
    parts = {
        "crash_free": 1 - lived.crashed / (STEPS * METERS),
        "progress": lived.end[P],
        "connection": lived.end[N],
        "adaptation": np.clip((late - early) / ADAPTED_BY, 0, 1) * np.clip((late + QUALITY_FLOOR) / QUALITY_SPAN, 0, 1),
        "efficiency": np.clip(((early + late) / 2 + EFFICIENCY_FLOOR) / EFFICIENCY_SPAN, 0, 1),
    }
    return np.asarray(sum(GRADE_V2[name] * values for name, values in parts.items()))


@cache
def _start() -> Array:
    from rhythm_env.dynamics import start

    return start(1)


def _half(change: Array, bad: Array, weights: Array) -> Array:
    felt = REWARD_SCALE * (weights @ change) + PROGRESS_BIAS * change[P] + CONNECTION_BIAS * change[N]
    return np.asarray((felt - CRASH_PENALTY * bad) / HALF)


@dataclass(frozen=True, slots=True)
class Bodies:
    """Tables of the effect of each action in each slot of the day on the meters of n people.

    The change is ``growing`` times a linear function of vitality, plus ``rest``, less ``decay``.
    """

    growing: Array  # (4, 5, 10) by slot, meter and action, shared by all, times floor + slope * vitality
    rest: Array  # (4, 5, 10, n)
    decay: Array  # (5, 10, n), applied after a possible spiral
    tolerance: Array  # (n,)

    def one(self, at: int) -> Bodies:
        """Return the tables of the person at index ``at``, without the last axis."""
        return Bodies(self.growing, self.rest[..., at], self.decay[..., at], self.tolerance[at])


def bodies(traits: Mapping[str, Array]) -> Bodies:
    """Return the tables of n people from their traits, a mapping of names to arrays (n,).

    The formulas are those of ``changes`` in the simulator.
    """
    known, kind_of = tables(), traits["guilt"].dtype
    work, social, solo, binge, idle = (
        kind[:, None].astype(kind_of) for kind in (known.work, known.social, known.solo, known.binge, known.idle)
    )
    effects = known.effects.astype(kind_of)
    costs = np.minimum(effects, 0.0)[..., None]
    rest = np.repeat(costs, len(traits["guilt"]), axis=3)
    rest[:, V] += costs[:, V] * social * (traits["social_cost"] - 1) + work * traits["work_recovery"]
    rest[0, C] += work * traits["morning_bonus"]
    rest[2:, C] += work * traits["evening_bonus"]
    rest[:, S] += (
        work * traits["work_serenity"]
        + solo * traits["solo_serenity"]
        + social * traits["social_serenity"]
        - binge * (GUILT_COST * traits["guilt"])
        - idle * traits["idle_decay"]
    )
    decay = np.zeros(rest.shape[1:], dtype=kind_of)
    decay[V] = VITALITY_DECAY * traits["vitality_decay"]
    decay[N] = CONNECTION_DECAY * traits["connection_decay"] * (1 - social)
    return Bodies(np.maximum(effects, 0.0), rest, decay, traits["tolerance"])


@dataclass(frozen=True, slots=True)
class Lived:
    """The result of n simulated plans without events. Meters have the shape (5, n), and counts (n,)."""

    middle: Array | None  # meters at the start of the second half, None if the plans begin later
    end: Array
    total: Array  # meters after each step, summed over the steps
    crashed: Array  # number of meters below the crash level, summed over the steps
    bad: tuple[Array, Array]  # steps with such a meter, in the first and the second half


def live(meters: Array, plans: Ints, step: int, person: Bodies) -> Lived:
    """Simulate n plans (steps, n) of action indices for a person, from the levels ``meters`` (5,) at slot ``step``."""
    now = np.repeat(meters.astype(person.rest.dtype)[:, None], plans.shape[1], axis=1)
    total, middle = np.zeros_like(now), None
    crashed = np.zeros(plans.shape[1])
    bad = (np.zeros(plans.shape[1]), np.zeros(plans.shape[1]))
    for at, actions in enumerate(plans, start=step):
        if at == HALF:
            middle = now
        now = stepped(now, actions, at % SLOTS, person)
        total += now
        low = now < CRASH_LEVEL
        if low.any():
            crashed += low.sum(axis=0)
            bad[at >= HALF][:] += low.any(axis=0)
    return Lived(middle, now, total, crashed, bad)


def stepped(now: Array, actions: Ints, slot: int, person: Bodies) -> Array:
    """Return the levels (5, n) of the meters after a slot of the day (0..3), from the levels ``now`` (5, n) before it.

    Column i does the action with index ``actions[i]``. No events happen, and levels are clipped to 0..1.
    """
    change = person.growing[slot].take(actions, axis=1)
    change *= GAIN_FLOOR + GAIN_SLOPE * now[V]
    change += person.rest[slot].take(actions, axis=1)
    spiral = now[S] < person.tolerance
    if spiral.any():
        change *= np.where((change < 0) & spiral, SPIRAL, 1.0)
    change -= person.decay.take(actions, axis=1)
    change += now
    np.minimum(np.maximum(change, 0.0, out=change), 1.0, out=change)
    return np.asarray(change)


def informed(plans: Ints, step: int, done: Sequence[int | None]) -> Array:
    """Return the expected reduction (n,) of the error of the belief about the person by each of n plans (steps, n).

    ``step`` is the first slot of the plans. ``done`` are the indices of the last actions before them, oldest first,
    None where unknown.
    """
    past = np.array([UNKNOWN_TRAIT if number is None else number for number in done[-HISTORY_STEPS:]], dtype=np.intp)
    week = np.concatenate([np.repeat(past[:, None], plans.shape[1], axis=1), plans])
    first = step - len(past)
    slots = np.arange(first, first + len(week)) % SLOTS
    total = np.zeros(plans.shape[1])
    for moment, share in LOOK_AT.items():
        if step < moment <= step + len(plans):
            seen = slice(max(moment - HISTORY_STEPS - first, 0), moment - first)
            total += share * _shown(week[seen], slots[seen])
    return total / len(BELIEF)


def _shown(actions: Ints, slots: Ints) -> Array:
    work, social, idle = (members[actions] for members in _kinds())
    return np.asarray(
        SHOWN["social"] * social.any(axis=0)
        + SHOWN["idle"] * (social.any(axis=0) & idle.any(axis=0))
        + SHOWN["work"] * work.any(axis=0)
        + SHOWN["morning"] * work[slots == 0].any(axis=0)
        + SHOWN["evening"] * work[slots >= SLOTS // 2].any(axis=0)
    )


@cache
def _kinds() -> tuple[NDArray[np.bool_], ...]:
    kinds = (WORK, SOCIAL, (ActionType.EXERCISE,))
    return tuple(np.array([action in kind for action in ACTIONS] + [False]) for kind in kinds)
