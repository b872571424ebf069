"""Stretches of time: united, cut, and summed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from bridge.agenda.examples import DAY, hour  # noqa: F401 - for the worked examples

Stretch = tuple[datetime, datetime]  # begin and end (exclusive)
NONE = timedelta(0)


def merged(stretches: Iterable[Stretch], *, bridging: timedelta = NONE) -> list[Stretch]:
    """Disjoint stretches in order; those that overlap, touch, or lie less than ``bridging`` apart become one.

    >>> spans = [(hour(a), hour(b)) for a, b in ((9, 10), (9.5, 11), (11, 12), (13, 14))]
    >>> [(s.hour, e.hour) for s, e in merged(spans)]
    [(9, 12), (13, 14)]
    """
    found: list[Stretch] = []
    for start, end in sorted(stretches):
        if found and (start <= found[-1][1] or start - found[-1][1] < bridging):
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def clipped(stretches: Sequence[Stretch], start: datetime, end: datetime) -> list[Stretch]:
    """The parts of disjoint, ascending stretches that lie in [start, end).

    >>> [(s.hour, e.hour) for s, e in clipped([(hour(9), hour(11))], hour(10), DAY[1])]
    [(10, 11)]
    """
    first = max(bisect_left(stretches, (start, start)) - 1, 0)
    found: list[Stretch] = []
    for at in range(first, len(stretches)):
        begun, over = stretches[at]
        if begun >= end:
            break
        low, high = max(begun, start), min(over, end)
        if low < high:
            found.append((low, high))
    return found


def length(stretches: Iterable[Stretch]) -> timedelta:
    """How long disjoint stretches are together.

    >>> length([(hour(9), hour(10)), (hour(12), hour(12.5))])
    datetime.timedelta(seconds=5400)
    """
    return sum((end - start for start, end in stretches), NONE)


def share(stretches: Sequence[Stretch], start: datetime, end: datetime) -> float:
    """The part of [start, end) that disjoint, ascending stretches take, 0..1; 0 of an empty one.

    >>> share([(hour(0), hour(6))], *DAY)
    0.25
    """
    return length(clipped(stretches, start, end)) / (end - start) if start < end else 0.0
