"""Lessons from simulated weeks and lives, with the values to learn for each decision.

Actions are chosen without knowledge of the person. Otherwise the model would later take its own choices for evidence
about the person. ``weeks`` have the network's scores, ``rolled`` weeks scores improved by the outcomes of every action,
and ``lives`` the true value and probability of acceptance of each recommendation. The belief to learn is the true one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from lab.policies.network import WEIGHTS
from lab.training.llm.sequence import answering
from lab.training.llm.sequence.rolled import Rolled
from lab.training.network import lives as living
from lab.training.network import simulate
from lab.training.network.dataset import seen_of
from lab.training.network.model import Network, load
from policies.llm.sequence.inputs import SLOTS_MAX
from policies.llm.sequence.thought import OBJECTIVES
from rhythm_env.constants import SLOTS, STEPS
from rhythm_env.dynamics import ACTIONS
from rhythm_env.interface import HISTORY_STEPS
from rhythm_env.profiles import belief_target

Floats = NDArray[np.float32]
# (last completed slot (n, PER_SLOT) or None, the slot that begins (n, PRESENT)) -> log-probabilities (n, 10)
Lead = Callable[[Floats | None, Floats], Floats]

LOOSE = (0.0, 0.05, 0.15, 0.4, 1.0)  # shares of random actions; each week is led at one of them
HOW_OFTEN = (0.3, 0.25, 0.2, 0.15, 0.1)
SHARP = 0.003  # mean level that makes a difference to a choice
FIRM = 0.005  # points of the grade that outweigh a nat of the network's preference


@dataclass(slots=True)
class Lessons:
    """Arrays of lessons for n weeks. ``slots`` (n, 28, PER_SLOT) and ``now`` (n, 28, PRESENT) are the model's input.

    ``sight`` (n,) is the number of completed slots that a decision sees. ``wanted`` (n, 28, 2, 10) are log
    probabilities and ``weighed`` (n, 2) the weights of their objectives. ``chances`` (n, 28, 10) are of acceptance, for
    people with ``answers``. ``single`` (n,) is True if ``wanted`` is from the values of a single person.
    """

    slots: Floats
    now: Floats
    sight: NDArray[np.intp]
    wanted: Floats
    weighed: Floats
    answers: NDArray[np.bool_]
    chances: Floats
    target: Floats
    single: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.slots)

    def pick(self, which: NDArray[np.intp] | slice) -> Lessons:
        return Lessons(*(getattr(self, name)[which] for name in Lessons.__slots__))


def together(some: list[Lessons]) -> Lessons:
    return Lessons(*(np.concatenate([getattr(one, name) for one in some]) for name in Lessons.__slots__))


def save(some: Lessons, path: Path, seconds: float) -> None:
    """Write lessons to a file that is always complete. ``seconds`` is the processor time that made them."""
    new = path.with_suffix(".new.npz")
    np.savez(new, seconds=seconds, **{name: getattr(some, name) for name in Lessons.__slots__})
    new.replace(path)


def seconds_of(path: Path) -> float:
    """Return the processor seconds that it took to make the lessons in a file, as stored there."""
    with np.load(path) as file:
        return float(file["seconds"])


def kept(path: Path) -> Lessons:
    """Return the lessons of a file that ``save`` wrote."""
    with np.load(path) as file:
        return Lessons(*(file[name] for name in Lessons.__slots__))


def teacher() -> Network:
    """Return the shipped network, whose scores are learnt from."""
    return load(WEIGHTS)


@torch.no_grad()
def weeks(seeds: range, network: Network) -> Lessons:
    """Return lessons of a week for each person, in which the network decides, half of them for each objective."""
    lived, rng = simulate.begin(seeds), np.random.default_rng((seeds.start, 41))
    loose, own = rng.choice(LOOSE, lived.n, p=HOW_OFTEN), np.arange(lived.n) % 2
    seen, wanted = simulate.watch(lived), []
    while not lived.done:
        simulate.look(seen, lived)
        memory = network.slot_of_weeks(torch.from_numpy(seen.slots), lived.step)
        scores = network(memory, torch.from_numpy(seen.now[:, lived.step])).scores.numpy()
        wanted.append(scores)
        lived.advance(strayed(scores[np.arange(lived.n), own], loose, rng))
    return _silent(seen, np.array(wanted).transpose(1, 0, 2, 3), (1.0, 1.0), belief_target(lived.people))


def rolled(found: Rolled) -> Lessons:
    """Return lessons of the weeks ``found``, in which every action was tried."""
    lived = simulate.begin(range(found.first, found.first + len(found.actions)))
    seen = simulate.watch(lived)
    while not lived.done:
        simulate.look(seen, lived)
        lived.advance(found.actions[:, lived.step].astype(np.intp))
    better = sharpened(found.worth + FIRM * found.scores, FIRM)
    scores = np.repeat(better[:, :, None], 2, axis=2)
    return _silent(seen, scores, (1.0, 0.0), belief_target(lived.people), single=True)


def sharpened(worth: Floats, difference: float = SHARP) -> Floats:
    """Return the logarithm of the softmax (..., 10) of ``worth`` (..., 10) divided by ``difference``."""
    scores = (worth - worth.max(axis=-1, keepdims=True)) / difference
    return np.asarray(scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True)), dtype=np.float32)


def _silent(
    seen: simulate.Seen,
    wanted: Floats,
    weighed: tuple[float, float],
    target: NDArray[np.float64],
    *,
    single: bool = False,
) -> Lessons:
    n = len(seen.slots)
    sight, none = np.full(n, HISTORY_STEPS), np.zeros((n, STEPS, len(ACTIONS)), np.float32)
    weight = np.tile(np.array(weighed, np.float32), (n, 1))
    told = target.T.astype(np.float32)
    return Lessons(
        seen.slots, seen.now, sight, wanted, weight, np.zeros(n, bool), none, told, np.full(n, single)
    )  # fmt: skip


def strayed(scores: Floats, loose: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.intp]:
    """Return actions (n,) drawn by the scores (n, 10), or uniformly with the probability ``loose`` (n,)."""
    drawn = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    return np.where(rng.random(len(drawn)) < loose, rng.integers(0, len(ACTIONS), len(drawn)), drawn)


def lives(seeds: range, network: Network) -> Lessons:
    """Return lessons from four weeks of people, of whom some answer by the simulator's rule and some by other rules."""
    return _answered(answering.begin(seeds), 4, _led_by(network, len(seeds)), seeds.start)


def firsts(seeds: range, network: Network) -> Lessons:
    """Return lessons of the first two weeks of people who answer by the simulator's rule."""
    return _answered(answering.begin(seeds, answering.SIMULATED), 2, _led_by(network, len(seeds)), seeds.start)


def _led_by(network: Network, n: int) -> Lead:
    state = torch.zeros(n, network.memory.hidden_size)

    def lead(last: Floats | None, now: Floats) -> Floats:
        nonlocal state
        with torch.no_grad():
            if last is not None:
                heard = torch.relu(network.slot(torch.from_numpy(last[:, None])))
                state = network.memory(heard, state[None])[1][0]
            scores = network(state, torch.from_numpy(now)).scores
        return np.asarray(scores[:, OBJECTIVES.index("reward")].numpy())

    return lead


def _answered(life: answering.Tasted, weeks: int, lead: Lead, seed: int) -> Lessons:
    """Return lessons of the first weeks of these lives, each week as a lesson of its own.

    A week begins with the sums of the answers before it, without these answers themselves.
    """
    n, rng = life.weeks.n, np.random.default_rng((seed, 43))
    adviser, loose = living.Adviser(life, seed), rng.choice(LOOSE, n, p=HOW_OFTEN)
    chances, worth = [], []
    for _ in range(weeks * STEPS):
        slots, now = seen_of(life, last=True)
        chances.append(life.chances(life.step % SLOTS).T)
        worth.append(answering.worth(life, adviser).T)
        scores = lead(slots[:, -1] if slots.shape[1] else None, now[:, -1])
        life.advance(strayed(scores, loose, rng))
    taken, wanted = (np.array(one, np.float32).transpose(1, 0, 2) for one in (chances, worth))
    slots, now = seen_of(life)
    whole = (slots, now[:, : weeks * STEPS], taken, sharpened(wanted))
    parts = [week_of(life, *(one[:, at * STEPS : (at + 1) * STEPS] for one in whole)) for at in range(weeks)]
    return together(parts).pick(rng.permutation(weeks * n))


def week_of(life: answering.Tasted, slots: Floats, now: Floats, chances: Floats, wanted: Floats) -> Lessons:
    """Return lessons of a week of these lives, with wanted scores (n, 28, 10) and probabilities of acceptance."""
    n = life.weeks.n
    return Lessons(
        slots,
        now,
        np.full(n, SLOTS_MAX),
        np.repeat(wanted[:, :, None], 2, axis=2),
        np.ones((n, 2), np.float32),
        np.ones(n, bool),
        chances,
        belief_target(life.weeks.people).T.astype(np.float32),
        np.ones(n, bool),
    )
