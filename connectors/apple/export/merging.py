"""Merge counts and heart rates of several devices in an Apple Health export, by quarter of an hour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from connectors.apple.export.heads import Source

Column = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
Intervals = np.ndarray[tuple[int, int], np.dtype[np.float64]]  # rows of start, end (Unix seconds), value

QUARTER = 900  # seconds; all UTC offsets in use are multiples, so that a day consists of whole quarters


class Means(NamedTuple):
    """Mean heart rates by quarter of an hour. ``numbers`` count quarters since 1970, ascending.

    A row of ``rows`` is the number of readings, their mean, the lowest and the highest.
    """

    numbers: np.ndarray
    rows: np.ndarray


def means(by_source: Mapping[Source, np.ndarray]) -> tuple[Means, dict[str, Means]]:
    """Return the mean heart rates by quarter of an hour, of all sources merged and of each source (by its name)."""
    found = sorted(((source, _of_one(rows)) for source, rows in by_source.items()), key=lambda item: item[0])
    if not found:
        return Means(np.zeros(0, dtype=np.int64), np.zeros((0, 4))), {}
    numbers, first = np.unique(np.concatenate([mine.numbers for _, mine in found]), return_index=True)
    rows = np.concatenate([mine.rows for _, mine in found])
    return Means(numbers, rows[first]), {name: mine for (_, name), mine in reversed(found)}


def _of_one(rows: np.ndarray) -> Means:
    rows = once(rows)
    numbers, begins = np.unique((rows[:, 0] // QUARTER).astype(np.int64), return_index=True)
    rates = rows[:, 2]
    counts = np.diff(np.append(begins, len(rates)))
    low, high = np.minimum.reduceat(rates, begins), np.maximum.reduceat(rates, begins)
    mean = np.clip(np.add.reduceat(rates, begins) / counts, low, high)  # or rounding could lift it over the highest
    return Means(numbers, np.column_stack([counts, mean, low, high]))


class Quarters(NamedTuple):
    """Sums by quarter of an hour. ``numbers`` count the quarters since 1970, ascending, and ``values`` are the sums."""

    numbers: np.ndarray
    values: np.ndarray


def quarters(by_source: Mapping[Source, Intervals]) -> tuple[Quarters, dict[str, Quarters]]:
    """Return the sums by quarter of an hour, of all sources merged and of each source (by its name)."""
    covered = np.zeros((0, 2))
    free: list[Quarters] = []
    own: dict[str, list[Quarters]] = {}
    for (_, name), rows in sorted(by_source.items(), key=lambda item: item[0]):
        mine = once(rows)
        pieces, numbers = _cut(mine)
        own.setdefault(name, []).append(Quarters(numbers, pieces[:, 2]))
        free.append(Quarters(numbers, pieces[:, 2] * _free(pieces, covered)))
        covered = union(np.concatenate([covered, mine[:, :2]]))
    return _summed(free), {name: _summed(some) for name, some in own.items()}


def once(rows: Intervals) -> Intervals:
    """Return the rows sorted by start, end and value, without duplicates."""
    rows = rows[np.lexsort(rows.T[::-1])]
    different = np.ones(len(rows), dtype=bool)
    different[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    found: Intervals = rows[different]
    return found


def _summed(some: Sequence[Quarters]) -> Quarters:
    if not some:
        return Quarters(np.zeros(0, dtype=np.int64), np.zeros(0))
    numbers, places = np.unique(np.concatenate([one.numbers for one in some]), return_inverse=True)
    weights = np.concatenate([one.values for one in some])
    return Quarters(numbers, np.bincount(places, weights, minlength=len(numbers)))


def _cut(rows: Intervals) -> tuple[Intervals, np.ndarray]:
    """Split intervals at quarters of an hour, sharing their value by time."""
    start, end, value = rows.T
    first = (start // QUARTER).astype(np.int64)
    last = np.maximum(np.ceil(end / QUARTER).astype(np.int64) - 1, first)
    times = last - first + 1
    whole = np.repeat(np.arange(len(rows)), times)
    numbers = first[whole] + np.arange(len(whole)) - np.repeat(np.cumsum(times) - times, times)
    low, high = np.maximum(start[whole], numbers * QUARTER), np.minimum(end[whole], (numbers + 1) * QUARTER)
    length = (end - start)[whole]
    share = np.divide(high - low, length, out=np.ones(len(whole)), where=length > 0)
    return np.column_stack([low, high, value[whole] * share]), numbers


def union(spans: np.ndarray) -> np.ndarray:
    """Return the spans (rows of start, end) in ascending order, with those joined that overlap or touch."""
    if not len(spans):
        return spans
    spans = spans[np.argsort(spans[:, 0], kind="stable")]
    ends = np.maximum.accumulate(spans[:, 1])
    begins = np.concatenate([[True], spans[1:, 0] > ends[:-1]])
    return np.column_stack([spans[begins, 0], ends[np.concatenate([begins[1:], [True]])]])


def _free(rows: Intervals, covered: np.ndarray) -> Column:
    """Return, for each row, the share of its time outside all spans ``covered``."""
    if not len(covered):
        return np.ones(len(rows))
    start, end = rows[:, 0], rows[:, 1]
    before = np.concatenate([[0.0], np.cumsum(covered[:, 1] - covered[:, 0])])

    def reached(at: Column) -> tuple[Column, np.ndarray]:
        span = np.searchsorted(covered[:, 0], at, side="right") - 1
        inside = np.minimum(at, covered[span, 1]) - covered[span, 0]
        return np.where(span < 0, 0.0, before[span] + inside), (span >= 0) & (at <= covered[span, 1])

    (low, at_start), (high, _) = reached(start), reached(end)
    length = end - start
    share = np.divide(high - low, length, out=at_start.astype(np.float64), where=length > 0)
    free: Column = 1.0 - share
    return free
