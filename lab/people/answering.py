"""Draw what a simulated person answers to a recommendation, and what the person does without it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lab.environments.dynamics import standing, utilities
from rhythm_env.constants import SLOTS
from rhythm_env.dynamics import ACTIONS, CLEARLY_BETTER, acceptance
from rhythm_env.interface import ActionType, Answer, Slot

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rhythm_env.profiles import Profiles

    Array = NDArray[np.float64]


def answer(
    meters: Array,
    slot: Slot,
    person: Profiles,
    action: ActionType,
    feasible: Sequence[ActionType],
    rng: random.Random,
    *,
    chance: float | None = None,
) -> tuple[Answer, Slot | None]:
    """Draw a person's answer to the recommended ``action``, and for RESCHEDULE also the slot chosen instead, else None.

    ``meters`` has the shape (5, 1). ``chance`` is the probability of acceptance. If it is None, it follows from the
    action's utility among the ``feasible`` actions.
    """
    number = ACTIONS.index(action)
    here = standing(utilities(meters, int(slot), person)[:, 0], feasible)
    if rng.random() < (float(acceptance(here)[number]) if chance is None else chance):
        return Answer.ACCEPT, None
    later = range(int(slot) + 1, SLOTS)
    there = {s: float(standing(utilities(meters, s, person)[:, 0], feasible)[number]) for s in later}
    best = max(there, key=lambda s: there[s], default=None)
    if best is not None and there[best] - float(here[number]) > CLEARLY_BETTER:
        return Answer.RESCHEDULE, Slot(best)
    return Answer.IGNORE, None


def own_choice(
    meters: Array,
    slot: Slot,
    person: Profiles,
    feasible: Sequence[ActionType],
    rng: random.Random,
    *,
    habit: Sequence[float] | None = None,
) -> ActionType:
    """Draw the feasible action that a person does without a recommendation.

    The probabilities are in proportion to ``habit`` (10,), or else grow exponentially with the action's utility.
    ``meters`` has the shape (5, 1).
    """
    from math import exp

    if habit is not None:
        return rng.choices(list(feasible), [habit[ACTIONS.index(action)] for action in feasible])[0]
    here = standing(utilities(meters, int(slot), person)[:, 0], feasible)
    weights = [exp(float(here[ACTIONS.index(action)])) for action in feasible]
    return rng.choices(list(feasible), weights)[0]
