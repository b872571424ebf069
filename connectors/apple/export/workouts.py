"""Read the workouts of an Apple Health export, and keep a single recording of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from connectors.apple.export.heads import QUANTITY, Source
from connectors.apple.export.units import (
    COUNTS,
    KILOCALORIES,
    KILOMETRES_AN_HOUR,
    METRES,
    MINUTES,
    PER_MINUTE,
    measured,
)

SPORT = "HKWorkoutActivityType"
STATISTICS = {  # name -> field, units, and which statistic
    "ActiveEnergyBurned": ("active_energy", KILOCALORIES, "sum"),
    "HeartRate": ("heart_rate", PER_MINUTE, "average"),
    "StepCount": ("steps", COUNTS, "sum"),
    "AppleExerciseTime": ("exercise_minutes", MINUTES, "sum"),
    **{f"{how}Speed": ("speed", KILOMETRES_AN_HOUR, "average") for how in ("Running", "Walking", "Cycling")},
}
METADATA = {"HKElevationAscended": ("ascent", METRES), "HKAverageSpeed": ("speed", KILOMETRES_AN_HOUR)}
SAME = 0.5  # share of the shorter workout's time, above which two apps recorded the same workout

Attributes = Mapping[str, str]


def workout(attributes: Attributes, within: Iterable[tuple[str, Attributes]]) -> dict[str, Any]:
    """Return a workout's ``sport`` and its figures, without those that are unknown.

    Totals are in ``attributes`` until iOS 15, and since then in ``within``, the (name, attributes) of the children.
    """
    children = list(within)
    statistics = [one for name, one in children if name == "WorkoutStatistics"]
    metadata = [one for name, one in children if name == "MetadataEntry"]
    found: dict[str, Any] = {
        "sport": attributes.get("workoutActivityType", "").removeprefix(SPORT).lower() or None,
        "distance": _attribute(attributes, "totalDistance", METRES),
        "active_energy": _attribute(attributes, "totalEnergyBurned", KILOCALORIES),
        **_metadata(metadata),
        **_statistics(statistics),
    }
    return {name: value for name, value in found.items() if value is not None}


def _statistics(statistics: Iterable[Attributes]) -> dict[str, float]:
    found: dict[str, float | None] = {}
    distances = []
    for statistic in statistics:
        name = statistic.get("type", "").removeprefix(QUANTITY)
        if name in STATISTICS:
            field, units, which = STATISTICS[name]
            found[field] = measured(statistic, units, which)
        elif name.startswith("Distance"):  # separate for each kind of movement
            distances.append(measured(statistic, METRES, "sum") or 0.0)
    found["distance"] = max(distances, default=None)
    return {name: value for name, value in found.items() if value}


def _metadata(entries: Iterable[Attributes]) -> dict[str, float]:
    found = {}
    for entry in entries:
        if (known := METADATA.get(entry.get("key", ""))) is not None:
            number, _, unit = entry.get("value", "").partition(" ")
            value = measured({"value": number, "unit": unit}, known[1])
            if value is not None:
                found[known[0]] = value
    return found


def _attribute(attributes: Attributes, name: str, units: dict[str, float]) -> float | None:
    return measured(attributes, units, name, f"{name}Unit") or None  # 0 stands for "not measured"


def told_once(workouts: Iterable[tuple[Source, dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return the workouts by start. Of several recordings of the same workout, the most trusted source's is kept."""
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
