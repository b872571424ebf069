"""Choose by a small recurrent network that was trained to infer traits and to plan.

Weights are the same for all users. Only the history is personal. README.md describes training and results.
"""

from __future__ import annotations

import random
from pathlib import Path

from rhythm_env.interface import Decision, Observation, Policy

WEIGHTS = Path(__file__).with_name("weights.npz")


class Learned:
    """A policy that runs the network with the weights in ``file``.

    ``objective`` is "reward", or "grade" for the simulator's final grade, and applies to simulated people only. Without
    ``learns`` the network is shown no history.
    """

    name = "network"
    version = 3

    def __init__(self, objective: str = "reward", *, learns: bool = True, file: Path = WEIGHTS) -> None:
        self.objective, self.learns, self._file = objective, learns, file

    def variant(self, *, objective: str, learns: bool = True) -> Learned:
        """Return a policy with the same weights, and with ``objective`` and ``learns`` as for ``Learned``."""
        return Learned(objective, learns=learns, file=self._file)

    def decide(self, observation: Observation, rng: random.Random) -> Decision:  # noqa: ARG002 - nothing is drawn
        from lab.policies.network.forward import think, weights
        from policies.llm.sequence.inputs import read
        from policies.llm.sequence.thought import decided

        return decided(think(*read(observation, learns=self.learns), weights(self._file)), observation, self.objective)


def open_policy() -> Policy:
    return Learned()
