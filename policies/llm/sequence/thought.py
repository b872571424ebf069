"""Make a decision from the sequence model's output, and explain it in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp
from typing import TYPE_CHECKING, Any

from policies.llm.sequence.inputs import NUMBER
from policies.planner.advice import answers as answers_in_words
from policies.planner.advice import leanings, plain
from policies.planner.inference import answered
from rhythm_env.dynamics import ACTIONS
from rhythm_env.interface import ActionType, Belief, Decision, Observation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

OBJECTIVES = ("grade", "reward")


@dataclass(frozen=True, slots=True)
class Thought:
    """The sequence model's output for a decision.

    ``belief`` and its ``sd`` (3,) are of social, morning and work. ``scores`` (2, 10) are log probabilities of the
    actions by objective, and ``taken`` (10,) their probabilities of acceptance.
    """

    belief: Array
    sd: Array
    scores: Array
    taken: Array


def decided(thought: Thought, observation: Observation, objective: str) -> Decision:
    """Return the decision for the feasible action with the highest score under ``objective`` ("grade" or "reward").

    For a user who answers the objective is always "reward".
    """
    answers = answered(observation)
    row = thought.scores[OBJECTIVES.index("reward" if answers else objective)]
    scores = {action: float(row[NUMBER[action]]) for action in observation.feasible}
    best = max(scores, key=lambda action: scores[action])
    social, morning, work = (min(max(float(x), 0.0), 1.0) for x in thought.belief)
    return Decision(
        action=best,
        belief=Belief(social=social, morning=morning, work=work),
        scores=scores,
        probabilities={action: float(action is best) for action in scores},
        reasons=_reasons(best, observation, thought, scores),
        belief_sd=(float(thought.sd[0]), float(thought.sd[1]), float(thought.sd[2])),
    )


def _reasons(
    action: ActionType, observation: Observation, thought: Thought, scores: Mapping[ActionType, float]
) -> tuple[str, ...]:
    found = [_standing(action, scores)]
    if answered(observation):
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
