"""Turn the dates of Samsung Health's data into episodes and samples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from zoneinfo import ZoneInfo

from bridge.domain.metrics import Metric
from bridge.domain.samples import QUARTER_HOUR_SECONDS, finite, quarter_hours
from bridge.domain.types import EpisodeKind, Item, RawRecord
from connectors.instants import local_date
from connectors.payload import METRES_A_SECOND, Fields, Table, mapping
from connectors.samsung_health import NIGHTLY
from connectors.samsung_health.files import VITALITY
from connectors.stretches import Stretch

NOON = timedelta(hours=12)
ZERO = timedelta(0)
READINGS = {"heart_rate": Metric.HEART_RATE, "stress": Metric.STRESS}
SLEEP: Table = {Metric.SLEEP_EFFICIENCY: "efficiency", Metric.SLEEP_SCORE: "sleep_score"}
STAGES = {Metric.LIGHT_SLEEP: "light", Metric.DEEP_SLEEP: "deep", Metric.REM_SLEEP: "rem"}
DAY: Table = {Metric.STEPS: "steps", Metric.DISTANCE: "distance"}
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
    fields = Fields.of("samsung_health", record)
    zone, day = fields.zone("zone"), Fields({"key": record.key}, fields.name).day("key")
    return list(_items(record.stream, day, fields, zone))


def _items(stream: str, day: date, fields: Fields, zone: ZoneInfo) -> Iterator[Item]:
    if stream == "night":
        yield from _night(day, fields)
    elif stream == "day":
        yield from _steps(day, fields, zone)
    elif stream == "workout":
        for key, row in fields.objects("workouts"):
            yield _workout(key, row)
    elif stream in READINGS:
        yield from _readings(READINGS[stream], fields)
    elif stream == "energy_score":
        told = fields.measured({metric: metric.value for metric in VITALITY})
        yield from Stretch.civil(day, zone, NOON).samples(str(day), told)
    elif stream in NIGHTLY:
        yield from _mean(NIGHTLY[stream], fields, Stretch.civil(day, zone, NOON))
    else:
        raise fields.bad("not a stream of samsung_health")


def _night(day: date, fields: Fields) -> Iterator[Item]:
    stages, found = dict(fields.objects("stages")), fields.objects("sleeps")
    kept: list[Stretch] = []
    times = {key: _stretch(row, day) for key, row in found}
    found.sort(key=lambda one: (one[0] not in stages, -times[one[0]].minutes, one[0]))
    for key, row in found:
        asleep = times[key]
        if not any(_overlap(asleep, other) for other in kept):
            kept.append(asleep)
            kind = EpisodeKind.NAP if asleep.is_nap else EpisodeKind.SLEEP
            yield asleep.episode(kind, key, _minutes(row, asleep, stages.get(key, Fields({}, row.name))))


def _minutes(row: Fields, asleep: Stretch, told: Fields) -> dict[Metric, float | None]:
    values = {**row.measured(SLEEP), Metric.IN_BED: asleep.minutes}
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
    """Yield a day's steps and distance, merged over devices, or else those of the device with most steps."""
    rows = [row for _, row in fields.objects("merged") or fields.objects("device")]
    best = max(rows, key=lambda row: row.number("steps") or 0.0, default=None)
    if best is not None and best.number("steps"):
        yield from Stretch.civil(day, zone).samples(
            str(day), best.measured({Metric.STEPS: "steps", Metric.DISTANCE: "distance"})
        )


def _workout(key: str, row: Fields) -> Item:
    code = row.number("exercise_type")
    label = None if code is None else SPORTS.get(int(code), f"exercise {int(code)}")
    return _stretch(row).episode(EpisodeKind.WORKOUT, key, row.measured(WORKOUT), label=label)


def _readings(metric: Metric, fields: Fields) -> Iterator[Item]:
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
        if not isinstance(told, list) or len(told) != 3:
            raise fields.bad("a reading is unreadable")
        at = Fields({"at": told[0]}, fields.name).instant("at")
        yield at.timestamp(), fields.figures(told[1:2], 1)[0], fields.east(told[2])


def _mean(metric: Metric, fields: Fields, morning: Stretch) -> Iterator[Item]:
    pairs = [
        (finite(told[0]) or 0.0, max(finite(told[1]) or 0.0, 1.0))
        for told in mapping(fields.get("nights")).values()
        if isinstance(told, list) and len(told) == 2
    ]
    if pairs:
        mean = sum(value * weight for value, weight in pairs) / sum(weight for _, weight in pairs)
        yield from morning.samples(str(morning.day), {metric: mean})
