"""Compute a civil day's total from Health Connect's totals over all origins, or from the stretches of its origins."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from bridge.domain.errors import BadRecord
from bridge.domain.samples import finite
from connectors.health_connect.origins import AGGREGATED, rank
from connectors.payload import mapping

QUARTER = 900
QUARTERS_MAX = 4 * 24 * 2  # of a stretch: two days


def total(told: Mapping[str, Any]) -> float | None:
    """Return a day's total of a metric from what the day's record holds of it, or None without any sum.

    Health Connect's own total comes first. Origins are never added up: they write the same steps.
    """
    if "told" in told:
        return _number(told["told"])
    whole = [_number(value) for value in mapping(told.get("whole")).values()]
    so_far = [_number(told["so_far"])] if "so_far" in told else []
    parts = [_merged(mapping(told["parts"]))] if told.get("parts") else []
    return max([*whole, *so_far, *parts], default=None)


def _merged(parts: Mapping[str, Any]) -> float:
    quarters: dict[int, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for origin, stretches in parts.items():
        until: list[int] = []  # the ends of writers without a name: whoever overlaps is another writer
        for start, end, value in sorted(_stretches(mapping(stretches))):
            lane = next((n for n, over in enumerate(until) if over <= start), len(until)) if origin == AGGREGATED else 0
            until[lane : lane + 1] = [end]
            for quarter, share in _shares(start, end):
                quarters[quarter][f"{origin} {lane}" if lane else origin] += value * share
    return sum(
        sums[min(sums, key=lambda origin: (sums[origin] == 0, rank(origin), -sums[origin], origin))]
        for _, sums in sorted(quarters.items())
    )


def _stretches(told: Mapping[str, Any]) -> Iterator[tuple[int, int, float]]:
    """Yield (start, end, value) of an origin's stretches, in Unix seconds."""
    for key, found in told.items():
        start, _, end = key.partition(" ")
        if isinstance(found, list) and len(found) == 2:
            yield _whole(start), _whole(found[0]), _number(found[1])
            continue
        sent, added = (
            [_number(value) for value in mapping(mapping(found).get(name)).values()] for name in ("sent", "added")
        )
        yield _whole(start), _whole(end), max([*sent, sum(added)])


def _shares(start: int, end: int) -> Iterator[tuple[int, float]]:
    """Yield (quarter-hour since 1970, share of the stretch in it)."""
    if not start <= end <= start + QUARTERS_MAX * QUARTER:
        raise BadRecord("health_connect/day: a stretch ends before it begins, or days later")
    if start == end:
        yield start // QUARTER, 1.0
        return
    for quarter in range(start // QUARTER, (end - 1) // QUARTER + 1):
        inside = min(end, (quarter + 1) * QUARTER) - max(start, quarter * QUARTER)
        yield quarter, inside / (end - start)


def _whole(value: Any) -> int:
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        raise BadRecord("health_connect/day: a time is unreadable; send the day again from the app") from None


def _number(value: Any) -> float:
    found = finite(value)
    if found is None:
        raise BadRecord("health_connect/day: a number is unreadable; send the day again from the app")
    return found
