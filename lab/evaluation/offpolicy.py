"""Estimates of another policy's acceptance, from logged answers to the policy that made the recommendations.

Every logged decision was drawn from known probabilities. The estimates are inverse propensity scoring (Horvitz and
Thompson 1952), the same normalised by its weights (Swaminathan and Joachims 2015), and doubly robust, which adds a
model of answers (Dudik, Erhan, Langford and Li 2011). They hold for single decisions in the logged situations. Effects
of another policy on later situations are not included.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge.day.outcomes import as_answer
from bridge.domain.records import Recommendation, User
from bridge.store import Store
from lab.evaluation.intervals import interval
from rhythm_env.constants import SLOTS
from rhythm_env.dynamics import ACTIONS
from rhythm_env.interface import REWARD, ActionType, Answer, Interaction, Meter, Observation, observation_from_json

Array = NDArray[np.float64]

FOLDS = 5
RIDGE = 3.0
SUPPORT = 0.9  # of the other policy's choices, how many the logged one must have been able to make
ENOUGH = 30  # effective decisions, below which nothing is said
# Of them those in which something was tried that the logged policy did not favour, and that this one wants. Where there
# are few, a value rests on what was never seen: weights are then all alike, and the interval is confident and wrong.
MATCHED = 30
SAME = 1e-9  # chances that differ by less are equal
PRIOR = 2.0  # answers that a rate of a half is worth


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """A decision with its answer. ``chances`` (10,) are the probabilities it was drawn from, 0 for impossible actions.

    Decisions of the same ``cluster``, which is a person or a day, may depend on each other. ``reward`` is 1 if
    accepted, else -1.
    """

    cluster: str
    observation: Observation
    action: ActionType
    chances: tuple[float, ...]
    reward: float


def was_drawn(logged: Logged) -> bool:
    """Return True if the action was drawn from at least two. Other decisions do not inform about another policy."""
    return sum(chance > 0 for chance in logged.chances) > 1


def estimate(logged: Sequence[Logged], wanted: Array, *, modelled: Array | None = None) -> dict[str, Any]:
    """Estimate the mean reward of another policy in three ways, each with its 95 % interval.

    ``wanted`` (n, 10) are that policy's probabilities in each logged situation, and ``modelled`` (n, 10) predicted
    rewards, by default ``model(logged)``. The estimates are None if too few decisions inform about what that policy
    would do, by ``support``, ``effective`` and ``matched``.
    """
    chances = np.array([one.chances for one in logged])
    rewards = np.array([one.reward for one in logged])
    taken = np.array([ACTIONS.index(one.action) for one in logged])
    rows = np.arange(len(logged))
    supposed = model(logged) if modelled is None else modelled
    weights = wanted[rows, taken] / chances[rows, taken]
    support = float((wanted * (chances > 0)).sum(axis=1).mean())
    effective = _effective(weights)
    clusters = [one.cluster for one in logged]
    robust = (wanted * supposed).sum(axis=1) + weights * (rewards - supposed[rows, taken])
    normal = weights.mean() or 1.0
    mean = float((weights * rewards).mean() / normal)
    found = {
        "ips": summary(weights * rewards, clusters),
        "snips": summary(weights * (rewards - mean) / normal, clusters, mean=mean),
        "dr": summary(robust, clusters),
    }
    favoured = chances >= chances.max(axis=1, keepdims=True) - SAME
    disagreeing = float((wanted * ~favoured).sum(axis=1).mean())
    matched = _effective(weights * ~favoured[rows, taken])
    shown = matched >= MATCHED or disagreeing < SAME
    told = support >= SUPPORT and effective >= ENOUGH and shown
    return {
        "decisions": len(logged),
        "clusters": len(set(clusters)),
        "support": support,
        "effective": effective,
        "disagreeing": disagreeing,
        "matched": matched,
        **({name: value if told else None for name, value in found.items()}),
    }


def _effective(weights: Array) -> float:
    """Return the number of equal weights with the same information (Kish 1965)."""
    return float(weights.sum() ** 2 / max((weights**2).sum(), 1e-12))


def summary(values: Sequence[float] | Array, clusters: Sequence[str], *, mean: float | None = None) -> dict[str, Any]:
    """Return the mean and its 95 % interval, computed as if each cluster of decisions were one observation.

    With ``mean``, the values are deviations from it, and it is returned as the mean.
    """
    values = np.asarray(values, dtype=float)
    centre = float(values.mean())
    sums: dict[str, float] = defaultdict(float)
    for cluster, value in zip(clusters, values - centre, strict=True):
        sums[cluster] += float(value)
    n = len(sums)
    spread = np.sqrt(sum(s**2 for s in sums.values()) * n / max(n - 1, 1)) / len(values)
    told = centre if mean is None else mean
    return {"mean": told, "ci95": interval(told, float(spread), n)}


def designs(logged: Sequence[Logged]) -> Array:
    """Return the features (n, 10, k) of every action in each logged situation."""
    return np.array([[features(one.observation, action) for action in ACTIONS] for one in logged])


def model(logged: Sequence[Logged], known: Array | None = None) -> Array:
    """Return the reward (n, 10) predicted for each action, by a ridge regression on other clusters only.

    ``known`` are the ``designs`` of the logged situations, to avoid computing them again.
    """
    rows = designs(logged) if known is None else known
    seen = rows[np.arange(len(logged)), [ACTIONS.index(one.action) for one in logged]]
    rewards = np.array([one.reward for one in logged])
    order = {cluster: at for at, cluster in enumerate(sorted({one.cluster for one in logged}))}
    fold = np.array([order[one.cluster] % FOLDS for one in logged])
    found = np.zeros((len(logged), len(ACTIONS)))
    for number in range(FOLDS):
        theirs, ours = fold != number, np.flatnonzero(fold == number)
        if not theirs.any():
            continue
        x, y = seen[theirs], rewards[theirs]
        centre = y.mean()
        weights = np.linalg.solve(x.T @ x + RIDGE * np.eye(x.shape[1]), x.T @ (y - centre))
        found[ours] = centre + rows[ours] @ weights
    return np.clip(found, -1.0, 1.0)


def features(observation: Observation, action: ActionType) -> list[float]:
    """Return the features of an answer: action and slot, earlier answers to the action, and the meters."""
    place = [0.0] * (len(ACTIONS) * SLOTS)
    place[ACTIONS.index(action) * SLOTS + int(observation.slot)] = 1.0
    same = [one for one in observation.history if one.recommended is action]
    here = [one for one in same if one.slot is observation.slot]
    levels = [state.level - 0.7 if (state := observation.meters.get(m)) else 0.0 for m in Meter]
    return [*place, _rate(same), _rate(here), _rate(observation.history), *levels]


def _rate(answers: Sequence[Interaction]) -> float:
    accepted = sum(answer.answer is Answer.ACCEPT for answer in answers)
    return (accepted + PRIOR / 2) / (len(answers) + PRIOR) - 0.5


BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
MANY = 10  # people, from which on each of them counts as one; below, each of their days does


def feedback(store: Store, people: Sequence[User], *, at: datetime) -> list[Logged]:
    """Return every answered decision of ``people`` that was drawn, oldest first for each person.

    A recommendation that was never seen counts as unanswered.
    """
    found = [one for person in people for one in _of(store, person, at=at, by_day=len(people) < MANY)]
    return [one for one in found if was_drawn(one)]


def _of(store: Store, person: User, *, at: datetime, by_day: bool) -> Iterator[Logged]:
    for advice in store.recommendations.full_between(person.id, since=BEGINNING, until=at):
        reward = _reward(advice, at)
        if reward is None:
            continue
        day = f"/{advice.moment.date}" if by_day else ""
        yield Logged(
            cluster=f"{person.id}{day}",
            observation=observation_from_json(advice.observation),
            action=advice.action,
            chances=tuple(advice.probabilities.get(str(action), 0.0) for action in ActionType),
            reward=reward,
        )


def _reward(advice: Recommendation, at: datetime) -> float | None:
    answer = as_answer(advice, at)
    return None if answer is None else REWARD[answer]
