"""Training data from weeks and lives played once, with the teacher's value of every action in every slot.

In the first round the teacher's actions are followed. In later rounds the student acts and the teacher gives its values
(DAgger, Ross, Gordon & Bagnell 2011), so that the student is trained in the states that it reaches.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from lab.evaluation.week import Weeks
from lab.training.network import lives as living
from lab.training.network import simulate
from lab.training.network.model import Network
from lab.training.network.teacher import Teacher
from policies.llm.sequence.slots import PER_SLOT, TALLIES, present, tallies, vectors, weighed
from policies.llm.sequence.thought import OBJECTIVES
from rhythm_env.constants import METERS, SLOTS, STEPS
from rhythm_env.dynamics import ACTIONS
from rhythm_env.profiles import belief_target

Floats = NDArray[np.float32]
Ints = NDArray[np.intp]
OnStep = Callable[[int, int], None]

LOOSE = (0.0, 0.05, 0.15, 0.4)  # shares of random actions; each person is led at one of them
FOLLOWED = 0.25  # of the people who follow the teacher even where the student could lead
DAYS = 14  # of a life
PART = 500  # people at a time: their arrays fit the processor's cache


@dataclass(slots=True)
class Lessons:
    """Arrays of n weeks or lives with t slots, of which ``slots`` and ``now`` are the network's input.

    ``worth`` (n, t, 2, 10) are the teacher's values, ``taken`` (n, t, 10) probabilities of acceptance or 0, and
    ``target`` (n, 3) the true beliefs.
    """

    slots: Floats
    now: Floats
    worth: Floats
    taken: Floats
    target: Floats

    def __len__(self) -> int:
        return len(self.slots)

    def save(self, path: Path) -> None:
        np.savez(path, **{field.name: getattr(self, field.name) for field in fields(self)})


def load(path: Path) -> Lessons:
    with np.load(path) as file:
        return Lessons(**{field.name: file[field.name] for field in fields(Lessons)})


def together(some: list[Lessons]) -> Lessons:
    return Lessons(**{field.name: np.concatenate([getattr(x, field.name) for x in some]) for field in fields(Lessons)})


def parts(seeds: range) -> list[range]:
    return [seeds[at : at + PART] for at in range(0, len(seeds), PART)]


def of_weeks(seeds: range, student: Network | None, on_step: OnStep) -> tuple[Lessons, list[Weeks]]:
    """Play a week for each person, half of them for each objective, and return lessons and weeks.

    ``student`` None follows the teacher alone.
    """
    found, lived = [], []
    for done, part in enumerate(parts(seeds)):
        lessons, weeks = _weeks(part, student)
        found.append(lessons)
        lived.append(weeks)
        on_step(done + 1, len(parts(seeds)))
    return together(found), lived


def objective_of(n: int) -> Ints:
    """Return the index of each of n people's objective, shape (n,), in turn."""
    return np.arange(n) % len(OBJECTIVES)


def _weeks(seeds: range, student: Network | None) -> tuple[Lessons, Weeks]:
    weeks = simulate.begin(seeds)
    rng = np.random.default_rng((seeds.start, len(seeds)))
    teachers = [Teacher(weeks.people, name, seeds.start) for name in OBJECTIVES]
    seen, worths, leads = simulate.watch(weeks), [], _Lead(rng, weeks.n)
    while not weeks.done:
        simulate.look(seen, weeks)
        worth = np.array([teacher.worth(weeks) for teacher in teachers])  # (2, 10, n)
        worths.append(worth)
        own = objective_of(weeks.n)
        scores = None
        if student is not None:
            memory = student.slot_of_weeks(torch.from_numpy(seen.slots), weeks.step)
            scores = student(memory, torch.from_numpy(seen.now[:, weeks.step])).scores.numpy()
            scores = scores[np.arange(weeks.n), own].T
        weeks.advance(leads.actions(worth[own, :, np.arange(weeks.n)].T, scores))
    worth = np.array(worths).transpose(3, 0, 1, 2).astype(np.float32)
    taken = np.zeros((*worth.shape[:2], len(ACTIONS)), np.float32)
    target = belief_target(weeks.people).T.astype(np.float32)
    return Lessons(seen.slots, seen.now, worth, taken, target), weeks


class _Lead:
    """A random choice per person of the teacher's best actions or the network's, with random actions between."""

    def __init__(self, rng: np.random.Generator, n: int) -> None:
        self._rng, self._loose = rng, rng.choice(LOOSE, n)
        self._followed = rng.random(n) < FOLLOWED

    def actions(self, worth: NDArray[np.floating], scores: Floats | None) -> Ints:
        """Return actions (n,), which are the best by ``worth`` (10, n), drawn by ``scores`` (n, 10), or random."""
        chosen = worth.argmax(axis=0)
        if scores is not None:
            drawn = (scores + self._rng.gumbel(size=scores.shape)).argmax(axis=0)
            chosen = np.where(self._followed, chosen, drawn)
        at_random = self._rng.random(len(chosen)) < self._loose
        return np.where(at_random, self._rng.integers(0, len(ACTIONS), len(chosen)), chosen)


def of_lives(seeds: range, student: Network | None, on_step: OnStep) -> Lessons:
    """Simulate a life with answers for each person, and return lessons with the values of recommendations.

    ``student`` None follows the teacher alone.
    """
    found = []
    for done, part in enumerate(parts(seeds)):
        found.append(_lives(part, student))
        on_step(done + 1, len(parts(seeds)))
    return together(found)


def _lives(seeds: range, student: Network | None) -> Lessons:
    life, rng = living.begin(seeds), np.random.default_rng((seeds.start, len(seeds), 1))
    adviser, leads = living.Adviser(life, seeds.start), _Lead(rng, len(seeds))
    worths, chances = [], []
    memory = torch.zeros(len(seeds), 1, 0)
    state: torch.Tensor | None = None
    for _ in range(DAYS * SLOTS):
        worth, taken = adviser.worth(life)
        worths.append(worth)
        chances.append(taken)
        scores = None
        if student is not None:
            slots, now = seen_of(life, last=True)
            if slots.shape[1]:
                _, state = student.memory(torch.relu(student.slot(torch.from_numpy(slots[:, -1:]))), state)
            memory = torch.zeros(len(seeds), student.memory.hidden_size) if state is None else state[0]
            scores = student(memory, torch.from_numpy(now[:, -1])).scores.numpy()[:, 1].T
        life.advance(leads.actions(worth, scores))
    slots, now = seen_of(life)
    worth = np.array(worths).transpose(2, 0, 1).astype(np.float32)
    return Lessons(
        slots,
        now[:, :-1],
        np.repeat(worth[:, :, None], len(OBJECTIVES), axis=2),
        np.array(chances).transpose(2, 0, 1).astype(np.float32),
        belief_target(life.weeks.people).T.astype(np.float32),
    )


def seen_of(life: living.Lives, *, last: bool = False) -> tuple[Floats, Floats]:
    """Return the completed slots (n, t, PER_SLOT) and the present of each step (n, t + 1, PRESENT).

    With ``last`` only the present of the last step is returned.
    """
    n, done = life.weeks.n, len(life.answer)
    if not done:
        told = np.zeros((n, 1, TALLIES), np.float32)
        return np.zeros((n, 0, PER_SLOT), np.float32), present_of(life, [0], told)
    slots = life.slots()
    now = np.concatenate([slots.step, np.full((n, 1), life.step)], axis=1)
    told = tallies(slots, now % SLOTS)
    steps = [done] if last else list(range(done + 1))
    return vectors(slots), present_of(life, steps, told[:, steps])


def present_of(life: living.Lives, steps: list[int], told: Floats) -> Floats:
    """Return the network's vectors (n, steps, PRESENT) of the present in the given steps.

    ``told`` (n, steps, TALLIES) are the sums of answers.
    """
    n = life.weeks.n
    levels, deviations, coverages = (
        np.array([life.seen[step][kind] for step in steps]).transpose(2, 0, 1) for kind in range(3)
    )
    nothing = np.zeros((n, len(steps), 1, METERS))
    weights = weighed(nothing, nothing[..., 0])
    step = np.broadcast_to(np.array(steps, dtype=np.intp) % STEPS, (n, len(steps)))
    return present(step, (levels, deviations, coverages), np.zeros_like(step), 1.0, (weights, told))
