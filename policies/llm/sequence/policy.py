"""Decide by the shipped sequence model, offline and without PyTorch."""

from __future__ import annotations

import random
from pathlib import Path

from rhythm_env.interface import Belief, Decision, Observation

WEIGHTS = Path(__file__).with_name("weights.npz")
VERSION = 2  # of the policy ``llm``, whether these weights decide or a service


class SequencePolicy:
    """A policy with the weights in ``file``, for the ``objective`` ``reward`` (always for users) or ``grade``.

    Without ``learns`` the model decides for an average person, whatever the history.
    """

    name = "llm"
    version = VERSION

    def __init__(self, objective: str = "reward", *, learns: bool = True, file: Path = WEIGHTS) -> None:
        self.objective, self.learns, self._file = objective, learns, file

    def variant(self, *, objective: str, learns: bool = True) -> SequencePolicy:
        """Return a policy with the same weights and another objective, for comparisons."""
        return SequencePolicy(objective, learns=learns, file=self._file)

    def decide(self, observation: Observation, rng: random.Random) -> Decision:  # noqa: ARG002 - nothing is drawn
        from policies.llm.sequence.forward import load, think
        from policies.network import reasons
        from policies.network.forward import OBJECTIVES
        from policies.network.inputs import NUMBER, read
        from policies.planner.inference import answered

        thought = think(*read(observation, learns=self.learns), load(self._file))
        answers = answered(observation)
        row = thought.scores[OBJECTIVES.index("reward" if answers else self.objective)]
        scores = {action: float(row[NUMBER[action]]) for action in observation.feasible}
        best = max(scores, key=lambda action: scores[action])
        social, morning, work = (min(max(float(x), 0.0), 1.0) for x in thought.belief)
        return Decision(
            action=best,
            belief=Belief(social=social, morning=morning, work=work),
            scores=scores,
            probabilities={action: float(action is best) for action in scores},
            reasons=reasons(best, observation, thought, scores, answers=answers),
            belief_sd=(float(thought.sd[0]), float(thought.sd[1]), float(thought.sd[2])),
        )
