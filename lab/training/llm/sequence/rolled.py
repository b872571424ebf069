"""Weeks in which every action of every slot is tried, and the network decides the rest of the week.

Neither step knows the person, so the mean outcome over all people who look alike is the true value of an action, and
its best action improves the network (rollouts, Tesauro and Galperin 1996).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from lab.environments.grading import belief_mae
from lab.evaluation.week import Weeks
from lab.training.network import simulate
from lab.training.network.model import Network
from policies.llm.sequence.thought import OBJECTIVES
from rhythm_env.constants import STEPS
from rhythm_env.dynamics import ACTIONS
from rhythm_env.profiles import belief_target

LOOSE = (0.0, 0.05, 0.15)  # shares of random actions; each week is led at one of them
MANY = len(ACTIONS)
GRADE = OBJECTIVES.index("grade")


@dataclass(frozen=True, slots=True)
class Rolled:
    """Simulated weeks of people with consecutive seeds from ``first`` on. ``actions`` (n, 28) were taken.

    ``scores`` (n, 28, 10) are the network's log probabilities, and ``worth`` (n, 28, 10) the week's grade after each
    possible action.
    """

    first: int
    actions: NDArray[np.int8]
    scores: NDArray[np.float32]
    worth: NDArray[np.float32]


@torch.no_grad()
def led(seeds: range, network: Network) -> Rolled:
    """Play a week for each person with the network's actions, and try every action of every slot."""
    weeks, rng = simulate.begin(seeds), np.random.default_rng((seeds.start, 37))
    seen, said, worth = simulate.watch(weeks), [], []
    loose = rng.choice(LOOSE, weeks.n)
    while not weeks.done:
        simulate.look(seen, weeks)
        scores, _ = _asked(network, seen, weeks)
        said.append(scores)
        worth.append(_tried(network, seen, weeks))
        drawn = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
        strayed = rng.random(weeks.n) < loose
        weeks.advance(np.where(strayed, rng.integers(0, MANY, weeks.n), drawn))
    by_week = [np.array(one, np.float32).transpose(1, 0, 2) for one in (said, worth)]
    return Rolled(seeds.start, np.array(weeks.actions).T.astype(np.int8), by_week[0], by_week[1])


def _asked(network: Network, seen: simulate.Seen, weeks: Weeks) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the network's scores (n, 10) for the grade, and its belief (n, 3)."""
    said = network(
        network.slot_of_weeks(torch.from_numpy(seen.slots), weeks.step), torch.from_numpy(seen.now[:, weeks.step])
    )
    return said.scores[:, GRADE].numpy(), said.belief.numpy()


def _tried(network: Network, seen: simulate.Seen, weeks: Weeks) -> NDArray[np.float64]:
    """Return the grade (n, 10) of the week after each action, if the network's best actions follow."""
    which = np.repeat(np.arange(weeks.n), MANY)
    copies = Weeks(weeks.people.take(which), weeks.events[:, which], weeks.meters[:, which])
    for name in ("actions", "levels", "deltas", "anomalies", "rewards"):
        setattr(copies, name, [one[..., which] for one in getattr(weeks, name)])
    shown = simulate.Seen(seen.slots[which], seen.now[which], seen.rows[which])
    copies.advance(np.tile(np.arange(MANY), weeks.n))
    belief = np.full((weeks.n * MANY, 3), 0.5)
    while not copies.done:
        simulate.look(shown, copies)
        scores, belief = _asked(network, shown, copies)
        copies.advance(scores.argmax(axis=1))
    accuracy = 1 - belief_mae(belief.T.astype(float), belief_target(copies.people)) if weeks.step < STEPS - 1 else 0.0
    return np.asarray(copies.final_score(accuracy)).reshape(weeks.n, MANY)
