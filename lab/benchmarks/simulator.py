"""Measure the simulator's steps per second for many people at once, as a Gymnasium ``VectorEnv``, and singly.

Run ``python -m lab.benchmarks.simulator``. It uses one core.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

from collections.abc import Callable
from time import perf_counter

import numpy as np

from lab.environments.gym_env import RhythmEnv, RhythmVectorEnv
from lab.evaluation.week import Weeks, begin
from rhythm_env.constants import STEPS

BATCH, RUNS, ENOUGH = 4096, 3, 1.0


def rate(run: Callable[[], int]) -> float:
    """Return the steps per second of the best of RUNS repetitions. ``run`` returns its number of steps."""
    best = 0.0
    for _ in range(RUNS):
        begun, steps = perf_counter(), 0
        while perf_counter() - begun < ENOUGH:
            steps += run()
        best = max(best, steps / (perf_counter() - begun))
    return best


def batched() -> Callable[[], int]:
    """Return a function that simulates whole weeks of BATCH people and returns the number of steps."""
    monday = begin(range(BATCH))
    actions = np.random.default_rng(0).integers(0, 10, (STEPS, BATCH))

    def run() -> int:
        weeks = Weeks(people=monday.people, events=monday.events, meters=monday.meters)
        for step in range(STEPS):
            weeks.advance(actions[step])
        return STEPS * BATCH

    return run


def vectorised() -> Callable[[], int]:
    env = RhythmVectorEnv(BATCH)
    env.reset(seed=1)
    actions = np.random.default_rng(0).integers(0, 10, BATCH)

    def run() -> int:
        env.step(actions)
        return BATCH

    return run


def single() -> Callable[[], int]:
    env = RhythmEnv()
    env.reset(seed=1)

    def run() -> int:
        for action in range(10):
            *_, done, _, _ = env.step(action)
            if done:
                env.reset()
        return 10

    return run


def main() -> None:
    measured = {"batched": rate(batched()), "Gymnasium VectorEnv": rate(vectorised()), "Gymnasium": rate(single())}
    for name, steps in measured.items():
        print(f"{name:22}{steps:14,.0f} steps/s, {steps / measured['Gymnasium']:6.1f} times the single environment")


if __name__ == "__main__":
    main()
