"""Draw simulated people and their events from seeds, and simulate them step by step.

Meters have the shape (5, n), in the order vitality, cognition, progress, serenity, connection.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rhythm_env.constants import (
    ARCHETYPES,
    CONNECTION_DECAY,
    CRASH_LEVEL,
    EVENT_CHANCE,
    GAIN_FLOOR,
    GAIN_SLOPE,
    GUILT_COST,
    METERS,
    OOD_FROM,
    RANGES,
    REWARD_SCALE,
    SEED_SCRAMBLE,
    SHIFTED,
    SPIRAL,
    STEPS,
    VITALITY_DECAY,
    WEIGHT_FLOOR,
)
from rhythm_env.dynamics import ACTIONS, COMFORT, EVENT_NAMES, NEED, C, N, S, V, tables
from rhythm_env.interface import ActionType
from rhythm_env.profiles import TRAITS, Profiles, archetypes

Array = NDArray[np.float64]
Ints = NDArray[np.intp]

CONDITIONS = ("in", "ood", "shifted", "discrete")


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


def drawn_events(seeds: Sequence[int]) -> Ints:
    """Draw the event of each step, as indices (28, n) into EVENT_NAMES. 0 means no event.

    Column i is drawn with ``seeds[i]``, independently of the person with the same seed.
    """
    weeks = []
    for seed in seeds:
        rng = np.random.default_rng((seed, 1))
        happens = rng.random(STEPS) < EVENT_CHANCE
        weeks.append(np.where(happens, rng.integers(1, len(EVENT_NAMES), STEPS), 0))
    return np.array(weeks, dtype=np.intp).T


def changes(meters: Array, actions: Ints, slot: int, people: Profiles) -> tuple[Array, Array]:
    """Return the changes of the meters by the actions and their anomalies, both (5, n), before events and clipping.

    ``actions`` (n,) are indices, ``slot`` is the slot of the day. An anomaly is the difference from a neutral person's
    change.
    """
    known, traits = tables(), people.traits
    neutral = np.take(known.effects[slot], actions, axis=1)
    gain = GAIN_FLOOR + GAIN_SLOPE * meters[V]
    neutral *= np.where(neutral > 0, gain, 1.0)
    work, social, solo = known.work[actions], known.social[actions], known.solo[actions]
    binge, idle = known.binge[actions], known.idle[actions]
    anomaly = np.zeros_like(neutral)
    anomaly[V] = neutral[V] * social * (traits["social_cost"] - 1) + work * traits["work_recovery"]
    if slot != 1:
        anomaly[C] = work * traits["morning_bonus" if slot == 0 else "evening_bonus"]
    anomaly[S] = (
        work * traits["work_serenity"]
        + solo * traits["solo_serenity"]
        + social * traits["social_serenity"]
        - binge * (GUILT_COST * (traits["guilt"] > 0.5))
        - idle * traits["idle_decay"]
    )
    total = neutral + anomaly
    total *= np.where((total < 0) & (meters[S] < traits["tolerance"]), SPIRAL, 1.0)
    anomaly = total - neutral
    total[V] -= VITALITY_DECAY * traits["vitality_decay"]
    total[N] -= CONNECTION_DECAY * traits["connection_decay"] * (1 - social)
    return total, anomaly


def step(meters: Array, actions: Ints, slot: int, people: Profiles, events: Ints) -> tuple[Array, Array, Array]:
    """Return the meters after a step, their changes, and the anomalies, each (5, n). ``events`` (n,) are indices."""
    wanted, anomaly = changes(meters, actions, slot, people)
    if events.any():
        hit = tables().events[:, events]
        wanted += np.where(hit < 0, hit * people.traits["event_impact"], hit)
    after = np.clip(meters + wanted, 0.0, 1.0)
    return after, after - meters, anomaly


def utilities(meters: Array, slot: int, people: Profiles) -> Array:
    """Return the utility (10, n) of each action in a slot (0..3) for persons with the meters (5, n)."""
    each = np.tile(np.arange(len(people)), len(ACTIONS))
    now, many = meters[:, each], people.take(each)
    wanted, _ = changes(now, np.repeat(np.arange(len(ACTIONS)), len(people)), slot, many)
    after = np.clip(now + wanted, 0.0, 1.0)
    urgent = many.weights + NEED * np.maximum(COMFORT - now, 0.0) * (now > CRASH_LEVEL / 10)
    return np.asarray(REWARD_SCALE * np.einsum("mn,mn->n", urgent, after - now).reshape(len(ACTIONS), -1))


def standing(values: Array, feasible: Sequence[ActionType]) -> Array:
    """Return the utilities (10,) relative to the mean of the feasible actions, in their standard deviations."""
    chosen = values[[ACTIONS.index(action) for action in feasible]]
    return np.asarray((values - chosen.mean()) / max(float(chosen.std()), 1e-6))
