"""Acceptance and error of the belief by the number of answers, with the true answers and with manipulated answers.

Everybody answers each slot's recommendation, and nothing but answers is known of them. The answers are replaced in the
observation before the policy sees it, so that any policy can be measured.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lab.evaluation.answers import FIRST
from lab.evaluation.deployed import Life
from lab.evaluation.grades import OnStep, seeds_of, summary, unwatched
from lab.evaluation.strategies import Find
from lab.evaluation.worlds import world
from rhythm_env.constants import STEPS
from rhythm_env.interface import Decision, Interaction, Observation, Policy
from rhythm_env.profiles import belief_target

Array = NDArray[np.float64]

OWN, NONE, SHUFFLED, ANOTHERS = "own past", "no past", "shuffled past", "another's past"
PASTS = (OWN, NONE, SHUFFLED, ANOTHERS)
WEEKS = 4
ENDS = (7, FIRST, 2 * FIRST, WEEKS * FIRST)  # numbers of answers at which a span of the table ends


class People(NamedTuple):
    """People of a condition who answer by the rule of a world.

    ``believed`` is False if the answers follow tastes that the belief's traits do not describe.
    """

    condition: str
    world: str
    believed: bool


PEOPLE = {
    "anybody": People("in", "simulated", believed=True),
    "archetypes": People("discrete", "simulated", believed=True),
    "tastes": People("in", "tastes", believed=False),
    "leanings": People("in", "leanings", believed=False),
}


@dataclass(frozen=True, slots=True)
class Led:
    """A life of T slots, with true probabilities (T,) of acceptance of what was recommended, and errors of beliefs."""

    taken: Array
    errors: Array
    answers: tuple[Interaction, ...]


class Ablated:
    """A policy that sees a changed history in place of a person's own answers.

    ``past`` is one of PASTS. ``other`` are another person's answers in the same slots. A shuffled past permutes the
    answers among the recommendations.
    """

    def __init__(self, policy: Policy, past: str, other: Sequence[Interaction], seed: int) -> None:
        self._policy, self._past, self._other = policy, past, other
        self._slots = 0
        self._rng = random.Random(f"recall/{seed}")
        self.name, self.version = policy.name, policy.version

    def decide(self, observation: Observation, rng: random.Random) -> Decision:
        shown = replace(observation, history=self._shown(observation.history))
        self._slots += 1
        return self._policy.decide(shown, rng)

    def _shown(self, history: tuple[Interaction, ...]) -> tuple[Interaction, ...]:
        if self._past == NONE:
            return ()
        if self._past == ANOTHERS:
            return tuple(self._other[self._slots - len(history) : self._slots])
        return tuple(_shuffled(history, self._rng)) if self._past == SHUFFLED else history


def _shuffled(history: Sequence[Interaction], rng: random.Random) -> Iterator[Interaction]:
    drawn = rng.sample(history, len(history))
    for one, other in zip(history, drawn, strict=True):
        yield replace(one, answer=other.answer, moved_to=other.moved_to)


def recall(
    name: str, lives: int, find: Find, on_step: OnStep = unwatched, people: Mapping[str, People] = PEOPLE
) -> list[dict[str, Any]]:
    """Return a row for each kind of people, each replacement of the history (PASTS) and each range of answers.

    ``taken`` is the mean true probability that the range's recommendations are accepted. ``error`` is the belief's mean
    absolute error near its end, or None if the belief does not describe the answers.
    """
    total, done = len(people) * len(PASTS) * lives, 0
    rows: list[dict[str, Any]] = []
    for who, kind in people.items():
        own: list[Led] = []
        for past in PASTS:
            found = []
            for place, seed in enumerate(seeds_of(kind.condition, lives)):
                other = own[place - 1].answers if past == ANOTHERS else ()
                found.append(_led(Ablated(find(name), past, other, seed), seed, kind))
                done += 1
                on_step(done, total)
            own = own or found
            rows += _rows(who, past, found, believed=kind.believed)
    return rows


def _led(policy: Policy, seed: int, people: People) -> Led:
    life = Life(seed, people.condition, recorded=False, answers_by=world(people.world))
    slices = list(life.live(policy, WEEKS))
    target = belief_target(life.person)[:, 0]
    stated = np.array([one.decision.belief.vector() for one in slices])
    taken = np.array([one.chances[one.decision.action] for one in slices])
    return Led(taken, np.abs(stated - target).mean(axis=1), life.answers[: WEEKS * STEPS])


def _rows(who: str, past: str, found: Sequence[Led], *, believed: bool) -> Iterator[dict[str, Any]]:
    taken, errors = (np.array([getattr(one, name) for one in found]) for name in ("taken", "errors"))
    for begin, end in zip((0, *ENDS), ENDS, strict=False):
        yield {
            "people": who,
            "past": past,
            "answers": [begin + 1, end],
            "taken": summary(taken[:, begin:end].mean(axis=1)),
            "error": summary(errors[:, end - 1]) if believed else None,
        }
