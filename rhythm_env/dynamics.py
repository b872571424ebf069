"""The simulator's dynamics, as functions without side effects over arrays with a column per episode.

Meters have the shape (5, n), in the order vitality, cognition, progress, serenity, connection. The probability that a
hidden person accepts an action is a logistic function of the action's utility; its rates are an assumption of ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rhythm_env.constants import (
    CONNECTION_DECAY,
    COST_BY_SLOT,
    CRASH_LEVEL,
    EFFECTS,
    EVENT_CHANCE,
    EVENTS,
    GAIN_FLOOR,
    GAIN_SLOPE,
    GUILT_COST,
    METERS,
    PROGRESS_BY_SLOT,
    REWARD_SCALE,
    SLOTS,
    SOCIAL,
    SOLO,
    SPIRAL,
    START,
    STEPS,
    VITALITY_DECAY,
    WORK,
)
from rhythm_env.interface import ActionType
from rhythm_env.profiles import Profiles

if TYPE_CHECKING:
    from rhythm_env.profiles import Profiles

Array = NDArray[np.float64]
Ints = NDArray[np.intp]


V, C, P, S, N = range(METERS)
ACTIONS = tuple(ActionType)
EVENT_NAMES = (None, *EVENTS)  # event 0 is no event
EXPONENT_MAX = 80.0  # of exp, which overflows at 88 in single precision
READINESS, EAGERNESS = -0.55, 1.75  # offset and slope of the logistic function, fitted to the two rates
CLEARLY_BETTER = 0.5  # spreads by which a later slot must be better for a reschedule
NEED = 3.0  # extra weight of a low meter, per unit below COMFORT
COMFORT = 0.35


@dataclass(frozen=True, slots=True)
class Tables:
    """The simulator's constants as arrays: ``effects`` (4, 5, 10) by slot, meter and action, kinds 0 or 1 (10,)."""

    effects: Array
    work: Array
    social: Array
    solo: Array
    binge: Array
    idle: Array
    events: Array  # (5, number of events + 1)


@cache
def tables() -> Tables:
    """Return the simulator's constants as arrays. They are built once per process."""
    base = np.array([EFFECTS[action] for action in ACTIONS]).T
    effects = np.repeat(base[None], SLOTS, axis=0)
    for slot in range(SLOTS):
        gains, costs = effects[slot, P] > 0, effects[slot, V] < 0
        effects[slot, P] = np.where(gains, effects[slot, P] * PROGRESS_BY_SLOT[slot], effects[slot, P])
        effects[slot, V] = np.where(costs, effects[slot, V] * COST_BY_SLOT[slot], effects[slot, V])

    def kind(members: Sequence[ActionType]) -> Array:
        return np.array([float(action in members) for action in ACTIONS])

    return Tables(
        effects=effects,
        work=kind(WORK),
        social=kind(SOCIAL),
        solo=kind(SOLO),
        binge=kind([ActionType.BINGE_WATCH]),
        idle=1 - kind([*WORK, ActionType.SLEEP]),
        events=np.array([(0.0,) * METERS, *EVENTS.values()]).T,
    )


def start(n: int) -> Array:
    """Return the meters (5, n) of n persons on Monday morning."""
    return np.repeat(np.array(START)[:, None], n, axis=1)


def drawn_events(seeds: Sequence[int]) -> Ints:
    """Draw the event of each step, as indices (28, n) into EVENT_NAMES. 0 means no event.

    Column i is drawn with ``seeds[i]``, independently of the person with the same seed.
    """
    weeks = []
    for seed in seeds:
        rng = np.random.default_rng((seed, 1))
        happens = rng.random(STEPS) < EVENT_CHANCE
        weeks.append(np.where(happens, rng.integers(1, len(EVENT_NAMES), STEPS), 0))
    return np.array(weeks, dtype=np.intp).T


def changes(meters: Array, actions: Ints, slot: int, people: Profiles) -> tuple[Array, Array]:
    """Return the wanted changes of the meters by the actions, and their anomalies, both (5, n).

    An anomaly is the difference from a neutral person's change. Changes are before events and clipping.
    """
    known, traits = tables(), people.traits
    neutral = np.take(known.effects[slot], actions, axis=1)
    gain = GAIN_FLOOR + GAIN_SLOPE * meters[V]
    neutral *= np.where(neutral > 0, gain, 1.0)
    work, social, solo = known.work[actions], known.social[actions], known.solo[actions]
    binge, idle = known.binge[actions], known.idle[actions]
    anomaly = np.zeros_like(neutral)
    anomaly[V] = neutral[V] * social * (traits["social_cost"] - 1) + work * traits["work_recovery"]
    if slot != 1:
        anomaly[C] = work * traits["morning_bonus" if slot == 0 else "evening_bonus"]
    anomaly[S] = (
        work * traits["work_serenity"]
        + solo * traits["solo_serenity"]
        + social * traits["social_serenity"]
        - binge * (GUILT_COST * (traits["guilt"] > 0.5))
        - idle * traits["idle_decay"]
    )
    total = neutral + anomaly
    total *= np.where((total < 0) & (meters[S] < traits["tolerance"]), SPIRAL, 1.0)
    anomaly = total - neutral
    total[V] -= VITALITY_DECAY * traits["vitality_decay"]
    total[N] -= CONNECTION_DECAY * traits["connection_decay"] * (1 - social)
    return total, anomaly


def step(meters: Array, actions: Ints, slot: int, people: Profiles, events: Ints) -> tuple[Array, Array, Array]:
    """Return the meters after a step, their actual changes, and the anomalies, each (5, n)."""
    wanted, anomaly = changes(meters, actions, slot, people)
    if events.any():
        hit = tables().events[:, events]
        wanted += np.where(hit < 0, hit * people.traits["event_impact"], hit)
    after = np.clip(meters + wanted, 0.0, 1.0)
    return after, after - meters, anomaly


def utilities(meters: Array, slot: int, people: Profiles) -> Array:
    """Return the utility (10, n) of each action in a slot (0..3) for persons with the meters (5, n)."""
    each = np.tile(np.arange(len(people)), len(ACTIONS))
    now, many = meters[:, each], people.take(each)
    wanted, _ = changes(now, np.repeat(np.arange(len(ACTIONS)), len(people)), slot, many)
    after = np.clip(now + wanted, 0.0, 1.0)
    urgent = many.weights + NEED * np.maximum(COMFORT - now, 0.0) * (now > CRASH_LEVEL / 10)
    return np.asarray(REWARD_SCALE * np.einsum("mn,mn->n", urgent, after - now).reshape(len(ACTIONS), -1))


def standing(values: Array, feasible: Sequence[ActionType]) -> Array:
    """Return the utilities (10,) relative to the mean of the feasible actions, in their standard deviations."""
    chosen = values[[ACTIONS.index(action) for action in feasible]]
    return np.asarray((values - chosen.mean()) / max(float(chosen.std()), 1e-6))


def acceptance(relative: Array) -> Array:
    """Return the probability that recommendations with the standings ``relative`` are accepted.

    It is 1 / (1 + exp(0.55 - 1.75 relative)), in the same precision.
    """
    kind = relative.dtype.type
    against = np.minimum(relative * kind(-EAGERNESS) - kind(READINESS), kind(EXPONENT_MAX))
    return np.asarray(1 / (1 + np.exp(against)))
