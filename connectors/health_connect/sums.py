"""Compute a civil day's total from Health Connect's totals over all origins, or from the stretches of its origins."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from connectors.health_connect.origins import AGGREGATED, rank
from connectors.payload import Fields, mapping

QUARTER = 900
QUARTERS_MAX = 4 * 24 * 2  # of a stretch: two days


def total(told: Fields) -> float | None:
    """Return a day's total of a metric from what the day's record holds of it, or None without any sum.

    Health Connect's own total comes first. Origins are never added up: they write the same steps.
    """
    if told.get("told") is not None:
        return told.needed("told")
    so_far = [told.needed("so_far")] if told.get("so_far") is not None else []
    parts = [_merged(told)] if told.get("parts") else []
    return max([*_numbers(told, told.get("whole")), *so_far, *parts], default=None)


def _merged(told: Fields) -> float:
    quarters: dict[int, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for origin, stretches in mapping(told.get("parts")).items():
        until: list[int] = []  # the ends of writers without a name: whoever overlaps is another writer
        for start, end, value in sorted(_stretches(told, mapping(stretches))):
            lane = next((n for n, over in enumerate(until) if over <= start), len(until)) if origin == AGGREGATED else 0
            until[lane : lane + 1] = [end]
            for quarter, share in _shares(told, start, end):
                quarters[quarter][f"{origin} {lane}" if lane else origin] += value * share
    return sum(
        sums[min(sums, key=lambda origin: (sums[origin] == 0, rank(origin), -sums[origin], origin))]
        for _, sums in sorted(quarters.items())
    )


def _stretches(told: Fields, found: Mapping[str, Any]) -> Iterator[tuple[int, int, float]]:
    """Yield (start, end, value) of an origin's stretches, in Unix seconds."""
    for key, parts in found.items():
        start, _, end = key.partition(" ")
        if isinstance(parts, list) and len(parts) == 2:
            yield told.second(start), told.second(parts[0]), told.figures(parts[1:], 1)[0]
            continue
        sent, added = (_numbers(told, mapping(parts).get(name)) for name in ("sent", "added"))
        yield told.second(start), told.second(end), max([*sent, sum(added)])


def _numbers(told: Fields, values: Any) -> list[float]:
    numbers = [*mapping(values).values()]
    return told.figures(numbers, len(numbers))


def _shares(told: Fields, start: int, end: int) -> Iterator[tuple[int, float]]:
    """Yield (quarter-hour since 1970, share of the stretch in it)."""
    if not start <= end <= start + QUARTERS_MAX * QUARTER:
        raise told.bad("a stretch ends before it begins, or days later")
    if start == end:
        yield start // QUARTER, 1.0
        return
    for quarter in range(start // QUARTER, (end - 1) // QUARTER + 1):
        inside = min(end, (quarter + 1) * QUARTER) - max(start, quarter * QUARTER)
        yield quarter, inside / (end - start)
