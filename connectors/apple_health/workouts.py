"""A workout in its two forms: totals as attributes (until iOS 15) or as statistics of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from connectors.apple_health.kinds import QUANTITY
from connectors.apple_health.sources import Source
from connectors.apple_health.units import KILOCALORIES, METRES, PER_MINUTE, measured

SPORT = "HKWorkoutActivityType"
SAME = 0.5  # of the shorter one's time: two workouts that share more are one, told by two apps

Attributes = Mapping[str, str]


def workout(attributes: Attributes, statistics: Iterable[Attributes]) -> dict[str, Any]:
    """The sport, and as far as the file tells: metres, kilocalories, mean rate.

    Statistics are the element's own children: those of the activities within a workout repeat them.
    """
    found: dict[str, Any] = {
        "sport": attributes.get("workoutActivityType", "").removeprefix(SPORT).lower() or None,
        "distance": _attribute(attributes, "totalDistance", METRES),
        "active_energy": _attribute(attributes, "totalEnergyBurned", KILOCALORIES),
        **_statistics(statistics),
    }
    return {name: value for name, value in found.items() if value is not None}


def _statistics(statistics: Iterable[Attributes]) -> dict[str, float]:
    found: dict[str, float | None] = {}
    distances = []
    for statistic in statistics:
        name = statistic.get("type", "").removeprefix(QUANTITY)
        if name == "ActiveEnergyBurned":
            found["active_energy"] = measured(statistic, KILOCALORIES, "sum")
        elif name == "HeartRate":
            found["heart_rate"] = measured(statistic, PER_MINUTE, "average")
        elif name.startswith("Distance"):  # one per kind of movement
            distances.append(measured(statistic, METRES, "sum") or 0.0)
    found["distance"] = max(distances, default=None)
    return {name: value for name, value in found.items() if value}


def _attribute(attributes: Attributes, name: str, units: dict[str, float]) -> float | None:
    return measured(attributes, units, name, f"{name}Unit") or None  # 0 stands for "not measured"


def told_once(workouts: Iterable[tuple[Source, dict[str, Any]]]) -> list[dict[str, Any]]:
    """Workouts by their start, without those that a better source told as well, or the same one twice."""
    kept: list[tuple[Source, dict[str, Any]]] = []
    for source, one in sorted(workouts, key=lambda pair: (pair[0], pair[1]["start"], pair[1]["end"])):
        if not any(_same(one, other, apart=source != theirs) for theirs, other in kept):
            kept.append((source, one))
    return sorted((one for _, one in kept), key=lambda one: (one["start"], one["end"]))


def _same(one: Mapping[str, Any], other: Mapping[str, Any], *, apart: bool) -> bool:
    if not apart or one["start"] == one["end"]:
        return (one["start"], one["end"]) == (other["start"], other["end"])
    shared = min(one["end"], other["end"]) - max(one["start"], other["start"])
    return bool(shared > SAME * min(one["end"] - one["start"], other["end"] - other["start"]))
