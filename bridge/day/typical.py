"""Find what is typical of a life: weighted medians, and stretches of odd days, which say nothing of other days."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from bridge.domain.types import Label

HALF_LIFE = timedelta(days=18)  # of an observation's weight; our choice
MAD_TO_SD = 1.4826
# Minutes, and spreads, beyond which a day is unlike others, and beyond which its week is; our choice.
FAR, FAR_SPREADS = 60.0, 2.5
FAR_WEEK, FAR_SPREADS_WEEK = 30.0, 1.5
ODD_LEAST, ODD_MOST = 3, 10  # unlike days in an odd stretch, and dates that it spans; what lasts longer is a new life
GAP = 2  # dates from one unlike day to the next of the same stretch
LIFE = 10  # days outside of odd stretches that must be known; and days on either side that a stretch differs from
OWN = 4  # days of a weekday, or of a kind of day, from which its own median counts
LEAST_SPREAD = 20.0
SURE = 0.8  # confidence of a label that is as good as certain; our choice

Numbers = NDArray[np.float64]


def weight(then: datetime, now: datetime) -> float:
    """Return the weight of an observation of ``then``: 1 from ``now`` on, and half as much for every 18 days of age."""
    return float(0.5 ** (max(now - then, timedelta(0)) / HALF_LIFE))


def median(values: Sequence[float] | Numbers, weights: Sequence[float] | Numbers) -> float:
    """Return the weighted median, linear between the middles of the values' weights. It is 0.0 without values.

    >>> median([1, 5, 9], [1, 1, 1]), median([1, 5], [1, 1]), median([1, 5], [3, 1])
    (5.0, 3.0, 2.0)
    """
    of, by = np.asarray(values, float), np.asarray(weights, float)
    if not by.sum() > 0:
        return 0.0
    order = np.argsort(of, kind="stable")
    reached = np.cumsum(by[order])
    return float(np.interp(reached[-1] / 2, reached - by[order] / 2, of[order]))


def ordinary(days: Sequence[date], figures: Sequence[Sequence[float]]) -> list[bool]:
    """Return for each day, in ascending order, False if it belongs to a stretch of odd days.

    ``figures`` holds the day's times in minutes. Three or more days within ten dates are odd that lie far from their
    weekday's median, each by itself or together with the days around it. What lasts longer is a new life.
    """
    kept = [True] * len(days)
    if len(days) < LIFE + ODD_LEAST:
        return kept
    left = _residuals(np.array([day.weekday() for day in days]), np.asarray(figures, float))
    spread = np.maximum(MAD_TO_SD * np.median(np.abs(left), axis=0), LEAST_SPREAD)
    unlike = (np.abs(left) > np.maximum(FAR, FAR_SPREADS * spread)).any(axis=1)
    at = np.array([day.toordinal() for day in days])
    edges = zip(np.searchsorted(at, at - 3), np.searchsorted(at, at + 4), strict=True)
    around = np.array([np.median(left[low:high], axis=0) for low, high in edges])
    limit = np.maximum(FAR_WEEK, FAR_SPREADS_WEEK * spread)
    unlike |= (np.abs(around) > limit).any(axis=1)
    for stretch in _runs(days, np.flatnonzero(unlike).tolist()):
        low, high = stretch[0], stretch[-1] + 1
        beside = np.concatenate([left[max(low - LIFE, 0) : low], left[high : high + LIFE]])
        far = np.abs(np.median(left[low:high], axis=0) - np.median(beside, axis=0)) > limit
        if len(stretch) >= ODD_LEAST and (days[high - 1] - days[low]).days < ODD_MOST and far.any():
            kept[low:high] = [False] * (high - low)
    return kept if sum(kept) >= LIFE else [True] * len(days)


def _runs(days: Sequence[date], unlike: Sequence[int]) -> list[list[int]]:
    found: list[list[int]] = []
    for row in unlike:
        if found and (days[row] - days[found[-1][-1]]).days <= GAP:
            found[-1].append(row)
        else:
            found.append([row])
    return found


def _residuals(weekdays: NDArray[np.int64], figures: Numbers) -> Numbers:
    """Return figures without the median of their weekday, kind of day, or all days: the first with four days."""
    left = figures - np.median(figures, axis=0)
    for groups in (weekdays >= 5, weekdays):
        for group in np.unique(groups):
            rows = groups == group
            if rows.sum() >= OWN:
                left[rows] = figures[rows] - np.median(figures[rows], axis=0)
    return left


def sure(label: Label) -> float:
    """Return the probability at which a label counts: 1 from 0.8 on, otherwise its confidence."""
    return 1.0 if label.confidence >= SURE else label.confidence
