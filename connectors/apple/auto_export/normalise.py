"""Turn the raw records of Health Auto Export into samples and episodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta, timezone
from statistics import median
from typing import Any
from zoneinfo import ZoneInfo

from bridge.domain.errors import BadRecord
from bridge.domain.metrics import Metric
from bridge.domain.types import Episode, EpisodeKind, Item, RawRecord, Sample
from connectors.apple.auto_export.nights import Sleep, SleepStage, chosen, of_stretches, order
from connectors.apple.auto_export.points import night_of
from connectors.instants import offset_in
from connectors.noted import NOTED
from connectors.payload import Fields, Table, mapping
from connectors.stretches import Stretch, joined

QUARTER, HOUR, DAY = 900, 3600, timedelta(days=1)


def total(sent: Fields) -> float | None:
    """Return a day's total of a metric, or None if nothing was sent.

    ``sent`` holds sums of the same day by minute, hour or day, and single readings. They are not added up, but the
    largest counts. Raises BadRecord for an unreadable or implausible value.
    """
    hours: dict[int, float] = defaultdict(float)
    for found in (_per_hour(sent, "minutes"), _per_hour(sent, "hours"), _singles(sent)):
        for hour, value in found.items():
            hours[hour] = max(hours[hour], value)
    whole = [sent.needed_in(value) for value in sent.parts("days").values()]
    return max([*whole, *([sum(hours.values())] if hours else [])], default=None)


def _per_hour(sent: Fields, name: str) -> dict[int, float]:
    found: dict[int, float] = defaultdict(float)
    for at, value in sent.parts(name).items():
        found[sent.second(at) // HOUR] += sent.needed_in(value)
    return found


def _singles(sent: Fields) -> dict[int, float]:
    """Return hour since 1970 -> sum of single readings, of the preferred source in each quarter of an hour."""
    quarters: dict[int, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for text, value in sent.parts("single").items():
        at, _, source = text.partition(" ")
        quarters[sent.second(at) // QUARTER][source] += sent.needed_in(value)
    hours: dict[int, float] = defaultdict(float)
    for quarter, sources in quarters.items():
        best = min(sources, key=lambda source: (order(source), -sources[source]))
        hours[quarter * QUARTER // HOUR] += sources[best]
    return hours


TOTALS = {
    Metric.STEPS: "steps",
    Metric.FLOORS: "floors",
    Metric.DISTANCE: "distance",
    Metric.ACTIVE_ENERGY: "active_energy",
    Metric.ZONE_MINUTES: "exercise_minutes",
}
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
LONGEST_SESSION = 120.0
MIDDAY = 43_200
WORKOUT: Table = {
    Metric.DISTANCE: "distance",
    Metric.ACTIVE_ENERGY: "active_energy",
    Metric.HEART_RATE: "heart_rate",
    Metric.STEPS: "steps",
    Metric.ASCENT: "ascent",
    Metric.SPEED: "speed",
}

Point = tuple[int, float, int]  # Unix seconds, value, minutes east of UTC


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - the port's shape
    fields = Fields.of("health_auto_export", record)
    read = STREAM_READERS.get(record.stream)
    if read is None:
        raise fields.bad("not a stream of health_auto_export")
    return list(read(fields))


def _unreadable(fields: Fields) -> Iterator[Item]:
    what, coarse = f"health_auto_export/{fields.get('metric')}", fields.get("coarse")
    if coarse is not None:
        raise BadRecord(
            f"{what}: number of points that cover more than a day: {coarse}; set the time grouping of the app's "
            "automation to days or less"
        )
    raise BadRecord(f"{what}: {fields.get('points')} points have no time, no number or no known unit")


def _day(fields: Fields) -> Iterator[Sample]:
    told = {metric: Fields(fields.parts(name), fields.name) for metric, name in TOTALS.items()}
    resting = {fields.second(at): fields.needed_in(value) for at, value in fields.parts("resting_hr").items()}
    values = {metric: total(sent) for metric, sent in told.items()}
    values[Metric.RESTING_HR] = resting[max(resting)] if resting else None
    civil = _civil(fields)
    yield from civil.samples(str(civil.day), values)


def _civil(fields: Fields) -> Stretch:
    """Return the local day of a payload from midnight to midnight, in its zone or at its own offset if they differ."""
    day, zone = fields.day("day"), fields.zone("zone")
    offset = fields.offset("offset") if "offset" in fields.payload else None
    if offset is not None and offset not in {offset_in(zone, _begin(date_of, zone)) for date_of in (day, day + DAY)}:
        return Stretch.civil(day, timezone(timedelta(minutes=offset)), DAY)
    lasts = _begin(day + DAY, zone) - _begin(day, zone)
    return Stretch.civil(day, zone, lasts)


def _begin(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time(), zone).astimezone(UTC)


def _rates(fields: Fields) -> Iterator[Sample]:
    # A quarter of an hour that came in parts, because a delivery ended within it, becomes a single mean.
    for name, length in SPANS.items():
        parts: dict[int, list[list[float]]] = {}
        for text, values in fields.parts(name).items():
            at = fields.second(text)
            first = at - at % length if name == "quarters" else at
            parts.setdefault(first, []).append(fields.figures(values, 5))
        for first, some in sorted(parts.items()):
            means = joined(some)
            if means is not None and means[2] <= means[3]:
                lasted = Stretch.of_seconds(first, first + length, fields.east(some[0][4]))
                yield lasted.mean(Metric.HEART_RATE, means, suffix="" if name == "quarters" else f"/{name}")


def _instants(fields: Fields) -> Iterator[Sample]:
    for metric in (Metric.HRV_SDNN, Metric.HRV_RMSSD_SPOT, Metric.MINDFUL):
        for text, values in sorted(fields.parts(metric).items()):
            at, value, offset = _point(fields, text, values)
            if metric is Metric.MINDFUL:
                value = min(value, LONGEST_SESSION)
            lasts = value * 60 if metric is Metric.MINDFUL and value >= 0 else 0
            yield from Stretch.of_seconds(at, at + lasts, offset).samples(text, {metric: value})
    for name in NOTED:
        for text, values in sorted(fields.parts(name).items()):
            at, value, offset = _point(fields, text, values)
            at += MIDDAY if (at + offset * 60) % 86_400 == 0 else 0  # a day's sum, which is no note of the night before
            yield from Stretch.of_seconds(at, at, offset).samples(f"{name}/{text}", {Metric.NOTED: value})


def _night(fields: Fields) -> Iterator[Item]:
    """Yield a night's sleeps and naps as episodes, and the medians of values measured overnight as samples."""
    sleeps = chosen([*of_stretches(_stretches(fields)), *_summaries(fields)])
    nights = [sleep for sleep in sleeps if not sleep.is_nap]
    main = max(nights, key=lambda sleep: sleep.minutes.get("asleep", 0.0), default=None)
    for sleep in sleeps:
        kind = EpisodeKind.NAP if sleep.is_nap else EpisodeKind.SLEEP
        values = {METRIC_OF_STAGE[name]: value for name, value in sleep.minutes.items()}
        yield _span(sleep).episode(kind, str(sleep.start), values)
    if not sleeps:
        yield from _dated(fields)
    yield from _overnight(fields, main)


def _dated(fields: Fields) -> Iterator[Sample]:
    """Yield a night's minutes by stage as samples. They have no end, because the app sent only the date of waking."""
    told = [values for _, values in sorted(fields.parts("dated").items())]
    for values in told[:1]:
        day, zone, minutes = _triple(fields, values)
        civil = replace(_civil(Fields({"day": day, "zone": zone}, fields.name)), end=None, offset=None)
        yield from civil.samples("dated", _figures(fields, minutes))


def _triple(fields: Fields, values: Any) -> list[Any]:
    if not isinstance(values, list) or len(values) != 3:
        raise fields.bad("a summary or a stage is unreadable")
    return values


def _figures(fields: Fields, minutes: Any) -> dict[Metric, float | None]:
    if not isinstance(minutes, Mapping):
        raise fields.bad("a summary is unreadable")
    return {metric: fields.needed_in(minutes[name]) for name, metric in METRIC_OF_STAGE.items() if name in minutes}


def _stretches(fields: Fields) -> Iterator[SleepStage]:
    for text, values in fields.parts("stretches").items():
        at, _, source = text.partition(" ")
        until, stage, offset = _triple(fields, values)
        start, end = fields.second(at), fields.second(until)
        if not isinstance(stage, str) or end < start:
            raise fields.bad("a stage is unreadable, or ends before it begins")
        if end - start < 86_400:  # a longer stage was not stopped; the night is kept
            yield SleepStage(start, end, stage, source.removeprefix(f"{stage} "), fields.east(offset))


def _summaries(fields: Fields) -> Iterator[Sleep]:
    for text, values in fields.parts("summaries").items():
        until, offset, minutes = _triple(fields, values)
        start, end = fields.second(text.partition(" ")[0]), fields.second(until)
        if not start < end < start + 2 * 86_400:
            raise fields.bad("a sleep ends before it begins, or over two days later; correct it in Health")
        named = {name: minutes[name] for name in METRIC_OF_STAGE if name in mapping(minutes)}
        yield Sleep(start, end, fields.east(offset), {name: fields.needed_in(told) for name, told in named.items()})


def _overnight(fields: Fields, main: Sleep | None) -> Iterator[Sample]:
    """Yield the median of each overnight metric during ``main``, the sleep with the most minutes asleep."""
    measured = Fields(fields.parts("overnight"), fields.name)
    for metric in OVERNIGHT_METRICS:
        points = [_point(fields, at, values) for at, values in measured.parts(metric).items()]
        inside = (
            points if metric is Metric.SKIN_TEMPERATURE or len(points) == 1 else [p for p in points if _in(p, main)]
        )
        if inside:
            value = {metric: median(point[1] for point in inside)}
            yield from (_alone(sorted(inside)) if main is None else _span(main)).samples("night", value)


def _point(fields: Fields, at: str, values: Any) -> Point:
    value, offset = fields.figures(values, 2)
    return fields.second(at), value, fields.east(offset)


def _in(point: Point, main: Sleep | None) -> bool:
    if main is not None:
        return main.start <= point[0] <= main.end
    hour = (point[0] + point[2] * 60) % 86_400 // 3600
    return hour >= DARK[0] or hour < DARK[1]


def _alone(points: Sequence[Point]) -> Stretch:
    """Return the time from the first to the last measurement, for a night whose sleep is not known."""
    (start, _, _), (end, _, offset) = points[0], points[-1]
    return replace(Stretch.of_seconds(start, end, offset), day=date.fromisoformat(night_of((end, offset))))


def _span(sleep: Sleep) -> Stretch:
    return Stretch.of_seconds(sleep.start, sleep.end, sleep.offset, by_end=True)


def _workout(fields: Fields) -> Iterator[Episode]:
    start, end = (fields.second(fields.get(edge), edge) for edge in ("start", "end"))
    if not start <= end < start + 2 * 86_400:
        raise fields.bad("the workout ends before it begins, or lasts two days or more; correct it in Health")
    lasted, sport = Stretch.of_seconds(start, end, fields.offset("offset")), fields.get("sport")
    label = sport if isinstance(sport, str) else None
    yield lasted.episode(EpisodeKind.WORKOUT, str(start), fields.measured(WORKOUT), label=label)


STREAM_READERS: Mapping[str, Callable[[Fields], Iterator[Item]]] = {
    "day": _day,
    "heart_rate": _rates,
    "instants": _instants,
    "night": _night,
    "workout": _workout,
    "unreadable": _unreadable,
}
