"""Fits the weights of the day's terms that the people of worlds answer to, and tells what each is worth when left out.

``python -m lab.plans.term_weights --worlds simulated,habits,fatigue,weekend --lives 8 --weeks 4``. Nobody there answers
to deadlines, goals, distances or levels, so all other weights of ``bridge/day/weights.toml`` remain choices.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge.day.terms import LATELY, OFTEN, weights
from bridge.day.view import RESTS
from bridge.domain.guard import Guard
from lab.cli.figures import table
from lab.evaluation.deployed import Life
from lab.evaluation.guarded import Guarded
from lab.evaluation.trials import WEEKS_BEFORE
from lab.evaluation.worlds import world
from policies.adaptive import Adaptive
from rhythm_env.interface import ActionType, Answer, Decision, Observation, Slot, kind_of_slot

Array = NDArray[Any]

TERMS = ("policy", "usual_hour", "habit", "repeated")
WORLDS = "simulated,habits,fatigue,weekend"
PARTS = 5  # of the people, each forecast by weights of the other parts
AGAIN = 200  # draws of people with return, for intervals
FIRMNESS = 10.0  # inverse strength of the penalty on weights


class Drawn:
    """A policy that draws from all feasible actions, and scores them as the default policy does."""

    name, version = "drawn", 1

    def __init__(self) -> None:
        self._scored = Adaptive()

    def decide(self, observation: Observation, rng: random.Random) -> Decision:
        scored = self._scored.decide(observation, rng)
        even = dict.fromkeys(observation.feasible, 1 / len(observation.feasible))
        return replace(scored, action=rng.choice(observation.feasible), probabilities=even)


def values(observation: Observation, decision: Decision) -> list[float]:
    """Return the values (4,) of TERMS for an action that is advised, as ``bridge.day.terms`` has them by slots."""
    given, scores, action = weights(), decision.scores, decision.action
    most = given["policy_most"] / given["policy"]
    mean = sum(scores.values()) / len(scores)
    times = _times(observation, action)
    here = times.get(observation.slot, 0.0)
    accepted = any(one.recommended is action and one.answer is Answer.ACCEPT for one in observation.history)
    return [
        min(max(scores[action] - mean, -most), most),
        float(here > 0 and here == max(times.values())),
        1.0 if accepted or sum(times.values()) / WEEKS_BEFORE >= OFTEN else -1.0,
        _repeated(observation, action),
    ]


def _times(observation: Observation, action: ActionType) -> Mapping[Slot, float]:
    """Return slot -> times that the calendar shows the action in it on days of this kind."""
    kinds = {slot: observation.routine.get(kind_of_slot(observation.day, slot), {}) for slot in Slot}
    return {slot: shown.get(action, 0.0) for slot, shown in kinds.items()}


def _repeated(observation: Observation, action: ActionType) -> float:
    if not observation.history:
        return 0.0
    since = observation.history[-1].at - LATELY
    refused = [one for one in observation.history if one.recommended is action and one.answer is not Answer.ACCEPT]
    return sum(one.at >= since for one in refused) * (2.0 if action in RESTS else 1.0)


def lived(name: str, seed: int, weeks: int) -> tuple[list[list[float]], list[bool]]:
    """Return the values of TERMS and the answers of a person of a world who is advised at random."""
    policy = Guarded(Drawn(), Guard())
    life = Life(seed, answers_by=world(name), gives=policy.gives, weeks_before=WEEKS_BEFORE)
    rows, taken = list[list[float]](), list[bool]()
    for one in life.live(policy, weeks):
        if one.decision.action in one.decision.scores:
            rows.append(values(one.observation, one.decision))
            taken.append(one.answer is Answer.ACCEPT)
    return rows, taken


def fitted(rows: Array, taken: Array) -> Any:
    """Return the logistic regression of answers (n,) on the values of terms (n, terms), with a constant."""
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=FIRMNESS, max_iter=1000).fit(rows, taken)


def left_out(rows: Array, taken: Array, people: Array, terms: Sequence[int]) -> Array:
    """Return the loss (n,) in nats of every answer, by weights of ``terms`` that were fitted to other people."""
    loss = np.zeros(len(taken))
    for part in range(PARTS):
        mine = people % PARTS == part
        model = fitted(rows[~mine][:, terms], taken[~mine])
        chance = model.predict_proba(rows[mine][:, terms])[np.arange(mine.sum()), taken[mine].astype(int)]
        loss[mine] = -np.log(chance)
    return loss


def told(rows: Array, taken: Array, people: Array, again: int = AGAIN) -> list[dict[str, str]]:
    """Return a row for each term: its fitted weight, the shipped one, and the loss that leaving it out costs.

    Intervals of 95 % are over people, drawn ``again`` times with return. ``people`` (n,) holds numbers from 0 on.
    """
    rng, number = np.random.default_rng(0), int(people.max()) + 1
    places = [np.flatnonzero(people == one) for one in range(number)]
    drawn = [np.concatenate([places[one] for one in rng.integers(0, number, number)]) for _ in range(again)]
    others = np.array([fitted(rows[some], taken[some]).coef_[0] for some in drawn])
    every = list(range(len(TERMS)))
    best, found = left_out(rows, taken, people, every), []
    for at, name in enumerate(TERMS):
        cost = left_out(rows, taken, people, [one for one in every if one != at]) - best
        mean, spread = cost.mean(), np.quantile([cost[some].mean() for some in drawn], (0.025, 0.975))
        low, high = np.quantile(others[:, at], (0.025, 0.975))
        found.append(
            {
                "term": name,
                "fitted": f"{fitted(rows, taken).coef_[0][at]:+.2f} [{low:+.2f}, {high:+.2f}]",
                "shipped": f"{weights()[name]:+.2f}",
                "left out costs": f"{mean:+.4f} [{spread[0]:+.4f}, {spread[1]:+.4f}]",
            }
        )
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, and which weights no world can fit."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--worlds", default=WORLDS)
    asked.add_argument("--lives", type=int, default=8)
    asked.add_argument("--weeks", type=int, default=4)
    asked.add_argument("--first", type=int, default=0, metavar="SEED")
    chosen = asked.parse_args(arguments)
    lives = [(name, chosen.first + one) for name in chosen.worlds.split(",") for one in range(chosen.lives)]
    rows, taken, people = list[list[float]](), list[bool](), list[int]()
    for number, (name, seed) in enumerate(lives):
        mine, answers = lived(name, seed, chosen.weeks)
        rows, taken, people = rows + mine, taken + answers, people + [number] * len(answers)
    lines = table(told(np.array(rows), np.array(taken), np.array(people)))
    others = ", ".join(name for name in weights() if name not in TERMS)
    sys.stdout.write(
        "\n".join([*lines, "", f"{len(taken)} answers of {len(lives)} people. Our choice: {others}."]) + "\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
