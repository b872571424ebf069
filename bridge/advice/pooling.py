"""Partial pooling of the users' own effects, by empirical Bayes (Paule and Mandel 1982, Morris 1983)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bridge.advice.excursion import Effect
from bridge.advice.intervals import student

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

FEWEST = 5  # users from which on their spread can be estimated
HALVINGS = 60  # halvings of the interval that holds the spread


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A user's effect with its 95 % interval, after pooling.

    ``own`` is the weight of the user's own effect (0 to 1). The mean of all users has the remaining weight.
    """

    effect: float
    ci95: tuple[float, float]
    own: float


def pooled(effects: Sequence[Effect]) -> list[Share]:
    """Return the effect on each user, in order, shrunk towards the mean, or unchanged if users are few."""
    import numpy as np

    if len(effects) < FEWEST:
        return [Share(effect=effect.estimates[0], ci95=effect.ci95[0], own=1.0) for effect in effects]
    found = np.array([effect.estimates[0] for effect in effects])
    half = np.array([(effect.ci95[0][1] - effect.ci95[0][0]) / 2 for effect in effects])
    errors = half / student(np.inf)  # wider than the standard errors where these are uncertain
    spread = _spread(found, errors)
    weights = 1 / (errors**2 + spread)
    mean = float(weights @ found / weights.sum())
    n = len(effects)
    drawn = (n - 3) / (n - 1) * errors**2 * weights  # share of the mean of all, less because the spread is estimated
    centre = found + drawn * (mean - found)
    variance = errors**2 * (1 - (n - 1) / n * drawn) + 2 / (n - 3) * drawn**2 * (found - mean) ** 2
    wide = student(np.inf) * np.sqrt(variance)
    return [
        Share(effect=float(c), ci95=(float(c - w), float(c + w)), own=float(1 - d))
        for c, w, d in zip(centre, wide, drawn, strict=True)
    ]


def _spread(found: Array, errors: Array) -> float:
    """Return the variance of true effects that makes ``_excess`` zero, or 0."""
    low, high = 0.0, float(found.var()) * 4 + 1e-12
    if _excess(found, errors, low) <= 0:
        return 0.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _excess(found, errors, middle) > 0 else (low, middle)
    return (low + high) / 2


def _excess(found: Array, errors: Array, spread: float) -> float:
    """Return how much the weighted squared distances from the mean exceed their expectation."""
    weights = 1 / (errors**2 + spread)
    mean = weights @ found / weights.sum()
    return float(weights @ (found - mean) ** 2 - (len(found) - 1))
