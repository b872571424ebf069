"""Reasons in words: how the action stands beside the next best, what was answered, who the person seems to be."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp
from typing import TYPE_CHECKING

from policies.planner.words import answers as answers_in_words
from policies.planner.words import leanings, plain
from rhythm_env.dynamics import ACTIONS
from rhythm_env.interface import ActionType, Observation

if TYPE_CHECKING:
    from policies.network.forward import Thought


def reasons(
    action: ActionType, observation: Observation, thought: Thought, scores: Mapping[ActionType, float], *, answers: bool
) -> tuple[str, ...]:
    """The sentences for a decision, the most telling first; never empty. ``answers``: whether this person does."""
    found = [_standing(action, scores)]
    if answers:
        found.append(f"about {float(thought.taken[ACTIONS.index(action)]):.0%} would take it here, after such answers")
    found += answers_in_words(observation.history, observation.slot, action)
    found += leanings(thought.belief, thought.sd)
    return tuple(found)


def _standing(action: ActionType, scores: Mapping[ActionType, float]) -> str:
    """The action against the next best, in shares of preference among what is possible."""
    others = [other for other in scores if other is not action]
    if not others:
        return f"{plain(action)} is all that is possible now"
    total = sum(exp(score) for score in scores.values())
    second = max(others, key=lambda other: scores[other])
    first, next_best = (f"{exp(scores[one]) / total:.0%}" for one in (action, second))
    return f"{plain(action)} suits the rest of your week best ({first}; next {plain(second)}, {next_best})"
