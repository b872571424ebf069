"""The simulator's constants as arrays, and the probability that a simulated person accepts an action.

The probability is a logistic function of the action's utility, with rates that we assumed.
``lab.environments.dynamics`` simulates people by these numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from rhythm_env.constants import (
    COST_BY_SLOT,
    EFFECTS,
    EVENTS,
    METERS,
    PROGRESS_BY_SLOT,
    SLOTS,
    SOCIAL,
    SOLO,
    START,
    WORK,
)
from rhythm_env.interface import ActionType

Array = NDArray[np.float64]

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
    """The simulator's constants as arrays, with ``effects`` (4, 5, 10) by slot of the day, meter and action.

    ``work``, ``social``, ``solo``, ``binge`` and ``idle`` (10,) are 1 for actions of that kind, else 0.
    """

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
    """Return the initial levels (5, n) of the meters of n people, as on Monday morning."""
    return np.repeat(np.array(START)[:, None], n, axis=1)


def acceptance(relative: Array) -> Array:
    """Return the probability (0 to 1) that recommendations are accepted, in the shape and precision of ``relative``.

    ``relative`` is an action's value less the mean of all actions, in standard deviations. The formula is 1 / (1 +
    exp(-EAGERNESS relative - READINESS)).
    """
    kind = relative.dtype.type
    against = np.minimum(relative * kind(-EAGERNESS) - kind(READINESS), kind(EXPONENT_MAX))
    return np.asarray(1 / (1 + np.exp(against)))
