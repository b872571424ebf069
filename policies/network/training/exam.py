"""What the network can do between rounds, on practice people it was never taught with: best actions, no chance."""

from __future__ import annotations

from typing import Any

from policies.network.forward import OBJECTIVES
from policies.network.training import practice
from policies.network.training.model import Network
from policies.network.training.refine import thought
from rhythm_env.evaluation import LOOKS, best_constant
from rhythm_env.grading import belief_mae
from rhythm_env.profiles import belief_target


def examined(network: Network, seeds: range) -> dict[str, Any]:
    """objective -> the mean grade, level and belief skill (1 - error / error of the medians) in the slots of LOOKS."""
    return {name: _examined(network, seeds, number) for number, name in enumerate(OBJECTIVES)}


def _examined(network: Network, seeds: range, objective: int) -> dict[str, Any]:
    weeks = practice.begin(seeds)
    target = belief_target(weeks.people)
    constant = belief_mae(best_constant(target), target).mean()
    seen, skill, belief = practice.watch(weeks), {}, target
    while not weeks.done:
        practice.look(seen, weeks)
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
