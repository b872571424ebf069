"""A workout in its two forms: totals as attributes (until iOS 15) or as statistics of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from connectors.apple_health.units import KILOCALORIES, METRES, PER_MINUTE, measured, offset_at, zone_of

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

QUANTITY = "HKQuantityTypeIdentifier"
SPORT = "HKWorkoutActivityType"


def workout(element: Element, start: float, end: float, zone: str) -> dict[str, Any]:
    """Times in Unix seconds, the offset, the sport, and as far as the file tells: metres, kilocalories, mean rate.

    Statistics are the element's own children: those of the activities within a workout repeat them.
    """
    found: dict[str, Any] = {
        "start": start,
        "end": end,
        "offset": offset_at(start, zone_of(element) or zone),
        "sport": element.get("workoutActivityType", "").removeprefix(SPORT).lower() or None,
        "distance": _attribute(element, "totalDistance", METRES),
        "active_energy": _attribute(element, "totalEnergyBurned", KILOCALORIES),
        **_statistics(element),
    }
    return {name: value for name, value in found.items() if value is not None}


def _statistics(element: Element) -> dict[str, float]:
    found: dict[str, float | None] = {}
    distances = []
    for statistic in element.findall("WorkoutStatistics"):
        name = statistic.get("type", "").removeprefix(QUANTITY)
        if name == "ActiveEnergyBurned":
            found["active_energy"] = measured(statistic, KILOCALORIES, "sum")
        elif name == "HeartRate":
            found["heart_rate"] = measured(statistic, PER_MINUTE, "average")
        elif name.startswith("Distance"):  # one per kind of movement
            distances.append(measured(statistic, METRES, "sum") or 0.0)
    found["distance"] = max(distances, default=None)
    return {name: value for name, value in found.items() if value}


def _attribute(element: Element, name: str, units: dict[str, float]) -> float | None:
    return measured(element, units, name, f"{name}Unit") or None  # 0 stands for "not measured"
