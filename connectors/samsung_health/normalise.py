"""Turn the dates of Samsung Health's data into episodes and samples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from bridge.domain.metrics import Metric
from bridge.domain.samples import QUARTER_HOUR_SECONDS, finite, quarter_hours
from bridge.domain.types import EpisodeKind, Item, RawRecord
from connectors.instants import local_date, offset_in
from connectors.payload import METRES_A_SECOND, Fields, Stretch, Table, mapping
from connectors.samsung_health import NIGHTLY
from connectors.samsung_health.gather import VITALITY

NOON = timedelta(hours=12)
ZERO = timedelta(0)
READINGS = {"heart_rate": Metric.HEART_RATE, "stress": Metric.STRESS}
SLEEP: Table = {Metric.SLEEP_EFFICIENCY: "efficiency", Metric.SLEEP_SCORE: "sleep_score"}
STAGES = {Metric.LIGHT_SLEEP: "light", Metric.DEEP_SLEEP: "deep", Metric.REM_SLEEP: "rem"}
WORKOUT: Table = {
    Metric.TOTAL_ENERGY: "calorie",
    Metric.DISTANCE: "distance",
    Metric.HEART_RATE: "mean_heart_rate",
    Metric.SPEED: ("mean_speed", METRES_A_SECOND),
    Metric.ASCENT: "altitude_gain",
}
SPORTS = {  # developer.samsung.com/health/android/data/api-reference/EXERCISE_TYPE.html
    1001: "walking",
    1002: "running",
    9002: "yoga",
    11007: "cycling",
    13001: "hiking",
    14001: "swimming",
    15003: "exercise bike",
    15004: "rowing machine",
    15005: "treadmill",
    15006: "elliptical",
}


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - no record has a parent
    """Return the episodes and samples of a date. Raises BadRecord naming the unreadable field, never its value."""
    fields = Fields.of("samsung_health", record)
    zone, day = fields.zone("zone"), Fields({"key": record.key}, fields.name).day("key")
    return list(_items(record.stream, day, fields, zone))


def _items(stream: str, day: date, fields: Fields, zone: ZoneInfo) -> Iterator[Item]:
    if stream == "night":
        yield from _night(day, fields)
    elif stream == "day":
        yield from _steps(day, fields, zone)
    elif stream == "workout":
        for key, row in sorted(mapping(fields.get("workouts")).items()):
            yield _workout(key, Fields(mapping(row), fields.name))
    elif stream in READINGS:
        yield from _readings(READINGS[stream], fields)
    elif stream == "energy_score":
        told = fields.measured({metric: metric.value for metric in VITALITY})
        yield from _morning(day, zone).samples(str(day), told)
    elif stream in NIGHTLY:
        yield from _mean(NIGHTLY[stream], day, fields, zone)
    else:
        raise fields.bad("not a stream of samsung_health")


def _night(day: date, fields: Fields) -> Iterator[Item]:
    """Yield the sleeps and naps of a date."""
    stages = mapping(fields.get("stages"))
    kept: list[Stretch] = []
    found = [(key, Fields(mapping(row), fields.name)) for key, row in mapping(fields.get("sleeps")).items()]
    times = {key: _stretch(row, day) for key, row in found}
    found.sort(key=lambda one: (one[0] not in stages, -times[one[0]].minutes, one[0]))
    for key, row in found:
        asleep = times[key]
        if not any(_overlap(asleep, other) for other in kept):
            kept.append(asleep)
            kind = EpisodeKind.NAP if asleep.is_nap else EpisodeKind.SLEEP
            yield asleep.episode(kind, key, _minutes(row, asleep, mapping(stages.get(key))))


def _minutes(row: Fields, asleep: Stretch, stages: Mapping[str, Any]) -> dict[Metric, float | None]:
    """Return a sleep's values."""
    values = {**row.measured(SLEEP), Metric.IN_BED: asleep.minutes}
    told = Fields(stages, row.name)
    if not any(told.number(name) for name in STAGES.values()):
        share = min((row.number("efficiency") or 100.0) / 100, 1.0)
        own = {
            Metric.REM_SLEEP: row.number("total_rem_duration"),
            Metric.LIGHT_SLEEP: row.number("total_light_duration"),
        }
        return values | own | {Metric.ASLEEP: asleep.minutes * share}
    minutes: dict[Metric, float | None] = {metric: told.number(name) or 0.0 for metric, name in STAGES.items()}
    total = sum(value or 0.0 for value in minutes.values())
    return values | minutes | {Metric.ASLEEP: total, Metric.AWAKE: told.number("awake") or 0.0}


def _overlap(one: Stretch, other: Stretch) -> bool:
    return min(one.end or one.start, other.end or other.start) - max(one.start, other.start) > ZERO


def _stretch(row: Fields, day: date | None = None) -> Stretch:
    start, end, offset = row.instant("start"), row.instant("end"), row.offset("offset")
    row.ordered(start, end)
    return Stretch(start=start, end=end, offset=offset, day=day or local_date(start, offset))


def _steps(day: date, fields: Fields, zone: ZoneInfo) -> Iterator[Item]:
    """Yield a day's steps and distance by the count that Samsung Health has merged over devices."""
    told = mapping(fields.get("merged")) or mapping(fields.get("device"))
    rows = [Fields(mapping(row), fields.name) for row in told.values()]
    best = max(rows, key=lambda row: row.number("steps") or 0.0, default=None)
    if best is not None and best.number("steps"):
        start = _midnight(day, zone)
        civil = Stretch(start=start, end=None, offset=offset_in(zone, start), day=day)
        yield from civil.samples(str(day), best.measured({Metric.STEPS: "steps", Metric.DISTANCE: "distance"}))


def _workout(key: str, row: Fields) -> Item:
    code = row.number("exercise_type")
    label = None if code is None else SPORTS.get(int(code), f"exercise {int(code)}")
    return _stretch(row).episode(EpisodeKind.WORKOUT, key, row.measured(WORKOUT), label=label)


def _readings(metric: Metric, fields: Fields) -> Iterator[Item]:
    """Yield the means of quarter-hours."""
    by_offset: dict[int, list[tuple[float, float]]] = defaultdict(list)
    bins = list(_told(fields, "bins"))
    covered = {int(at) // QUARTER_HOUR_SECONDS for at, _, _ in bins}
    rows = [told for told in _told(fields, "rows") if int(told[0]) // QUARTER_HOUR_SECONDS not in covered]
    first: dict[int, int] = {}  # quarter-hour -> offset of its first reading, if the clock changes within
    for at, value, offset in sorted([*rows, *bins]):
        by_offset[first.setdefault(int(at) // QUARTER_HOUR_SECONDS, offset)].append((at, value))
    for offset, found in by_offset.items():
        yield from quarter_hours(metric, found, offset=offset)


def _told(fields: Fields, of: str) -> Iterator[tuple[float, float, int]]:
    for told in mapping(fields.get(of)).values():
        if not isinstance(told, list) or len(told) != 3 or finite(told[1]) is None or not isinstance(told[2], int):
            raise fields.bad("a reading is unreadable")
        yield Fields({"at": told[0]}, fields.name).instant("at").timestamp(), float(told[1]), told[2]


def _mean(metric: Metric, day: date, fields: Fields, zone: ZoneInfo) -> Iterator[Item]:
    pairs = [
        (finite(told[0]) or 0.0, max(finite(told[1]) or 0.0, 1.0))
        for told in mapping(fields.get("nights")).values()
        if isinstance(told, list) and len(told) == 2
    ]
    if pairs:
        mean = sum(value * weight for value, weight in pairs) / sum(weight for _, weight in pairs)
        yield from _morning(day, zone).samples(str(day), {metric: mean})


def _morning(day: date, zone: ZoneInfo) -> Stretch:
    start = _midnight(day, zone)
    return Stretch(start=start, end=start + NOON, offset=offset_in(zone, start), day=day)


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time(), zone).astimezone(UTC)
