"""Find the stretch of days in which a figure differed most from the other days, and when it began."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import exp, sqrt

DAYS_MIN, OTHERS_MIN = 4, 14  # our choice: of a stretch, and of the days beside it
SHIFT_MIN = 0.05  # of a meter; our choice: less matters to nobody
LIKELY = 0.9  # share of the begins that the interval holds
CORRELATION_MAX = 0.9
# Of the shift, in standard errors. At most 2 % of made-up series of 84 days without a change exceed it, 400 each whose
# days correlate by 0, 0.4 and 0.7 with the day before.
CLEAR = 6.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A stretch of known days, from ``begin`` to before ``end`` as places in the series, whose mean differs.

    ``shift`` is its mean less that of the other days, and ``error`` half its 95 % interval. The stretch began between
    ``earliest`` and ``latest`` in 90 % of the likelihood. ``lasts`` is True if it reaches the last known day.
    """

    begin: int
    end: int
    shift: float
    error: float
    earliest: int
    latest: int
    lasts: bool


def change(series: Sequence[float | None]) -> Change | None:
    """Return the clearest change of a daily series, or None where chance may explain every one."""
    days = [day for day, value in enumerate(series) if value is not None]
    values = [value for value in series if value is not None]
    if len(values) < DAYS_MIN + OTHERS_MIN:
        return None
    found = list(_stretches(values))
    begin, end, shift, left = min(found, key=lambda one: one[3])
    error = _error(values, begin, end, shift, left)
    if abs(shift) < SHIFT_MIN or abs(shift) < CLEAR * error:
        return None
    noise = error**2 / (1 / (end - begin) + 1 / (len(values) - end + begin))
    weights = [0.0] * len(values)
    for one, _end, _shift, rest in found:
        weights[one] += exp(-(rest - left) / (2 * noise))
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


def _stretches(values: Sequence[float]) -> Iterator[tuple[int, int, float, float]]:
    """Yield (begin, end, shift, sum of squares that it leaves) of each stretch that begins after the first days."""
    sums, count = [0.0, *accumulate(values)], len(values)
    whole, squares = sums[-1], sum(value * value for value in values)
    for begin in range(DAYS_MIN, count - DAYS_MIN + 1):
        for end in range(begin + DAYS_MIN, count + 1):
            inside = end - begin
            if count - inside < OTHERS_MIN:
                break
            of, rest = sums[end] - sums[begin], whole - sums[end] + sums[begin]
            left = squares - of * of / inside - rest * rest / (count - inside)
            yield begin, end, of / inside - rest / (count - inside), max(left, 0.0)


def _error(values: Sequence[float], begin: int, end: int, shift: float, left: float) -> float:
    """Return the standard error of the shift, wider by the correlation of a day with the day before."""
    count, inside = len(values), end - begin
    base = (sum(values) - inside * shift) / count
    rest = [value - base - (shift if begin <= at < end else 0.0) for at, value in enumerate(values)]
    lagged = sum(one * next_ for one, next_ in pairwise(rest))
    r = min(max(lagged / left if left else 0.0, 0.0), CORRELATION_MAX)
    variance = max(left, 1e-9) / (count - 2) * (1 + r) / (1 - r)
    return sqrt(variance * (1 / inside + 1 / (count - inside)))


def _interval(weights: Sequence[float]) -> tuple[int, int]:
    """Return the first and last place of the middle ``LIKELY`` of the weights."""
    total, share = sum(weights), 0.0
    tail, low, high = (1 - LIKELY) / 2, None, len(weights) - 1
    for at, weight in enumerate(weights):
        share += weight / total
        if low is None and share > tail:
            low = at
        if share >= 1 - tail:
            high = at
            break
    return low or 0, high
