"""Weeks led by the planner, with its score of every action. They are few and costly, and better than the network's."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lab.evaluation.week import observation
from lab.training.network import simulate
from policies.planner import Planner
from rhythm_env.dynamics import ACTIONS

LOOSE = (0.0, 0.05, 0.15)  # shares of random actions; each week is led at one of them


@dataclass(frozen=True, slots=True)
class Planned:
    """Weeks from the person of seed ``first`` on. ``actions`` is (n, 28), ``scores`` (n, 28, 10) in points of the
    grade.
    """

    first: int
    actions: NDArray[np.int8]
    scores: NDArray[np.float32]


def led(seeds: range) -> Planned:
    """Play weeks of these practice people, planned for the grade from the observations alone."""
    weeks, rng, planner = simulate.begin(seeds), np.random.default_rng((seeds.start, 31)), Planner("grade")
    loose, scores = rng.choice(LOOSE, weeks.n), []
    while not weeks.done:
        said = [planner.decide(observation(weeks, i), random.Random(0)).scores for i in range(weeks.n)]
        worth = np.array([[one[action] for action in ACTIONS] for one in said], dtype=np.float32)
        scores.append(worth)
        strayed = rng.random(weeks.n) < loose
        weeks.advance(np.where(strayed, rng.integers(0, len(ACTIONS), weeks.n), worth.argmax(axis=1)))
    return Planned(seeds.start, np.array(weeks.actions).T.astype(np.int8), np.array(scores).transpose(1, 0, 2))


def save(found: Planned, path: Path) -> None:
    np.savez_compressed(path, first=found.first, actions=found.actions, scores=found.scores)


def load(path: Path) -> Planned:
    with np.load(path) as file:
        return Planned(int(file["first"]), file["actions"], file["scores"])
