"""Read sleep and workouts of Health Auto Export. Sleep comes as summaries of nights or as single stages."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bridge.domain.types import RawRecord
from connectors.apple.auto_export.nights import IN_BED
from connectors.apple.auto_export.points import night_of, piece
from connectors.apple.auto_export.times import (
    COUNTS,
    KILOCALORIES,
    METRES,
    PER_MINUTE,
    SPEEDS,
    At,
    instant,
    number,
    quantity,
    written_date,
)

STAGE_OF_WORD = {
    "core": "light",
    "asleepcore": "light",
    "deep": "deep",
    "asleepdeep": "deep",
    "rem": "rem",
    "asleeprem": "rem",
    "awake": "awake",
    "asleep": "unspecified",
    "unspecified": "unspecified",
    "asleepunspecified": "unspecified",
    "inbed": IN_BED,
}
SUMMED = ("totalSleep", "asleep", "core", "deep", "rem", "awake", "inBed")
NIGHT_MAX_HOURS = 24.0  # a greater number is minutes, whatever its unit says
DAY_SECONDS = 86_400
BESIDE_MAX = 120.0  # minutes in bed beyond its own times that are cut; more is settled and told when it is stored
PAUSE_MAX_SECONDS = 3600  # longest seconds between two stages of the same sleep
WORKOUT_FIELDS = frozenset(
    {"name", "start", "end", "activeEnergyBurned", "activeEnergy", "distance", "totalDistance", "avgHeartRate"}
    | {"heartRate", "heartRateData", "elevationUp", "elevation", "stepCount", "avgSpeed", "speed"}
)
TYPE_PREFIX = "HKWorkoutActivityType"


@dataclass(frozen=True, slots=True)
class Told:
    """A sleep stage that Health Auto Export sent. ``stage`` is the bridge's name for it, as "light" or "in_bed"."""

    start: At
    end: At
    stage: str
    source: str


def take(raw: Any, unit: str, zone: str) -> Told | RawRecord:
    """Return a sleep stage, or the raw record of a night if the app sent a summary, whose numbers are in ``unit``.

    ``zone`` is for times without an offset. Raises ValueError for unreadable times, or a length of a day or more.
    """
    if not isinstance(raw, Mapping):
        raise ValueError
    stage = _stage(raw)
    begin, finish = ("startDate", "endDate") if "startDate" in raw else ("start", "end")
    if stage is None or raw.get(begin) is None:
        return _summary(raw, unit, zone)
    start, end = instant(raw[begin], zone), instant(raw.get(finish), zone)
    if start is None or end is None or not 0 <= end[0] - start[0] < DAY_SECONDS:
        raise ValueError
    return Told(start, end, stage, str(raw.get("source") or ""))


def records(stages: Iterable[Told]) -> Iterator[RawRecord]:
    """Yield a raw record for each stage, with the key of the night that its sleep belongs to.

    A pause of over an hour between stages ends a sleep. A time in bed counts to the sleep it overlaps.
    """
    ordered = sorted(stages, key=lambda one: (one.start, one.end))
    sleeps: list[tuple[int, int, str]] = []  # end, beginning, night; ascending
    for told in (one for one in ordered if one.stage != IN_BED):
        until, began, night = sleeps[-1] if sleeps else (0, 0, "")
        if told.start[0] - until > PAUSE_MAX_SECONDS or told.end[0] - began > DAY_SECONDS:
            sleeps.append((told.end[0], told.start[0], night_of(told.start)))
        else:
            sleeps[-1] = max(until, told.end[0]), began, night
        yield _stretch(told, sleeps[-1][2])
    for told in (one for one in ordered if one.stage == IN_BED):
        at = bisect(sleeps, told.start[0], key=lambda one: one[0])
        inside = at < len(sleeps) and sleeps[at][1] < told.end[0]
        yield _stretch(told, sleeps[at][2] if inside else night_of(told.start))


def _stage(raw: Mapping[str, Any]) -> str | None:
    named = raw.get("value")
    if isinstance(named, str):
        name = named.casefold().removeprefix("hkcategoryvaluesleepanalysis").replace(" ", "").replace("_", "")
        return STAGE_OF_WORD.get(name)
    if "start" in raw:
        return next((STAGE_OF_WORD[name] for name in ("core", "deep", "rem", "awake") if number(raw.get(name))), None)
    return None


def _stretch(told: Told, night: str) -> RawRecord:
    # The piece's key holds the stage, because sleep and time in bed may begin in the same second.
    name = f"{told.start[0]} {told.stage} {told.source}"
    return piece("night", night, {"stretches": {name: [told.end[0], told.stage, told.end[1]]}})


def _summary(raw: Mapping[str, Any], unit: str, zone: str) -> RawRecord:
    start, end = (_either(raw, zone, f"sleep{edge}", f"inBed{edge}") for edge in ("Start", "End"))
    hours = {name: found for name in SUMMED if (found := number(raw.get(name))) is not None and found >= 0}
    if not any(hours.values()):
        raise ValueError
    minutes = unit.startswith("min") or any(value > NIGHT_MAX_HOURS for value in hours.values())
    if start is not None and end is not None:  # a nap's small number is minutes if as many hours exceed its time
        minutes = minutes or hours.get("totalSleep", hours.get("asleep", 0)) * 3600 > 2 * (end[0] - start[0])
    told = {name: round(value * (1 if minutes else 60), 3) for name, value in hours.items()}
    lay, rose = (instant(raw.get(f"inBed{edge}"), zone) for edge in ("Start", "End"))
    if lay is not None and rose is not None and 0 < told.get("inBed", 0) - (rose[0] - lay[0]) / 60 < BESIDE_MAX:
        told["inBed"] = max((rose[0] - lay[0]) / 60, 0.0)
    source = str(raw.get("source") or raw.get("sleepSource") or "")
    day = written_date(raw.get("date"))
    if start is None and end is None and day is not None:
        return piece("night", day.isoformat(), {"dated": {source: [day.isoformat(), zone, _figures(told)]}})
    if start is None or end is None or not start[0] < end[0]:
        raise ValueError
    summary = [end[0], end[1], _figures(told)]
    return piece("night", night_of(start), {"summaries": {f"{start[0]} {source}": summary}})


def _either(raw: Mapping[str, Any], zone: str, *names: str) -> At | None:
    return next((at for name in names if (at := instant(raw.get(name), zone)) is not None), None)


def _figures(told: Mapping[str, float]) -> dict[str, float]:
    stages = {
        ours: told[theirs] for theirs, ours in (("core", "light"), ("deep", "deep"), ("rem", "rem")) if theirs in told
    }
    staged, asleep = sum(stages.values()), told.get("asleep", 0.0)
    total = told.get("totalSleep") or (asleep if asleep >= 0.99 * staged else staged + asleep)
    figures = dict(stages) if staged else {}
    if total:
        figures["asleep"] = total
    if "awake" in told and total:
        figures["awake"] = told["awake"]
    if told.get("inBed"):
        figures["in_bed"] = told["inBed"]
    return figures


def workout_record(found: Mapping[str, Any], zone: str) -> RawRecord:
    """Return the raw record of a workout. ``zone`` is used for times that state no offset.

    The record's key is the start and sport, which all versions of the app write alike. Unreadable fields are left out.
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
    # A bare number is ignored, because it has no unit.
    for name in names:
        value = found.get(name)
        some = value if isinstance(value, list) else [value] if isinstance(value, Mapping) else []
        told = [part for one in some if (part := quantity(one, units)) is not None]
        if sum(told) > 0:
            return sum(told)
    return None


def _ascent(found: Mapping[str, Any]) -> float | None:
    """Return a workout's ascent in metres. Old versions of the app state it in another field than new ones."""
    early = found.get("elevation")
    told = {"qty": early.get("ascent"), "units": early.get("units")} if isinstance(early, Mapping) else None
    return next((part for one in (found.get("elevationUp"), told) if (part := quantity(one, METRES)) is not None), None)


def _rate(found: Mapping[str, Any]) -> float | None:
    inner = found.get("heartRate")
    for value in (found.get("avgHeartRate"), inner.get("avg") if isinstance(inner, Mapping) else None):
        rate = quantity(value, PER_MINUTE)
        if rate:
            return rate
    series = found.get("heartRateData")
    points = [one for one in series if isinstance(one, Mapping)] if isinstance(series, list) else []
    rates = [rate for point in points if (rate := number(point.get("Avg", point.get("qty")))) is not None]
    return sum(rates) / len(rates) if rates else None
