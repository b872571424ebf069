"""The people a person may be before anything is known: particles of the simulator's own distribution of profiles.

One person is a column of 18 numbers: five weights (adding to 1), then the traits of ``rhythm_env.constants.RANGES``
in their units, with guilt as 0 or 1 because only its side of one half ever matters.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from rhythm_env.constants import METERS, RANGES, WEIGHT_FLOOR
from rhythm_env.profiles import TRAITS, Profiles

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

PARTICLES = 512
CROWD = 1024  # of those who are supposed to answer
SIZE = METERS + len(TRAITS)
PLACE = {name: METERS + at for at, name in enumerate(TRAITS)}  # where a trait stands in a column
BEYOND = 0.15  # of its range, how far a trait may be found outside: people need not be like those of training
ROWS = 128  # of linear evidence, at most: seven slots give seven times eight or so
SMALLEST = 0.03  # a weight within bounds; the floor of the distribution is that of WEIGHT_FLOOR normalised
REFERENCE = 20_000  # draws from which the weights' moments are taken


@dataclass(frozen=True, slots=True)
class Population:
    """``people``: (18, 512); ``covariance``: (18, 18) of the distribution; ``low``, ``high``: (18, 1) bounds."""

    people: Array
    covariance: Array
    low: Array
    high: Array
    errors: Array  # (128, 1024) fixed standard normal draws: one error per row of evidence and particle


@cache
def population() -> Population:
    """Drawn once per process and always the same."""
    import numpy as np

    people = drawn(_even(PARTICLES))
    spread = np.array([high - low for low, high in RANGES.values()])
    variances = spread**2 / 12
    variances[PLACE["guilt"] - METERS] = 1 / 4
    covariance = np.diag(np.concatenate([np.zeros(METERS), variances]))
    alike = np.cov(_weights(np.random.default_rng(1).random((METERS, REFERENCE))))
    covariance[:METERS, :METERS] = np.trace(alike) / (METERS - 1) * (np.eye(METERS) - 1 / METERS)
    lows = np.array([0.0] * METERS + [low for low, _ in RANGES.values()])
    highs = np.array([1.0] * METERS + [high for _, high in RANGES.values()])
    room = np.concatenate([np.zeros(METERS), BEYOND * spread])
    errors = np.random.default_rng(2).standard_normal((ROWS, CROWD))
    return Population(people, covariance, (lows - room)[:, None], (highs + room)[:, None], errors)


@cache
def anybody() -> Array:
    """(18, 1024): as many as answers are heard with; they need more than meters do."""
    return drawn(_even(CROWD))


def within(people: Array) -> Array:
    """(18, n): the same people, as near as somebody within the bounds of what a person may be comes to them."""
    import numpy as np

    known = population()
    found = np.minimum(np.maximum(people, known.low), known.high)
    found[:METERS] = np.maximum(found[:METERS], SMALLEST)
    found[:METERS] /= found[:METERS].sum(axis=0)
    return np.asarray(found)


def _even(n: int) -> Array:
    """(18, n) points spread evenly over the unit cube: the additive recurrence of Roberts (2018), both ways round."""
    import numpy as np

    ratio = 2.0
    for _ in range(60):  # the positive root of x ** 19 = x + 1
        ratio = (1 + ratio) ** (1 / (SIZE + 1))
    steps = ratio ** -np.arange(1, SIZE + 1)[:, None]
    half = (0.5 + steps * np.arange(1, n // 2 + 1)) % 1
    return np.asarray(np.clip(np.concatenate([half, 1 - half], axis=1), 1e-9, 1 - 1e-9))


def drawn(unit: Array) -> Array:
    """(18, n) people from uniform draws (18, n), as ``rhythm_env.profiles.sampled`` makes them."""
    import numpy as np

    low = np.array([low for low, _ in RANGES.values()])[:, None]
    high = np.array([high for _, high in RANGES.values()])[:, None]
    traits = low + (high - low) * unit[METERS:]
    guilt = PLACE["guilt"] - METERS
    traits[guilt] = traits[guilt] > 0.5
    return np.concatenate([_weights(unit[:METERS]), traits])


def _weights(unit: Array) -> Array:
    """A Dirichlet(1, 1, 1, 1, 1) with a floor, from uniform draws (5, n)."""
    import numpy as np

    weights = -np.log(unit)
    weights = np.maximum(weights / weights.sum(axis=0), WEIGHT_FLOOR)
    return np.asarray(weights / weights.sum(axis=0))


def profiles(people: Array) -> Profiles:
    """Columns of people (18, n) as the simulator's own profiles."""
    return Profiles(people[:METERS], {name: people[place] for name, place in PLACE.items()})


def column(person: Profiles) -> Array:
    """(18, n): the other way round."""
    import numpy as np

    traits = [person.traits[name] for name in TRAITS]
    traits[TRAITS.index("guilt")] = (person.traits["guilt"] > 0.5).astype(float)
    return np.concatenate([person.weights, np.array(traits)])
