"""The network: a small recurrent network that was taught to infer and to plan; frozen, in numpy, about a millisecond.

It reads the completed slots in order (in the simulator the last seven, of a person the answers of 30 days), forms a
belief with its uncertainty, and chooses knowing it. Its weights never change; all that is a person's own is their
history. How it was trained, and what it can do: README.md beside this file. A person is always served by the objective
``reward``.
"""

from __future__ import annotations

import random
from pathlib import Path

from rhythm_env.interface import Belief, Decision, Observation, Policy

WEIGHTS = Path(__file__).with_name("weights.npz")


class Learned:
    """``objective``: reward or grade; ``learns``: False decides for nobody in particular, whatever is seen.

    ``file``: other weights than those shipped.
    """

    name = "network"
    version = 3

    def __init__(self, objective: str = "reward", *, learns: bool = True, file: Path = WEIGHTS) -> None:
        self.objective, self.learns, self._file = objective, learns, file

    def variant(self, *, objective: str, learns: bool = True) -> Learned:
        """The same network with another aim, for comparisons."""
        return Learned(objective, learns=learns, file=self._file)

    def decide(self, observation: Observation, rng: random.Random) -> Decision:  # noqa: ARG002 - nothing is drawn
        from policies.network.forward import OBJECTIVES, think, weights
        from policies.network.seen import NUMBER, read
        from policies.network.words import reasons
        from policies.planner.inference import answered

        thought = think(*read(observation, learns=self.learns), weights(self._file))
        answers = answered(observation)  # whoever answers is served by their own reward, whatever else is asked for
        row = thought.scores[OBJECTIVES.index("reward" if answers else self.objective)]
        scores = {action: float(row[NUMBER[action]]) for action in observation.feasible}
        best = max(scores, key=lambda action: scores[action])
        social, morning, work = (float(x) for x in thought.belief)
        return Decision(
            action=best,
            belief=Belief(social=social, morning=morning, work=work),
            scores=scores,
            probabilities={action: float(action is best) for action in scores},
            reasons=reasons(best, observation, thought, scores, answers=answers),
            belief_sd=(float(thought.sd[0]), float(thought.sd[1]), float(thought.sd[2])),
        )


def open_policy() -> Policy:
    return Learned()
