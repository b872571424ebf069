"""Turn the raw records of an Apple Health export into samples and episodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any, TypeGuard

from bridge.domain.errors import BadRecord
from bridge.domain.metrics import Metric
from bridge.domain.samples import only_measured, samples
from bridge.domain.types import Episode, EpisodeKind, Item, RawRecord, Sample
from connectors.apple.export.units import FIRST, LAST, place_named
from connectors.instants import calendar_date, local_date

DAY_TOTALS = {
    Metric.STEPS: "steps",
    Metric.DISTANCE: "distance",
    Metric.ACTIVE_ENERGY: "active_energy",
    Metric.RESTING_HR: "resting_hr",
    Metric.STAND_HOURS: "stand_hours",
    Metric.ZONE_MINUTES: "exercise_minutes",
}
STAGE_FIELDS = {
    Metric.ASLEEP: "asleep",
    Metric.IN_BED: "in_bed",
    Metric.AWAKE: "awake",
    Metric.LIGHT_SLEEP: "light",
    Metric.DEEP_SLEEP: "deep",
    Metric.REM_SLEEP: "rem",
}
OVERNIGHT_FIELDS = {
    Metric.RESPIRATORY_RATE: "respiratory_rate",
    Metric.SPO2: "spo2",
    Metric.SKIN_TEMPERATURE: "skin_temperature",
    Metric.HRV_RMSSD: "hrv_rmssd",
}
WORKOUT_FIELDS = {
    Metric.DISTANCE: "distance",
    Metric.ACTIVE_ENERGY: "active_energy",
    Metric.HEART_RATE: "heart_rate",
    Metric.STEPS: "steps",
    Metric.ASCENT: "ascent",
    Metric.SPEED: "speed",
    Metric.ZONE_MINUTES: "exercise_minutes",
}
SDNN = {Metric.HRV_SDNN: "value", Metric.HRV_RMSSD_BEATS: "rmssd"}
RMSSD = {Metric.HRV_RMSSD_SPOT: "value"}
LONGEST_SESSION = 120.0  # minutes of mindfulness; a longer session was not stopped in time
QUARTER, MINUTE = timedelta(minutes=15), timedelta(minutes=1)


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - the port's shape
    """Return the samples and episodes of a raw record. Raises BadRecord, which names the field, if it is unreadable."""
    payload = record.payload
    match record.stream:
        case "day":
            return list(_day(payload))
        case "heart_rate":
            return list(_heart_rate(payload))
        case "hrv":
            return [s for key, one in _inner(payload, "readings") for s in _reading(key, one, SDNN)]
        case "rmssd":
            return [s for key, one in _inner(payload, "readings") for s in _reading(key, one, RMSSD)]
        case "mindful":
            return [s for key, one in _inner(payload, "sessions") for s in _session(key, one)]
        case "night":
            day = _date(payload, "day")
            return [item for key, one in _inner(payload, "sleeps") for item in _night(key, one, day)]
        case "workout":
            return [_workout(key, one) for key, one in _inner(payload, "workouts")]
        case "activity" | "every":
            return []  # stored without meaning: sums by quarter of an hour, and single measurements
    raise BadRecord(f"apple_health/{record.stream}: not a stream of apple_health")


def _inner(payload: Mapping[str, Any], field: str) -> list[tuple[str, Mapping[str, Any]]]:
    found = payload.get(field)
    if not isinstance(found, Mapping) or not all(isinstance(one, Mapping) for one in found.values()):
        raise BadRecord(f"apple_health: {field} is missing or unreadable")
    return sorted(found.items())


def _day(payload: Mapping[str, Any]) -> Iterator[Sample]:
    day, zone = _date(payload, "day"), _zone(payload)
    start = datetime(day.year, day.month, day.day, tzinfo=zone)
    end = start + timedelta(days=1)  # the same wall time: 23 to 25 hours
    values = {metric: _number(payload, field) for metric, field in DAY_TOTALS.items()}
    yield from samples(values, key=day.isoformat(), start=start, end=end, offset=_offset_of(start), day=day)


def _heart_rate(payload: Mapping[str, Any]) -> Iterator[Sample]:
    quarters, zone, day = payload.get("quarters"), _zone(payload), _date(payload, "day")
    name = Metric.HEART_RATE.value  # looked up once, because an export has tens of thousands of quarters
    for text, means in sorted(quarters.items()) if isinstance(quarters, Mapping) else ():
        at, (count, mean, low, high) = _second(text), _means(means)
        if low <= mean <= high and count >= 1:
            start = datetime.fromtimestamp(at, UTC)
            yield Sample(
                key=f"{name}/{start.isoformat()[:16]}Z",
                metric=Metric.HEART_RATE,
                start=start,
                end=start + QUARTER,
                offset=_offset_of(start.astimezone(zone)),
                day=day,
                value=float(mean),
                count=int(count),
                low=float(low),
                high=float(high),
            )


def _second(text: object) -> int:
    if not isinstance(text, str) or not text.isdigit() or len(text) > 11:
        raise BadRecord("apple_health/heart_rate: the start of a 15-minute mean is unreadable")
    return int(text)


def _means(means: Any) -> Iterable[float]:
    if not isinstance(means, list) or len(means) != 4 or not {*map(type, means)} <= {int, float}:
        raise BadRecord("apple_health/heart_rate: a 15-minute mean is unreadable")
    return means


def _reading(key: str, payload: Mapping[str, Any], fields: Mapping[Metric, str]) -> Iterator[Sample]:
    values = {metric: _number(payload, field) for metric, field in fields.items()}
    start, end, offset = _span(payload, "hrv")
    yield from samples(values, key=key, start=start, end=end, offset=offset, day=local_date(start, offset))


def _session(key: str, payload: Mapping[str, Any]) -> Iterator[Sample]:
    start, end, offset = _span(payload, "mindful")
    values: dict[Metric, float | None] = {Metric.MINDFUL: min((end - start) / timedelta(minutes=1), LONGEST_SESSION)}
    yield from samples(values, key=key, start=start, end=end, offset=offset, day=local_date(start, offset))


def _night(key: str, payload: Mapping[str, Any], day: date) -> Iterator[Item]:
    start, end, offset = _span(payload, "night")
    kind = payload.get("kind")
    if kind not in ("sleep", "nap"):
        raise BadRecord("apple_health/night: kind is neither sleep nor nap")
    stages = only_measured({metric: _number(payload, field) for metric, field in STAGE_FIELDS.items()})
    kind = EpisodeKind(kind)
    yield Episode(key=key, kind=kind, start=start, end=end, offset=offset, day=day, values=stages)
    if kind is EpisodeKind.SLEEP:
        values = {metric: _number(payload, field) for metric, field in OVERNIGHT_FIELDS.items()}
        yield from samples(values, key=key, start=start, end=end, offset=offset, day=day)


def _workout(key: str, payload: Mapping[str, Any]) -> Episode:
    start, end, offset = _span(payload, "workout")
    sport = payload.get("sport")
    return Episode(
        key=key,
        kind=EpisodeKind.WORKOUT,
        start=start,
        end=end,
        offset=offset,
        day=local_date(start, offset),
        label=sport if isinstance(sport, str) else None,
        values=only_measured({metric: _number(payload, field) for metric, field in WORKOUT_FIELDS.items()}),
    )


def _span(payload: Mapping[str, Any], what: str) -> tuple[datetime, datetime, int]:
    start, end, offset = (_number(payload, field) for field in ("start", "end", "offset"))
    if start is None or end is None or not FIRST <= start <= end < LAST or end - start > 7 * 86_400:
        raise BadRecord(f"apple_health/{what}: start or end is unreadable")
    if offset is None or abs(offset) > 15 * 60:
        raise BadRecord(f"apple_health/{what}: its offset from UTC is missing or impossible")
    return datetime.fromtimestamp(start, UTC), datetime.fromtimestamp(end, UTC), int(offset)


def _date(payload: Mapping[str, Any], field: str) -> date:
    day = calendar_date(payload.get(field))
    if day is None:
        raise BadRecord(f"apple_health: {field} is no date")
    return day


def _offset_of(at: datetime) -> int:
    return int((at.utcoffset() or timedelta(0)) / MINUTE)


def _zone(payload: Mapping[str, Any]) -> tzinfo:
    """Return the time zone that the payload's ``zone`` names, by its IANA name or as an offset like ``+05:30``."""
    name = payload.get("zone")
    try:
        if not isinstance(name, str) or not name:
            raise ValueError
        return place_named(name)
    except ValueError:
        raise BadRecord("apple_health: zone is no time zone that this machine knows") from None


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e12


def _number(payload: Mapping[str, Any], field: str) -> float | None:
    value = payload.get(field)
    return float(value) if _is_number(value) else None
