"""Rank correlation within a person, what shifted days would give, and what it comes to over persons."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist, fmean, stdev
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bridge.validation.columns import Column

LEAST_SHIFT = 7  # days that a shifted report is away from its own day at least
SHIFTS = 500
SEED = 20_261_120
FEW = {1: 12.706, 2: 4.303}  # Student's 97.5 % quantile where the expansion below is not good enough
DIGITS = 4


def ranks(values: Column) -> Column:
    """Ranks from 1 on, ties sharing the mean of theirs."""
    import numpy as np

    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    mean_rank: Column = np.cumsum(count) - (count - 1) / 2
    return mean_rank[place]


def spearman(x: Column, y: Column) -> float | None:
    """Spearman's correlation with ties; None when one of them never changes."""
    a, b = _unit(ranks(x)), _unit(ranks(y))
    return None if a is None or b is None else float(a @ b)


def shifted(x: Column, y: Column) -> Column:
    """Spearman's correlation of x with y moved on in a circle, for every shift of 7 rows or more in both directions."""
    import numpy as np

    a, b = _unit(ranks(x)), _unit(ranks(y))
    if a is None or b is None:
        return np.empty(0)
    turned: Column = np.fft.irfft(np.conj(np.fft.rfft(a)) * np.fft.rfft(b), n=len(a))
    return turned[LEAST_SHIFT : len(a) - LEAST_SHIFT + 1]


def null_means(shifts: Sequence[Column]) -> Column:
    """500 means over persons, each with a random shift of every person; the seed is fixed."""
    import numpy as np

    draw = np.random.default_rng(SEED)
    chosen = [of_person[draw.integers(0, len(of_person), SHIFTS)] for of_person in shifts]
    means: Column = np.mean(chosen, axis=0)
    return means


def interval(values: Sequence[float]) -> list[float | None]:
    """The 95 % interval of the mean over persons, Student's t; None, None for one person."""
    if len(values) < 2:
        return [None, None]
    half = student(len(values) - 1) * stdev(values) / sqrt(len(values))
    return [round(fmean(values) - half, DIGITS), round(fmean(values) + half, DIGITS)]


def student(freedom: int) -> float:
    """Student's 97.5 % quantile by the Cornish-Fisher expansion, right to 0.01 from three degrees of freedom on.

    >>> round(student(33), 3), round(student(15), 3)
    (2.035, 2.131)
    """
    if freedom in FEW:
        return FEW[freedom]
    z = NormalDist().inv_cdf(0.975)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92_160,
    )
    return z + sum(term / float(freedom) ** (k + 1) for k, term in enumerate(terms))


def _unit(values: Column) -> Column | None:
    """Centred and of length 1; None when all are equal."""
    import numpy as np

    centred = values - values.mean()
    length = float(np.sqrt(centred @ centred))
    return centred / length if length > 0 else None
