"""Simulate many lives with a policy, and record acceptance, levels of the meters, and beliefs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import islice
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lab.evaluation.deployed import Life, Slice
from lab.evaluation.grades import OnStep, unwatched
from lab.evaluation.strategies import Find, variant_of
from rhythm_env.constants import STEPS
from rhythm_env.interface import Answer, Decision, Policy
from rhythm_env.profiles import belief_target

if TYPE_CHECKING:
    import random

    from rhythm_env.interface import Observation

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """Settings of simulated lives. ``validity`` is the correlation of nights and stress with the true meters.

    None as ``validity`` draws it for each life. ``answers_only`` means no band and no calendar. ``told`` makes every
    person an archetype, and tells this to every policy that accepts it.
    """

    condition: str = "in"
    weeks: int = 2
    validity: float | None = None
    answers_only: bool = False
    told: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Lived:
    """The course of n lives over T slots. The belief at index t was stated after t answers."""

    accepted: Array  # (n, T) 1 or 0
    levels: Array  # (n, T) mean of the hidden meters after the slot, weighted as the person would
    beliefs: Array  # (n, T + 1, 3)
    sds: Array  # (n, T + 1, 3), not a number where none is stated
    targets: Array  # (n, 3)
    ms: Array  # (n,) per decision, of one core


class Timed:
    """A policy that measures the processor time of its decisions in seconds (``spent``)."""

    def __init__(self, policy: Policy) -> None:
        self._policy, self.name, self.version = policy, policy.name, policy.version
        self.spent, self.decisions = 0.0, 0

    def decide(self, observation: Observation, rng: random.Random) -> Decision:
        begun = process_time()
        decision = self._policy.decide(observation, rng)
        self.spent += process_time() - begun
        self.decisions += 1
        return decision


def served(name: str, find: Find, *, told: bool = False) -> Policy:
    """Return the policy called ``name``, with ``told`` its variant for archetypes only, if it has one."""
    policy = find(name)
    variant = variant_of(policy, "three") if told else None
    return policy if variant is None else variant(objective="reward", three=True)


def lived(name: str, seeds: Sequence[int], kind: Kind, find: Find, on_step: OnStep = unwatched) -> Lived:
    """Simulate a life for each seed. An additional slot at the end gives the belief after the last answer."""
    found = []
    for done, seed in enumerate(seeds, start=1):
        found.append(_one(served(name, find, told=kind.told), seed, kind))
        on_step(done, len(seeds))
    return together(found)


def _one(policy: Policy, seed: int, kind: Kind) -> Lived:
    condition = "discrete" if kind.told else kind.condition
    life, timed = Life(seed, condition, kind.validity, recorded=not kind.answers_only), Timed(policy)
    slices = list(islice(life.live(timed, kind.weeks + 1), kind.weeks * STEPS + 1))
    weights = life.person.weights[:, 0]
    return Lived(
        accepted=np.array([[float(one.answer is Answer.ACCEPT) for one in slices[:-1]]]),
        levels=np.array([[float(weights @ list(one.after.values())) for one in slices[:-1]]]),
        beliefs=np.array([[one.decision.belief.vector() for one in slices]]),
        sds=np.array([list(_sds(slices))]),
        targets=belief_target(life.person).T,
        ms=np.array([1000 * timed.spent / timed.decisions]),
    )


def _sds(slices: Sequence[Slice]) -> Iterator[tuple[float, ...]]:
    nan = float("nan")
    for one in slices:
        yield one.decision.belief_sd or (nan, nan, nan)


def together(parts: Sequence[Lived]) -> Lived:
    """Return one result that holds the lives of all ``parts``, in order."""
    joined: dict[str, Any] = {
        field.name: np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Lived)
    }
    return Lived(**joined)
