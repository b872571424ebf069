"""Comparison of trained models with the baselines, on the same people and events, in the published conditions."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bridge import registry
from lab.cli.figures import give_or_take
from lab.environments.grading import belief_mae
from lab.evaluation.grades import Result, best_constant, play, seeds_of, summary
from lab.evaluation.recall import OWN, PASTS
from lab.evaluation.strategies import INDEX, strategy
from lab.evaluation.week import Weeks, begin, observation
from lab.training.llm.sequence import ablations
from policies.llm.asking import Said
from policies.llm.prompt import messages
from rhythm_env.constants import ARCHETYPES
from rhythm_env.dynamics import ACTIONS
from rhythm_env.interface import ActionType
from rhythm_env.profiles import belief_target

Watch = Callable[[str], Callable[[int, int], None]]

CONDITIONS = ("in", "ood", "discrete")
BASELINES = ("random", "heuristic", "random+constant", "heuristic+constant", "planner")
FIELDS = "weights.npz"  # in the folder of a sequence model
MOST_CUT = 0.05  # share of answers that may be cut off before figures say nothing of a model
PUBLISHED = {  # of a taught model of 3 billion weights: (final score, error of the belief)
    "in": (0.574, 0.213),
    "ood": (0.536, 0.263),
    "discrete": (0.507, 0.430),
}


class Modelled:
    """A language model that plays many weeks at once.

    If an answer cannot be read, the action is random and the last stated belief stays. A week without a stated belief
    gets no points for it. Both cases are counted.
    """

    def __init__(self, name: str, folder: Path, weeks: Weeks) -> None:
        from lab.training.llm import evaluate, model

        self._exam = evaluate
        self.facts = model.facts_of(folder)
        self._model, self._tokenizer = model.opened(folder)
        self._beliefs = np.full((3, weeks.n), np.nan)
        self._rng = random.Random(f"llm/{name}")
        self.answers = self.unreadable = self.cut = 0

    def actions(self, weeks: Weeks) -> Any:
        prompts = [messages(observation(weeks, i), tokens=self.facts.tokens) for i in range(weeks.n)]
        texts = self._exam.write(self._model, self._tokenizer, prompts, self.facts.room)
        answers = [self._exam.said(text) for text in texts]
        self.answers += len(texts)
        self.cut += sum(text.cut for text in texts)
        self.unreadable += sum(answer is None for answer in answers)
        return np.array([INDEX[self._taken(i, one)] for i, one in enumerate(answers)], dtype=np.intp)

    def _taken(self, i: int, one: Said | None) -> ActionType:
        if one is None:
            return self._rng.choice(list(ActionType))
        self._beliefs[:, i] = one.belief.vector()
        return one.action

    def belief(self, weeks: Weeks) -> Any:  # noqa: ARG002 - the protocol's shape
        return self._beliefs.copy()


def contest(models: Mapping[str, Path], *, episodes: int, watch: Watch) -> list[dict[str, Any]]:
    """Return a row for each condition and model or baseline.

    ``models`` maps a name to a folder. Raises ValueError if a language model's answers were cut off too often.
    """
    rows = []
    for condition in CONDITIONS:
        seeds = seeds_of(condition, episodes)
        for name in BASELINES:
            weeks = begin(seeds, condition)
            rows.append(_row(name, condition, play(weeks, strategy(name, weeks, seeds, "grade", registry.policy))))
        for name, folder in models.items():
            played = _fields if (folder / FIELDS).exists() else _words
            rows += played(name, folder, condition, seeds, watch)
    return rows


def _fields(name: str, folder: Path, condition: str, seeds: list[int], watch: Watch) -> list[dict[str, Any]]:
    """Return rows of a sequence model with its own history, and with none, a shuffled one or another person's."""
    rows = []
    for past in PASTS:
        shown = name if past == OWN else f"{name}, {past}"
        weeks, player = begin(seeds, condition), ablations.Player(folder / FIELDS, past, seeds)
        rows.append(_row(shown, condition, play(weeks, player, watch(f"{shown}, {condition}"))))
        rows[-1]["valid"] = 1.0  # whatever it says is readable and possible
    return [_beside_published(rows[0], condition), *rows[1:]]


def _words(name: str, folder: Path, condition: str, seeds: list[int], watch: Watch) -> list[dict[str, Any]]:
    """Return the row of a language model. Raises ValueError if too many of its answers were cut off."""
    weeks = begin(seeds, condition)
    player = Modelled(name, folder, weeks)
    result = play(weeks, player, watch(f"{name}, {condition}"))
    if player.cut > MOST_CUT * player.answers:
        raise ValueError(
            f"{player.cut} of {player.answers} answers of {name} were cut off at {player.facts.room} tokens: "
            "teach it longer (bridge llm sft --epochs)"
        )
    counted = {"valid": 1 - player.unreadable / player.answers, "cut": player.cut / player.answers}
    return [_beside_published({**_row(name, condition, result), **counted}, condition)]


def _beside_published(row: dict[str, Any], condition: str) -> dict[str, Any]:
    score, mae = PUBLISHED[condition]
    return {**row, "published_score": score, "published_mae": mae}


def _row(name: str, condition: str, result: Result) -> dict[str, Any]:
    """Return the published grade with and without the belief, and the error and skill of the last belief.

    Skill is 1 - error / error of the best constant. ``constant_mae`` is the error of a belief of 0.5.
    """
    target = belief_target(result.weeks.people)
    constant = belief_mae(np.full(target.shape, 0.5), target)
    stated = None if result.belief is None else np.where(np.isnan(result.belief), 0.5, result.belief)
    best = belief_mae(best_constant(target), target)
    errors = constant if stated is None else belief_mae(stated, target)
    silent = np.ones(len(constant), bool) if result.belief is None else np.isnan(result.belief).any(axis=0)
    return {
        "condition": condition,
        "policy": name,
        "episodes": len(constant),
        "score": summary(result.weeks.final_score(np.where(silent, 0.0, 1 - errors))),
        "without_belief": summary(result.weeks.final_score()),
        "belief_mae": None if silent.all() else float(errors.mean()),
        "constant_mae": float(constant.mean()),
        "skill": None if silent.all() else float(1 - errors.mean() / best.mean()),
        "silent": float(silent.mean()),
        "ms": result.ms,
        "actions": _actions(result) if condition == "discrete" else None,
    }


def _actions(result: Result) -> dict[str, dict[str, float]]:
    """Return the share of each action by archetype. The weeks must be of the archetypes of "discrete", in turn."""
    done, found = np.array(result.weeks.actions), {}
    for at, name in enumerate(ARCHETYPES):
        own = done[:, at :: len(ARCHETYPES)]
        found[name] = {str(action): float((own == number).mean()) for number, action in enumerate(ACTIONS) if own.size}
    return found


def columns(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows with figures as texts, for a table."""
    return [
        {
            "condition": row["condition"],
            "policy": row["policy"],
            "score": give_or_take(row["score"]),
            "no belief": give_or_take(row["without_belief"]),
            "belief mae": _figure(row["belief_mae"]),
            "skill": _figure(row["skill"]),
            "valid": f"{row['valid']:.1%}" if "valid" in row else "",
            "published": f"{row['published_score']:.3f} / {row['published_mae']:.3f}"
            if "published_score" in row
            else "",
            "ms": f"{row['ms']:.1f}",
        }
        for row in rows
    ]


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
