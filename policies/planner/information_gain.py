"""Estimate the information about a person that a plan would reveal.

An observation shows only recent slots, and each kind of slot reveals different traits.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from rhythm_env.constants import BELIEF, SLOTS, SOCIAL, STEPS, WORK
from rhythm_env.dynamics import ACTIONS
from rhythm_env.interface import HISTORY_STEPS, ActionType

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Ints = NDArray[np.intp]

# Step -> weight of the information at that step. The belief of the last step is graded, and the belief of the first
# days guides the rest of the week.
LOOK_AT = {HISTORY_STEPS: 0.25, STEPS - 1: 1.25}
# Kind of slot -> mean error of its dimension while the traits are unknown. A dimension is a mean of three ranks,
# stretched by 1.5. Two unknown ranks cost 1.5 / 3 * E|u + v - 1| = 1/6, a rank of morning 1.5 / 2.5 * E|u - 1/2| = .15.
# The loss in idle hours spans .03 / .08 of the ranks of company's serenity, 1.5 / 3 * .03 / .08 * E|u - 1/2| = .047.
SHOWN = {"social": 1 / 6, "work": 1 / 6, "morning": 0.15, "evening": 0.15, "idle": 0.047}
UNKNOWN_TRAIT = -1


def informed(plans: Ints, step: int, done: Sequence[int | None]) -> Array:
    """Return by how much (n,) each of n plans (steps, n), from ``step`` on, reduces the belief's error.

    ``done`` holds the last actions before, oldest first, None where unknown.
    """
    import numpy as np

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
    """Return the reduction (n,) of the belief's error, summed over its dimensions, by the ``actions`` (steps, n)."""
    import numpy as np

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
    import numpy as np

    kinds = (WORK, SOCIAL, (ActionType.EXERCISE,))
    return tuple(np.array([action in kind for action in ACTIONS] + [False]) for kind in kinds)
