"""Hidden traits of simulated people, drawn from seeds, and the true belief about each person."""

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
    OOD_FROM,
    RANGES,
    SEED_SCRAMBLE,
    SHIFTED,
    WEIGHT_FLOOR,
)

Array = NDArray[np.float64]

CONDITIONS = ("in", "ood", "shifted", "discrete")
TRAITS = tuple(RANGES)
WEIGHT_OF = {"weight_progress": 2, "weight_connection": 4}


@dataclass(frozen=True, slots=True)
class Profiles:
    """The hidden ``weights`` (5, n) and ``traits`` (name -> (n,)) of n simulated people.

    Each column of weights adds to 1. No policy may read them.
    """

    weights: Array
    traits: Mapping[str, Array]

    def __len__(self) -> int:
        return int(self.weights.shape[1])

    def take(self, index: NDArray[np.intp]) -> Profiles:
        """Return the people at the given indices, which may repeat."""
        return Profiles(self.weights[:, index], {name: values[index] for name, values in self.traits.items()})


def sampled(seeds: Sequence[int], condition: str = "in") -> Profiles:
    """Draw a person per seed, from the distribution that the condition names.

    - ``in`` draws from the training ranges.
    - ``ood`` draws from the same ranges, with seeds that training never uses.
    - ``shifted`` draws traits beyond the ranges. Where a range begins at 0, half of the people have exactly 0.
    - ``discrete`` returns an archetype of ``ARCHETYPES``, by seed modulo 3.

    Raises ValueError for an unknown condition.
    """
    seeds = seeds_in(seeds, condition)
    if condition == "discrete":
        return archetypes([tuple(ARCHETYPES)[seed % len(ARCHETYPES)] for seed in seeds])
    draws = np.array([_draws(seed) for seed in seeds]).T
    weights = -np.log(draws[:METERS])  # normalised exponentials have the distribution Dirichlet(1, 1, 1, 1, 1)
    weights /= weights.sum(axis=0)
    weights = np.maximum(weights, WEIGHT_FLOOR)
    unit = draws[METERS:]
    if condition == "shifted":
        unit = 0.5 + np.sign(unit - 0.5) * (0.5 + (SHIFTED - 1) / 2 * np.abs(unit - 0.5) * 2)
    traits = {
        name: np.maximum(low + (high - low) * part, 0.0 if low >= 0 else -np.inf)
        for (name, (low, high)), part in zip(RANGES.items(), unit, strict=True)
    }
    return Profiles(weights / weights.sum(axis=0), traits)


def seeds_in(seeds: Sequence[int], condition: str) -> list[int]:
    """Return the seeds with which a condition draws people. Raises ValueError for an unknown condition.

    For ``ood`` seeds below OOD_FROM are raised by OOD_FROM. Training never uses seeds from OOD_FROM on.
    """
    if condition not in CONDITIONS:
        raise ValueError(f"there is no condition {condition!r}; there are: {', '.join(CONDITIONS)}")
    return [seed + OOD_FROM if condition == "ood" and seed < OOD_FROM else seed for seed in seeds]


def _draws(seed: int) -> Array:
    # The seed is scrambled, so that its remainder reveals nothing.
    found: Array = np.random.default_rng(seed ^ SEED_SCRAMBLE).random(METERS + len(TRAITS))
    return np.maximum(found, 1e-12)


def archetypes(names: Sequence[str]) -> Profiles:
    """Return the published archetypes with the given names, a column for each. Raises KeyError for an unknown name."""
    rows: list[dict[str, Any]] = [{**NEUTRAL, **ARCHETYPES[name]} for name in names]
    weights = np.array([row["weights"] for row in rows], dtype=float).T
    return Profiles(weights, {trait: np.array([row[trait] for row in rows], dtype=float) for trait in TRAITS})


def belief_target(profiles: Profiles) -> Array:
    """Return the true belief (3, n) about each person, each 0..1. The rows are social, morning and work."""
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
