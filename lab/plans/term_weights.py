"""Fit the weights of the terms of a day's score to simulated answers, and compare them with the shipped weights.

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
    """A policy that draws evenly from all feasible actions, with the scores of the default policy."""

    name, version = "drawn", 1

    def __init__(self) -> None:
        self._scored = Adaptive()

    def decide(self, observation: Observation, rng: random.Random) -> Decision:
        scored = self._scored.decide(observation, rng)
        even = dict.fromkeys(observation.feasible, 1 / len(observation.feasible))
        return replace(scored, action=rng.choice(observation.feasible), probabilities=even)


def values(observation: Observation, decision: Decision) -> list[float]:
    """Return the values (4,) of TERMS for the recommended action, defined as in ``bridge.day.terms`` but by slots."""
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
    """Return by slot how many days of this kind (workday or weekend) show the action there in the calendar."""
    kinds = {slot: observation.routine.get(kind_of_slot(observation.day, slot), {}) for slot in Slot}
    return {slot: shown.get(action, 0.0) for slot, shown in kinds.items()}


def _repeated(observation: Observation, action: ActionType) -> float:
    if not observation.history:
        return 0.0
    since = observation.history[-1].at - LATELY
    refused = [one for one in observation.history if one.recommended is action and one.answer is not Answer.ACCEPT]
    return sum(one.at >= since for one in refused) * (2.0 if action in RESTS else 1.0)


def lived(name: str, seed: int, weeks: int) -> tuple[list[list[float]], list[bool]]:
    """Simulate a person who gets random recommendations, and return (values (n, 4) of TERMS, n answers).

    ``name`` is a world of ``lab.evaluation.worlds``. An answer is True for acceptance.
    """
    policy = Guarded(Drawn(), Guard())
    life = Life(seed, answers_by=world(name), gives=policy.gives, weeks_before=WEEKS_BEFORE)
    rows, taken = list[list[float]](), list[bool]()
    for one in life.live(policy, weeks):
        if one.decision.action in one.decision.scores:
            rows.append(values(one.observation, one.decision))
            taken.append(one.answer is Answer.ACCEPT)
    return rows, taken


def fitted(rows: Array, taken: Array) -> Any:
    """Fit a logistic regression of answers (n,) on values of terms (n, terms), with a constant, and return it."""
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=FIRMNESS, max_iter=1000).fit(rows, taken)


def left_out(rows: Array, taken: Array, people: Array, terms: Sequence[int]) -> Array:
    """Return the log loss (n,) in nats of every answer, predicted by ``terms`` with weights fitted to other people.

    ``rows`` (n, 4) are the values of TERMS, ``taken`` (n,) the answers, and ``people`` (n,) numbers of persons.
    """
    loss = np.zeros(len(taken))
    for part in range(PARTS):
        mine = people % PARTS == part
        model = fitted(rows[~mine][:, terms], taken[~mine])
        chance = model.predict_proba(rows[mine][:, terms])[np.arange(mine.sum()), taken[mine].astype(int)]
        loss[mine] = -np.log(chance)
    return loss


def told(rows: Array, taken: Array, people: Array, again: int = AGAIN) -> list[dict[str, str]]:
    """Return a table row for each term, with its fitted and shipped weight, and the loss added without the term.

    The 95 % intervals are by bootstrap over people, ``again`` times. ``people`` (n,) are numbers of persons from 0.
    """
    rng, number = np.random.default_rng(0), int(people.max()) + 1
    places = [np.flatnonzero(people == one) for one in range(number)]
    drawn = [np.concatenate([places[integer] for integer in rng.integers(0, number, number)]) for _ in range(again)]
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
    """Print the table, and the names of the weights that were not fitted. Returns the exit code 0."""
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
