"""Hidden traits of simulated people, and the belief that would be true of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rhythm_env.constants import (
    ARCHETYPES,
    BELIEF,
    BELIEF_STRETCH,
    METERS,
    NEUTRAL,
    RANGES,
)

Array = NDArray[np.float64]

TRAITS = tuple(RANGES)
WEIGHT_OF = {"weight_progress": 2, "weight_connection": 4}


@dataclass(frozen=True, slots=True)
class Profiles:
    """The hidden ``weights`` (5, n) of the meters and ``traits`` (name -> (n,)) of n simulated people.

    Each column of weights adds to 1. Policies must not read either.
    """

    weights: Array
    traits: Mapping[str, Array]

    def __len__(self) -> int:
        return int(self.weights.shape[1])

    def take(self, index: NDArray[np.intp]) -> Profiles:
        """Return the people at the positions ``index``, which may repeat, in this order."""
        return Profiles(self.weights[:, index], {name: values[index] for name, values in self.traits.items()})


def archetypes(names: Sequence[str]) -> Profiles:
    """Return the published archetypes with the given names, a column for each. Raises KeyError for an unknown name."""
    rows: list[dict[str, Any]] = [{**NEUTRAL, **ARCHETYPES[name]} for name in names]
    weights = np.array([row["weights"] for row in rows], dtype=float).T
    return Profiles(weights, {trait: np.array([row[trait] for row in rows], dtype=float) for trait in TRAITS})


def belief_target(profiles: Profiles) -> Array:
    """Return the true traits social, morning and work (3, n) of each person, from 0 to 1."""
    rows = []
    for name, parts in BELIEF.items():
        total = sum(abs(share) for _, share in parts)
        mean = sum(share * (_rank(profiles, trait) - 0.5) for trait, share in parts) / total
        rows.append(np.clip(0.5 + BELIEF_STRETCH[name] * mean, 0.0, 1.0))
    return np.array(rows)


def _rank(profiles: Profiles, trait: str) -> Array:
    if trait in WEIGHT_OF:
        weight = profiles.weights[WEIGHT_OF[trait]]
        return np.asarray(1 - (1 - weight) ** (METERS - 1))  # distribution function of a single weight
    low, high = RANGES[trait]
    return np.clip((profiles.traits[trait] - low) / (high - low), 0.0, 1.0)
