"""What was gathered from an export, as samples and episodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from bridge.errors import BadRecord
from bridge.types import METRICS, Episode, EpisodeKind, Item, Metric, RawRecord, Sample

DAY_TOTALS = {
    Metric.STEPS: "steps",
    Metric.DISTANCE: "distance",
    Metric.ACTIVE_ENERGY: "active_energy",
    Metric.RESTING_HR: "resting_hr",
}
STAGES = {
    Metric.ASLEEP: "asleep",
    Metric.IN_BED: "in_bed",
    Metric.AWAKE: "awake",
    Metric.LIGHT_SLEEP: "light",
    Metric.DEEP_SLEEP: "deep",
    Metric.REM_SLEEP: "rem",
}
OVERNIGHT = {
    Metric.RESPIRATORY_RATE: "respiratory_rate",
    Metric.SPO2: "spo2",
    Metric.SKIN_TEMPERATURE: "skin_temperature",
}
WORKOUT = {Metric.DISTANCE: "distance", Metric.ACTIVE_ENERGY: "active_energy", Metric.HEART_RATE: "heart_rate"}
LONGEST_SESSION = 120.0  # minutes of mindfulness; longer ones were forgotten to be stopped
QUARTER = timedelta(minutes=15)


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - the port's shape
    """What a record means. Raises BadRecord naming the unreadable field."""
    match record.stream:
        case "day":
            return list(_day(record))
        case "heart_rate":
            return list(_heart_rate(record.payload))
        case "hrv":
            return list(_spot(record, Metric.HRV_SDNN, _number(record.payload, "value")))
        case "mindful":
            start, end = _span(record.payload, "mindful")
            minutes = (end - start) / timedelta(minutes=1)
            return list(_spot(record, Metric.MINDFUL, min(minutes, LONGEST_SESSION)))
        case "night":
            return list(_night(record))
        case "workout":
            return [_workout(record)]
    raise BadRecord(f"apple_health/{record.stream}: not a stream of apple_health")


def _day(record: RawRecord) -> Iterator[Sample]:
    """A civil day's totals."""
    day, zone = _date(record.payload, "day"), _zone(record.payload)
    start = datetime(day.year, day.month, day.day, tzinfo=zone)
    end = start + timedelta(days=1)  # the same wall time: 23 to 25 hours
    values = {metric: _number(record.payload, field) for metric, field in DAY_TOTALS.items()}
    yield from _samples(values, key=record.key, start=start, end=end, offset=_offset_of(start), day=day)


def _heart_rate(payload: Mapping[str, Any]) -> Iterator[Sample]:
    quarters, zone = payload.get("quarters"), _zone(payload)
    spec = METRICS[Metric.HEART_RATE]
    for text, means in sorted(quarters.items()) if isinstance(quarters, Mapping) else ():
        count, mean, low, high = _means(text, means)
        if spec.low <= low <= mean <= high <= spec.high and count >= 1:
            start = datetime.fromtimestamp(int(text), zone)
            yield Sample(
                key=f"{Metric.HEART_RATE}/{start.astimezone(UTC):%Y-%m-%dT%H:%MZ}",
                metric=Metric.HEART_RATE,
                start=start,
                end=start + QUARTER,
                offset=_offset_of(start),
                day=start.date(),
                value=mean,
                count=int(count),
                low=low,
                high=high,
            )


def _means(start: object, means: Any) -> tuple[float, float, float, float]:
    """(count, mean, lowest, highest) of a quarter of an hour. Raises BadRecord."""
    good = isinstance(means, list) and len(means) == 4 and all(_is_number(value) for value in means)
    if not good or not str(start).isdigit() or len(str(start)) > 11:
        raise BadRecord("apple_health/heart_rate: a quarter of an hour is unreadable")
    count, mean, low, high = map(float, means)
    return count, mean, low, high


def _spot(record: RawRecord, metric: Metric, value: float | None) -> Iterator[Sample]:
    start, end = _span(record.payload, record.stream)
    offset, day = _offset(record.payload), _date(record.payload, "day")
    yield from _samples({metric: value}, key=record.key, start=start, end=end, offset=offset, day=day)


def _night(record: RawRecord) -> Iterator[Item]:
    payload = record.payload
    start, end = _span(payload, "night")
    offset, day, kind = _offset(payload), _date(payload, "day"), payload.get("kind")
    if kind not in ("sleep", "nap"):
        raise BadRecord("apple_health/night: kind is unknown")
    stages = {metric: _number(payload, field) for metric, field in STAGES.items()}
    yield Episode(
        key=record.key,
        kind=EpisodeKind(kind),
        start=start,
        end=end,
        offset=offset,
        day=day,
        values=_in_range(stages),
    )
    if kind == "sleep":
        values = {metric: _number(payload, field) for metric, field in OVERNIGHT.items()}
        yield from _samples(values, key=record.key, start=start, end=end, offset=offset, day=day)


def _workout(record: RawRecord) -> Episode:
    payload = record.payload
    start, end = _span(payload, "workout")
    sport = payload.get("sport")
    return Episode(
        key=record.key,
        kind=EpisodeKind.WORKOUT,
        start=start,
        end=end,
        offset=_offset(payload),
        day=_date(payload, "day"),
        label=sport if isinstance(sport, str) else None,
        values=_in_range({metric: _number(payload, field) for metric, field in WORKOUT.items()}),
    )


def _samples(
    values: Mapping[Metric, float | None], *, key: str, start: datetime, end: datetime, offset: int, day: date
) -> Iterator[Sample]:
    for metric, value in _in_range(values).items():
        yield Sample(key=f"{key}/{metric}", metric=metric, start=start, end=end, offset=offset, day=day, value=value)


def _in_range(values: Mapping[Metric, float | None]) -> dict[Metric, float]:
    return {m: v for m, v in values.items() if v is not None and METRICS[m].low <= v <= METRICS[m].high}


def _span(payload: Mapping[str, Any], what: str) -> tuple[datetime, datetime]:
    start, end = _number(payload, "start"), _number(payload, "end")
    if start is None or end is None or not 0 <= start <= end < 1 << 33 or end - start > 7 * 86_400:
        raise BadRecord(f"apple_health/{what}: start or end is unreadable")
    return datetime.fromtimestamp(start, UTC), datetime.fromtimestamp(end, UTC)


def _date(payload: Mapping[str, Any], field: str) -> date:
    try:
        day = date.fromisoformat(str(payload.get(field)))
    except ValueError:
        day = date.min
    if not 1990 <= day.year < 2200:
        raise BadRecord(f"apple_health: {field} is no date")
    return day


def _offset(payload: Mapping[str, Any]) -> int:
    offset = _number(payload, "offset")
    if offset is None or abs(offset) > 15 * 60:
        raise BadRecord("apple_health: offset is unreadable")
    return int(offset)


def _offset_of(at: datetime) -> int:
    return int((at.utcoffset() or timedelta(0)) / timedelta(minutes=1))


def _zone(payload: Mapping[str, Any]) -> ZoneInfo:
    name = payload.get("zone")
    try:
        if not isinstance(name, str) or not name:
            raise ValueError
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise BadRecord("apple_health: zone is unknown") from None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e9


def _number(payload: Mapping[str, Any], field: str) -> float | None:
    value = payload.get(field)
    return (
        float(value) if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e12 else None
    )
