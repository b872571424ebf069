"""Figures of simulated lives with feedback, which are acceptance, wellbeing, and beliefs with their uncertainty."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.evaluation.grades import skills, summary
from lab.evaluation.lives import Kind, Lived
from rhythm_env.constants import ARCHETYPES, BELIEF
from rhythm_env.profiles import archetypes, belief_target

Array = NDArray[np.float64]

FIRST = 28  # answers: a week of them
LOOKS = (8, 28, 56, 112)  # answers after which the belief is looked at
NINETY = 1.645  # standard deviations on each side of the mean of a normal that hold 90 %
WINDOW = 7  # answers per point of a curve of acceptance
SOON, LATE = 8, 20  # answers within which an archetype should be told


def figures(policy: str, found: Lived, kind: Kind, *, believes: bool) -> dict[str, Any]:
    """Return the figures of a policy over the lives ``found``, each with ``mean``, ``sd`` and ``ci95`` over lives.

    Without ``believes``, the figures of the belief are left out.
    """
    discrete = kind.told or kind.condition == "discrete"
    return {
        "policy": policy,
        **asdict(kind),
        "condition": "discrete" if discrete else kind.condition,
        "lives": len(found.accepted),
        "accepted": summary(found.accepted.mean(axis=1)),
        "mean_level": summary(found.levels.mean(axis=1)),
        "accepted_first_28": summary(found.accepted[:, :FIRST].mean(axis=1)),
        "mean_level_first_28": summary(found.levels[:, :FIRST].mean(axis=1)),
        "accepted_over": accepted_over(found),
        "belief_skill_at": at_looks(found, skill) if believes else {},
        "belief_coverage_at": at_looks(found, coverage) if believes and _sure(found) else {},
        "belief_error_over": errors_over(found) if believes else [],
        "archetypes": told_apart(found) if believes and discrete else None,
        "ms_per_decision": float(found.ms.mean()),
    }


def paired(mine: Lived, other: Lived, over: str) -> dict[str, Any]:
    """Return mean differences over lives, in acceptance and level, to the policy ``over`` with the same people."""
    return {
        "over": over,
        "accepted": summary((mine.accepted - other.accepted).mean(axis=1)),
        "mean_level": summary((mine.levels - other.levels).mean(axis=1)),
    }


def at_looks(found: Lived, figure: Any) -> dict[str, Any]:
    """Return ``figure(found, answers)`` by number of answers, for those of LOOKS that the lives reach."""
    return {str(known): figure(found, known) for known in LOOKS if known < found.beliefs.shape[1]}


def skill(found: Lived, known: int) -> dict[str, Any]:
    return skills(found.beliefs[:, known].T, found.targets.T)


def _sure(found: Lived) -> bool:
    """Return True if every belief was stated with a standard deviation. Language models state none."""
    return not np.isnan(found.sds).any()


def coverage(found: Lived, known: int) -> dict[str, Any]:
    """Return by trait the share of people whose true value is in the stated 90 % interval after ``known`` answers."""
    off = np.abs(found.beliefs[:, known] - found.targets)
    held = (off <= NINETY * found.sds[:, known]).astype(float)
    return {name: summary(column) for name, column in zip(BELIEF, held.T, strict=True)}


def accepted_over(found: Lived) -> list[dict[str, Any]]:
    """Return the mean acceptance of each WINDOW answers in turn, over lives."""
    starts = range(0, found.accepted.shape[1] - WINDOW + 1, WINDOW)
    return [
        {"answers": start + WINDOW, **summary(found.accepted[:, start : start + WINDOW].mean(axis=1))}
        for start in starts
    ]


def errors_over(found: Lived) -> list[dict[str, Any]]:
    """Return the mean absolute error of the belief by trait, after each number of answers."""
    off = np.abs(found.beliefs - found.targets[:, None]).mean(axis=0)
    return [
        {"answers": known, **{name: float(one) for name, one in zip(BELIEF, off[known], strict=True)}}
        for known in range(len(off))
    ]


def leans(beliefs: Array) -> NDArray[np.intp]:
    """Return the index (...) of the archetype with the largest share in each belief (..., 3).

    A belief is taken for a mixture of those of the archetypes, with probabilities as shares.
    """
    corners = belief_target(archetypes(list(ARCHETYPES)))
    mixing = np.linalg.pinv(np.vstack([corners, np.ones(len(ARCHETYPES))]))
    ones = np.ones((*beliefs.shape[:-1], 1))
    return np.asarray((np.concatenate([beliefs, ones], axis=-1) @ mixing.T).argmax(axis=-1))


def told_apart(found: Lived) -> dict[str, Any]:
    """Return after how many answers the likeliest archetype becomes the true one for good, as figures over lives."""
    truth = leans(found.targets)
    right = leans(found.beliefs[:, 1:]) == truth[:, None]
    last_wrong = np.where(right, 0, np.arange(1, right.shape[1] + 1)).max(axis=1)
    needed = last_wrong + 1
    each = {name: float(np.median(needed[truth == at])) for at, name in enumerate(ARCHETYPES) if (truth == at).any()}
    return {
        "median": float(np.median(needed)),
        "share_within_8": summary((needed <= SOON).astype(float)),
        "share_within_20": summary((needed <= LATE).astype(float)),
        "ninety_percent_within": float(np.quantile(needed, 0.9)),
        "median_by_archetype": each,
        "never": float((last_wrong == right.shape[1]).mean()),
        "right_over": [{"answers": n, "share": float(s)} for n, s in enumerate(right.mean(axis=0), start=1)],
        "watched_for": int(right.shape[1]),
    }
