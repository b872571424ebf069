"""What the app sent of a day, as samples and episodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from statistics import median
from typing import Any
from zoneinfo import ZoneInfo

from bridge.errors import BadRecord
from bridge.measured import in_range, samples
from bridge.metrics import METRICS, Metric
from bridge.types import Episode, EpisodeKind, Item, RawRecord, Sample
from connectors.health_auto_export.nights import Sleep, Stretch, chosen, of_stretches
from connectors.health_auto_export.times import FIRST, LAST, number
from connectors.health_auto_export.totals import total

TOTALS = {Metric.STEPS: "steps", Metric.DISTANCE: "distance", Metric.ACTIVE_ENERGY: "active_energy"}
STAGES = {
    "asleep": Metric.ASLEEP,
    "in_bed": Metric.IN_BED,
    "awake": Metric.AWAKE,
    "light": Metric.LIGHT_SLEEP,
    "deep": Metric.DEEP_SLEEP,
    "rem": Metric.REM_SLEEP,
}
OVERNIGHT = (Metric.RESPIRATORY_RATE, Metric.SPO2, Metric.SKIN_TEMPERATURE)
DARK = (22, 8)  # hours of a night nobody recorded, for values that are measured in the daytime as well
SPANS = {"quarters": 900, "hours": 3600, "days": 86_400}
LONGEST_WORKOUT, LONGEST_SESSION = 2 * 86_400, 120.0
MINUTE = timedelta(minutes=1)

Point = tuple[int, float, float]  # Unix seconds, value, minutes east of UTC


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - the port's shape
    """What a record means. Raises BadRecord naming the unreadable field."""
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
        return f"{what}: points summed up by more than days ({coarse}); set the time grouping to days or less"
    return f"{what}: points without a time, a number or a known unit: {payload.get('points')}"


def _day(payload: Mapping[str, Any]) -> Iterator[Sample]:
    """A civil day's totals, and its resting heart rate: the last one counts."""
    start, end, day, offset = _civil(payload)
    values: dict[Metric, float | None] = {metric: total(_object(payload, name)) for metric, name in TOTALS.items()}
    resting = sorted((_second(at), _finite(value)) for at, value in _object(payload, "resting_hr").items())
    values[Metric.RESTING_HR] = resting[-1][1] if resting else None
    yield from samples(values, key=day.isoformat(), start=start, end=end, offset=offset, day=day)


def _civil(payload: Mapping[str, Any]) -> tuple[datetime, datetime, date, int]:
    """From midnight to midnight: of the person's zone where it had the offset the phone printed, else by that."""
    try:
        day, zone = date.fromisoformat(str(payload.get("day"))), ZoneInfo(str(payload.get("zone") or ""))
    except (ValueError, KeyError, OSError):
        raise BadRecord("health_auto_export/day: day or zone is unreadable") from None
    offset = _offset(payload["offset"]) if "offset" in payload else None
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC) if 1990 <= day.year < 2200 else None
    if midnight is None:
        raise BadRecord("health_auto_export/day: day is unreadable")
    local, following = (at.replace(tzinfo=zone) for at in (midnight, midnight + timedelta(days=1)))
    if offset is None or offset in {int((at.utcoffset() or timedelta(0)) / MINUTE) for at in (local, following)}:
        return local, following, day, int((local.utcoffset() or timedelta(0)) / MINUTE)
    start = midnight - timedelta(minutes=offset)
    return start, start + timedelta(days=1), day, offset


def _rates(payload: Mapping[str, Any]) -> Iterator[Sample]:
    """Quarters of an hour, united where a delivery cut one in two; hours' and days' sums as they came."""
    spec = METRICS[Metric.HEART_RATE]
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
            mean = min(max(mean, low), high)  # rounding must not lift it over the highest
            if spec.low <= low <= high <= spec.high and count >= 1:
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
    for metric in (Metric.HRV_SDNN, Metric.MINDFUL):
        for text, values in sorted(_object(payload, str(metric)).items()):
            value, offset = _numbers(values, 2)
            start = datetime.fromtimestamp(_second(text), UTC)
            if metric is Metric.MINDFUL:
                value = min(value, LONGEST_SESSION)
            length = timedelta(minutes=value if metric is Metric.MINDFUL and value >= 0 else 0)
            day = (start + timedelta(minutes=_offset(offset))).date()
            yield from samples({metric: value}, key=text, start=start, end=start + length, offset=int(offset), day=day)


def _night(payload: Mapping[str, Any]) -> Iterator[Item]:
    """The sleeps of a night and the day after it, and what was measured in the longest."""
    sleeps = chosen([*of_stretches(_stretches(payload)), *_summaries(payload)])
    nights = [sleep for sleep in sleeps if not sleep.is_nap]
    main = max(nights, key=lambda one: one.minutes.get("asleep", 0.0), default=None)
    for sleep in sleeps:
        kind = EpisodeKind.NAP if sleep.is_nap else EpisodeKind.SLEEP
        start, end, day = _span(sleep)
        values = in_range({STAGES[name]: value for name, value in sleep.minutes.items()})
        yield Episode(
            key=str(sleep.start), kind=kind, start=start, end=end, offset=sleep.offset, day=day, values=values
        )
    if not sleeps:
        yield from _dated(payload)
    yield from _overnight(payload, main)


def _dated(payload: Mapping[str, Any]) -> Iterator[Sample]:
    """A night of which only the date of waking was told: its minutes without the times."""
    told = [values for _, values in sorted(_object(payload, "dated").items())]
    for values in told[:1]:
        if not isinstance(values, list) or len(values) != 3 or not isinstance(values[2], Mapping):
            raise BadRecord("health_auto_export/night: a summary is unreadable")
        start, _, day, _ = _civil({"day": values[0], "zone": values[1]})
        figures = {STAGES[name]: _finite(value) for name, value in values[2].items() if name in STAGES}
        for sample in samples(figures, key="dated", start=start, end=start, offset=None, day=day):
            yield replace(sample, end=None)  # nobody told when the person woke


def _stretches(payload: Mapping[str, Any]) -> Iterator[Stretch]:
    for text, values in _object(payload, "stretches").items():
        start, source = _named(text)
        if not isinstance(values, list) or len(values) != 3 or not isinstance(values[1], str):
            raise BadRecord("health_auto_export/night: a stage is unreadable")
        end, stage = _second(values[0]), values[1]
        if end < start:
            raise BadRecord("health_auto_export/night: a stage ends before it begins")
        if end - start < 86_400:  # what lasts longer was forgotten, and the night is not
            yield Stretch(start, end, stage, _offset(values[2]), source.removeprefix(f"{stage} "))


def _summaries(payload: Mapping[str, Any]) -> Iterator[Sleep]:
    for text, values in _object(payload, "summaries").items():
        start, _ = _named(text)
        if not isinstance(values, list) or len(values) != 3 or not isinstance(values[2], Mapping):
            raise BadRecord("health_auto_export/night: a summary is unreadable")
        end = _second(values[0])
        if not start < end < start + 2 * 86_400:
            raise BadRecord("health_auto_export/night: a sleep ends before it begins, or days later")
        told = {name: _finite(values[2][name]) for name in STAGES if name in values[2]}
        yield Sleep(start, end, _offset(values[1]), told)


def _overnight(payload: Mapping[str, Any], main: Sleep | None) -> Iterator[Sample]:
    """Medians of what was measured asleep; of a night nobody recorded, of what was measured in the dark."""
    measured = _object(payload, "overnight")
    for metric in OVERNIGHT:
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
    """A night's value without its night: by the date of waking."""
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
        raise BadRecord("health_auto_export/workout: it ends before it begins, or days later")
    offset, sport = _offset(payload.get("offset")), payload.get("sport")
    begin = datetime.fromtimestamp(start, UTC)
    values = {metric: number(payload.get(str(metric))) for metric in (Metric.DISTANCE, Metric.ACTIVE_ENERGY)}
    return Episode(
        key=str(start),
        kind=EpisodeKind.WORKOUT,
        start=begin,
        end=datetime.fromtimestamp(end, UTC),
        offset=offset,
        day=(begin + timedelta(minutes=offset)).date(),
        label=sport if isinstance(sport, str) else None,
        values=in_range({**values, Metric.HEART_RATE: number(payload.get("heart_rate"))}),
    )


def _object(payload: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = payload.get(name, {})
    if not isinstance(found, Mapping):
        raise BadRecord(f"health_auto_export: {name} is unreadable")
    return found


def _named(text: str) -> tuple[int, str]:
    """``1700000000 Ana’s Watch``: a moment and who said it."""
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
