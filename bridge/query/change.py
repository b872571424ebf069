"""Find the days in a row on which a figure differed most from the other days, and when they began."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import sqrt

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

DAYS_MIN, OTHERS_MIN = 4, 14  # our choice: of a stretch, and of the days beside it
SHIFT_MIN = 0.05  # of a meter; our choice: less matters to nobody
LIKELY = 0.9  # share of the begins that the interval holds
CORRELATION_MAX = 0.9
GAP_DAYS, SETTLING_DAYS = 7, 7  # our choice: a longer silence ends a sensor; what follows a break is not compared
DENSE = 0.5  # our choice: share of the days with a value, from which a figure comes from a sensor that is worn
# Of the shift, in standard errors. At most 2 % of made-up series of 84 days without a change exceed it, 400 each whose
# days correlate by 0, 0.4 and 0.7 with the day before.
CLEAR = 6.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Days in a row whose mean differs from the other days': from index ``begin`` to before ``end`` of the series.

    ``shift`` is the difference of the means, and ``error`` half its 95 % interval. With a likelihood of 90 % the
    stretch began between ``earliest`` and ``latest``. ``lasts`` is True if it reaches the last known day.
    """

    begin: int
    end: int
    shift: float
    error: float
    earliest: int
    latest: int
    lasts: bool


def change(series: Sequence[float | None], breaks: Iterable[int] = ()) -> Change | None:
    """Return the days in a row that differ most clearly from the others, or None if chance may explain every
    difference.

    Days are compared only between the same two ``breaks``, which are indexes of the series.
    """
    edges = sorted({0, len(series), *breaks})
    found = [_within(series, start + SETTLING_DAYS * bool(start), end) for start, end in pairwise(edges)]
    return max((one for one in found if one is not None), key=lambda one: abs(one.shift) / one.error, default=None)


def breaks(columns: Iterable[Sequence[float | None]]) -> set[int]:
    """Return the indexes of the days on which a sensor began or stopped measuring. Sensors used seldom have none."""
    return {place for column in columns for place in _ends(column)}


def _ends(column: Sequence[float | None]) -> Iterator[int]:
    known = [day for day, value in enumerate(column) if value is not None]
    starts = [0, *(n for n in range(1, len(known)) if known[n] - known[n - 1] > GAP_DAYS), len(known)]
    for first, last in pairwise(starts if known else []):
        begin, end = known[first], known[last - 1] + 1
        if last - first >= max(DAYS_MIN, DENSE * (end - begin)):
            yield from (place for place in (begin, end) if GAP_DAYS < place < len(column) - GAP_DAYS)


def _within(series: Sequence[float | None], start: int, stop: int) -> Change | None:
    found = _clearest(series[start:stop])
    if found is None:
        return None
    ends = {name: getattr(found, name) + start for name in ("begin", "end", "earliest", "latest")}
    return replace(found, **ends, lasts=found.lasts and stop == len(series))


def _clearest(series: Sequence[float | None]) -> Change | None:
    days = [day for day, value in enumerate(series) if value is not None]
    values = [value for value in series if value is not None]
    if len(values) < DAYS_MIN + OTHERS_MIN:
        return None
    array = np.array(values)
    shifts, squares = _stretches(array)
    begin, last = divmod(int(np.argmin(squares)), len(values))
    end, shift, left = last + 1, float(shifts[begin, last]), float(squares[begin, last])
    error = _error(array, begin, end, shift, left)
    if abs(shift) < SHIFT_MIN or abs(shift) < CLEAR * error:
        return None
    noise = error**2 / (1 / (end - begin) + 1 / (len(values) - end + begin))
    weights = np.exp(-(squares - left) / (2 * noise)).sum(axis=1)
    earliest, latest = _interval(weights)
    lasts = end == len(values)
    return Change(
        begin=days[begin],
        end=days[end - 1] + 1,
        shift=shift,
        error=1.96 * error,
        earliest=days[earliest],
        latest=days[latest],
        lasts=lasts,
    )


def _stretches(values: Values) -> tuple[Values, Values]:
    count, sums = len(values), np.concatenate(([0.0], np.cumsum(values)))
    begin, last = np.arange(count)[:, None], np.arange(count)[None, :]
    inside = last + 1 - begin
    others = count - inside
    allowed = (begin >= DAYS_MIN) & (inside >= DAYS_MIN) & (others >= OTHERS_MIN)
    of = sums[last + 1] - sums[begin]
    rest = sums[-1] - of
    inside, others = np.where(allowed, inside, 1), np.where(allowed, others, 1)
    left = np.maximum(np.square(values).sum() - of * of / inside - rest * rest / others, 0.0)
    return of / inside - rest / others, np.where(allowed, left, np.inf)


def _error(values: Values, begin: int, end: int, shift: float, left: float) -> float:
    count, inside = len(values), end - begin
    rest = values - (values.sum() - inside * shift) / count
    rest[begin:end] -= shift
    r = min(max(float(rest[:-1] @ rest[1:]) / left if left else 0.0, 0.0), CORRELATION_MAX)
    variance = max(left, 1e-9) / (count - 2) * (1 + r) / (1 - r)
    return sqrt(variance * (1 / inside + 1 / (count - inside)))


def _interval(weights: Values) -> tuple[int, int]:
    shares, tail = np.cumsum(weights) / weights.sum(), (1 - LIKELY) / 2
    return int(np.argmax(shares > tail)), int(np.argmax(shares >= 1 - tail))
