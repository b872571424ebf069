"""The utility of actions to a hidden person, and the probability that the person accepts them.

Acceptance is a logistic function of an action's utility. Its rates are an assumption of ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rhythm_env import dynamics
from rhythm_env.constants import CRASH_LEVEL, REWARD_SCALE
from rhythm_env.dynamics import ACTIONS
from rhythm_env.interface import ActionType
from rhythm_env.profiles import Profiles

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

EXPONENT_MAX = 80.0  # of exp, which overflows at 88 in single precision
READINESS, EAGERNESS = -0.55, 1.75  # offset and slope of the logistic function, fitted to the two rates
CLEARLY_BETTER = 0.5  # spreads by which a later slot must be better for a reschedule
NEED = 3.0  # extra weight of a low meter, per unit below COMFORT
COMFORT = 0.35


def utilities(meters: Array, slot: int, people: Profiles) -> Array:
    """Return the utility (10, n) of each action in a slot (0..3) for persons with the meters (5, n)."""
    import numpy as np

    each = np.tile(np.arange(len(people)), len(ACTIONS))
    now, many = meters[:, each], people.take(each)
    wanted, _ = dynamics.changes(now, np.repeat(np.arange(len(ACTIONS)), len(people)), slot, many)
    after = np.clip(now + wanted, 0.0, 1.0)
    urgent = many.weights + NEED * np.maximum(COMFORT - now, 0.0) * (now > CRASH_LEVEL / 10)
    return np.asarray(REWARD_SCALE * np.einsum("mn,mn->n", urgent, after - now).reshape(len(ACTIONS), -1))


def standing(values: Array, feasible: Sequence[ActionType]) -> Array:
    """Return the utilities (10,) relative to the mean of the feasible actions, in their standard deviations."""
    import numpy as np

    chosen = values[[ACTIONS.index(action) for action in feasible]]
    return np.asarray((values - chosen.mean()) / max(float(chosen.std()), 1e-6))


def acceptance(relative: Array) -> Array:
    """Return the probability that recommendations with the standings ``relative`` are accepted.

    It is 1 / (1 + exp(0.55 - 1.75 relative)), in the same precision.
    """
    import numpy as np

    kind = relative.dtype.type
    against = np.minimum(relative * kind(-EAGERNESS) - kind(READINESS), kind(EXPONENT_MAX))
    return np.asarray(1 / (1 + np.exp(against)))
