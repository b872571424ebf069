"""Ablations of simulated lives, in which true values replace parts of the product to see what each part loses."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from time import process_time

from bridge import registry
from bridge.config import Settings
from bridge.domain.errors import SetupError
from bridge.domain.ports import EventClassifier, Invitation
from bridge.domain.types import Label
from bridge.meters.fuse import FELT, precision
from lab.closed_loop.resident import Levels, Resident
from lab.evaluation.strategies import variant_of
from lab.people.titles import meant
from rhythm_env.interface import Decision, Meter, MeterState, Observation, Policy

FULL = 5.0  # precision of a meter with every signal fresh
SURER = " with surer meters"
ALONE = ":old"  # after a policy's name, on the command line as in the tables
KNOWER = "planner"  # whose planning the oracle has


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """A policy, and the parts of the product (labels, meters, traits) that true values replace."""

    policy: str
    labels: bool = False
    meters: bool = False
    profile: bool = False
    surer: bool = False  # meters as sure as the weights of their signals alone would make them
    alone: bool = False  # without common sense, plan and silence: every slot gets advice

    @property
    def name(self) -> str:
        truths = [name for name in ("labels", "meters", "profile") if getattr(self, name)]
        return self.policy + "".join(f" + true {name}" for name in truths) + SURER * self.surer + ALONE * self.alone


def oracle() -> Arm:
    return Arm(policy=KNOWER, labels=True, meters=True, profile=True)


def asked_for(name: str) -> Arm:
    """Return the ``Arm`` that a name on the command line means.

    >>> asked_for("planner:old") == Arm(policy="planner", alone=True)
    True
    """
    return Arm(policy=name.removesuffix(ALONE), alone=name.endswith(ALONE))


def ablation(policy: str) -> list[Arm]:
    """Return an ``Arm`` for each part of the product that true values replace, and one with more exact meters."""
    stages = ({"labels": True}, {"meters": True}, {"profile": True}, {"surer": True})
    return [Arm(policy=policy, **truths) for truths in stages]


class Told:
    """A classifier that knows the true action of every simulated title."""

    name, version = "told", 1

    def classify(self, events: Sequence[Invitation]) -> list[Label]:
        return [Label(action=meant()[event.title], confidence=1.0, by="told@1", why="it is known") for event in events]


class Remembering:
    """A classifier that caches the label of each event."""

    def __init__(self, classifier: EventClassifier) -> None:
        self._classifier, self._known = classifier, dict[Invitation, Label]()
        self.name, self.version = classifier.name, classifier.version

    def classify(self, events: Sequence[Invitation]) -> list[Label]:
        new = [one for one in dict.fromkeys(events) if one not in self._known]
        if new:
            self._known |= dict(zip(new, self._classifier.classify(new), strict=True))
        return [self._known[event] for event in events]


def classifier_of(arm: Arm, settings: Settings) -> EventClassifier:
    return Told() if arm.labels else Remembering(registry.classifier("linear", settings))


def policy_of(arm: Arm, resident: Resident) -> Policy:
    """Return the policy of an arm. Raises SetupError if it should know the person's traits and cannot."""
    policy = registry.policy(arm.policy)
    if not arm.profile:
        return policy
    variant = variant_of(policy, "knows")
    if variant is None:
        raise SetupError(f"{arm.policy} cannot be told who the person is; leave --ablation to the planner")
    return variant(objective="reward", knows=resident.person)


class Informed:
    """A policy within a simulated life, shown true meters if ``arm.meters``, that measures its processor time."""

    def __init__(self, arm: Arm, resident: Resident) -> None:
        self._arm, self._resident = arm, resident
        self._policy = policy_of(arm, resident)
        self.name, self.version = self._policy.name, self._policy.version
        self.lived: list[tuple[Levels, Levels]] = []  # hidden levels before and after each slot so far
        self.spent = 0.0

    def decide(self, observation: Observation, rng: random.Random) -> Decision:
        begun = process_time()
        seen = exactly(observation, self._resident.levels(), self.lived) if self._arm.meters else observation
        decision = self._policy.decide(surer(seen) if self._arm.surer else seen, rng)
        self.spent += process_time() - begun
        return decision


def exactly(observation: Observation, now: Levels, lived: Sequence[tuple[Levels, Levels]]) -> Observation:
    """Return the observation with true meters, and with true changes of meters in the slots so far.

    ``now`` are the present levels, and ``lived`` the levels before and after each slot.
    """
    steps = []
    for ago, record in enumerate(reversed(observation.step_history), start=1):
        known = lived[-ago] if ago <= len(lived) else None
        deltas = None if known is None else {meter: known[1][meter] - known[0][meter] for meter in Meter}
        steps.append(replace(record, deltas=deltas))
    return replace(
        observation,
        meters={meter: MeterState(level=level) for meter, level in now.items()},
        deltas=steps[0].deltas if steps else None,
        step_history=tuple(reversed(steps)),
    )


def surer(observation: Observation) -> Observation:
    """Return the observation with the standard deviation of each known meter by an earlier formula (``surer_sd``)."""
    states = {
        meter: replace(state, sd=surer_sd(meter, state.level, state.sd)) if state.coverage > 0 else state
        for meter, state in observation.meters.items()
    }
    return replace(observation, meters=states)


def surer_sd(meter: Meter, level: float, sd: float) -> float:
    """Return a meter's standard deviation by an earlier formula, L (1 - L) / sqrt(1 + total weight of inputs).

    If it is smaller than the level allows, the total weight counts as full.
    """
    prior = level * (1 - level)
    if meter not in FELT or not 0 < sd < prior:
        return sd
    sure = precision(meter, level, sd)
    return prior / sqrt(sure if 1 <= sure < FULL else FULL)
