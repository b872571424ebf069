"""The simulator's dynamics for many plans of a person at once, as two tables of effects per person.

``tests/policies/test_planner.py`` compares the tables with ``dynamics.changes``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rhythm_env.constants import (
    CONNECTION_DECAY,
    CRASH_LEVEL,
    GAIN_FLOOR,
    GAIN_SLOPE,
    GUILT_COST,
    SLOTS,
    SPIRAL,
    STEPS,
    VITALITY_DECAY,
)
from rhythm_env.dynamics import C, N, S, V, tables

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Ints = NDArray[np.intp]

HALF = STEPS // 2


@dataclass(frozen=True, slots=True)
class Bodies:
    """Tables of the effect of each action on the meters of n people in a slot: one part grows with vitality."""

    growing: Array  # (4, 5, 10) by slot, meter and action, shared by all, times floor + slope * vitality
    rest: Array  # (4, 5, 10, n)
    decay: Array  # (5, 10, n), applied after a possible spiral
    tolerance: Array  # (n,)

    def one(self, at: int) -> Bodies:
        """Return the tables of the person at index ``at``, without the last axis."""
        return Bodies(self.growing, self.rest[..., at], self.decay[..., at], self.tolerance[at])


def bodies(traits: Mapping[str, Array]) -> Bodies:
    """Return the tables of n people from their traits (name -> (n,)). The formulas are those of ``dynamics.changes``,
    for a guilt of 0 or 1.
    """
    import numpy as np

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
    """The meters that n plans lead to, without events. Meters have the shape (5, n), and counts (n,)."""

    middle: Array | None  # meters at the start of the second half, None if the plans begin later
    end: Array
    total: Array  # meters after each step, summed over the steps
    crashed: Array  # number of meters below the crash level, summed over the steps
    bad: tuple[Array, Array]  # steps with such a meter, in the first and the second half


def live(meters: Array, plans: Ints, step: int, person: Bodies) -> Lived:
    """Return the meters that n plans (steps, n) lead to, for a person with the meters (5,), from slot ``step`` on."""
    import numpy as np

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
    """Return the meters (5, n) after a slot of the day (0..3), from the meters ``now`` (5, n).

    Column i does the action number ``actions[i]``. No events happen, and levels are clipped to 0..1.
    """
    import numpy as np

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
