"""Turn the raw records of an Apple Health export into samples and episodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo
from functools import partial

from bridge.domain.metrics import Metric
from bridge.domain.types import Episode, EpisodeKind, Item, RawRecord, Sample
from connectors.apple.export.units import FIRST, LAST, place_named
from connectors.instants import offset_in
from connectors.noted import NOTED
from connectors.payload import Fields, Table, mapping
from connectors.stretches import Stretch

DAY_TOTALS: Table = {
    Metric.STEPS: "steps",
    Metric.FLOORS: "floors",
    Metric.DISTANCE: "distance",
    Metric.ACTIVE_ENERGY: "active_energy",
    Metric.RESTING_HR: "resting_hr",
    Metric.STAND_HOURS: "stand_hours",
    Metric.ZONE_MINUTES: "exercise_minutes",
}
STAGE_FIELDS: Table = {
    Metric.ASLEEP: "asleep",
    Metric.IN_BED: "in_bed",
    Metric.AWAKE: "awake",
    Metric.LIGHT_SLEEP: "light",
    Metric.DEEP_SLEEP: "deep",
    Metric.REM_SLEEP: "rem",
}
OVERNIGHT_FIELDS: Table = {
    Metric.RESPIRATORY_RATE: "respiratory_rate",
    Metric.SPO2: "spo2",
    Metric.SKIN_TEMPERATURE: "skin_temperature",
    Metric.HRV_RMSSD: "hrv_rmssd",
}
WORKOUT_FIELDS: Table = {
    Metric.DISTANCE: "distance",
    Metric.ACTIVE_ENERGY: "active_energy",
    Metric.HEART_RATE: "heart_rate",
    Metric.STEPS: "steps",
    Metric.ASCENT: "ascent",
    Metric.SPEED: "speed",
    Metric.ZONE_MINUTES: "exercise_minutes",
}
SDNN: Table = {Metric.HRV_SDNN: "value", Metric.HRV_RMSSD_BEATS: "rmssd"}
RMSSD: Table = {Metric.HRV_RMSSD_SPOT: "value"}
LONGEST_SESSION = 120.0  # minutes of mindfulness; a longer session was not stopped in time
QUARTER, DAY, WEEK_SECONDS = timedelta(minutes=15), timedelta(days=1), 7 * 86_400


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - the port's shape
    fields = Fields.of("apple_health", record)
    if record.stream in STORED_ALONE:
        return []
    read = STREAM_READERS.get(record.stream)
    if read is None:
        raise fields.bad("not a stream of apple_health")
    return list(read(fields))


def _each(fields: Fields, path: str) -> list[tuple[str, Fields]]:
    found = fields.get(path)
    if not isinstance(found, Mapping) or not all(isinstance(one, Mapping) for one in found.values()):
        raise fields.bad(f"{path} is missing or unreadable")
    return fields.objects(path)


def _day(fields: Fields) -> Iterator[Sample]:
    day, zone = fields.day("day"), _zone(fields)
    start, end = (datetime(at.year, at.month, at.day, tzinfo=zone).astimezone(UTC) for at in (day, day + DAY))
    civil = Stretch.civil(day, zone, end - start)  # 23 to 25 hours
    yield from civil.samples(str(day), fields.measured(DAY_TOTALS))


def _heart_rate(fields: Fields) -> Iterator[Sample]:
    zone, day = _zone(fields), fields.day("day")
    for text, means in sorted(mapping(fields.get("quarters")).items()):
        start, told = datetime.fromtimestamp(fields.second(text), UTC), fields.figures(means, 4)
        if told[2] <= told[1] <= told[3] and told[0] >= 1:
            lasted = Stretch(start=start, end=start + QUARTER, offset=offset_in(zone, start), day=day)
            yield lasted.mean(Metric.HEART_RATE, told)


def _variability(fields: Fields, table: Table) -> Iterator[Sample]:
    for key, reading in _each(fields, "readings"):
        yield from _span(reading).samples(key, reading.measured(table))


def _mindful(fields: Fields) -> Iterator[Sample]:
    for key, session in _each(fields, "sessions"):
        lasted = _span(session)
        yield from lasted.samples(key, {Metric.MINDFUL: min(lasted.minutes, LONGEST_SESSION)})


def _noted(fields: Fields) -> Iterator[Sample]:
    for name in NOTED:
        for key, amount in _each(fields, name) if name in fields.payload else ():
            yield from _span(amount).samples(f"{name}/{key}", amount.measured({Metric.NOTED: "value"}))


def _nights(fields: Fields) -> Iterator[Item]:
    day = fields.day("day")
    for key, sleep in _each(fields, "sleeps"):
        lasted = replace(_span(sleep), day=day)
        kind = sleep.choice("kind", {"sleep": EpisodeKind.SLEEP, "nap": EpisodeKind.NAP})
        yield lasted.episode(kind, key, sleep.measured(STAGE_FIELDS))
        if kind is EpisodeKind.SLEEP:
            yield from lasted.samples(key, sleep.measured(OVERNIGHT_FIELDS))


def _workouts(fields: Fields) -> Iterator[Episode]:
    for key, workout in _each(fields, "workouts"):
        sport = workout.get("sport")
        label = sport if isinstance(sport, str) else None
        yield _span(workout).episode(EpisodeKind.WORKOUT, key, workout.measured(WORKOUT_FIELDS), label=label)


def _span(fields: Fields) -> Stretch:
    start, end = fields.needed("start"), fields.needed("end")
    if not FIRST <= start <= end < LAST or end - start > WEEK_SECONDS:
        raise fields.bad("start or end is unreadable")
    return Stretch.of_seconds(start, end, fields.offset("offset"))


def _zone(fields: Fields) -> tzinfo:
    try:
        return place_named(fields.key("zone"))
    except ValueError:
        raise fields.bad("zone is not a time zone that this machine knows") from None


STORED_ALONE = ("activity", "every")  # without meaning: sums by quarter of an hour, and single measurements
STREAM_READERS: Mapping[str, Callable[[Fields], Iterator[Item]]] = {
    "day": _day,
    "heart_rate": _heart_rate,
    "hrv": partial(_variability, table=SDNN),
    "rmssd": partial(_variability, table=RMSSD),
    "mindful": _mindful,
    "noted": _noted,
    "night": _nights,
    "workout": _workouts,
}
