"""Lessons made of weeks and lives of made-up people, with the values to learn for each decision.

The adviser must not know the person. Otherwise the model would later take its own advice for evidence about the person.
There are three kinds. ``weeks`` are led by the network, with the network's scores. ``planned`` weeks are led by the
planner, with the planner's scores. ``lives`` are of people who answer, with the true worth of each advice. The belief
to learn is always the true belief.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from lab.training.llm.sequence.planned import Planned
from lab.training.network import lives as living
from lab.training.network import simulate
from lab.training.network.dataset import seen_of
from lab.training.network.model import Network, load
from policies.llm.sequence.reading import SLOTS_MAX
from policies.network import WEIGHTS
from rhythm_env.constants import SLOTS, STEPS
from rhythm_env.dynamics import ACTIONS
from rhythm_env.interface import HISTORY_STEPS
from rhythm_env.profiles import belief_target

Floats = NDArray[np.float32]

LOOSE = (0.0, 0.05, 0.15, 0.4, 1.0)  # shares of random actions; each week is led at one of them
HOW_OFTEN = (0.3, 0.25, 0.2, 0.15, 0.1)
WIDE = 0.25  # of weeks are read whole; the others seven slots at a time, as an observation shows them
DAYS = 14  # of a life
SHARP = 0.003  # points of the grade, or of a mean level, that make a difference to a choice


@dataclass(slots=True)
class Lessons:
    """Arrays of lessons. ``slots`` (n, 28, PER_SLOT) and ``now`` (n, 28, PRESENT) are the model's input.

    ``sight`` (n,) is the number of completed slots that a decision sees. ``wanted`` (n, 28, 2, 10) holds
    log-probabilities, and ``weighed`` (n, 2) tells the objectives that have any. ``advised`` and ``taken`` (n, 28) are
    -1 for people who do not answer. ``target`` (n, 3) is the true belief.
    """

    slots: Floats
    now: Floats
    sight: NDArray[np.intp]
    wanted: Floats
    weighed: Floats
    advised: NDArray[np.intp]
    taken: NDArray[np.intp]
    target: Floats

    def __len__(self) -> int:
        return len(self.slots)

    def pick(self, which: NDArray[np.intp] | slice) -> Lessons:
        return Lessons(*(getattr(self, name)[which] for name in Lessons.__slots__))


def together(some: list[Lessons]) -> Lessons:
    return Lessons(*(np.concatenate([getattr(one, name) for one in some]) for name in Lessons.__slots__))


def teacher() -> Network:
    """The shipped network, as a teacher."""
    return load(WEIGHTS)


@torch.no_grad()
def weeks(seeds: range, network: Network) -> Lessons:
    """Play weeks of these people, half of them towards either objective."""
    lived, rng = simulate.begin(seeds), np.random.default_rng((seeds.start, 41))
    loose, own = rng.choice(LOOSE, lived.n, p=HOW_OFTEN), np.arange(lived.n) % 2
    seen, wanted = simulate.watch(lived), []
    while not lived.done:
        simulate.look(seen, lived)
        memory = network.slot_of_weeks(torch.from_numpy(seen.slots), lived.step)
        scores = network(memory, torch.from_numpy(seen.now[:, lived.step])).scores.numpy()
        wanted.append(scores)
        lived.advance(_strayed(scores[np.arange(lived.n), own], loose, rng))
    practice_wide = np.where(rng.random(lived.n) < WIDE, SLOTS_MAX, HISTORY_STEPS)
    return _silent(seen, practice_wide, np.array(wanted).transpose(1, 0, 2, 3), (1.0, 1.0), belief_target(lived.people))


def planned(found: Planned) -> Lessons:
    """Weeks that the planner led, lived again."""
    lived = simulate.begin(range(found.first, found.first + len(found.actions)))
    seen = simulate.watch(lived)
    while not lived.done:
        simulate.look(seen, lived)
        lived.advance(found.actions[:, lived.step].astype(np.intp))
    scores = np.repeat(sharpened(found.scores)[:, :, None], 2, axis=2)
    sight = np.full(lived.n, HISTORY_STEPS)
    return _silent(seen, sight, scores, (1.0, 0.0), belief_target(lived.people))


def sharpened(worth: Floats) -> Floats:
    """Log-probabilities of the best of (..., 10) worths, softened by ``SHARP``."""
    scores = (worth - worth.max(axis=-1, keepdims=True)) / SHARP
    return np.asarray(scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True)), dtype=np.float32)


def _silent(
    seen: simulate.Seen,
    sight: NDArray[np.intp],
    wanted: Floats,
    weighed: tuple[float, float],
    target: NDArray[np.float64],
) -> Lessons:
    n, nothing = len(sight), np.full(seen.slots.shape[:2], -1)
    weight = np.tile(np.array(weighed, np.float32), (n, 1))
    return Lessons(seen.slots, seen.now, sight, wanted, weight, nothing, nothing, target.T.astype(np.float32))


def _strayed(scores: Floats, loose: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw an action (n,) from the scores (n, 10), or uniformly as often as each week's looseness says."""
    drawn = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    return np.where(rng.random(len(drawn)) < loose, rng.integers(0, len(ACTIONS), len(drawn)), drawn)


@torch.no_grad()
def lives(seeds: range, network: Network) -> Lessons:
    """Return the first two weeks of these people, each read by itself, so that half of the lessons begin without a
    past.
    """
    life, rng = living.begin(seeds), np.random.default_rng((seeds.start, 43))
    adviser, loose, worth = living.Adviser(life, seeds.start), rng.choice(LOOSE, len(seeds), p=HOW_OFTEN), []
    state: torch.Tensor | None = None
    memory = torch.zeros(len(seeds), network.memory.hidden_size)
    for _ in range(DAYS * SLOTS):
        slots, now = seen_of(life, last=True)
        if slots.shape[1]:
            _, state = network.memory(torch.relu(network.slot(torch.from_numpy(slots[:, -1:]))), state)
            memory = state[0]
        worth.append(adviser.worth(life)[0].T)
        scores = network(memory, torch.from_numpy(now[:, -1])).scores.numpy()[:, 1]
        life.advance(_strayed(scores, loose, rng))
    slots, now = seen_of(life)
    wanted = np.repeat(sharpened(np.array(worth, np.float32).transpose(1, 0, 2))[:, :, None], 2, axis=2)
    advised, answer = np.array(life.advised).T, np.array(life.answer).T
    target = belief_target(life.weeks.people).T.astype(np.float32)
    order = rng.permutation(2 * len(seeds))
    return together(
        [
            Lessons(
                slots[:, part],
                now[:, part],
                np.full(len(seeds), SLOTS_MAX),
                wanted[:, part],
                np.ones((len(seeds), 2), np.float32),
                advised[:, part],
                (answer[:, part] == 0).astype(np.intp),
                target,
            )
            for part in (slice(0, STEPS), slice(STEPS, 2 * STEPS))
        ]
    ).pick(order)
