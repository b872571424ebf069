"""The teacher's weeks as lines of JSON, and their validation by playing them again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from lab.evaluation.week import Weeks
from lab.training.network import simulate
from lab.training.network.dataset import objective_of, parts
from policies.llm.sequence.thought import OBJECTIVES
from rhythm_env.dynamics import ACTIONS

SAME = 1e-9  # of rewards and scores


def write(path: Path, seeds: range, lived: list[Weeks]) -> None:
    """Write a line per week with seed, objective, actions, rewards, and the grade without a belief."""
    with path.open("w", encoding="utf-8") as file:
        for part, weeks in zip(parts(seeds), lived, strict=True):
            scores, own = weeks.final_score(), objective_of(weeks.n)
            actions, rewards = np.array(weeks.actions), np.array(weeks.rewards)
            for at, seed in enumerate(part):
                line = {
                    "seed": seed,
                    "objective": OBJECTIVES[own[at]],
                    "actions": [str(ACTIONS[number]) for number in actions[:, at]],
                    "rewards": rewards[:, at].tolist(),
                    "score": float(scores[at]),
                }
                file.write(json.dumps(line) + "\n")


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def check(path: Path) -> int:
    """Simulate the weeks of a file again, and return their number. Raises ValueError if a reward or grade differs."""
    lines = read(path)
    for line in lines:
        weeks = simulate.begin(range(line["seed"], line["seed"] + 1))
        for action, reward in zip(line["actions"], line["rewards"], strict=True):
            got = weeks.advance(np.array([ACTIONS.index(action)]))
            if abs(float(got[0]) - reward) > SAME:
                raise ValueError(f"week {line['seed']} gives another reward when it is lived again")
        if abs(float(weeks.final_score()[0]) - line["score"]) > SAME:
            raise ValueError(f"week {line['seed']} gives another score when it is lived again")
    return len(lines)
