"""What a plan would show of a person: only the last seven slots are ever in sight, and each kind of slot tells its own.

Company shows two of the three traits of the belief's social, one of them (the serenity it gives) only less what idle
hours take, which exercise alone shows; work in the morning and in the evening shows one each of morning's, any
work two of work's. Weights and decay show in every slot.
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

# Moment -> how much it counts what is in sight then: the belief of the last step is graded, that of the first days is
# what the rest of the week is planned by.
LOOK_AT = {HISTORY_STEPS: 0.25, STEPS - 1: 1.25}
# Kind of slot -> the mean error of its dimension of the belief while its traits stay unknown. A mean of three ranks,
# stretched by 1.5: two unknown ranks cost 1.5 / 3 * E|u + v - 1| = 1/6, one of morning's 1.5 / 2.5 * E|u - 1/2| = .15.
# What idle hours take spans .03 / .08 of the ranks of the serenity of company: 1.5 / 3 * .03 / .08 * E|u - 1/2| = .047.
SHOWN = {"social": 1 / 6, "work": 1 / 6, "morning": 0.15, "evening": 0.15, "idle": 0.047}
UNKNOWN = -1


def informed(plans: Ints, step: int, done: Sequence[int | None]) -> Array:
    """(n,): the error that plans (steps, n) from ``step`` on take from the belief, per dimension, at ``LOOK_AT``.

    ``done``: the last actions before, oldest first.
    """
    import numpy as np

    past = np.array([UNKNOWN if number is None else number for number in done[-HISTORY_STEPS:]], dtype=np.intp)
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
    """(n,): what the slots (steps, n) of one window show."""
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
    """Whether each action is work, company, or idle and nothing else; ``UNKNOWN``, the last, is none of them."""
    import numpy as np

    kinds = (WORK, SOCIAL, (ActionType.EXERCISE,))
    return tuple(np.array([action in kind for action in ACTIONS] + [False]) for kind in kinds)
