"""Live many plans for the rest of a week at once, for one supposed person, in the simulator's own dynamics.

The effects of ``rhythm_env.dynamics`` are laid out once per person as two tables (what grows with vitality, and the
rest), so that a step of several hundred plans costs a dozen small array operations. Events are left out: nobody can
foresee them. ``tests/policies/test_planner.py`` holds the tables to ``dynamics.changes``.
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
    """How the meters of ``n`` people answer to each action, per step."""

    growing: Array  # (4, 5, 10) by slot, meter and action, the same for all; times floor + slope * vitality
    rest: Array  # (4, 5, 10, n)
    decay: Array  # (5, 10, n), after a possible spiral, which spares it
    tolerance: Array  # (n,)

    def one(self, at: int) -> Bodies:
        """One of them, with the last axis gone."""
        return Bodies(self.growing, self.rest[..., at], self.decay[..., at], self.tolerance[at])


def bodies(traits: Mapping[str, Array]) -> Bodies:
    """The tables of people with these traits, each (n,); the formulas are those of ``dynamics.changes``."""
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
    """What came of ``n`` plans: meters are (5, n), counts (n,)."""

    middle: Array | None  # meters when the second half began; None when it had begun before
    end: Array
    total: Array  # meters summed over the steps, after each
    crashed: Array  # how many meters were below the level of a crash, summed over the steps
    bad: tuple[Array, Array]  # steps with any such meter, in the first and the second half


def live(meters: Array, plans: Ints, step: int, person: Bodies) -> Lived:
    """Live ``plans`` (28 - step, n) from ``meters`` (5,), as precisely as the person is given."""
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
    """(5, n) meters after one slot in which nothing happens from outside."""
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
