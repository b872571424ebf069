"""Evaluates the network between rounds with its best actions, on practice people outside its training."""

from __future__ import annotations

from typing import Any

from lab.evaluation.grades import LOOKS, best_constant
from lab.training.network import simulate
from lab.training.network.model import Network
from lab.training.network.policy_gradient import thought
from policies.llm.sequence.thought import OBJECTIVES
from rhythm_env.grading import belief_mae
from rhythm_env.profiles import belief_target


def examined(network: Network, seeds: range) -> dict[str, Any]:
    """Return by objective the mean grade, level and belief skill in the slots of LOOKS.

    Belief skill is 1 - error / error of the medians.
    """
    return {name: _examined(network, seeds, number) for number, name in enumerate(OBJECTIVES)}


def _examined(network: Network, seeds: range, objective: int) -> dict[str, Any]:
    weeks = simulate.begin(seeds)
    target = belief_target(weeks.people)
    constant = belief_mae(best_constant(target), target).mean()
    seen, skill, belief = simulate.watch(weeks), {}, target
    while not weeks.done:
        simulate.look(seen, weeks)
        thoughts = thought(network, seen, weeks.step)
        belief = thoughts.belief.numpy().T
        if weeks.step in LOOKS:
            skill[str(weeks.step)] = float(1 - belief_mae(belief, target).mean() / constant)
        weeks.advance(thoughts.scores.numpy()[:, objective].argmax(axis=1))
    accuracy = 1 - belief_mae(belief, target)
    return {
        "score": float(weeks.final_score(accuracy).mean()),
        "level": float(weeks.mean_level().mean()),
        "belief_skill": skill,
    }
