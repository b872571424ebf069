"""Totals of intervals that several devices report: what a better source covers is cut from the others.

HealthKit itself merges by an order of sources that the export does not contain. The order here: watch, phone, the rest.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator

Interval = tuple[float, float, float]  # start, end (Unix seconds), value


def rank(source: str, device: str) -> int:
    """0 for a watch, 1 for a phone, 2 for anything else."""
    text = unicodedata.normalize("NFKC", f"{source} {device}").casefold()
    if "watch" in text:
        return 0
    return 1 if "iphone" in text or "model:phone" in text else 2


def total(intervals: Iterable[tuple[int, str, Interval]]) -> float:
    """The sum over (rank, source, interval); an interval's covered part is cut from its value proportionally."""
    by_source: dict[tuple[int, str], set[Interval]] = defaultdict(set)
    for order, source, interval in intervals:
        by_source[order, source].add(interval)  # a set: the same record may stand in the file twice
    covered: list[tuple[float, float]] = []
    result = 0.0
    for _, mine in sorted(by_source.items()):
        result += sum(value * _free(start, end, covered) for start, end, value in sorted(mine))
        covered = union([*covered, *((start, end) for start, end, _ in mine)])
    return result


def union(stretches: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Overlapping stretches joined, ascending."""
    joined: list[tuple[float, float]] = []
    for start, end in sorted(stretches):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def _free(start: float, end: float, covered: list[tuple[float, float]]) -> float:
    """The share of a stretch that is not covered; an instant is covered or not."""
    overlap = sum(min(end, e) - max(start, s) for s, e in _touching(start, end, covered))
    if end > start:
        return 1 - overlap / (end - start)
    return 0.0 if any(s <= start <= e for s, e in _touching(start, end, covered)) else 1.0


def _touching(start: float, end: float, covered: list[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    at = max(bisect_left(covered, (start, start)) - 1, 0)
    while at < len(covered) and covered[at][0] <= end:
        if covered[at][1] >= start:
            yield covered[at]
        at += 1
