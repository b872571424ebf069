"""A model that knows nothing: any feasible action, each as likely as the next. The floor others are measured from."""

from __future__ import annotations

import random

from rhythm_env.interface import Belief, Decision, Observation, Policy


class Random:
    """Uniform over ``observation.feasible``."""

    name = "random"
    version = 1
    believes = False  # states no belief: what it returns is the one that says nothing

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
