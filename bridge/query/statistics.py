"""Intervals of what two columns of a person's days have to do with each other, at 95 %."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from statistics import fmean, variance
from typing import Any

LEVEL = 0.95
RESAMPLES, DRAWN_MAX = 2000, 500_000  # resamples, fewer of long columns; values drawn of a column
CACHED = 65_536  # values drawn at once
SLOPE_LEAST, CORRELATION_MAX = 10, 0.9  # values of a slope's interval, and their correlation with the one before
SEED = 20_260_101


def rank_correlation(one: Sequence[float], other: Sequence[float]) -> tuple[float, tuple[float, float] | None] | None:
    """Return Spearman's correlation of pairs and its interval, or None if either column never changes.

    The interval is that of Fisher's z with the standard error of Bonett and Wright (2000,
    https://doi.org/10.1007/BF02294183), and None for fewer than four pairs.
    """
    import numpy as np
    from scipy import special

    if len(set(one)) < 2 or len(set(other)) < 2:
        return None
    r = float(np.corrcoef(_ranks(one), _ranks(other))[0, 1])
    if len(one) < 4 or abs(r) >= 1:
        return r, None
    reach = float(special.ndtri((1 + LEVEL) / 2)) * math.sqrt((1 + r * r / 2) / (len(one) - 3))
    z = math.atanh(r)
    return r, (math.tanh(z - reach), math.tanh(z + reach))


def _ranks(values: Sequence[float]) -> Any:
    """Return each value's rank from 1. Equal values share their mean rank."""
    import numpy as np

    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    return (count.cumsum() - (count - 1) / 2)[place]


def slope_interval(days: Sequence[int], values: Sequence[float]) -> tuple[float, float] | None:
    """Return the interval of a change a day by least squares, or None for fewer than ten values or one day.

    It is wider by the correlation of each value with the one before it.
    """
    import numpy as np
    from scipy import special

    if len(values) < SLOPE_LEAST or len({*days}) < 2:
        return None
    at = np.asarray(days, float) - fmean(days)
    spread = float(at @ at)
    slope = float(at @ np.asarray(values, float)) / spread
    rest = np.asarray(values, float) - fmean(values) - slope * at
    left = float(rest @ rest)
    r = min(max(float(rest[:-1] @ rest[1:]) / left if left else 0.0, 0.0), CORRELATION_MAX)
    error = math.sqrt(left / (len(values) - 2) / spread * (1 + r) / (1 - r))
    reach = float(special.stdtrit(len(values) - 2, (1 + LEVEL) / 2)) * error
    return slope - reach, slope + reach


def mean_difference(one: Sequence[float], other: Sequence[float]) -> tuple[float, float] | None:
    """Return Welch's interval of mean(one) - mean(other), or None with fewer than two values on a side."""
    from scipy import special

    if min(len(one), len(other)) < 2:
        return None
    parts = variance(one) / len(one), variance(other) / len(other)
    if sum(parts) == 0:
        return (fmean(one) - fmean(other),) * 2
    freedom = sum(parts) ** 2 / (parts[0] ** 2 / (len(one) - 1) + parts[1] ** 2 / (len(other) - 1))
    reach = float(special.stdtrit(freedom, (1 + LEVEL) / 2)) * math.sqrt(sum(parts))
    middle = fmean(one) - fmean(other)
    return middle - reach, middle + reach


def resampled_difference(one: Sequence[float], other: Sequence[float], figure: str) -> tuple[float, float] | None:
    """Return the percentile interval of figure(one) - figure(other) over seeded resamples, or None without pairs.

    ``figure`` is one of the aggregates median, sum, std, min and max.
    """
    import numpy as np

    if min(len(one), len(other)) < 2:
        return None
    rng = np.random.default_rng(SEED)
    times = min(RESAMPLES, max(200, DRAWN_MAX // max(len(one), len(other))))
    reduced = partial(np.std, ddof=1) if figure == "std" else getattr(np, figure)

    def resampled(some: Sequence[float]) -> Any:
        values, found = np.asarray(some), []
        step = max(1, CACHED // len(some))  # of all resamples at once, memory takes longer than the figures
        for first in range(0, times, step):
            size = (min(step, times - first), len(some))
            found.append(reduced(values.take(rng.integers(len(some), size=size)), axis=1))
        return np.concatenate(found)

    ours, theirs = resampled(one), resampled(other)
    low, high = np.quantile(ours - theirs, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)
