"""Thompson sampling (Thompson 1933) by a logistic regression in which slots and actions share what was learnt.

The regression is shrunk as IntelligentPooling is, for a single user.
"""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rhythm_env.constants import SLOTS
from rhythm_env.dynamics import ACTIONS
from rhythm_env.interface import ActionType, Answer, Belief, Decision, Observation, Policy, Slot

Array = NDArray[Any]

DRAWS = 32  # rounds that estimate the probability of each action
SDS = {"base": 1.0, "action": 0.8, "slot": 0.5, "both": 0.8}  # of the effects, in logits
NEWTON_STEPS = 8  # iterations of Newton's method, which needs five


class SharedArms:
    """A policy that chooses actions by Thompson sampling from estimated rates of acceptance."""

    name = "shared_arms"
    version = 1
    believes = False  # the returned belief is the uninformative default

    def decide(self, observation: Observation, rng: random.Random) -> Decision:
        """Return a decision for an action, drawn in proportion to how often its sampled rate is the highest."""
        mean, cov = posterior(observation)
        rows = _rows()[[_cell(action, observation.slot) for action in observation.feasible]]
        generator = np.random.default_rng(rng.getrandbits(64))
        drawn = generator.multivariate_normal(rows @ mean, rows @ cov @ rows.T, DRAWS, method="eigh")
        wins = Counter(observation.feasible[int(at)] for at in drawn.argmax(axis=1))
        action = rng.choices(list(wins), list(wins.values()))[0]
        rates = 1 / (1 + np.exp(-(rows @ mean)))
        return Decision(
            action=action,
            belief=Belief(),
            scores={a: float(rate) for a, rate in zip(observation.feasible, rates, strict=True)},
            probabilities={a: wins[a] / DRAWS for a in observation.feasible},
            reasons=("drawn by how likely it is the best, of what you took before",),
        )


def posterior(observation: Observation) -> tuple[Array, Array]:
    """Return the mean (55,) and covariance (55, 55) of effects on acceptance in logits, learnt from the answers.

    The effects are the base rate, 10 actions, 4 slots and 40 pairs of both. The posterior is Laplace's approximation.
    """
    counts = np.zeros((2, len(ACTIONS) * SLOTS))
    for one in observation.history:
        counts[int(one.answer is Answer.ACCEPT), _cell(one.recommended, one.slot)] += 1
    rows, total, mean = _rows(), counts.sum(axis=0), np.zeros(_rows().shape[1])
    precision = np.diag(1 / _variances())
    for _ in range(NEWTON_STEPS):
        rate = 1 / (1 + np.exp(-(rows @ mean)))
        curved = precision + rows.T @ ((total * rate * (1 - rate))[:, None] * rows)
        mean = mean + np.linalg.solve(curved, rows.T @ (counts[1] - total * rate) - precision @ mean)
    return mean, np.linalg.inv(curved)


def _cell(action: ActionType, slot: Slot) -> int:
    return ACTIONS.index(action) * SLOTS + int(slot)


@cache
def _rows() -> Array:
    cells = len(ACTIONS) * SLOTS
    action, slot = np.arange(cells) // SLOTS, np.arange(cells) % SLOTS
    return np.hstack([np.ones((cells, 1)), np.eye(len(ACTIONS))[action], np.eye(SLOTS)[slot], np.eye(cells)])


def _variances() -> Array:
    sizes = {"base": 1, "action": len(ACTIONS), "slot": SLOTS, "both": len(ACTIONS) * SLOTS}
    return np.concatenate([np.full(size, SDS[name] ** 2) for name, size in sizes.items()])


def open_policy() -> Policy:
    """Return a new ``SharedArms``. The setting BRIDGE_POLICY=shared_arms chooses this policy."""
    return SharedArms()
