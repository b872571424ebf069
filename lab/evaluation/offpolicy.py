"""Estimates of another policy's acceptance, from logged feedback of the policy that gave the advice.

Every logged decision was drawn from known probabilities. An answer to the action that was drawn counts for another
policy as often as that policy would have drawn it: inverse propensity scoring (Horvitz and Thompson 1952), the same
normalised by its weights (Swaminathan and Joachims 2015), and doubly robust, which adds to a model of answers what the
model gets wrong (Dudik, Erhan, Langford and Li 2011). The value is that of a single decision in the situations that
were logged, histories included; it does not follow what another policy would have led to over weeks.
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
    """Decision with its answer. ``chances`` (10,) are the propensities, 0 for impossible actions.

    ``cluster``: decisions of one cluster (a person; a day, where there is one person) may depend on each other.
    ``reward``: +1 accepted, -1 not.
    """

    cluster: str
    observation: Observation
    action: ActionType
    chances: tuple[float, ...]
    reward: float


def was_drawn(logged: Logged) -> bool:
    """True when the action was drawn at random. A decision without a draw says nothing about another policy."""
    return sum(chance > 0 for chance in logged.chances) > 1


def estimate(logged: Sequence[Logged], wanted: Array, *, modelled: Array | None = None) -> dict[str, Any]:
    """The mean reward that a policy would have had, three ways, each with its 95 % interval.

    ``wanted``: (n, 10) the policy's own probabilities in each logged situation. ``modelled``: (n, 10) answers supposed
    by a model that did not see them, by itself ``model(logged)``. The estimates are None where the logged policy
    could not have chosen what this one wants (``support``), too few decisions count (``effective``), or the policies
    disagree (``disagreeing``, a share) and too few decisions show what then happens (``matched``).
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
    """The number of equal weights that would tell as much (Kish 1965)."""
    return float(weights.sum() ** 2 / max((weights**2).sum(), 1e-12))


def summary(values: Sequence[float] | Array, clusters: Sequence[str], *, mean: float | None = None) -> dict[str, Any]:
    """Mean and 95 % interval, decisions of one cluster taken as one; ``mean``: where the values are about it."""
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
    """(n, 10, k): the features of every action in each logged situation."""
    return np.array([[features(one.observation, action) for action in ACTIONS] for one in logged])


def model(logged: Sequence[Logged], known: Array | None = None) -> Array:
    """(n, 10): the answer supposed for each action, by a ridge regression that saw other clusters only.

    ``known``: the ``designs`` of the logged situations, where they are at hand.
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
    accepted = sum(one.answer is Answer.ACCEPT for one in answers)
    return (accepted + PRIOR / 2) / (len(answers) + PRIOR) - 0.5


BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
MANY = 10  # people, from which on each of them counts as one; below, each of their days does


def feedback(store: Store, people: Sequence[User], *, at: datetime) -> list[Logged]:
    """Every answered decision that was drawn by lot, oldest first for each person; never seen is not an answer."""
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
    """Of the answer as a model hears it; None for what was not answered and of which the data show nothing."""
    answer = as_answer(advice, at)
    return None if answer is None else REWARD[answer]
