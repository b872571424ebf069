"""How a hidden person answers advice. One model, for the simulator's deployed mode and for simulated lives.

An action's utility here and now is the person's own weighted change of meters, in the units of the published reward. It
is compared with the mean of the feasible actions, in units of their spread, and goes through a logistic: random advice
is accepted about 40 % of the time and the best about 85 %. What is not accepted is put off when the same action is
clearly better in another slot of that day, else ignored. The two rates are an assumption, not a measurement: no
published study gives them for this kind of advice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rhythm_env import dynamics
from rhythm_env.constants import CRASH_LEVEL, REWARD_SCALE, SLOTS
from rhythm_env.dynamics import ACTIONS
from rhythm_env.interface import ActionType, Answer, Slot
from rhythm_env.profiles import Profiles

if TYPE_CHECKING:
    import random

    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

READINESS, EAGERNESS = -0.55, 1.75  # the logistic's offset and slope; fitted to the two rates
CLEARLY_BETTER = 0.5  # spreads by which another slot must be better to put an action off to
NEED = 3.0  # how much a meter that is about to crash matters more, per unit below the level of comfort
COMFORT = 0.35


def utilities(meters: Array, slot: int, people: Profiles) -> Array:
    """(10, n): what each action would be worth to each person in a slot, from where they are."""
    import numpy as np

    each = np.tile(np.arange(len(people)), len(ACTIONS))
    now, many = meters[:, each], people.take(each)
    wanted, _ = dynamics.changes(now, np.repeat(np.arange(len(ACTIONS)), len(people)), slot, many)
    after = np.clip(now + wanted, 0.0, 1.0)
    urgent = many.weights + NEED * np.maximum(COMFORT - now, 0.0) * (now > CRASH_LEVEL / 10)
    return np.asarray(REWARD_SCALE * np.einsum("mn,mn->n", urgent, after - now).reshape(len(ACTIONS), -1))


def standing(values: Array, feasible: Sequence[ActionType]) -> Array:
    """(10,): utilities of one person relative to the mean of the feasible actions, in their spread."""
    import numpy as np

    chosen = values[[ACTIONS.index(action) for action in feasible]]
    return np.asarray((values - chosen.mean()) / max(float(chosen.std()), 1e-6))


def acceptance(relative: float) -> float:
    """The probability that advice of this standing is accepted."""
    from math import exp

    return 1 / (1 + exp(-(READINESS + EAGERNESS * relative)))


def answer(
    meters: Array,
    slot: Slot,
    person: Profiles,
    action: ActionType,
    feasible: Sequence[ActionType],
    rng: random.Random,
) -> tuple[Answer, Slot | None]:
    """(answer, the slot it is put off to) of one person; ``meters`` is (5, 1)."""
    number = ACTIONS.index(action)
    here = standing(utilities(meters, int(slot), person)[:, 0], feasible)
    if rng.random() < acceptance(float(here[number])):
        return Answer.ACCEPT, None
    later = range(int(slot) + 1, SLOTS)
    there = {s: float(standing(utilities(meters, s, person)[:, 0], feasible)[number]) for s in later}
    best = max(there, key=lambda s: there[s], default=None)
    if best is not None and there[best] - float(here[number]) > CLEARLY_BETTER:
        return Answer.RESCHEDULE, Slot(best)
    return Answer.IGNORE, None


def own_choice(
    meters: Array, slot: Slot, person: Profiles, feasible: Sequence[ActionType], rng: random.Random
) -> ActionType:
    """What the person does without advice: by habit rather than calculation, better actions more often."""
    from math import exp

    here = standing(utilities(meters, int(slot), person)[:, 0], feasible)
    weights = [exp(float(here[ACTIONS.index(action)])) for action in feasible]
    return rng.choices(list(feasible), weights)[0]
