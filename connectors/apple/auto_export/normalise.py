"""Turn the raw records of Health Auto Export into samples and episodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from statistics import median
from typing import Any
from zoneinfo import ZoneInfo

from bridge.domain.errors import BadRecord
from bridge.domain.metrics import Metric
from bridge.domain.samples import only_measured, samples
from bridge.domain.types import Episode, EpisodeKind, Item, RawRecord, Sample
from connectors.apple.auto_export.nights import Sleep, Stretch, chosen, of_stretches, order
from connectors.apple.auto_export.times import FIRST, LAST, number

QUARTER, HOUR = 900, 3600


def total(sent: Mapping[str, Any]) -> float | None:
    """Return a day's total of a metric from ``sent`` (grouping -> sums by time), or None if nothing was sent.

    Groupings cover the same time and never add up. Raises BadRecord for unreadable values.
    """
    hours: dict[int, float] = defaultdict(float)
    for found in (_per_hour(sent, "minutes"), _per_hour(sent, "hours"), _singles(sent)):
        for hour, value in found.items():
            hours[hour] = max(hours[hour], value)
    whole = [_value(value) for value in _values(sent, "days").values()]
    return max([*whole, *([sum(hours.values())] if hours else [])], default=None)


def _per_hour(sent: Mapping[str, Any], name: str) -> dict[int, float]:
    found: dict[int, float] = defaultdict(float)
    for at, value in _values(sent, name).items():
        found[_moment(at) // HOUR] += _value(value)
    return found


def _singles(sent: Mapping[str, Any]) -> dict[int, float]:
    """Return hour since 1970 -> sum of single measurements."""
    quarters: dict[int, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for text, value in _values(sent, "single").items():
        at, _, source = text.partition(" ")
        quarters[_moment(at) // QUARTER][source] += _value(value)
    hours: dict[int, float] = defaultdict(float)
    for quarter, sources in quarters.items():
        best = min(sources, key=lambda source: (order(source), -sources[source]))
        hours[quarter * QUARTER // HOUR] += sources[best]
    return hours


def _values(sent: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = sent.get(name, {})
    if not isinstance(found, Mapping):
        raise BadRecord(f"health_auto_export/day: {name} is unreadable")
    return found


def _moment(text: str) -> int:
    if not text.isdigit() or len(text) > 11:
        raise BadRecord("health_auto_export/day: a time is unreadable")
    return int(text)


def _value(value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise BadRecord("health_auto_export/day: a number is unreadable")
    return float(value)


TOTALS = {
    Metric.STEPS: "steps",
    Metric.DISTANCE: "distance",
    Metric.ACTIVE_ENERGY: "active_energy",
    Metric.ZONE_MINUTES: "exercise_minutes",
}
WORKOUT_METRICS = (
    *(Metric.DISTANCE, Metric.ACTIVE_ENERGY, Metric.HEART_RATE),
    *(Metric.STEPS, Metric.ASCENT, Metric.SPEED),
)
METRIC_OF_STAGE = {
    "asleep": Metric.ASLEEP,
    "in_bed": Metric.IN_BED,
    "awake": Metric.AWAKE,
    "light": Metric.LIGHT_SLEEP,
    "deep": Metric.DEEP_SLEEP,
    "rem": Metric.REM_SLEEP,
}
OVERNIGHT_METRICS = (Metric.RESPIRATORY_RATE, Metric.SPO2, Metric.SKIN_TEMPERATURE)
DARK = (22, 8)  # local hours of a night without a recorded sleep, for values that are also measured by day
SPANS = {"quarters": 900, "hours": 3600, "days": 86_400}
LONGEST_WORKOUT, LONGEST_SESSION = 2 * 86_400, 120.0
MINUTE = timedelta(minutes=1)

Point = tuple[int, float, float]  # Unix seconds, value, minutes east of UTC


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - the port's shape
    """Return the samples and episodes of a raw record. Raises BadRecord, which names the field, if it is unreadable."""
    match record.stream:
        case "day":
            return list(_day(record.payload))
        case "heart_rate":
            return list(_rates(record.payload))
        case "instants":
            return list(_instants(record.payload))
        case "night":
            return list(_night(record.payload))
        case "workout":
            return [_workout(record.payload)]
        case "unreadable":
            raise BadRecord(_unreadable(record.payload))
    raise BadRecord(f"health_auto_export/{record.stream}: not a stream of health_auto_export")


def _unreadable(payload: Mapping[str, Any]) -> str:
    what, coarse = f"health_auto_export/{payload.get('metric')}", payload.get("coarse")
    if coarse is not None:
        return f"{what}: points that sum up more than a day: {coarse}; set the time grouping to days or less"
    return f"{what}: points without a time, a number or a known unit: {payload.get('points')}"


def _day(payload: Mapping[str, Any]) -> Iterator[Sample]:
    start, end, day, offset = _civil(payload)
    values: dict[Metric, float | None] = {metric: total(_object(payload, name)) for metric, name in TOTALS.items()}
    resting = sorted((_second(at), _finite(value)) for at, value in _object(payload, "resting_hr").items())
    values[Metric.RESTING_HR] = resting[-1][1] if resting else None
    yield from samples(values, key=day.isoformat(), start=start, end=end, offset=offset, day=day)


def _civil(payload: Mapping[str, Any]) -> tuple[datetime, datetime, date, int]:
    """Return (start, end, date, offset in minutes east of UTC) of a payload's civil day."""
    try:
        day, zone = date.fromisoformat(str(payload.get("day"))), ZoneInfo(str(payload.get("zone") or ""))
    except (ValueError, KeyError, OSError):
        raise BadRecord("health_auto_export/day: day or zone is unreadable") from None
    offset = _offset(payload["offset"]) if "offset" in payload else None
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC) if 1990 <= day.year < 2200 else None
    if midnight is None:
        raise BadRecord("health_auto_export/day: day is not between 1990 and 2199")
    local, following = (at.replace(tzinfo=zone) for at in (midnight, midnight + timedelta(days=1)))
    if offset is None or offset in {int((at.utcoffset() or timedelta(0)) / MINUTE) for at in (local, following)}:
        return local, following, day, int((local.utcoffset() or timedelta(0)) / MINUTE)
    start = midnight - timedelta(minutes=offset)
    return start, start + timedelta(days=1), day, offset


def _rates(payload: Mapping[str, Any]) -> Iterator[Sample]:
    """Yield the mean heart rates of quarters of an hour, hours and days that Health Auto Export sent."""
    # A quarter of an hour that came in parts, because a delivery ended within it, becomes a single mean.
    for name, length in SPANS.items():
        parts: dict[int, list[list[float]]] = {}
        for text, values in _object(payload, name).items():
            at = _second(text)
            first = at - at % length if name == "quarters" else at
            parts.setdefault(first, []).append(_numbers(values, 5))
        for first, some in sorted(parts.items()):
            count = sum(part[0] for part in some)
            mean = sum(part[0] * part[1] for part in some) / count if count else 0.0
            low, high = min(part[2] for part in some), max(part[3] for part in some)
            mean = min(max(mean, low), high)  # rounding must not lift the mean over the highest rate
            if low <= high and count >= 1:
                yield _rate(first, length, name, mean, low, high, int(count), _offset(some[0][4]))


def _rate(first: int, length: int, name: str, mean: float, low: float, high: float, count: int, offset: int) -> Sample:
    start = datetime.fromtimestamp(first, UTC)
    return Sample(
        key=f"{Metric.HEART_RATE}/{start:%Y-%m-%dT%H:%MZ}" + ("" if name == "quarters" else f"/{name}"),
        metric=Metric.HEART_RATE,
        start=start,
        end=start + timedelta(seconds=length),
        offset=offset,
        day=(start + timedelta(minutes=offset)).date(),
        value=mean,
        count=count,
        low=low,
        high=high,
    )


def _instants(payload: Mapping[str, Any]) -> Iterator[Sample]:
    for metric in (Metric.HRV_SDNN, Metric.HRV_RMSSD_SPOT, Metric.MINDFUL):
        for text, values in sorted(_object(payload, str(metric)).items()):
            value, offset = _numbers(values, 2)
            start = datetime.fromtimestamp(_second(text), UTC)
            if metric is Metric.MINDFUL:
                value = min(value, LONGEST_SESSION)
            length = timedelta(minutes=value if metric is Metric.MINDFUL and value >= 0 else 0)
            day = (start + timedelta(minutes=_offset(offset))).date()
            yield from samples({metric: value}, key=text, start=start, end=start + length, offset=int(offset), day=day)


def _night(payload: Mapping[str, Any]) -> Iterator[Item]:
    """Yield a night's sleeps and naps as episodes, and the medians of values measured overnight as samples."""
    sleeps = chosen([*of_stretches(_stretches(payload)), *_summaries(payload)])
    nights = [sleep for sleep in sleeps if not sleep.is_nap]
    main = max(nights, key=lambda one: one.minutes.get("asleep", 0.0), default=None)
    for sleep in sleeps:
        kind = EpisodeKind.NAP if sleep.is_nap else EpisodeKind.SLEEP
        start, end, day = _span(sleep)
        values = only_measured({METRIC_OF_STAGE[name]: value for name, value in sleep.minutes.items()})
        yield Episode(
            key=str(sleep.start), kind=kind, start=start, end=end, offset=sleep.offset, day=day, values=values
        )
    if not sleeps:
        yield from _dated(payload)
    yield from _overnight(payload, main)


def _dated(payload: Mapping[str, Any]) -> Iterator[Sample]:
    """Yield a night's minutes by stage as samples without an end, where the app sent only the date of waking."""
    told = [values for _, values in sorted(_object(payload, "dated").items())]
    for values in told[:1]:
        if not isinstance(values, list) or len(values) != 3 or not isinstance(values[2], Mapping):
            raise BadRecord("health_auto_export/night: a summary is unreadable")
        start, _, day, _ = _civil({"day": values[0], "zone": values[1]})
        minutes = {name: value for name, value in values[2].items() if name in METRIC_OF_STAGE}
        figures = {METRIC_OF_STAGE[name]: _finite(value) for name, value in minutes.items()}
        for sample in samples(figures, key="dated", start=start, end=start, offset=None, day=day):
            yield replace(sample, end=None)  # the time of waking is unknown


def _stretches(payload: Mapping[str, Any]) -> Iterator[Stretch]:
    for text, values in _object(payload, "stretches").items():
        start, source = _named(text)
        if not isinstance(values, list) or len(values) != 3 or not isinstance(values[1], str):
            raise BadRecord("health_auto_export/night: a stage is unreadable")
        end, stage = _second(values[0]), values[1]
        if end < start:
            raise BadRecord("health_auto_export/night: a stage ends before it begins")
        if end - start < 86_400:  # a longer stage was not stopped; the night is kept
            yield Stretch(start, end, stage, _offset(values[2]), source.removeprefix(f"{stage} "))


def _summaries(payload: Mapping[str, Any]) -> Iterator[Sleep]:
    for text, values in _object(payload, "summaries").items():
        start, _ = _named(text)
        if not isinstance(values, list) or len(values) != 3 or not isinstance(values[2], Mapping):
            raise BadRecord("health_auto_export/night: a summary is unreadable")
        end = _second(values[0])
        if not start < end < start + 2 * 86_400:
            raise BadRecord(
                "health_auto_export/night: a sleep ends before it begins, or over two days later; correct it in Health"
            )
        told = {name: _finite(values[2][name]) for name in METRIC_OF_STAGE if name in values[2]}
        yield Sleep(start, end, _offset(values[1]), told)


def _overnight(payload: Mapping[str, Any], main: Sleep | None) -> Iterator[Sample]:
    """Yield the median of each overnight metric during ``main``, the sleep with the most minutes asleep."""
    measured = _object(payload, "overnight")
    for metric in OVERNIGHT_METRICS:
        points = [_point(at, one) for at, one in _object(measured, str(metric)).items()]
        inside = (
            points if metric is Metric.SKIN_TEMPERATURE or len(points) == 1 else [p for p in points if _in(p, main)]
        )
        if inside:
            value = {metric: median(point[1] for point in inside)}
            if main is not None:
                start, end, day = _span(main)
                yield from samples(value, key="night", start=start, end=end, offset=main.offset, day=day)
            else:
                yield from _alone(value, inside)


def _point(at: str, values: Any) -> Point:
    value, offset = _numbers(values, 2)
    return _second(at), value, offset


def _in(point: Point, main: Sleep | None) -> bool:
    if main is not None:
        return main.start <= point[0] <= main.end
    hour = (point[0] + point[2] * 60) % 86_400 // 3600
    return hour >= DARK[0] or hour < DARK[1]


def _alone(value: Mapping[Metric, float | None], points: Iterable[Point]) -> Iterator[Sample]:
    ordered = sorted(points)
    start, end = (datetime.fromtimestamp(at, UTC) for at in (ordered[0][0], ordered[-1][0]))
    offset = _offset(ordered[-1][2])
    day = (end + timedelta(minutes=offset, hours=6)).date()
    yield from samples(value, key="night", start=start, end=end, offset=offset, day=day)


def _span(sleep: Sleep) -> tuple[datetime, datetime, date]:
    start, end = datetime.fromtimestamp(sleep.start, UTC), datetime.fromtimestamp(sleep.end, UTC)
    return start, end, (end + timedelta(minutes=sleep.offset)).date()


def _workout(payload: Mapping[str, Any]) -> Episode:
    start, end = _second(payload.get("start")), _second(payload.get("end"))
    if not start <= end < start + LONGEST_WORKOUT:
        raise BadRecord(
            "health_auto_export/workout: the workout ends before it begins, or lasts two days or more; "
            "correct it in Health"
        )
    offset, sport = _offset(payload.get("offset")), payload.get("sport")
    begin = datetime.fromtimestamp(start, UTC)
    values = {metric: number(payload.get(str(metric))) for metric in WORKOUT_METRICS}
    return Episode(
        key=str(start),
        kind=EpisodeKind.WORKOUT,
        start=begin,
        end=datetime.fromtimestamp(end, UTC),
        offset=offset,
        day=(begin + timedelta(minutes=offset)).date(),
        label=sport if isinstance(sport, str) else None,
        values=only_measured(values),
    )


def _object(payload: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = payload.get(name, {})
    if not isinstance(found, Mapping):
        raise BadRecord(f"health_auto_export: {name} is unreadable")
    return found


def _named(text: str) -> tuple[int, str]:
    at, _, source = text.partition(" ")
    return _second(at), source


def _second(value: Any) -> int:
    try:
        at = int(value)
    except (TypeError, ValueError, OverflowError):
        at = 0
    if not FIRST <= at < LAST:
        raise BadRecord("health_auto_export: a time is unreadable")
    return at


def _offset(value: Any) -> int:
    minutes = _finite(value)
    if abs(minutes) > 15 * 60:
        raise BadRecord("health_auto_export: an offset is unreadable")
    return int(minutes)


def _finite(value: Any) -> float:
    found = None if isinstance(value, str) else number(value)
    if found is None:
        raise BadRecord("health_auto_export: a number is unreadable")
    return found


def _numbers(values: Any, count: int) -> list[float]:
    if not isinstance(values, list) or len(values) != count:
        raise BadRecord("health_auto_export: a point is unreadable")
    return [_finite(value) for value in values]
