"""The policy that recommends a random action, as a baseline."""

from __future__ import annotations

import random

from rhythm_env.interface import Belief, Decision, Observation, Policy


class Random:
    """A policy that draws uniformly from the feasible actions, with scores of 0 and an uninformative belief."""

    name = "random"
    version = 1
    believes = False  # the returned belief is the uninformative default

    def decide(self, observation: Observation, rng: random.Random) -> Decision:
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
    return Random()
