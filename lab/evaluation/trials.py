"""Simulate policies among people who answer by different rules (worlds), with figures from true probabilities.

A trial is a life, so that trials can be played by several processes and kept in a file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import nan
from statistics import fmean
from typing import Any

import numpy as np

from lab.environments.dynamics import seeds_in
from lab.evaluation.deployed import Gives, Life, Slice
from lab.evaluation.grades import summary
from lab.evaluation.worlds import world
from rhythm_env.interface import Policy
from rhythm_env.profiles import belief_target

FIRST = 28  # pieces of advice, before which little can be known
NINETY = 1.645  # standard deviations on each side of the mean of a normal that hold 90 %
DAYS_A_WEEK = 7
SETTLED = 4  # weeks after which the width of stated intervals is measured
WEEKS_BEFORE = 8  # recorded before the first advice, in a world with habits
FIGURES = (
    "advice_per_day",
    "taken_first28",
    "taken_later",
    "taken_last_week",
    "best",
    "random",
    "level",
    "belief_coverage",
    "belief_half",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A life to simulate. ``bare`` means a recommendation in every slot, without limits around the policy."""

    world: str
    policy: str
    seed: int
    weeks: int
    bare: bool = False
    condition: str = "in"


Found = Mapping[Trial, Mapping[str, float]]


def trials(like: Trial, worlds: Sequence[str], policies: Sequence[str], lives: int) -> list[Trial]:
    """Return a trial for every policy with the same people in every world."""
    return [
        replace(like, world=name, policy=policy, seed=seed)
        for name in worlds
        for seed in seeds_in(range(lives), like.condition)
        for policy in policies
    ]


def play(trial: Trial, policy: Policy, gives: Gives | None) -> dict[str, float]:
    """Simulate a life and return its figures. A figure is NaN if it has too few recommendations or no stated belief.

    ``gives`` returns the probability that a slot gets a recommendation. Raises ValueError for an unknown world.
    """
    people = world(trial.world)
    life = Life(
        trial.seed,
        trial.condition,
        answers_by=people,
        gives=gives,
        weeks_before=WEEKS_BEFORE if hasattr(people, "habit") else 0,
    )
    before = len(life.levels)
    slices = list(life.live(policy, trial.weeks))
    last = slices[-1].moment.week if slices else None
    taken = [one.chances[one.decision.action] for one in slices]
    return {
        "advice_per_day": len(slices) / (trial.weeks * DAYS_A_WEEK),
        "taken_first28": _mean(taken[:FIRST]),
        "taken_later": _mean(taken[FIRST:]),
        "taken_last_week": _mean([t for t, one in zip(taken, slices, strict=True) if one.moment.week == last]),
        "best": _mean([max(_open(one)) for one in slices]),
        "random": _mean([fmean(_open(one)) for one in slices]),
        "level": _mean(life.levels[before:]),
        **_intervals(slices, life),
    }


def _open(one: Slice) -> list[float]:
    return [one.chances[action] for action in one.decision.probabilities]


def _mean(values: Sequence[float]) -> float:
    return fmean(values) if values else nan


def _intervals(slices: Sequence[Slice], life: Life) -> dict[str, float]:
    """Return the share of stated 90 % intervals that hold the true trait, and half the width of the later intervals."""
    truth = belief_target(life.person)[:, 0].tolist()
    ends = {one.moment.week: one.decision for one in slices}
    stated = [(end.belief.vector(), end.belief_sd) for end in ends.values() if end.belief_sd is not None]
    held = [
        abs(mean - true) <= NINETY * sd
        for means, sds in stated
        for mean, sd, true in zip(means, sds, truth, strict=True)
    ]
    halves = [NINETY * sd for _, sds in stated[SETTLED - 1 :] for sd in sds]
    return {"belief_coverage": _mean([float(one) for one in held]), "belief_half": _mean(halves)}


def rows(found: Found) -> list[dict[str, Any]]:
    """Return a row for each world and policy, with figures that have ``mean``, ``sd`` and ``ci95`` over lives.

    ``over`` holds the mean paired difference of each figure to every other policy of the run.
    """
    groups: dict[tuple[str, str], dict[int, Mapping[str, float]]] = {}
    for trial, figures in found.items():
        groups.setdefault((trial.world, trial.policy), {})[trial.seed] = figures
    any_trial = next(iter(found))
    shared = {"weeks": any_trial.weeks, "bare": any_trial.bare, "condition": any_trial.condition}
    return [_row(where, policy, groups, shared) for where, policy in groups]


def _row(
    where: str, policy: str, groups: Mapping[tuple[str, str], Mapping[int, Mapping[str, float]]], shared: dict[str, Any]
) -> dict[str, Any]:
    mine = groups[where, policy]
    others = {name: lives for (there, name), lives in groups.items() if there == where and name != policy}
    return {
        "policy": policy,
        "answers": where,
        "lives": len(mine),
        **shared,
        **{name: _summary([life[name] for life in mine.values()]) for name in FIGURES},
        "over": {
            other: {name: _summary([mine[seed][name] - lives[seed][name] for seed in mine]) for name in FIGURES}
            for other, lives in others.items()
        },
    }


def _summary(values: Sequence[float]) -> dict[str, Any]:
    """Return the summary of the values that are numbers, with None as its figures if none is."""
    known = np.array([value for value in values if value == value])
    return summary(known) if len(known) else {"mean": None, "sd": None, "ci95": [None, None]}


def to_json(trial: Trial, figures: Mapping[str, float]) -> dict[str, Any]:
    """Return a trial with its figures as a JSON object, in which NaN becomes null."""
    return asdict(trial) | {"figures": {name: value if value == value else None for name, value in figures.items()}}


def from_json(body: Mapping[str, Any]) -> tuple[Trial, dict[str, float]]:
    """Return the trial and figures of ``to_json``. Raises KeyError or TypeError for another object."""
    figures = {name: nan if body["figures"][name] is None else float(body["figures"][name]) for name in FIGURES}
    return Trial(**{name: value for name, value in body.items() if name != "figures"}), figures
