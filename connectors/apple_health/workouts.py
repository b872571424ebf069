"""A workout in its two forms: totals as attributes (until iOS 15) or as statistics of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from connectors.apple_health.units import KILOCALORIES, METRES, day_at, instant, number, offset_at

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

QUANTITY = "HKQuantityTypeIdentifier"
DISTANCES = ("DistanceWalkingRunning", "DistanceCycling", "DistanceSwimming")


def workout(element: Element, zone: str) -> dict[str, Any] | None:
    """A payload with times in Unix seconds, metres, kilocalories and the mean heart rate; None without times."""
    start, end = instant(element.get("startDate")), instant(element.get("endDate"))
    if start is None or end is None or not start <= end < start + 7 * 86_400:
        return None
    offset = offset_at(start, _zone(element) or zone)
    statistics = {s.get("type", "").removeprefix(QUANTITY): s for s in element.findall("WorkoutStatistics")}
    found: dict[str, Any] = {
        "start": start,
        "end": end,
        "offset": offset,
        "day": day_at(start, offset),
        "sport": element.get("workoutActivityType", "").removeprefix("HKWorkoutActivityType").lower() or None,
        "distance": _attribute(element, "totalDistance", METRES),
        "active_energy": _attribute(element, "totalEnergyBurned", KILOCALORIES),
    }
    for name in DISTANCES:
        if name in statistics:
            found["distance"] = _sum(statistics[name], METRES)
    if "ActiveEnergyBurned" in statistics:
        found["active_energy"] = _sum(statistics["ActiveEnergyBurned"], KILOCALORIES)
    if "HeartRate" in statistics:
        found["heart_rate"] = number(statistics["HeartRate"].get("average"))
    return {name: value for name, value in found.items() if value is not None}


def _attribute(element: Element, name: str, units: dict[str, float]) -> float | None:
    value, factor = number(element.get(name)), units.get(element.get(f"{name}Unit", ""))
    return None if not value or factor is None else value * factor  # 0 stands for "not measured"


def _sum(statistics: Element, units: dict[str, float]) -> float | None:
    value, factor = number(statistics.get("sum")), units.get(statistics.get("unit", ""))
    return None if value is None or factor is None else value * factor


def _zone(element: Element) -> str | None:
    """The zone the workout was made in."""
    for entry in element.findall("MetadataEntry"):
        if entry.get("key") == "HKTimeZone":
            try:
                return ZoneInfo(entry.get("value", "")).key
            except (KeyError, ValueError, OSError):
                return None
    return None
