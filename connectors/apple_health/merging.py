"""Totals of intervals that several devices report: what a better source covers is cut from the others.

HealthKit itself merges by an order of sources that the export does not contain. The order here: watch, phone, the rest.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping

Interval = tuple[float, float, float]  # start, end (Unix seconds), value
Source = tuple[int, str]  # rank, name
WATCH = re.compile(r"(model|hardware|producttype): ?watch")
PHONE = re.compile(r"(model|hardware|producttype): ?iphone|model:phone")


def rank(source: str, device: str) -> int:
    """0 for Apple's watch, 1 for its phone, 2 for anything else. A device's model is surer than a name."""
    made, name = device.casefold(), source.casefold()
    if WATCH.search(made) or "apple watch" in name:
        return 0
    return 1 if PHONE.search(made) or "iphone" in name else 2


def total(by_source: Mapping[Source, Iterable[float]]) -> float:
    """The sum of all sources' intervals, each source's written flat: start, end, value, start, end, value ...

    What a better source covers is cut from a worse one's intervals proportionally; exact doubles count once.
    """
    covered: list[tuple[float, float]] = []
    result = 0.0
    for _, flat in sorted(by_source.items(), key=lambda item: item[0]):
        mine = set(_intervals(flat))
        result += sum(value * _free(start, end, covered) for start, end, value in sorted(mine))
        covered = union([*covered, *((start, end) for start, end, _ in mine)])
    return result


def put(by_source: dict[Source, array[float]], source: Source, interval: Interval) -> None:
    """Add an interval: 24 bytes, for an export holds millions of them."""
    by_source.setdefault(source, array("d")).extend(interval)


def _intervals(flat: Iterable[float]) -> Iterator[Interval]:
    numbers = iter(flat)
    return zip(numbers, numbers, numbers, strict=True)


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
