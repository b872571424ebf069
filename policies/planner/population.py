"""The population of possible persons, drawn from the simulator's distribution of profiles.

A person is 18 numbers, which are five weights of the meters, adding to 1, and then the traits of ``RANGES``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rhythm_env.constants import METERS, RANGES, WEIGHT_FLOOR
from rhythm_env.profiles import TRAITS, Profiles

Array = NDArray[np.float64]

PARTICLES = 512
CROWD = 1024  # particles for a user who answers
SIZE = METERS + len(TRAITS)
PLACE = {name: METERS + at for at, name in enumerate(TRAITS)}  # trait -> its index in a column
BEYOND = 0.15  # of a trait's range, by which real people may exceed the simulator's range
ROWS = 128  # most rows of linear evidence: seven slots give about 7 * 8
SMALLEST = 0.03  # smallest weight, near WEIGHT_FLOOR after normalising
REFERENCE = 20_000  # draws from which the weights' moments are taken


class Kind(NamedTuple):
    probability: float
    way: int = 1  # -1 if they refuse what is good for them
    seen: float = 1.0  # share of recommendations that they look at


USUAL = (Kind(1.0),)
# As supposed, who see less than half, and who refuse what is good for them.
KINDS = (Kind(0.65), Kind(0.15, seen=0.45), Kind(0.2, way=-1))
CONTRARY = sum(kind.probability for kind in KINDS if kind.way < 0)


@dataclass(frozen=True, slots=True)
class Population:
    """Possible persons ``people`` (18, 512), drawn from the simulator's distribution, and moments of the distribution.

    ``covariance`` has the shape (18, 18). ``low`` and ``high`` (18, 1) are the bounds of a person.
    """

    people: Array
    covariance: Array
    low: Array
    high: Array
    errors: Array  # (128, 1024) fixed standard normal draws: one error per row of evidence and particle


@cache
def population() -> Population:
    """Return the population. It is computed once per process, from fixed seeds."""
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
def anybody(size: int = CROWD) -> Array:
    """Return ``size`` persons (18, size) spread evenly over the population, cached and not to be changed."""
    return drawn(_even(size))


def within(people: Array) -> Array:
    """Return people (18, n) limited to the bounds of a person, with weights of the meters that add to 1."""
    known = population()
    found = np.minimum(np.maximum(people, known.low), known.high)
    found[:METERS] = np.maximum(found[:METERS], SMALLEST)
    found[:METERS] /= found[:METERS].sum(axis=0)
    return np.asarray(found)


def _even(n: int) -> Array:
    # They follow the additive recurrence of Roberts (2018).
    ratio = 2.0
    for _ in range(60):  # the positive root of x ** 19 = x + 1
        ratio = (1 + ratio) ** (1 / (SIZE + 1))
    steps = ratio ** -np.arange(1, SIZE + 1)[:, None]
    half = (0.5 + steps * np.arange(1, n // 2 + 1)) % 1
    return np.asarray(np.clip(np.concatenate([half, 1 - half], axis=1), 1e-9, 1 - 1e-9))


def drawn(unit: Array) -> Array:
    """Convert uniform draws (18, n) from 0..1 into people (18, n), distributed as the simulator's."""
    low = np.array([low for low, _ in RANGES.values()])[:, None]
    high = np.array([high for _, high in RANGES.values()])[:, None]
    traits = low + (high - low) * unit[METERS:]
    guilt = PLACE["guilt"] - METERS
    traits[guilt] = traits[guilt] > 0.5
    return np.concatenate([_weights(unit[:METERS]), traits])


def _weights(unit: Array) -> Array:
    weights = -np.log(unit)
    weights = np.maximum(weights / weights.sum(axis=0), WEIGHT_FLOOR)
    return np.asarray(weights / weights.sum(axis=0))


def profiles(people: Array) -> Profiles:
    """Convert people (18, n) into the simulator's profiles."""
    return Profiles(people[:METERS], {name: people[place] for name, place in PLACE.items()})


def column(person: Profiles) -> Array:
    """Convert the simulator's profiles into people (18, n), with guilt as 0 or 1."""
    traits = [person.traits[name] for name in TRAITS]
    traits[TRAITS.index("guilt")] = (person.traits["guilt"] > 0.5).astype(float)
    return np.concatenate([person.weights, np.array(traits)])
