"""A day's total from sums of days, hours and minutes and from single measurements, whichever of them were sent."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from bridge.errors import BadRecord
from connectors.health_auto_export.nights import order

QUARTER, HOUR = 900, 3600


def total(sent: Mapping[str, Any]) -> float | None:
    """The greater of the day's own sum and its hours', each the greatest of what was sent of it; None if nothing was.

    A day only grows, and what was sent later with another grouping covers it again: the parts never add up over
    groupings. Raises BadRecord.
    """
    hours: dict[int, float] = defaultdict(float)
    for found in (_per_hour(sent, "minutes"), _per_hour(sent, "hours"), _singles(sent)):
        for hour, value in found.items():
            hours[hour] = max(hours[hour], value)
    whole = [_value(value) for value in _values(sent, "days").values()]
    return max([*whole, *([sum(hours.values())] if hours else [])], default=None)


def _per_hour(sent: Mapping[str, Any], name: str) -> dict[int, float]:
    found: dict[int, float] = defaultdict(float)
    for at, value in _values(sent, name).items():
        found[_moment(at) // HOUR] += _value(value)
    return found


def _singles(sent: Mapping[str, Any]) -> dict[int, float]:
    """Watch and phone count the same steps: in each quarter of an hour the best source counts."""
    quarters: dict[int, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for text, value in _values(sent, "single").items():
        at, _, source = text.partition(" ")
        quarters[_moment(at) // QUARTER][source] += _value(value)
    hours: dict[int, float] = defaultdict(float)
    for quarter, sources in quarters.items():
        best = min(sources, key=lambda source: (order(source), -sources[source]))
        hours[quarter * QUARTER // HOUR] += sources[best]
    return hours


def _values(sent: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = sent.get(name, {})
    if not isinstance(found, Mapping):
        raise BadRecord(f"health_auto_export/day: {name} is unreadable")
    return found


def _moment(text: str) -> int:
    if not text.isdigit() or len(text) > 11:
        raise BadRecord("health_auto_export/day: a time is unreadable")
    return int(text)


def _value(value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise BadRecord("health_auto_export/day: a number is unreadable")
    return float(value)
