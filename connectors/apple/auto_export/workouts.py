"""Read workouts in all versions of Health Auto Export's format, without routes and series."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bridge.domain.types import RawRecord
from connectors.apple.auto_export.times import (
    COUNTS,
    KILOCALORIES,
    METRES,
    PER_MINUTE,
    SPEEDS,
    instant,
    number,
    quantity,
)

WANTED = frozenset(
    {"name", "start", "end", "activeEnergyBurned", "activeEnergy", "distance", "totalDistance", "avgHeartRate"}
    | {"heartRate", "heartRateData", "elevationUp", "elevation", "stepCount", "avgSpeed", "speed"}
)
TYPE_PREFIX = "HKWorkoutActivityType"


def record(found: Mapping[str, Any], zone: str) -> RawRecord:
    """Return the raw record of a workout. ``zone`` is used for times that state no offset.

    Its key is its start and sport, which all versions of the app write alike. What is unreadable is left out.
    """
    start, end = instant(found.get("start"), zone), instant(found.get("end"), zone)
    sport = str(found.get("name") or "").removeprefix(TYPE_PREFIX).strip().casefold()
    payload = {
        "start": start[0] if start else None,
        "end": end[0] if end else None,
        "offset": start[1] if start else None,
        "sport": sport or None,
        "active_energy": _sum(found, KILOCALORIES, "activeEnergyBurned", "activeEnergy"),
        "distance": _sum(found, METRES, "distance", "totalDistance"),
        "heart_rate": _rate(found),
        "steps": _sum(found, COUNTS, "stepCount"),
        "ascent": _ascent(found),
        "speed": quantity(found.get("avgSpeed"), SPEEDS) or quantity(found.get("speed"), SPEEDS) or None,
    }
    key = f"{start[0] if start else 'unknown'} {sport}"
    return RawRecord(stream="workout", key=key, payload={k: v for k, v in payload.items() if v is not None})


def _sum(found: Mapping[str, Any], units: Mapping[str, float], *names: str) -> float | None:
    """Return the first value above 0 among the members ``names``, in the base unit of ``units``."""
    # A bare number is ignored, because it has no unit.
    for name in names:
        value = found.get(name)
        some = value if isinstance(value, list) else [value] if isinstance(value, Mapping) else []
        told = [part for one in some if (part := quantity(one, units)) is not None]
        if sum(told) > 0:
            return sum(told)
    return None


def _ascent(found: Mapping[str, Any]) -> float | None:
    """Return the metres climbed, which the first versions of the app tell beside those descended."""
    early = found.get("elevation")
    told = {"qty": early.get("ascent"), "units": early.get("units")} if isinstance(early, Mapping) else None
    return next((part for one in (found.get("elevationUp"), told) if (part := quantity(one, METRES)) is not None), None)


def _rate(found: Mapping[str, Any]) -> float | None:
    """Return the mean heart rate (beats per minute) that the app states, else the mean of its ``heartRateData``."""
    inner = found.get("heartRate")
    for value in (found.get("avgHeartRate"), inner.get("avg") if isinstance(inner, Mapping) else None):
        rate = quantity(value, PER_MINUTE)
        if rate:
            return rate
    series = found.get("heartRateData")
    points = [one for one in series if isinstance(one, Mapping)] if isinstance(series, list) else []
    rates = [rate for point in points if (rate := number(point.get("Avg", point.get("qty")))) is not None]
    return sum(rates) / len(rates) if rates else None
