"""Turn the combined pieces of FIT files into samples and episodes of days, nights and workouts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from itertools import pairwise
from typing import Any

from bridge.domain.errors import BadRecord
from bridge.domain.metrics import Metric
from bridge.domain.samples import finite, quarter_hours
from bridge.domain.types import Episode, EpisodeKind, Item, RawRecord
from connectors.garmin.fields import fields_of, length, minutes_by_zone, offset_at_home, settled
from connectors.garmin.fit import FIT_EPOCH, INTENSITY, ends
from connectors.instants import local_date, midnight
from connectors.payload import CENTIMETRES, METRES_A_SECOND, Fields, Table, mapping, rows
from connectors.stretches import Stretch

WALKING, RUNNING = "6", "1"  # activity types of the FIT profile; their cycles are steps
SERIES = {Metric.HEART_RATE: "heart_rate", Metric.STRESS: "stress"}
METRIC_OF_LEVEL = {1: Metric.AWAKE, 2: Metric.LIGHT_SLEEP, 3: Metric.DEEP_SLEEP, 4: Metric.REM_SLEEP}
OVERNIGHT: Table = {Metric.HRV_RMSSD: ("average", Fraction(1, 128))}  # 1/128 ms
SESSION: Table = {  # by field number
    Metric.DISTANCE: ("9", CENTIMETRES),
    Metric.ACTIVE_ENERGY: "11",
    Metric.HEART_RATE: "16",
    Metric.ASCENT: "22",
}
SPEED: Table = {Metric.SPEED: ("14", METRES_A_SECOND / 1000)}
ENHANCED_SPEED: Table = {Metric.SPEED: ("124", METRES_A_SECOND / 1000)}  # of newer watches

CM_PER_M, MS_PER_S = 100, 1000
SPORTS = {
    1: "running",
    2: "cycling",
    4: "fitness_equipment",
    5: "swimming",
    10: "training",
    11: "walking",
    17: "hiking",
}
ON_FOOT = (1, 11)  # running and walking
NIGHT_LENGTH = timedelta(hours=9)  # what an overnight value without times is known to span


def day(record: RawRecord, parent: RawRecord | None) -> Iterator[Item]:  # noqa: ARG001 - the port's shape
    """Yield samples of a local day, which are heart rate and stress by quarter-hour, totals, and resting heart rate."""
    payload = record.payload
    civil = fields_of(payload, "fit_day").date_in("day")
    offset = _day_offset(payload, civil)
    device = record.key.partition("/")[0]
    for metric, series in SERIES.items():
        readings = ((at - ends(series), value) for at, value in _points(payload, series))
        yield from quarter_hours(metric, readings, offset=offset, device=device)
    start = midnight(civil) - timedelta(minutes=offset)
    distance = _total(payload, "distance")
    values = {
        Metric.STEPS: _total(payload, "cycles", only=(WALKING, RUNNING)),
        Metric.DISTANCE: None if distance is None else distance / CM_PER_M,
        Metric.ACTIVE_ENERGY: _total(payload, "calories"),
        Metric.RESTING_HR: max(_points(payload, "resting"), default=(0, None))[1],
        **_intensity(payload),
    }
    whole = Stretch(start=start, end=start + timedelta(days=1), offset=offset, day=civil)
    yield from whole.samples(record.key, values)


def _points(payload: Mapping[str, Any], series: str) -> list[tuple[int, float]]:
    held, found = mapping(payload.get(series)), dict[int, float]()
    for key in held:
        at, value = key.partition("/")[0], finite(held.get(key))
        if at.isdigit() and len(at) < 12 and value is not None:
            found[int(at)] = max(value, found.get(int(at), value))
    return sorted(found.items())


def _intensity(payload: Mapping[str, Any]) -> dict[Metric, float | None]:
    moderate, vigorous = (sum(minutes for _, minutes in _points(payload, series)) for series in INTENSITY.values())
    return minutes_by_zone(moderate, vigorous) if moderate or vigorous else {}


def _total(payload: Mapping[str, Any], series: str, only: tuple[str, ...] | None = None) -> float | None:
    """Return the sum, over activity types (``only`` some, if given), of each one's highest reading of ``series``."""
    highest = []
    for name in payload:
        kind = name.partition(":")[2]
        if name.startswith(f"{series}:") and (only is None or kind in only):
            held = mapping(payload.get(name))
            values = [value for key in held if (value := finite(held.get(key))) is not None]
            highest += [max(values)] if values else []
    return sum(highest) if highest else None


def sleep(record: RawRecord, parent: RawRecord | None) -> Iterator[Item]:  # noqa: ARG001
    """Yield a night as an episode, built from its stages. Raises BadRecord for fewer than two stages or over a day.

    A stage lasts until the next begins. The last only marks the end of the night.
    """
    payload = _settled(record)
    stages = sorted(pair for pair in map(_stage, rows(payload.get("stages"))) if pair is not None)
    if len(stages) < 2:
        raise BadRecord("garmin/fit_sleep: the night has fewer than two stages")
    start, end = (datetime.fromtimestamp(at, UTC) for at in (stages[0][0], stages[-1][0]))
    if end - start > timedelta(days=1):
        raise BadRecord("garmin/fit_sleep: the night lasts longer than a day")
    minutes: dict[Metric, float | None] = dict.fromkeys(METRIC_OF_LEVEL.values(), 0.0)
    for (begun, stage), (ended, _) in pairwise(stages):
        if stage in METRIC_OF_LEVEL:
            minutes[METRIC_OF_LEVEL[stage]] = (minutes[METRIC_OF_LEVEL[stage]] or 0.0) + (ended - begun) / 60
    asleep = sum(minutes[m] or 0.0 for m in (Metric.LIGHT_SLEEP, Metric.DEEP_SLEEP, Metric.REM_SLEEP))
    offset = _place(payload, end)
    night = Stretch(start=start, end=end, offset=offset, day=local_date(end, offset))
    values = {Metric.ASLEEP: asleep, Metric.IN_BED: night.minutes, Metric.SLEEP_SCORE: finite(payload.get("score"))}
    yield night.episode(EpisodeKind.SLEEP, record.key, minutes | values)


def _stage(pair: Any) -> tuple[int, int] | None:
    if not isinstance(pair, list | tuple) or len(pair) != 2:
        return None
    at, stage = pair
    good = all(isinstance(part, int) and not isinstance(part, bool) for part in pair) and FIT_EPOCH < at < 1 << 33
    return (at, stage) if good else None


def hrv(record: RawRecord, parent: RawRecord | None) -> Iterator[Item]:  # noqa: ARG001
    """Yield as a sample the mean RMSSD of the nine hours before it was written. Raises BadRecord without a time."""
    payload = _settled(record)
    end = _at(fields_of(payload, "fit_hrv").needed("at"), "fit_hrv")
    offset = _place(payload, end)
    night = Stretch(start=end - NIGHT_LENGTH, end=end, offset=offset, day=local_date(end, offset))
    yield from night.samples(record.key, fields_of(payload, "fit_hrv").measured(OVERNIGHT))


def session(key: str, session: Mapping[str, Any], zone: object) -> Episode:
    """Return a session of an activity file as a workout episode. Raises BadRecord if its start or length is unreadable.

    ``zone`` is the user's zone, for a session without an offset.
    """
    fields = fields_of(session, "workout")
    begun, lasted, sport = fields.number("2"), length(fields, MS_PER_S, "7"), fields.number("5")
    if begun is None or lasted is None:
        raise fields.bad("start or duration is unreadable")
    start = _at(begun + FIT_EPOCH, "workout")
    offset = _place({**session, "zone": zone}, start)
    time = Stretch(start=start, end=start + lasted, offset=offset, day=local_date(start, offset))
    label = SPORTS.get(int(sport)) if sport is not None else None
    speed = fields.measured(SPEED if "14" in session else ENHANCED_SPEED)
    return time.episode(EpisodeKind.WORKOUT, key, fields.measured(SESSION) | speed | _steps(fields, sport), label=label)


def _steps(fields: Fields, sport: float | None) -> dict[Metric, float | None]:
    """Return the steps of a session on foot, which counts strides of two steps."""
    strides = fields.number("10") if sport in ON_FOOT else None
    return {Metric.STEPS: None if strides is None else 2 * strides}


def _settled(record: RawRecord) -> dict[str, Any]:
    return {"zone": record.payload.get("zone"), **settled(mapping(record.payload.get("rows")))}


def _day_offset(payload: Mapping[str, Any], day: date) -> int:
    offsets = mapping(payload.get("offsets"))
    known = [(_created(key), minutes) for key in offsets if (minutes := finite(offsets.get(key))) is not None]
    noon = midnight(day) + timedelta(hours=12)
    return _place({"zone": payload.get("zone"), "offset": max(known)[1] if known else None}, noon)


def _created(key: str) -> int:
    created = key.partition("/")[0]
    return int(created) if created.isdigit() and len(created) < 12 else 0


def _place(payload: Mapping[str, Any], at: datetime) -> int:
    if finite(payload.get("offset")) is not None:
        return fields_of(payload, "fit").offset("offset")
    return offset_at_home(payload, at, "fit")


def _at(seconds: float, what: str) -> datetime:
    if not FIT_EPOCH < seconds < 1 << 33:
        raise BadRecord(
            f"garmin/{what}: the time in the file is out of range; set the watch's clock, so that later files are read"
        )
    return datetime.fromtimestamp(seconds, UTC)
