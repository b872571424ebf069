"""Who the person probably is: particles moved by what their meters did and weighed by what they answered.

The meters' channel is linear with Gaussian errors, so every particle of the prior is moved to where it would be given
the evidence (conditioning of sample paths, Matheron's rule: x + K (y - H x - e) with K = P H' (H P H' + R)^-1 and the
prior's own covariance P). Exact evidence brings all particles to one point and none ever dies. Answers are not linear:
they weigh particles who live through them (``responses``, ``memory``), and what meters tell then moves these. What was
seen is all that is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

from policies.planner.evidence import Row, rows
from policies.planner.memory import Memory
from policies.planner.population import CROWD, SIZE, anybody, column, population, profiles
from policies.planner.responses import Crowd
from rhythm_env.constants import ARCHETYPES, METERS
from rhythm_env.interface import Meter, Observation
from rhythm_env.profiles import Profiles, archetypes, belief_target

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


@dataclass(frozen=True)
class Posterior:
    """``people``: (18, n) supposed persons, columns as in ``population``; ``weights``: (n,), adding to 1.

    ``crowd``: the same people after what they answered, None where nobody answers.
    """

    people: Array
    weights: Array
    crowd: Crowd | None = None

    @cached_property
    def beliefs(self) -> Array:
        """(3, n): social, morning, work that would be true of each supposed person."""
        return belief_target(profiles(self.people))

    def belief(self) -> tuple[Array, Array]:
        """(3,) mean and (3,) standard deviation of social, morning, work."""
        return self.moments(self.beliefs)

    def person(self) -> Array:
        """(18,): the mean person."""
        import numpy as np

        return np.asarray(self.people @ self.weights)

    def moments(self, values: Array) -> tuple[Array, Array]:
        """Mean and standard deviation over the particles, of values (m, n)."""
        import numpy as np

        mean = values @ self.weights
        spread = np.maximum((values - mean[:, None]) ** 2 @ self.weights, 0.0)
        return mean, np.sqrt(spread)


def prior() -> Posterior:
    """Anybody."""
    import numpy as np

    people = population().people
    return Posterior(people, np.full(people.shape[1], 1 / people.shape[1]))


def infer(
    observation: Observation,
    memory: Memory | None = None,
    *,
    three: bool = False,
    whom: Crowd | None = None,
    known: bool = False,
) -> Posterior:
    """The posterior of everything an observation holds; ``memory`` of earlier slots saves time.

    ``three``: the person is known to be one of the three archetypes, and only answers are heard. For comparisons.
    ``whom``: who they may be before anything is heard; anybody, by itself. ``known``: they all are who the person is.
    Meters that are read without error are where all of them are.
    """
    import numpy as np

    seen = [] if known else rows(observation)
    if not answered(observation) and not three and not known:
        people = moved(population().people, seen)
        return Posterior(people, prior().weights)
    crowd = (memory or Memory()).heard(observation, _archetypes() if three else whom or anyone())
    if seen and not three:
        crowd = crowd.replaced(moved(crowd.people, seen))
    if exact(observation):
        crowd = crowd.copy()
        crowd.meters = np.tile(levels(observation)[:, None].astype(np.float32), len(crowd.logs))
    return Posterior(crowd.people, crowd.weights(), crowd)


def certain(person: Profiles) -> Crowd:
    """Nobody but one person, as often as anybody is supposed: where they are by now is not certain."""
    import numpy as np

    return Crowd(np.repeat(column(person), CROWD, axis=1))


@cache
def anyone() -> Crowd:
    """Who they may be before anything is heard."""
    return Crowd(anybody())


@cache
def _archetypes() -> Crowd:
    import numpy as np

    three = column(archetypes(list(ARCHETYPES)))
    return Crowd(np.repeat(three, CROWD // three.shape[1], axis=1), kinds=three.shape[1])


def exact(observation: Observation) -> bool:
    """Whether every meter is read without error."""
    states = observation.meters.values()
    return len(states) == len(Meter) and all(state.sd == 0 and state.coverage > 0 for state in states)


def levels(observation: Observation) -> Array:
    """(5,): the meters as they are read."""
    import numpy as np

    return np.array([observation.meters[meter].level for meter in Meter])


def answered(observation: Observation) -> bool:
    """Whether this is a person who answers, rather than a simulated one whose meters are read without error."""
    return bool(observation.history) or any(state.sd > 0 for state in observation.meters.values())


def moved(people: Array, evidence: Sequence[Row]) -> Array:
    """(18, n): the prior's particles given linear evidence, within the bounds of what a person may be."""
    import numpy as np

    if not evidence:
        return people
    known = population()
    design, values, errors = np.zeros((len(evidence), SIZE)), np.empty(len(evidence)), np.empty(len(evidence))
    for at, row in enumerate(evidence):
        design[at, list(row.shares)] = list(row.shares.values())
        values[at], errors[at] = row.value, row.sd
    cross = known.covariance @ design.T
    spread = design @ cross + np.diag(errors**2)
    noise = known.errors[: len(evidence), : people.shape[1]] * errors[:, None]
    found = people + cross @ np.linalg.solve(spread, values[:, None] - design @ people - noise)
    found = np.minimum(np.maximum(found, known.low), known.high)
    found[:METERS] /= found[:METERS].sum(axis=0)
    return np.asarray(found)
