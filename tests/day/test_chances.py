"""The chances that are kept with a choice are those of the action after the day's terms were added."""

from __future__ import annotations

from random import Random

import pytest

from bridge.day.choice import Option, policy_term, weighed
from bridge.day.terms import weights
from rhythm_env.interface import ActionType, Belief, Decision

from .lives import TODAY, at

LEARN, EXERCISE, MEDITATE = ActionType.LEARN, ActionType.EXERCISE, ActionType.MEDITATE
SCORES = {LEARN: 0.62, EXERCISE: 0.6, MEDITATE: 0.5}


def option(action: ActionType, value: float) -> Option:
    return Option(action=action, kind="suggested", start=at(TODAY, 540), end=at(TODAY, 570), value=value)


def decision(action: ActionType, scores: dict[ActionType, float], chances: dict[ActionType, float]) -> Decision:
    return Decision(action=action, belief=Belief(), scores=scores, probabilities=chances)


def test_the_kept_chances_are_those_of_all_draws() -> None:
    found = {LEARN: option(LEARN, 1.0), EXERCISE: option(EXERCISE, 1.08), MEDITATE: option(MEDITATE, 0.2)}
    chances = {LEARN: 0.5, EXERCISE: 0.2, MEDITATE: 0.3}
    rng, counts = Random(1), dict.fromkeys(SCORES, 0)
    for _ in range(4000):
        drawn = rng.choices(list(chances), weights=list(chances.values()))[0]
        kept = weighed(decision(drawn, SCORES, chances), found)
        counts[kept.action] += 1
        assert sum(kept.probabilities.values()) == pytest.approx(1)
    assert {action: count / 4000 for action, count in counts.items()} == pytest.approx(kept.probabilities, abs=0.03)
    assert kept.probabilities[MEDITATE] == 0
    assert min(kept.probabilities[LEARN], kept.probabilities[EXERCISE]) > 0  # near equals keep their chances


def test_clearly_worse_actions_are_replaced_and_the_scores_stay() -> None:
    found = {LEARN: option(LEARN, 0.0), EXERCISE: option(EXERCISE, 3.0)}
    kept = weighed(decision(LEARN, {LEARN: 0.9, EXERCISE: 0.6}, {LEARN: 1.0, EXERCISE: 0.0}), found)
    assert kept.action is EXERCISE
    assert kept.probabilities == {LEARN: 0.0, EXERCISE: 1.0}
    assert kept.scores == {LEARN: 0.9, EXERCISE: 0.6}


def test_a_policy_that_names_one_action_is_a_term_of_fixed_size() -> None:
    named = decision(LEARN, {}, {LEARN: 1.0})
    assert policy_term(named) == {LEARN: weights()["named"]}
    even = decision(LEARN, {LEARN: 0.0, EXERCISE: 0.0}, {LEARN: 0.5, EXERCISE: 0.5})
    assert len(set(policy_term(even).values())) == 1


def test_no_score_outweighs_a_task_that_is_due_today() -> None:
    wild = decision(LEARN, {LEARN: 900.0, EXERCISE: -900.0}, {LEARN: 1.0, EXERCISE: 0.0})
    term = policy_term(wild)
    assert term[LEARN] - term[EXERCISE] <= 2 * weights()["policy_most"]
    assert weights()["policy_most"] < weights()["due_today"]
