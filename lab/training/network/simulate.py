"""Simulated weeks for training, in the network's form, of people whom no evaluation uses.

Their seeds give another stream of random numbers than ``lab.environments.dynamics.sampled``. There are people like
those of the evaluation, the three archetypes, blends of two people, and people with a single strong preference.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lab.evaluation.week import Weeks
from policies.llm.sequence.slots import PER_SLOT, PRESENT, TALLIES, Slots, felt, present, vectors, weighed
from rhythm_env.constants import ARCHETYPES, EVENT_CHANCE, METERS, RANGES, STEPS, WEIGHT_FLOOR
from rhythm_env.dynamics import EVENT_NAMES, start
from rhythm_env.interface import HISTORY_STEPS
from rhythm_env.profiles import Profiles, archetypes

Array = NDArray[np.float64]
Ints = NDArray[np.intp]
Floats = NDArray[np.float32]

STREAM = 77  # of practice people; evaluation draws from the seed alone
KINDS = (("like", 0.70), ("blend", 0.15), ("devoted", 0.10), ("archetype", 0.05))


def people(seeds: range) -> Profiles:
    """Return a person per seed, the same on each call."""
    return joined([_person(np.random.default_rng((seed, STREAM))) for seed in seeds])


def joined(some: list[Profiles]) -> Profiles:
    weights = np.concatenate([one.weights for one in some], axis=1)
    traits = {name: np.concatenate([one.traits[name] for one in some]) for name in RANGES}
    return Profiles(weights, traits)


def _person(rng: np.random.Generator) -> Profiles:
    kind = rng.choice([name for name, _ in KINDS], p=[share for _, share in KINDS])
    if kind == "archetype":
        return archetypes([str(rng.choice(list(ARCHETYPES)))])
    one = _drawn(rng, 0.3 if kind == "devoted" else 1.0)
    if kind != "blend":
        return one
    other = archetypes([str(rng.choice(list(ARCHETYPES)))]) if rng.random() < 0.5 else _drawn(rng, 1.0)
    share = rng.random()
    traits = {name: share * one.traits[name] + (1 - share) * other.traits[name] for name in RANGES}
    return Profiles(share * one.weights + (1 - share) * other.weights, traits)


def _drawn(rng: np.random.Generator, concentration: float) -> Profiles:
    """Return a person with Dirichlet weights, which have a least value, and traits uniform over their ranges."""
    weights = np.maximum(rng.dirichlet([concentration] * METERS), WEIGHT_FLOOR)
    traits = {name: np.array([rng.uniform(low, high)]) for name, (low, high) in RANGES.items()}
    return Profiles((weights / weights.sum())[:, None], traits)


def begin(seeds: range, copies: int = 1) -> Weeks:
    """Return a week for each seed and copy. Copies have the same person and events, and follow each other as blocks."""
    drawn = []
    for seed in seeds:
        rng = np.random.default_rng((seed, STREAM, 1))
        happens = rng.random(STEPS) < EVENT_CHANCE
        drawn.append(np.where(happens, rng.integers(1, len(EVENT_NAMES), STEPS), 0))
    index = np.tile(np.arange(len(seeds)), copies)
    events = np.array(drawn, dtype=np.intp).T[:, index]
    return Weeks(people=people(seeds).take(index), events=events, meters=start(len(index)))


@dataclass(slots=True)
class Seen:
    """The network's input for n weeks, with ``slots`` (n, 28, PER_SLOT) and ``now`` (n, 28, PRESENT)."""

    slots: Floats
    now: Floats
    rows: Array  # (n, 28, 6): changes and what they were worth together


def watch(weeks: Weeks) -> Seen:
    """Return empty input for the weeks, which ``look`` fills."""
    n = weeks.n
    return Seen(
        np.zeros((n, STEPS, PER_SLOT), np.float32),
        np.zeros((n, STEPS, PRESENT), np.float32),
        np.zeros((n, STEPS, METERS + 1)),
    )


def look(seen: Seen, weeks: Weeks) -> None:
    """Fill in the slot just completed, if any, and the slot that begins."""
    at = weeks.step
    if at:
        slots = _completed(weeks)
        seen.slots[:, at - 1] = vectors(slots)[:, 0]
        seen.rows[:, at - 1, :METERS] = slots.changes[:, 0]
        seen.rows[:, at - 1, METERS] = felt(slots)[:, 0]
    window = seen.rows[:, max(at - HISTORY_STEPS, 0) : at]
    now = np.full(weeks.n, at, dtype=np.intp)
    even = np.zeros((weeks.n, METERS))
    seen.now[:, at] = present(
        now,
        (weeks.meters.T, even, even + 1),
        weeks.events[at],
        0.0,
        (weighed(window[..., :METERS], window[..., METERS]), np.zeros((weeks.n, TALLIES), np.float32)),
    )


def _completed(weeks: Weeks) -> Slots:
    at, nothing = weeks.step - 1, np.full((weeks.n, 1), -1, dtype=np.intp)
    before = weeks.levels[-1] - weeks.deltas[-1]
    return Slots(
        step=np.full((weeks.n, 1), at, dtype=np.intp),
        action=weeks.actions[-1][:, None],
        levels=before.T[:, None],
        changes=weeks.deltas[-1].T[:, None],
        anomalies=weeks.anomalies[-1].T[:, None],
        reward=weeks.rewards[-1][:, None],
        refused=nothing,
        answer=nothing,
        moved=nothing,
        stated=True,
    )
