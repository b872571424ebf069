"""Logged answers of simulated people, with the true expected answer to every action."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from lab.environments.dynamics import standing, utilities
from lab.evaluation.deployed import Life, Slice
from lab.evaluation.grades import OnStep, unwatched
from lab.evaluation.offpolicy import Logged, was_drawn
from rhythm_env.constants import STEPS
from rhythm_env.dynamics import ACTIONS, acceptance
from rhythm_env.interface import REWARD, Meter, Policy
from rhythm_env.profiles import Profiles

Array = NDArray[np.float64]

Make = Callable[[], Policy]


@dataclass(frozen=True, slots=True)
class Log:
    """Logged decisions with the true expected reward ``truth`` (n, 10) of every action."""

    logged: list[Logged]
    truth: Array


def simulated(
    make: Make, seeds: Sequence[int], *, weeks: int = 2, condition: str = "in", on_step: OnStep = unwatched
) -> Log:
    """Return the decisions of a drawing policy for simulated people, with the true expected rewards.

    Decisions that were not drawn from at least two actions are left out. ``make`` returns a new policy.
    """
    logged, truth = [], []
    for done, seed in enumerate(seeds, start=1):
        life = Life(seed, condition)
        for one in islice(life.live(make(), weeks), weeks * STEPS):
            kept = _logged(one, str(seed))
            if was_drawn(kept):
                logged.append(kept)
                truth.append(_expected(one, life.person, kept))
        on_step(done, len(seeds))
    return Log(logged, np.array(truth))


def _logged(one: Slice, cluster: str) -> Logged:
    drawn = one.decision.probabilities
    return Logged(
        cluster=cluster,
        observation=replace(one.observation, feasible=tuple(drawn)),
        action=one.decision.action,
        chances=tuple(drawn.get(action, 0.0) for action in ACTIONS),
        reward=REWARD[one.answer],
    )


def _expected(one: Slice, person: Profiles, kept: Logged) -> list[float]:
    meters = np.array([[one.before[meter]] for meter in Meter])
    values = utilities(meters, int(one.moment.slot), person)[:, 0]
    relative = standing(values, one.observation.feasible)
    expected = 2 * acceptance(relative) - 1
    return [float(expected[at]) if kept.chances[at] > 0 else 0.0 for at in range(len(ACTIONS))]


def wanted(logged: Sequence[Logged], make: Make) -> Array:
    """Return a policy's probabilities (n, 10) in n logged situations. ``make`` is called for every cluster."""
    return np.array([list(row) for row in _wanted(logged, make)])


def _wanted(logged: Sequence[Logged], make: Make) -> Iterator[list[float]]:
    policies: dict[str, Policy] = {}
    for number, one in enumerate(logged):
        policy = policies.setdefault(one.cluster, make())
        decision = policy.decide(one.observation, random.Random(f"{one.cluster}/{number}"))
        yield [decision.probabilities.get(action, 0.0) for action in ACTIONS]
