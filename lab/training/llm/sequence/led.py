"""Lessons of a single later week of many people who answer, with actions chosen from their earlier answers.

Answers repeat from week to week, so many people teach more than many weeks. The weeks before are simulated without the
costly value of recommendations.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from lab.training.llm.sequence import answering
from lab.training.llm.sequence.lessons import HOW_OFTEN, LOOSE, Floats, Lessons, sharpened, strayed, week_of
from lab.training.network import lives as living
from lab.training.network.dataset import present_of, seen_of
from lab.training.network.model import Network
from policies.llm.sequence.inputs import rates
from policies.llm.sequence.slots import TALLIES, vectors
from policies.llm.sequence.thought import OBJECTIVES
from rhythm_env.constants import SLOTS, STEPS
from rhythm_env.dynamics import ACTIONS

MANY = len(ACTIONS)
HEEDED = (0.0, 0.3, 1.0)  # shares of the network's preference in an adviser's
FOLLOWED = (0.0, 3.0, 10.0, 20.0)  # nats of preference for a share of taken advice of 1


class Adviser:
    """A policy for n simulated people, who get random mixtures of the network's scores and the rates of acceptance."""

    def __init__(self, life: answering.Tasted, network: Network, seed: int) -> None:
        n = life.weeks.n
        self._life, self._network, self._rng = life, network, np.random.default_rng((seed, 47))
        self._heeded, self._followed = (self._rng.choice(of, n)[:, None] for of in (HEEDED, FOLLOWED))
        self._loose = self._rng.choice(LOOSE, n, p=HOW_OFTEN)
        self._state = torch.zeros(n, network.memory.hidden_size)
        self._counts = np.zeros((n, SLOTS, 2, MANY), np.float32)

    @torch.no_grad()
    def advise(self) -> NDArray[np.intp]:
        """Return the actions (n,) recommended in the slot that begins."""
        life, slot = self._life, self._life.step % SLOTS
        told = np.stack([self._counts.sum(axis=1), self._counts[:, slot]], axis=1).reshape(-1, 1, TALLIES)
        now = present_of(life, [len(life.answer)], np.log1p(told) / 3)[:, 0]
        said = self._network(self._state, torch.from_numpy(now)).scores[:, OBJECTIVES.index("reward")].numpy()
        _, each, here = np.split(rates(now) / 4, [1, 1 + MANY], axis=1)
        return strayed(self._heeded * said + self._followed * (each + here), self._loose, self._rng)

    @torch.no_grad()
    def hear(self) -> None:
        """Update the state by the answers to the last recommendations."""
        life = self._life
        everybody, slot = np.arange(life.weeks.n), (life.step - 1) % SLOTS
        self._counts[everybody, slot, (life.answer[-1] > 0).astype(int), life.advised[-1]] += 1
        last = torch.from_numpy(vectors(life.slots(len(life.answer) - 1)))
        self._state = self._network.memory(torch.relu(self._network.slot(last)), self._state[None])[1][0]


def week(seeds: range, network: Network, number: int, *, strangers: bool) -> Lessons:
    """Return the lessons of week ``number`` (from 0) of simulated people, advised by an ``Adviser``.

    With ``strangers``, all people answer by random tastes of their own.
    """
    shares = answering.STRANGERS if strangers else answering.KNOWABLE
    life = answering.begin(seeds, shares)
    adviser, teacher = Adviser(life, network, seeds.start), living.Adviser(life, seeds.start)
    chances, worth = [], []
    for at in range((number + 1) * STEPS):
        if at >= number * STEPS:
            chances.append(life.chances(life.step % SLOTS).T)
            worth.append(answering.worth(life, teacher).T)
        life.advance(adviser.advise())
        adviser.hear()
    taken, wanted = (np.array(one, np.float32).transpose(1, 0, 2) for one in (chances, worth))
    slots, now = seen_of(life)
    part: Floats = slots[:, -STEPS:]
    return week_of(life, part, now[:, -STEPS - 1 : -1], taken, sharpened(wanted))
