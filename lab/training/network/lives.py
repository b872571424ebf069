"""Simulated lives of people who answer, many at a time, with meters that say little about the truth.

They are a quick sketch of ``lab.evaluation.deployed``, with the same people, bodies and answers. Measured meters are
drawn directly, without nights, a calendar and the product's meters. Their correlation with the truth and their coverage
are drawn for each life. Evaluations use ``bridge evaluate --deployed``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lab.environments import dynamics
from lab.environments.dynamics import utilities
from lab.evaluation.week import Weeks
from lab.training.network import simulate
from lab.training.network.teacher import Teacher
from policies.llm.sequence.slots import Slots
from policies.planner.advice import AHEAD
from policies.planner.plans import NORMAL
from rhythm_env.constants import EVENT_CHANCE, METERS, SLOTS, STEPS
from rhythm_env.dynamics import CLEARLY_BETTER, EVENT_NAMES, P, acceptance

Array = NDArray[np.float64]
Ints = NDArray[np.intp]

UNREAD = 0.15  # share of lives without a single reading
FOLLOWS = ((0.0, 0.4), (0.0, 0.3), (0.7, 0.95), (0.0, 0.3), (0.2, 0.6))  # correlation with the truth, V C P S N
CENTRE = np.array([0.73, 0.72, 0.46, 0.72, 0.57])[:, None]  # of readings, their spread, and what they say of themselves
SPREAD = np.array([0.08, 0.03, 0.25, 0.06, 0.09])[:, None]
STATED_SD = np.array([0.12, 0.13, 0.18, 0.12, 0.17])[:, None]
COVERED = np.array([0.6, 0.85, 0.27, 0.72, 0.97])[:, None]
HIDDEN = (np.array([0.86, 0.83, 0.50, 0.95, 0.63])[:, None], np.array([0.17, 0.2, 0.32, 0.1, 0.24])[:, None])
STAYS = 0.8  # of a reading's error, from slot to slot
TAKEN = 0.01  # of taken advice in itself: with the planner's 0.03 a network that knows less advises little but sleep
NEVER = np.finfo(float).min


@dataclass(slots=True)
class Lives:
    """The lives of n people that advance together. Lists hold an array for each completed slot."""

    weeks: Weeks  # the current one; its lists stay empty
    rng: np.random.Generator
    follows: Array = field(init=False)
    unread: NDArray[np.bool_] = field(init=False)
    error: Array = field(init=False)
    seen: list[tuple[Array, Array, Array]] = field(default_factory=list)  # levels, deviations, coverages (5, n)
    advised: list[Ints] = field(default_factory=list)
    answer: list[Ints] = field(default_factory=list)
    moved: list[Ints] = field(default_factory=list)
    truth: list[Array] = field(default_factory=list)

    def __post_init__(self) -> None:
        n = self.weeks.n
        low, high = np.array(FOLLOWS).T[..., None]
        self.follows = self.rng.uniform(low, high, (METERS, n))
        self.unread = self.rng.random(n) < UNREAD
        self.error = self.rng.standard_normal((METERS, n))
        self._read()

    @property
    def step(self) -> int:
        """The number of the slot in the current week, 0 to 27."""
        return len(self.answer) % STEPS

    def _read(self) -> None:
        fresh = self.rng.standard_normal(self.error.shape)
        self.error = STAYS * self.error + np.sqrt(1 - STAYS**2) * fresh
        z = (self.weeks.meters - HIDDEN[0]) / HIDDEN[1]
        levels = CENTRE + SPREAD * (self.follows * z + np.sqrt(1 - self.follows**2) * self.error)
        noise = self.rng.random((2, *z.shape))
        deviations = STATED_SD * (0.75 + 0.5 * noise[0])
        coverages = np.clip(COVERED * (0.6 + 0.6 * noise[1]), 0.0, 1.0)
        levels, deviations = np.where(self.unread, NORMAL, levels), np.where(self.unread, 0.21, deviations)
        self.seen.append((np.clip(levels, 0, 1), deviations, np.where(self.unread, 0.0, coverages)))

    def standings(self, slot: int) -> Array:
        """Return the actions' utilities relative to their mean, in standard deviations, shape (10, n)."""
        worth = utilities(self.weeks.meters, slot, self.weeks.people)
        return np.asarray((worth - worth.mean(axis=0)) / np.maximum(worth.std(axis=0), 1e-6))

    def chances(self, slot: int) -> Array:
        """Return the probability (10, n) that a recommendation of each action in a slot is accepted."""
        return acceptance(self.standings(slot))

    def advance(self, advised: Ints) -> None:
        """Let every person answer the recommended action (n,), and simulate the slot."""
        slot, everybody = self.step % SLOTS, np.arange(self.weeks.n)
        here = self.standings(slot)
        accepted = self.rng.random(self.weeks.n) < self.chances(slot)[advised, everybody]
        later, better = self._later(slot, advised, here[advised, everybody])
        put_off = ~accepted & better
        own = (here + self.rng.gumbel(size=here.shape)).argmax(axis=0)  # softmax, by Gumbel's trick
        self.truth.append(self.weeks.meters)
        events = np.where(
            self.rng.random(self.weeks.n) < EVENT_CHANCE, self.rng.integers(1, len(EVENT_NAMES), self.weeks.n), 0
        )
        done = np.where(accepted, advised, own)
        self.weeks.meters, _, _ = dynamics.step(self.weeks.meters, done, slot, self.weeks.people, events)
        self.advised.append(advised)
        self.answer.append(np.where(accepted, 0, np.where(put_off, 2, 1)))
        self.moved.append(np.where(put_off, later, -1))
        if self.step == 0:
            self.weeks.meters[P] = 0.0
        self._read()

    def _later(self, slot: int, advised: Ints, here: Array) -> tuple[Ints, NDArray[np.bool_]]:
        n = self.weeks.n
        there = np.full((SLOTS, n), NEVER)
        for other in range(slot + 1, SLOTS):
            there[other] = self.standings(other)[advised, np.arange(n)]
        return there.argmax(axis=0), there.max(axis=0) > here + CLEARLY_BETTER

    def slots(self, first: int = 0) -> Slots:
        """Return the completed slots from the index ``first`` on in the network's form, shape (n, t)."""
        advised, answer = np.array(self.advised[first:]).T, np.array(self.answer[first:]).T
        nothing, done = np.zeros((*advised.shape, METERS)), len(self.answer)
        return Slots(
            step=np.broadcast_to(np.arange(first, done) % STEPS, advised.shape),
            action=np.where(answer == 0, advised, -1),
            levels=np.array([levels for levels, _, _ in self.seen[first:done]]).transpose(2, 0, 1),
            changes=nothing,
            anomalies=nothing,
            reward=nothing[..., 0],
            refused=np.where(answer > 0, advised, -1),
            answer=answer,
            moved=np.array(self.moved[first:]).T,
            stated=False,
        )


def begin(seeds: range) -> Lives:
    weeks = simulate.begin(seeds)
    return Lives(weeks, np.random.default_rng((seeds.start, len(seeds), simulate.STREAM)))


class Adviser:
    """The values of recommendations to people whose traits are known."""

    def __init__(self, lives: Lives, seed: int) -> None:
        self._teacher = Teacher(lives.weeks.people, "reward", seed, ahead=AHEAD)

    def worth(self, lives: Lives) -> tuple[Array, Array]:
        """Return the value (10, n) of recommending each action, and the probability that it is accepted."""
        taken = lives.chances(lives.step % SLOTS)
        return taken * (self.gain(lives) + TAKEN), taken

    def gain(self, lives: Lives) -> Array:
        """Return the mean level (10, n) that each action adds to what the person would do without a recommendation."""
        worth = self._teacher.worth_at(lives.weeks, lives.step)
        habit = np.exp(lives.standings(lives.step % SLOTS))
        return np.asarray(worth - (habit * worth).sum(axis=0) / habit.sum(axis=0))
