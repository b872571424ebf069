"""Simulate weeks with a policy and equal seeds, and compute figures with their uncertainty."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.environments import dynamics, grading
from lab.environments.dynamics import sampled, seeds_in
from lab.evaluation.intervals import interval
from lab.evaluation.strategies import INDEX, Find, Strategy, Uniform, blinded, strategy
from lab.evaluation.week import Weeks, begin
from rhythm_env.constants import ARCHETYPES, BELIEF, ENV_VERSION, METERS, REWARD_SCALE, STEPS
from rhythm_env.interface import ActionType
from rhythm_env.profiles import archetypes, belief_target

Array = NDArray[np.float64]

RESAMPLES = 1000
LOOKS = (7, STEPS - 1)  # slots whose stated belief is looked at: when the first seven are known, and the last
BASELINES = ("random", "heuristic", "random+constant", "heuristic+constant", "planner-no-inference", "oracle")
PUBLISHED = {  # final score without a belief, by condition; the README of the published environment
    "random": {"in": 0.393, "ood": 0.393, "discrete": 0.426},
    "heuristic": {"in": 0.463, "ood": 0.455, "discrete": 0.455},
}
ANOMALIES = (-0.096, 0.038, 0.0)  # of the three archetypes
OnStep = Callable[[int, int], None]


def unwatched(done: int, total: int) -> None:
    """Do nothing, as a default for ``on_step``."""


@dataclass(frozen=True, slots=True)
class Result:
    """Finished weeks of a strategy. ``beliefs`` maps a slot to the beliefs (3, n) stated in it."""

    weeks: Weeks
    belief: Array | None
    beliefs: dict[int, Array]
    ms: float  # per decision, of one core

    def errors(self) -> Array:
        """Return the mean absolute error (n,) of the last belief. Without a belief it is that of 0.5 for each trait."""
        target = belief_target(self.weeks.people)
        stated = np.full(target.shape, 0.5) if self.belief is None else self.belief
        return grading.belief_mae(stated, target)

    def accuracy(self) -> Array | float:
        """Return the belief's part (0 to 1) of the grade, which is 0 for a strategy without a belief."""
        return 0.0 if self.belief is None else 1 - self.errors()

    def score(self) -> Array:
        """Return the published grade (n,) of each week."""
        return self.weeks.final_score(self.accuracy())


def seeds_of(condition: str, episodes: int) -> list[int]:
    """Return the seeds of a condition. Those out of distribution are never used for training."""
    return seeds_in(range(episodes), condition)


def play(weeks: Weeks, player: Strategy, on_step: OnStep = unwatched) -> Result:
    """Play all weeks to their end. ``on_step(done, total)`` is called after each slot."""
    spent, beliefs = 0.0, {}
    while not weeks.done:
        begun = process_time()
        actions = player.actions(weeks)
        spent += process_time() - begun
        stated = player.belief(weeks)
        if stated is not None:
            beliefs[weeks.step] = stated
        weeks.advance(actions)
        on_step(weeks.step, STEPS)
    return Result(weeks, player.belief(weeks), beliefs, 1000 * spent / weeks.n / STEPS)


def evaluate(
    name: str,
    condition: str,
    episodes: int,
    *,
    objective: str,
    find: Find,
    against: str | None = None,
    on_step: OnStep = unwatched,
) -> dict[str, Any]:
    """Return the figures of a policy in a condition, each with ``mean``, ``sd`` and ``ci95`` over ``episodes`` weeks.

    ``reward_vs_oracle`` and ``inference_gain`` are the policy's mean level on a scale from random actions, or the
    planner without inference, to the planner that knows the person. ``paired_gain`` is the difference to the policy
    ``against``, by default the same policy without inference.
    """
    seeds = seeds_of(condition, episodes)
    result = play_by_name(name, condition, seeds, objective, find, on_step)
    levels = {key: reference(key, condition, seeds, find).weeks.mean_level() for key in ("random", "blind", "oracle")}
    mine, errors = result.weeks.mean_level(), result.errors()
    target = belief_target(result.weeks.people)
    best = grading.belief_mae(best_constant(target), target).mean()
    other = against or blinded(name, find)
    return {
        "policy": name,
        "condition": condition,
        "episodes": episodes,
        "objective": objective,
        "env_version": ENV_VERSION,
        "final_score": summary(result.score()),
        "final_score_without_belief": summary(result.weeks.final_score()),
        "final_score_v1": summary(grading.grade_v1(result.weeks.components())),
        "components": {part: float(v.mean()) for part, v in result.weeks.components(result.accuracy()).items()},
        "belief_stated": result.belief is not None,
        "belief_mae": summary(errors),
        "belief_skill": summary(1 - errors / best),
        "belief_skill_at": {
            str(slot): skills(result.beliefs[slot], target) for slot in LOOKS if slot in result.beliefs
        },
        "belief_skill_over": [{"slot": slot, **_skill(stated, target)} for slot, stated in result.beliefs.items()],
        "mean_level": summary(mine),
        "reward_vs_oracle": ratio(mine, levels["random"], levels["oracle"]),
        "inference_gain": ratio(mine, levels["blind"], levels["oracle"]),
        "regret": summary(levels["oracle"] - mine),
        "paired_gain": None if other is None else _paired(result, other, condition, seeds, objective, find, on_step),
        "ms_per_decision": result.ms,
        "published": PUBLISHED.get(name, {}).get(condition),
    }


def play_by_name(
    name: str, condition: str, seeds: list[int], objective: str, find: Find, on_step: OnStep = unwatched
) -> Result:
    weeks = begin(seeds, condition)
    return play(weeks, strategy(name, weeks, seeds, objective, find), on_step)


def _paired(
    result: Result, other: str, condition: str, seeds: list[int], objective: str, find: Find, on_step: OnStep
) -> dict[str, Any]:
    theirs = play_by_name(other, condition, seeds, objective, find, on_step)
    return {
        "over": other,
        "final_score": summary(result.score() - theirs.score()),
        "mean_level": summary(result.weeks.mean_level() - theirs.weeks.mean_level()),
    }


def skills(stated: Array, target: Array) -> dict[str, Any]:
    """Return by trait 1 - mean absolute error / error of the best constant, with its uncertainty.

    ``stated`` and ``target`` have the shape (3, n).
    """
    rows = zip(BELIEF, np.abs(stated - target), np.abs(best_constant(target) - target), strict=True)
    return {name: ratio(-wrong, -same, 0 * same) for name, wrong, same in rows}


def _skill(stated: Array, target: Array) -> dict[str, float]:
    wrong, same = np.abs(stated - target), np.abs(best_constant(target) - target)
    shares = 1 - wrong.mean(axis=1) / same.mean(axis=1)
    return {name: float(share) for name, share in zip(BELIEF, shares, strict=True)}


def best_constant(target: Array) -> Array:
    """Return the belief (3, 1) that, stated for all people, has the least mean absolute error to ``target`` (3, n)."""
    return np.median(target, axis=1, keepdims=True)


_REFERENCES: dict[tuple[str, str, int], Result] = {}


def reference(key: str, condition: str, seeds: list[int], find: Find) -> Result:
    """Return the weeks of a reference, played once for each condition and number of seeds.

    ``key`` is "random", "blind" (the planner for the average person) or "oracle" (the planner that knows the person).
    """
    asked = (key, condition, len(seeds))
    if asked not in _REFERENCES:
        weeks = begin(seeds, condition)
        names = {"blind": "planner-no-inference", "oracle": "oracle"}
        player: Strategy = Uniform(seeds)
        if key in names:
            player = strategy(names[key], weeks, seeds, "reward", find)
        _REFERENCES[asked] = play(weeks, player)
    return _REFERENCES[asked]


def summary(values: Array) -> dict[str, Any]:
    """Return ``mean``, ``sd`` and the mean's 95 % interval ``ci95``, which is [None, None] for a single value."""
    n = len(values)
    mean, sd = float(values.mean()), float(values.std(ddof=1)) if n > 1 else 0.0
    return {"mean": mean, "sd": sd, "ci95": interval(mean, sd / max(n, 1) ** 0.5, n)}


def ratio(mine: Array, low: Array, high: Array) -> dict[str, Any]:
    """Return (mine - low) / (high - low) as a ratio of means, with a bootstrap interval over episodes.

    The interval is too narrow for few episodes.
    """
    rng = np.random.default_rng(0)
    picks = rng.integers(0, len(mine), (RESAMPLES, len(mine)))
    span = (high - low)[picks].mean(axis=1)
    found = (mine - low)[picks].mean(axis=1) / np.where(np.abs(span) < 1e-9, np.nan, span)
    middle = float((mine - low).mean() / (high - low).mean())
    bounds = [float(bound) for bound in np.nanquantile(found, (0.025, 0.975))] if len(mine) > 1 else [None, None]
    return {"mean": middle, "sd": float(np.nanstd(found)), "ci95": bounds}


def checks() -> dict[str, dict[str, float]]:
    """Return figures that were published, by name, each as {"published": ..., "ours": ...}."""
    names = list(ARCHETYPES)
    people = archetypes(names)
    even = np.full((METERS, len(names)), 0.7)
    company = np.full(len(names), INDEX[ActionType.SOCIALIZE])
    work = np.full(len(names), INDEX[ActionType.DEEP_WORK])
    _, anomaly = dynamics.changes(even, company, 0, people)
    _, deltas, _ = dynamics.step(even, work, 0, people, np.zeros(len(names), dtype=np.intp))
    felt = REWARD_SCALE * np.einsum("mn,mn->n", people.weights, deltas)
    found = {
        f"SOCIALIZE vitality anomaly, {name}": {"published": published, "ours": float(ours)}
        for name, published, ours in zip(names, ANOMALIES, anomaly[0], strict=True)
    }
    found["DEEP_WORK reward at step 1, workaholic"] = {"published": 1.57, "ours": float(felt[-1])}
    for condition, published in (("in", 0.20), ("ood", 0.21)):
        target = belief_target(sampled(seeds_of(condition, 2000), condition))
        ours = float(np.abs(target - 0.5).mean())
        found[f"error of the constant belief, {condition}"] = {"published": published, "ours": ours}
    return found
