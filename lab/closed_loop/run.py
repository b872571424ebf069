"""Simulations of many people with several policies in parallel, and a report of the figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bridge import registry
from lab.closed_loop.ablations import Arm, ablation, asked_for, oracle
from lab.closed_loop.figures import figures, paired
from lab.closed_loop.living import Lived, played
from lab.pool import worked

LOW = "random"
OnStep = Callable[[int, int], None]
Played = Mapping[Arm, Sequence[Lived]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The options of a simulation of ``people`` people with seeds from ``seed`` on, for ``weeks`` weeks."""

    people: int
    weeks: int
    policies: tuple[str, ...]
    seed: int = 0
    answers: str | None = None  # the world that people are of; None: the simulator's own
    ablated: bool = False  # also the first policy with one stage of the chain perfect at a time

    @property
    def arms(self) -> list[Arm]:
        """The policies to simulate, first those asked for, then those that they are compared with, each once."""
        asked = [asked_for(name) for name in self.policies]
        stages = ablation(self.policies[0]) if self.ablated else []
        return list(dict.fromkeys([*asked, oracle(), Arm(policy=LOW), *stages]))

    @property
    def seeds(self) -> range:
        return range(self.seed, self.seed + self.people)


def play(plan: Plan, processes: int, on_step: OnStep) -> Played:
    """Simulate every person with every policy. The result does not depend on the number of processes."""
    asked = [(seed, arm, plan.weeks, plan.answers) for arm in plan.arms for seed in plan.seeds]
    found = {(life.seed, life.arm): life for _, life in worked(played, asked, processes, on_step)}
    return {arm: [found[seed, arm] for seed in plan.seeds] for arm in plan.arms}


def report(plan: Plan, lives: Played) -> dict[str, Any]:
    """Return the first policy's figures, all policies' under ``policies``, and their differences under ``paired``."""
    low, high = lives[Arm(policy=LOW)], lives[oracle()]

    def of(arm: Arm) -> dict[str, Any]:
        believes = getattr(registry.policy(arm.policy), "believes", True)
        return figures(lives[arm], low, high, believes=believes)

    asked = [asked_for(name) for name in plan.policies]
    each = [of(arm) for arm in asked]
    body: dict[str, Any] = {
        "people": plan.people,
        "weeks": plan.weeks,
        "seed": plan.seed,
        **({} if plan.answers is None else {"answers": plan.answers}),
        **each[0],
        "policies": each,
        "oracle": of(oracle()),
        "paired": [{"policy": asked[0].name, **paired(lives[asked[0]], lives[other])} for other in asked[1:]],
        "sources": {one: sum(life.source == one for life in high) for one in sorted({life.source for life in high})},
    }
    return body | ({"ablation": [_stage(of(arm), lives, arm, plan) for arm in _stages(plan)]} if plan.ablated else {})


def _stages(plan: Plan) -> list[Arm]:
    return [Arm(policy=plan.policies[0]), *ablation(plan.policies[0]), oracle()]


def _stage(found: Mapping[str, Any], lives: Played, arm: Arm, plan: Plan) -> dict[str, Any]:
    kept = ("policy", "acceptance", "mean_level", "reward_vs_oracle", "belief_mae", "interval_coverage")
    won = paired(lives[arm], lives[Arm(policy=plan.policies[0])])
    return {**{name: found[name] for name in kept}, "over_chain": won}


def seconds(lives: Played) -> dict[str, float]:
    """Return milliseconds of processor time per person and slot by activity, such as "sync". They vary between runs."""
    slots = sum(len(one.weighted) for of in lives.values() for one in of)
    totals: dict[str, float] = {}
    for of in lives.values():
        for one in of:
            for stage, spent in one.seconds.items():
                totals[stage] = totals.get(stage, 0.0) + spent
    return {stage: 1000 * spent / slots for stage, spent in totals.items()}
