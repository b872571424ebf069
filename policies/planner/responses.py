"""The probability of a user's answer for each possible person, by the model of ``rhythm_env.dynamics``.

Reschedule is evidence for the action and against the hour, Ignore evidence against both.
"""

from __future__ import annotations

import copy
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from policies.planner.plans import bodies
from policies.planner.population import PLACE, SIZE, profiles
from rhythm_env.constants import CRASH_LEVEL, GAIN_FLOOR, GAIN_SLOPE, METERS, SLOTS, SPIRAL
from rhythm_env.dynamics import ACTIONS, CLEARLY_BETTER, COMFORT, NEED, S, V, acceptance, start
from rhythm_env.interface import Answer, Interaction

Array = NDArray[Any]  # single precision inside, double outside

EDGE = 0.3  # width of the step of "clearly better later" in units of standing, because meters are uncertain
DOUBT = 0.03  # share of answers that the model cannot explain
# The power of an answer's likelihood, below 1 because particles are a sample and the model differs from a real user
# (Grünwald 2012, "The safe Bayesian"): with it the stated 90 % intervals hold what they say, see README.md.
TRUST = 0.8


class Place(NamedTuple):
    """The time, weekday (0 to 6) and slot of the day (0 to 3) of an answered recommendation."""

    at: datetime
    day: int
    slot: int


class Foretold(NamedTuple):
    """An answer, and the probability of acceptance that the particles gave to it before they learnt from it."""

    answer: Interaction
    chance: float


class Particles:
    """Possible persons ``people`` (18, n) with simulated meters (5, n) and log weights ``logs`` (n,).

    They form ``kinds`` groups of equal size. ``way`` (n,) is -1 for persons who refuse what is good for them, else 1,
    and ``seen`` (n,) is the share of recommendations that they look at. Arrays are replaced, never changed, so copies
    are cheap.
    """

    def __init__(self, people: Array, kinds: int = 1, *, way: Array | None = None, seen: Array | None = None) -> None:
        self.kinds, self.age = kinds, 0
        everybody = np.ones(people.shape[1], dtype=np.float32)
        self.way: Array = everybody if way is None else way
        self.seen: Array = everybody if seen is None else seen
        self.last: Place | None = None
        self.foretold: tuple[Foretold, ...] = ()
        self.logs = np.zeros(people.shape[1])
        self.meters: Array = start(people.shape[1]).astype(np.float32)
        self._weighed: tuple[Array, Array] | None = None
        self.become(people)

    def become(self, people: Array) -> None:
        """Replace the persons by ``people`` (18, n), in place. Their meters and weights stay."""
        self.people = people
        single = people.astype(np.float32)
        self._weights, self._tolerance = single[:METERS], single[PLACE["tolerance"]]
        self.event_impact = single[PLACE["event_impact"]]
        known = _linear()
        calm = known.calm @ single
        calm += known.always
        self._calm, self._traits = calm.reshape(SLOTS, METERS, len(ACTIONS), -1), single

    def copy(self) -> Particles:
        """Return a copy that shares the arrays."""
        return copy.copy(self)

    def replaced(self, people: Array) -> Particles:
        """Return a copy with the persons ``people`` (18, n), and the same meters and weights."""
        found = self.copy()
        found.become(people)
        return found

    def weights(self) -> Array:
        """Return the probability (n,) of each possible person after the answers."""
        if self._weighed is None or self._weighed[0] is not self.logs:
            weights = np.exp(self.logs - self.logs.max())
            self._weighed = self.logs, weights / weights.sum()
        return self._weighed[1]

    def contrary(self) -> float:
        """Return the probability that the person refuses what is good for them."""
        return float(self.weights()[self.way < 0].sum())

    def hear(self, one: Interaction, standings: Array) -> None:
        """Multiply the weights of the particles by the probability of an answer, in place.

        The probability of acceptance before is appended to ``foretold``. ``standings`` (k, 10, n) are the actions'
        values in the slots ``looked_at(one)``.
        """
        there = standings[:, ACTIONS.index(one.recommended)]
        accepted = self.accepted(there[0])
        self.foretold = (*self.foretold, Foretold(one, float(accepted @ self.weights())))
        likely = likelihood(one, accepted * self.seen, there)
        likely *= np.float32(1 - DOUBT)
        likely += np.float32(DOUBT)
        self.logs = self.logs + TRUST * np.log(likely)

    def standings(self, changes: Array) -> Array:
        """Return each action's value to each person as a standard score among the actions (mean 0, deviation 1).

        ``changes`` (..., 5, 10, n) are of the meters by action. The result has the shape (..., 10, n).
        """
        urgent = np.maximum(np.float32(COMFORT) - self.meters, np.float32(0))
        urgent *= np.float32(NEED)
        urgent *= self.meters > np.float32(CRASH_LEVEL / 10)
        urgent += self._weights
        worth = np.einsum("mn,...man->...an", urgent, changes)
        each = _mean_of_actions()
        worth -= (each @ worth)[..., None, :]
        spread = np.sqrt(each @ (worth * worth))
        np.maximum(spread, np.float32(1e-7), out=spread)
        worth /= spread[..., None, :]
        return np.asarray(worth)

    def accepted(self, standings: Array) -> Array:
        """Return the probability of acceptance, once seen, for actions with the relative values ``standings``."""
        return acceptance(standings * self.way)

    def room(self) -> Array:
        """Return an uninitialised array (4, 5, 10, n), to be passed to ``changes`` as ``room``."""
        return np.empty((SLOTS, METERS, len(ACTIONS), len(self.logs)), dtype=np.float32)

    def changes(self, slots: int | slice | list[int], room: Array | None = None) -> Array:
        """Return the change (5, 10, n) of the meters by each action in a slot of the day, or (k, 5, 10, n) in k slots.

        The result is written into ``room`` if given, which saves the time to allocate memory.
        """
        gain = self.meters[V] * np.float32(GAIN_SLOPE)
        gain += np.float32(GAIN_FLOOR)
        growing = _linear().growing[slots][..., None]
        place = None if room is None else room[0] if growing.ndim == 3 else room[: len(growing)]
        wanted = np.multiply(growing, gain, out=place)
        wanted += self._calm[slots]
        struggling = (self.meters[S] < self._tolerance).nonzero()[0]
        if len(struggling):
            wanted[..., struggling] = self._spiral(wanted[..., struggling], struggling)
        np.maximum(wanted, -self.meters[:, None], out=wanted)
        return np.asarray(np.minimum(wanted, (1 - self.meters)[:, None], out=wanted))

    def _spiral(self, wanted: Array, struggling: Array) -> Array:
        decay = _linear().decay @ self._traits[:, struggling]
        wanted = wanted + decay
        wanted *= np.where(wanted < 0, np.float32(SPIRAL), np.float32(1.0))
        return np.asarray(wanted - decay)


class Linear(NamedTuple):
    """The changes of meters by each action, as linear functions of a person's 18 numbers.

    They equal the tables of ``plans.bodies`` but are faster. The 200 rows are slot, meter and action (4, 5, 10),
    flattened.
    """

    growing: Array  # (4, 5, 10), equal for everybody
    calm: Array  # (200, 18) per unit of each number of a person: the changes that do not grow, after decay
    always: Array  # (200, 1) of a person whose numbers are all 0
    decay: Array  # (5, 10, 18)


@cache
def _linear() -> Linear:
    ones = bodies(profiles(np.eye(SIZE, SIZE + 1)).traits)
    calm = (ones.rest - ones.decay).reshape(-1, SIZE + 1)
    always = calm[:, SIZE:]
    single = (ones.growing, calm[:, :SIZE] - always, always, ones.decay[..., :SIZE])
    return Linear(*(np.ascontiguousarray(one, dtype=np.float32) for one in single))


def looked_at(one: Interaction) -> slice | list[int]:
    """Return the slots of the day on which the probability of an answer depends, the answer's own slot first."""
    slot = int(one.slot)
    if one.answer is Answer.ACCEPT:
        return slice(slot, slot + 1)
    chosen = one.moved_to if one.answer is Answer.RESCHEDULE else None
    return slice(slot, SLOTS) if chosen is None else [slot, int(chosen[1])]


def likelihood(one: Interaction, accepted: Array, there: Array) -> Array:
    """Return the probability (n,) of an answer for each possible person.

    ``accepted`` (n,) is that of acceptance. ``there`` (k, n) is the relative value of the recommended action in the
    slots ``looked_at(one)``, which decides between Ignore and Reschedule.
    """
    if one.answer is Answer.ACCEPT:
        return accepted
    refused: Array = 1 - accepted
    if len(there) > 1 and one.answer is Answer.IGNORE:
        refused *= 1 - _better(there)
    elif len(there) > 1 and (one.moved_to is None or one.moved_to[1] != one.slot):
        refused *= _better(there)
    return refused


def _better(there: Array) -> Array:
    gain = there[1:].max(axis=0)
    gain -= there[0]
    gain -= np.float32(CLEARLY_BETTER)
    gain *= np.float32(-1 / EDGE)
    return np.asarray(1 / (1 + np.exp(gain)))


@cache
def _mean_of_actions() -> Array:
    return np.full(len(ACTIONS), 1 / len(ACTIONS), dtype=np.float32)
