"""A policy that recommends a random action, the baseline for all other policies."""

from __future__ import annotations

import random

from rhythm_env.interface import Belief, Decision, Observation, Policy


class Random:
    """A policy that draws uniformly from ``observation.feasible``. Its scores are 0 and its belief is the default."""

    name = "random"
    version = 1
    believes = False  # the returned belief is the uninformative default

    def decide(self, observation: Observation, rng: random.Random) -> Decision:
        """Return a decision with a uniformly drawn feasible action, equal probabilities, and the default belief."""
        feasible = observation.feasible
        share = 1 / len(feasible)
        return Decision(
            action=rng.choice(feasible),
            belief=Belief(),
            scores=dict.fromkeys(feasible, 0.0),
            probabilities=dict.fromkeys(feasible, share),
            reasons=(f"drawn by lot from {len(feasible)} possible actions",),
        )


def open_policy() -> Policy:
    """Return the policy ``random``."""
    return Random()
