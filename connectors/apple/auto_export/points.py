"""Group the points of a Health Auto Export metric by day, so that a day sent again overwrites the stored one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

from bridge.domain.types import RawRecord
from connectors.apple.auto_export.times import (
    COUNTS,
    IN_MILLISECONDS,
    KILOCALORIES,
    METRES,
    MINUTES,
    PER_MINUTE,
    At,
    instant,
    local,
    number,
    written_date,
)

QUARTER, HOUR, DAY = 900, 3600, 86_400
OPEN_DAYS = 4  # per metric; the app writes days in order
TO_MIDNIGHT = timedelta(hours=6)  # points after 18:00 belong to the night that ends tomorrow
MILLIGRAMS = {"mg": 1.0, "g": 1000.0}
PERCENT = {"%": 1.0, "": 1.0}
DEGREES = {"degC": 1.0, "°C": 1.0, "C": 1.0, "degF": 1.0, "°F": 1.0, "F": 1.0}


@dataclass(frozen=True, slots=True)
class Kind:
    """The storage of a metric of Health Auto Export, as its field and stream.

    ``units`` maps each unit that the app may use to the factor that converts a value to the metric's unit.
    """

    field: str
    stream: str
    units: Mapping[str, float]


POINT_KINDS = {
    "step_count": Kind("steps", "day", COUNTS),
    "steps": Kind("steps", "day", COUNTS),
    "flights_climbed": Kind("floors", "day", COUNTS),
    "walking_running_distance": Kind("distance", "day", METRES),
    "active_energy": Kind("active_energy", "day", KILOCALORIES),
    "active_energy_burned": Kind("active_energy", "day", KILOCALORIES),
    "apple_exercise_time": Kind("exercise_minutes", "day", MINUTES),
    "resting_heart_rate": Kind("resting_hr", "resting", PER_MINUTE),
    "heart_rate": Kind("heart_rate", "heart_rate", PER_MINUTE),
    "heart_rate_variability": Kind("hrv_sdnn", "instants", IN_MILLISECONDS),
    "heart_rate_variability_sdnn": Kind("hrv_sdnn", "instants", IN_MILLISECONDS),
    "heart_rate_variability_rmssd": Kind("hrv_rmssd_spot", "instants", IN_MILLISECONDS),
    "alcohol_consumption": Kind("alcohol", "instants", COUNTS),
    "number_of_alcoholic_beverages": Kind("alcohol", "instants", COUNTS),
    "dietary_caffeine": Kind("caffeine", "instants", MILLIGRAMS),
    "caffeine": Kind("caffeine", "instants", MILLIGRAMS),
    "mindful_minutes": Kind("mindful", "instants", MINUTES),
    "respiratory_rate": Kind("respiratory_rate", "night", PER_MINUTE),
    "blood_oxygen_saturation": Kind("spo2", "night", PERCENT),
    "oxygen_saturation": Kind("spo2", "night", PERCENT),
    "apple_sleeping_wrist_temperature": Kind("skin_temperature", "night", DEGREES),
}


@dataclass(frozen=True, slots=True)
class Point:
    """A measurement or sum of a metric, in the metric's unit.

    ``low`` and ``high`` are the lowest and highest measurement within a sum, or the value itself.
    """

    at: At
    value: float
    low: float
    high: float
    source: str


@dataclass(slots=True)
class Points:
    """A buffer that groups a metric's points by local day, until all points of a day have come.

    ``unit`` and ``zone`` are for points that state none. ``unreadable`` counts points that could not be read, and
    ``coarse`` days left out because their points are sums over weeks.
    """

    kind: Kind
    unit: str
    zone: str
    unreadable: int = 0
    coarse: int = 0
    _days: dict[str, list[Point]] = field(default_factory=dict)
    _fine: bool = False  # some days are known not to be sums of weeks

    def take(self, raw: Any) -> Iterator[RawRecord]:
        """Add a point as the app sent it, or count it as unreadable.

        Yield the records of the oldest day once the buffer is full.
        """
        point = self._point(raw) if isinstance(raw, Mapping) else None
        if point is None:
            self.unreadable += 1
            return
        day = local(point.at).date().isoformat()
        if day not in self._days and len(self._days) >= OPEN_DAYS and not self._is_coarse():
            self._fine = True
            oldest = next(iter(self._days))
            yield from self._records(oldest, self._days.pop(oldest))
        self._days.setdefault(day, []).append(point)

    def rest(self) -> Iterator[RawRecord]:
        if self._is_coarse():
            self.coarse += len(self._days)
            self._days = {}
        for day, points in self._days.items():
            yield from self._records(day, points)
        self._days = {}

    def _is_coarse(self) -> bool:
        if self._fine or self.kind.stream != "day" or any(level(points) != "days" for points in self._days.values()):
            return False
        days = sorted(map(date.fromisoformat, self._days))
        apart = {(after - before).days for before, after in pairwise(days)}
        return bool(apart) and ({day.day for day in days} == {1} or (7 in apart and all(n % 7 == 0 for n in apart)))

    def _point(self, raw: Mapping[str, Any]) -> Point | None:
        at = self._at(raw)
        unit = str(raw.get("units") or raw.get("unit") or self.unit).strip()
        factor = self.kind.units.get(unit)
        value = number(next((raw[name] for name in ("qty", "Avg", "avg") if raw.get(name) is not None), None))
        if at is None or factor is None or value is None:
            return None
        low, high = (number(raw.get(name, raw.get(name.lower()))) for name in ("Min", "Max"))
        low, high = value if low is None else low, value if high is None else high
        value, low, high = (self._scaled(one * factor, unit) for one in (value, low, high))
        return Point(at=at, value=value, low=low, high=high, source=str(raw.get("source") or ""))

    def _at(self, raw: Mapping[str, Any]) -> At | None:
        written = next((raw[name] for name in ("date", "startDate", "start") if raw.get(name) is not None), None)
        day = written_date(written)
        return instant(f"{day} 00:00:00" if day else written, self.zone)

    def _scaled(self, value: float, unit: str) -> float:
        if self.kind.field == "spo2" and value <= 1.5:
            return value * 100
        return (value - 32) / 1.8 if unit.endswith("F") and self.kind.units is DEGREES else value

    def _records(self, day: str, points: list[Point]) -> Iterator[RawRecord]:
        yield from SORTERS[self.kind.stream](self.kind.field, day, points, self.zone)


def level(points: list[Point]) -> str:
    """Return the span of a day's points: "days", "hours" or "minutes" for sums, "single" for readings."""
    clocks = [(point.at[0] + point.at[1] * 60) % DAY for point in points]
    if clocks == [0]:
        return "days"
    if len({point.at[0] for point in points}) < len(points) or any(clock % 60 for clock in clocks):
        return "single"
    return "minutes" if any(clock % HOUR for clock in clocks) else "hours"


def _totals(name: str, day: str, points: list[Point], zone: str) -> Iterator[RawRecord]:
    found = level(points)
    if found == "single":
        values = {f"{point.at[0]} {point.source}": point.value for point in points}
    else:
        values = {"sum" if found == "days" else str(point.at[0]): point.value for point in points}
    offset = points[0].at[1]
    yield piece("day", day, {"day": day, "zone": zone, "offset": offset, name: {found: values}})


def _resting(name: str, day: str, points: list[Point], zone: str) -> Iterator[RawRecord]:
    values = {str(point.at[0]): point.value for point in points}
    yield piece("day", day, {"day": day, "zone": zone, "offset": points[0].at[1], name: values})


def _rates(name: str, day: str, points: list[Point], zone: str) -> Iterator[RawRecord]:  # noqa: ARG001 - one shape
    """Yield records of a day's heart rates, in which readings and minutes are combined into quarters of an hour."""
    found = level(points)
    parts: dict[str, dict[str, dict[str, list[float]]]] = {}
    if found in ("days", "hours"):
        for p in points:
            _by_utc_day(parts, p.at[0], found)[str(p.at[0])] = [1, p.value, p.low, p.high, p.at[1]]
    else:
        quarters: dict[int, list[Point]] = {}
        for point in points:
            quarters.setdefault(point.at[0] // QUARTER, []).append(point)
        for some in quarters.values():
            first = min(some, key=lambda p: p.at)
            mean = sum(p.value for p in some) / len(some)
            means = [len(some), mean, min(p.low for p in some), max(p.high for p in some), first.at[1]]
            _by_utc_day(parts, first.at[0], "quarters")[str(first.at[0])] = means
    for utc_day, payload in parts.items():
        yield piece("heart_rate", utc_day, payload)


def _instants(name: str, day: str, points: list[Point], zone: str) -> Iterator[RawRecord]:  # noqa: ARG001
    parts: dict[str, dict[str, dict[str, list[float]]]] = {}
    for point in points:
        _by_utc_day(parts, point.at[0], name)[str(point.at[0])] = [point.value, point.at[1]]
    for utc_day, payload in parts.items():
        yield piece("instants", utc_day, payload)


def _by_utc_day(parts: dict[str, dict[str, dict[str, Any]]], at: int, name: str) -> dict[str, Any]:
    # The date is in UTC, so that a journey cannot count the point twice.
    day = local((at, 0)).date().isoformat()
    return parts.setdefault(day, {}).setdefault(name, {})


def _overnight(name: str, day: str, points: list[Point], zone: str) -> Iterator[RawRecord]:  # noqa: ARG001
    nights: dict[str, dict[str, list[float]]] = {}
    for point in points:
        nights.setdefault(night_of(point.at), {})[str(point.at[0])] = [point.value, point.at[1]]
    for night, values in nights.items():
        yield piece("night", night, {"overnight": {name: values}})


def night_of(at: At) -> str:
    """Return the date (ISO 8601) of waking, for an instant in the night. From 18:00 that is the next local date."""
    return (local(at) + TO_MIDNIGHT).date().isoformat()


def piece(stream: str, key: str, payload: Mapping[str, Any]) -> RawRecord:
    return RawRecord(stream=stream, key=key, payload=payload, adds=True)


SORTERS: Mapping[str, Callable[[str, str, list[Point], str], Iterator[RawRecord]]] = {
    "day": _totals,
    "resting": _resting,
    "heart_rate": _rates,
    "instants": _instants,
    "night": _overnight,
}
