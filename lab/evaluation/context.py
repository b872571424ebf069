"""Measure the worth of a user's prior with little context, compared with a month of answers and with few answers.

Each life begins with four weeks of the plain policy. It then continues three times with equal random numbers, with the
answers of 30 days, with those of five days, or with a prior that is renewed every five days and the answers since.
"""

from __future__ import annotations

import copy
import random
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from lab.evaluation.deployed import Life, Slice
from lab.evaluation.grades import OnStep, seeds_of, summary, unwatched
from rhythm_env.interface import Answer, Decision, Observation, Policy

Array = NDArray[np.float64]

BEFORE, AFTER = 4, 2  # weeks
LITTLE = timedelta(days=5)
ARMS = ("a month of answers", "five days of answers", "a prior and five days of answers")


class Personal(Policy, Protocol):
    """A policy that can learn from a single user's answers."""

    def learn(self, observation: Observation) -> Mapping[str, Any]: ...
    def personal(self, prior: Mapping[str, Any]) -> Policy: ...


class Forgetful:
    """A policy that sees only the answers of the last ``span``."""

    def __init__(self, policy: Policy, span: timedelta = LITTLE) -> None:
        self._policy, self._span = policy, span
        self.name, self.version = policy.name, policy.version

    def decide(self, observation: Observation, rng: random.Random) -> Decision:
        return self._policy.decide(recent(observation, self._span), rng)


class Renewed:
    """A policy whose prior is made of all answers every five days, and which also sees the answers since."""

    def __init__(self, make: Callable[[], Personal], life: Life) -> None:
        self._make, self._life = make, life
        self.name, self.version = make().name, make().version
        self._made: tuple[datetime, Policy] | None = None

    def decide(self, observation: Observation, rng: random.Random) -> Decision:
        answers = self._life.answers
        if self._made is None or answers[-1].at - self._made[0] >= LITTLE:
            prior = self._make().learn(replace(observation, history=answers))
            self._made = (answers[-1].at, self._make().personal(prior))
        return self._made[1].decide(observation, rng)


def recent(observation: Observation, span: timedelta = LITTLE) -> Observation:
    """Return the observation without answers from more than ``span`` before the last."""
    if not observation.history:
        return observation
    since = observation.history[-1].at - span
    return replace(observation, history=tuple(one for one in observation.history if one.at > since))


def compare(
    make: Callable[[], Personal], lives: int, *, condition: str = "in", on_step: OnStep = unwatched
) -> dict[str, Any]:
    """Return acceptance and mean level of the three ways, and the gain of a prior over a month of answers.

    The gain is paired by life. ``make`` returns a new policy, and ``on_step(done, total)`` reports progress.
    """
    found = []
    for done, seed in enumerate(seeds_of(condition, lives), start=1):
        found.append(list(_one(make, seed, condition)))
        on_step(done, lives)
    lived = np.array(found)  # (lives, arms, 2)
    rows = [
        {"arm": arm, "accepted": summary(lived[:, at, 0]), "mean_level": summary(lived[:, at, 1])}
        for at, arm in enumerate(ARMS)
    ]
    gained = lived[:, 2] - lived[:, 0]
    gain = {"accepted": summary(gained[:, 0]), "mean_level": summary(gained[:, 1])}
    return {"policy": make().name, "condition": condition, "lives": lives, "arms": rows, "gain": gain}


def _one(make: Callable[[], Personal], seed: int, condition: str) -> Iterator[tuple[float, float]]:
    life, policy = Life(seed, condition), make()
    deque(life.live(policy, BEFORE), maxlen=0)
    for arm in (lambda _: policy, lambda _: Forgetful(make()), lambda again: Renewed(make, again)):
        again = copy.deepcopy(life)
        yield _figures(again, again.live(arm(again), AFTER, first=BEFORE))


def _figures(life: Life, slices: Iterator[Slice]) -> tuple[float, float]:
    weights = life.person.weights[:, 0]
    went = list(slices)
    accepted = float(np.mean([one.answer is Answer.ACCEPT for one in went]))
    return accepted, float(np.mean([float(weights @ list(one.after.values())) for one in went]))
