"""The sequence model, a small transformer that reads a person's past slots, states a belief, then scores actions.

``inputs`` makes its input, ``forward`` runs it in numpy, and ``lab.training.llm.sequence`` trains it.
"""

from __future__ import annotations

import random
from pathlib import Path

from rhythm_env.interface import Decision, Observation

WEIGHTS = Path(__file__).with_name("weights.npz")
VERSION = 2  # of the policy ``llm``, whether these weights decide or a service


class SequencePolicy:
    """A policy that runs the sequence model with the weights in ``file``.

    ``objective`` is "reward", or "grade" for the simulator's final grade, and applies to simulated people only. Without
    ``learns`` the model is shown no past slots and no answers.
    """

    name = "llm"
    version = VERSION

    def __init__(self, objective: str = "reward", *, learns: bool = True, file: Path = WEIGHTS) -> None:
        self.objective, self.learns, self._file = objective, learns, file

    def variant(self, *, objective: str, learns: bool = True) -> SequencePolicy:
        """Return a policy with the same weights and other arguments of ``SequencePolicy``, for comparisons."""
        return SequencePolicy(objective, learns=learns, file=self._file)

    def decide(self, observation: Observation, rng: random.Random) -> Decision:  # noqa: ARG002 - nothing is drawn
        from policies.llm.sequence.forward import load, think
        from policies.llm.sequence.inputs import read
        from policies.llm.sequence.thought import decided

        return decided(think(*read(observation, learns=self.learns), load(self._file)), observation, self.objective)
