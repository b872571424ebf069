"""Heart rates by quarter of an hour: an export holds one every few minutes, for years."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from connectors.apple_health.merging import QUARTER, once
from connectors.apple_health.sources import Source

if TYPE_CHECKING:
    import numpy as np


class Means(NamedTuple):
    """By quarter of an hour: numbers since 1970, ascending, and rows of count, mean, lowest, highest."""

    numbers: np.ndarray
    rows: np.ndarray


def means(by_source: Mapping[Source, np.ndarray]) -> tuple[Means, dict[str, Means]]:
    """The best source's means of each quarter of an hour, and every source's own.

    Rows are (start, end, rate); one that stands twice counts once.
    """
    import numpy as np

    found = sorted(((source, _of_one(rows)) for source, rows in by_source.items()), key=lambda item: item[0])
    if not found:
        return Means(np.zeros(0, dtype=np.int64), np.zeros((0, 4))), {}
    numbers, first = np.unique(np.concatenate([mine.numbers for _, mine in found]), return_index=True)
    rows = np.concatenate([mine.rows for _, mine in found])
    return Means(numbers, rows[first]), {name: mine for (_, name), mine in reversed(found)}


def _of_one(rows: np.ndarray) -> Means:
    import numpy as np

    rows = once(rows)
    numbers, begins = np.unique((rows[:, 0] // QUARTER).astype(np.int64), return_index=True)
    rates = rows[:, 2]
    counts = np.diff(np.append(begins, len(rates)))
    low, high = np.minimum.reduceat(rates, begins), np.maximum.reduceat(rates, begins)
    mean = np.clip(np.add.reduceat(rates, begins) / counts, low, high)  # rounding must not lift it over the highest
    return Means(numbers, np.column_stack([counts, mean, low, high]))
