"""Choose by a small recurrent network that was trained to infer traits and to plan.

Weights are frozen, so only the history is personal. README.md describes training and results.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from math import exp
from pathlib import Path
from typing import TYPE_CHECKING

from policies.planner.words import answers as answers_in_words
from policies.planner.words import leanings, plain
from rhythm_env.dynamics import ACTIONS
from rhythm_env.interface import ActionType, Belief, Decision, Observation, Policy

if TYPE_CHECKING:
    from policies.network.forward import Thought

WEIGHTS = Path(__file__).with_name("weights.npz")


class Learned:
    """A policy by the network in ``file``, for the ``objective`` ``reward`` (always for users) or ``grade``.

    Without ``learns`` the network decides for an average person, whatever the history.
    """

    name = "network"
    version = 3

    def __init__(self, objective: str = "reward", *, learns: bool = True, file: Path = WEIGHTS) -> None:
        self.objective, self.learns, self._file = objective, learns, file

    def variant(self, *, objective: str, learns: bool = True) -> Learned:
        """Return a policy with the same weights and another objective, for comparisons."""
        return Learned(objective, learns=learns, file=self._file)

    def decide(self, observation: Observation, rng: random.Random) -> Decision:  # noqa: ARG002 - nothing is drawn
        """Return the decision for the feasible action with the highest score. ``rng`` is not used."""
        from policies.network.forward import OBJECTIVES, think, weights
        from policies.network.inputs import NUMBER, read
        from policies.planner.inference import answered

        thought = think(*read(observation, learns=self.learns), weights(self._file))
        answers = answered(observation)  # users who answer are always served by their own reward
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


def reasons(
    action: ActionType, observation: Observation, thought: Thought, scores: Mapping[ActionType, float], *, answers: bool
) -> tuple[str, ...]:
    """Return the sentences for a decision. ``scores`` are log probabilities of the feasible actions."""
    found = [_standing(action, scores)]
    if answers:
        found.append(f"about {float(thought.taken[ACTIONS.index(action)]):.0%} would take it here, after such answers")
    found += answers_in_words(observation.history, observation.slot, action)
    found += leanings(thought.belief, thought.sd)
    return tuple(found)


def _standing(action: ActionType, scores: Mapping[ActionType, float]) -> str:
    """Return a sentence on how clearly the action is preferred to the second best, with a percentage for each."""
    others = [other for other in scores if other is not action]
    if not others:
        return f"{plain(action)} is all that is possible now"
    total = sum(exp(score) for score in scores.values())
    second = max(others, key=lambda other: scores[other])
    first, next_best = (f"{exp(scores[one]) / total:.0%}" for one in (action, second))
    return f"{plain(action)} suits the rest of your week best ({first}; next {plain(second)}, {next_best})"


def open_policy() -> Policy:
    """Return the policy ``network`` with the shipped weights."""
    return Learned()
