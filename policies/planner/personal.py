"""One person's prior: all their answers in the mean and the covariance of who they are supposed to be.

It takes the place of the population's, so that answers from before need not be heard again. The spread is kept wider
than it was found: people change, and the model is not the person.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from policies.planner.population import CROWD, PLACE, SIZE, within
from policies.planner.responses import Crowd
from rhythm_env.interface import Observation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

WIDER = 1.2  # the prior's standard deviations, over those that were found
LEAST = 1e-4  # of a trait's variance: nobody is known exactly
GUILT = PLACE["guilt"]


def compressed(crowd: Crowd, observation: Observation) -> dict[str, Any]:
    """(18,) mean and (18, 18) covariance as JSON can hold them, and when the last of the answers was given."""
    import numpy as np

    weights, people = crowd.weights(), crowd.people
    mean = people @ weights
    apart = people - mean[:, None]
    covariance = (apart * weights) @ apart.T
    return {
        "mean": [round(float(x), 5) for x in mean],
        "covariance": [[round(float(x), 6) for x in row] for row in np.asarray(covariance)],
        "through": observation.history[-1].at.isoformat(),
        "answers": len(observation.history),
    }


def crowd_of(prior: Mapping[str, Any]) -> Crowd:
    """Supposed people as a prior has them. Raises ValueError for what is no prior."""
    import numpy as np

    mean, covariance = np.array(prior["mean"], dtype=float), np.array(prior["covariance"], dtype=float)
    if mean.shape != (SIZE,) or covariance.shape != (SIZE, SIZE):
        raise ValueError("that is no prior of this planner")
    normal, even = _draws()
    values, axes = np.linalg.eigh(covariance * WIDER**2 + LEAST * np.eye(SIZE))
    people = mean[:, None] + (axes * np.sqrt(np.maximum(values, 0.0))) @ normal
    people[GUILT] = even < min(max(mean[GUILT], 0.05), 0.95)
    return Crowd(within(people))


@cache
def _draws() -> tuple[Array, Array]:
    """(18, 1024) standard normal and (1024,) even draws, always the same."""
    import numpy as np

    rng = np.random.default_rng(4)
    return rng.standard_normal((SIZE, CROWD)), (np.arange(CROWD) + 0.5) / CROWD


def since(observation: Observation, prior: Mapping[str, Any]) -> Observation:
    """The observation with the answers that the prior has not heard."""
    through = datetime.fromisoformat(prior["through"])
    return replace(observation, history=tuple(one for one in observation.history if one.at > through))
