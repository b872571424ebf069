"""Turn the records of Health Connect into samples and episodes."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from bridge.domain.errors import BadRecord
from bridge.domain.metrics import Metric
from bridge.domain.samples import finite
from bridge.domain.types import Episode, EpisodeKind, Item, RawRecord, Sample
from connectors.health_connect import SPEC
from connectors.health_connect.sleeps import AGGREGATED, Session, chosen_sleeps, chosen_workouts, rank
from connectors.instants import calendar_date, midnight
from connectors.payload import Fields, mapping
from connectors.stretches import Stretch, joined

QUARTER, SESSION_MAX_SECONDS = 900, 2 * 86_400
QUARTERS_MAX = 4 * 24 * 2  # of a stretch: two days
DARK = (22, 8)  # local hours of a night without a recorded sleep, for values that are also measured by day
NIGHTLY = (Metric.RESPIRATORY_RATE, Metric.SPO2, Metric.SKIN_TEMPERATURE, Metric.SKIN_TEMPERATURE_DELTA)
SUMMED = (Metric.STEPS, Metric.DISTANCE, Metric.ACTIVE_ENERGY, Metric.TOTAL_ENERGY)
MINUTES = {  # of a sleep
    "asleep": Metric.ASLEEP,
    "in_bed": Metric.IN_BED,
    "awake": Metric.AWAKE,
    "light_sleep": Metric.LIGHT_SLEEP,
    "deep_sleep": Metric.DEEP_SLEEP,
    "rem_sleep": Metric.REM_SLEEP,
}

Reading = tuple[int, float, float, int]  # Unix second, value, how many it is the mean of, minutes east of UTC
ByOrigin = Mapping[str, list[Reading]]
EXERCISES: Mapping[str, str] = tomllib.loads(Path(__file__).with_name("exercises.toml").read_text(encoding="utf-8"))


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - no record has a parent
    read, fields = STREAM_READERS.get(record.stream), Fields.of(SPEC.name, record)
    if read is None:
        raise fields.bad("not a stream of health_connect")
    return list(read(record.key, fields))


def _unreadable(key: str, fields: Fields) -> Iterator[Item]:
    raise BadRecord(f"{SPEC.name}/{key}: {fields.get('rows')} rows have no time or no value")


def _day(key: str, fields: Fields) -> Iterator[Sample]:
    day, sums = Fields({"key": key}, fields.name).day("key"), dict(fields.objects("sums"))
    values = {metric: _sum(sums[metric]) for metric in SUMMED if metric in sums}
    start = midnight(day) - timedelta(minutes=fields.offset("offset"))
    civil = Stretch(start=start, end=None, offset=fields.offset("offset"), day=day)
    yield from civil.samples(key, values | {Metric.RESTING_HR: _resting(fields)})


def _sum(told: Fields) -> float | None:
    """Return a day's total of a metric, Health Connect's own if stated, else the largest of an app, or None."""
    # Health Connect's own total comes first. Origins are never added up: they write the same steps.
    if told.get("told") is not None:
        return told.needed("told")
    so_far = [told.needed("so_far")] if told.get("so_far") is not None else []
    parts = [_merged(told)] if told.get("parts") else []
    return max([*_numbers(told, told.get("whole")), *so_far, *parts], default=None)


def _merged(told: Fields) -> float:
    quarters: dict[int, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for origin, stretches in mapping(told.get("parts")).items():
        until: list[int] = []  # the ends of writers without a name: whoever overlaps is another writer
        for start, end, value in sorted(_stretches(told, mapping(stretches))):
            lane = next((n for n, over in enumerate(until) if over <= start), len(until)) if origin == AGGREGATED else 0
            until[lane : lane + 1] = [end]
            for quarter, share in _shares(told, start, end):
                quarters[quarter][f"{origin} {lane}" if lane else origin] += value * share
    return sum(
        sums[min(sums, key=lambda origin: (sums[origin] == 0, rank(origin), -sums[origin], origin))]
        for _, sums in sorted(quarters.items())
    )


def _stretches(told: Fields, found: Mapping[str, Any]) -> Iterator[tuple[int, int, float]]:
    for key, parts in found.items():
        start, _, end = key.partition(" ")
        if isinstance(parts, list) and len(parts) == 2:
            yield told.second(start), told.second(parts[0]), told.figures(parts[1:], 1)[0]
            continue
        sent, added = (_numbers(told, mapping(parts).get(name)) for name in ("sent", "added"))
        yield told.second(start), told.second(end), max([*sent, sum(added)])


def _numbers(told: Fields, values: Any) -> list[float]:
    numbers = [*mapping(values).values()]
    return told.figures(numbers, len(numbers))


def _shares(told: Fields, start: int, end: int) -> Iterator[tuple[int, float]]:
    """Yield (quarter-hour since 1970, the share of the span in it), from ``start`` to ``end`` in Unix seconds."""
    if not start <= end <= start + QUARTERS_MAX * QUARTER:
        raise told.bad("a stretch ends before it begins, or days later")
    if start == end:
        yield start // QUARTER, 1.0
        return
    for quarter in range(start // QUARTER, (end - 1) // QUARTER + 1):
        inside = min(end, (quarter + 1) * QUARTER) - max(start, quarter * QUARTER)
        yield quarter, inside / (end - start)


def _resting(fields: Fields) -> float | None:
    told = {origin: one for origin, one in fields.objects("resting_hr") if one.payload}
    best = min(told, key=lambda origin: (rank(origin), origin), default=None)
    if best is None:
        return None
    at = max(told[best].payload, key=lambda at: fields.second(at))
    return fields.figures([told[best].payload[at]], 1)[0]


def _rates(key: str, fields: Fields) -> Iterator[Sample]:  # noqa: ARG001 - one shape
    """Yield the mean heart rate of each quarter-hour, using only the most trusted device or app in it."""
    quarters: dict[int, dict[str, list[list[float]]]] = defaultdict(lambda: defaultdict(list))
    for origin, found in fields.payload.items():
        for at, values in mapping(found).items():
            quarters[fields.second(at) // QUARTER][origin].append(fields.figures(values, 5))
    for quarter, origins in sorted(quarters.items()):
        parts = origins[min(origins, key=lambda origin: (rank(origin), origin))]
        means = joined(parts)
        if means is None:
            raise fields.bad("a count is unreadable")
        lasted = Stretch.of_seconds(quarter * QUARTER, (quarter + 1) * QUARTER, fields.east(parts[0][4]))
        yield lasted.mean(Metric.HEART_RATE, means)


def _night(key: str, fields: Fields) -> Iterator[Item]:
    sleeps = chosen_sleeps(_sessions(fields.objects("sessions")))
    episodes = [_sleep(sleep) for sleep in sleeps]
    yield from episodes
    nights = [
        (episode, session)
        for episode, session in zip(episodes, sleeps, strict=True)
        if episode.kind is EpisodeKind.SLEEP
    ]
    main = max(nights, key=lambda one: one[0].values.get(Metric.ASLEEP, 0.0), default=None)
    session = main[1] if main is not None else None
    readings = {metric: _by_origin(fields, metric) for metric in (Metric.HRV_RMSSD, Metric.HRV_SDNN, *NIGHTLY)}
    yield from _variability(key, readings[Metric.HRV_RMSSD], session)
    yield from _spots(Metric.HRV_SDNN, _readings(readings[Metric.HRV_SDNN]))
    for metric in NIGHTLY:
        inside = _nightly(metric, readings[metric], session)
        if inside:
            yield from _mean(key, metric, inside, session)


def _sleep(session: Session) -> Episode:
    lasted = Stretch.of_seconds(*session.slept(), session.offset, by_end=True)
    kind = EpisodeKind.NAP if lasted.is_nap else EpisodeKind.SLEEP
    minutes = {MINUTES[name]: value for name, value in session.minutes().items() if name in MINUTES}
    return lasted.episode(kind, session.key, minutes)


def _variability(key: str, told: ByOrigin, main: Session | None) -> Iterator[Sample]:
    inside = _of_best(told, main, lambda one: main is not None and main.start <= one[0] <= main.end)
    if inside:
        yield from _mean(key, Metric.HRV_RMSSD, inside, main)
    outside = [reading for reading in _readings(told) if main is None or not main.start <= reading[0] <= main.end]
    yield from _spots(Metric.HRV_RMSSD_SPOT, outside)


def _spots(metric: Metric, readings: Iterable[Reading]) -> Iterator[Sample]:
    for at, value, _, offset in sorted(readings):
        yield from Stretch.of_seconds(at, None, offset).samples(str(at), {metric: value})


def _nightly(metric: Metric, told: ByOrigin, main: Session | None) -> list[Reading]:
    every = _readings(told)
    if len(every) == 1 or metric in (Metric.SKIN_TEMPERATURE, Metric.SKIN_TEMPERATURE_DELTA):
        return _of_best(told, main, lambda _: True)
    if main is not None:
        return _of_best(told, main, lambda one: main.start <= one[0] <= main.end)
    return _of_best(told, None, lambda one: not DARK[1] <= (one[0] + one[3] * 60) % 86_400 // 3600 < DARK[0])


def _of_best(told: ByOrigin, main: Session | None, counts: Callable[[Reading], bool]) -> list[Reading]:
    """Return the readings that ``counts`` accepts, of a single app and device, preferably that of the sleep."""
    found = {origin: [reading for reading in readings if counts(reading)] for origin, readings in told.items()}
    sleep = main.origin if main is not None else None
    best = min(
        (origin for origin, some in found.items() if some),
        key=lambda origin: (origin != sleep, rank(origin), -len(found[origin]), origin),
        default=None,
    )
    return [] if best is None else found[best]


def _mean(key: str, metric: Metric, readings: Sequence[Reading], main: Session | None) -> Iterator[Sample]:
    value = sum(reading[1] * reading[2] for reading in readings) / sum(reading[2] for reading in readings)
    first, last = (main.start, main.end) if main is not None else (min(readings)[0], max(readings)[0])
    lasted = Stretch.of_seconds(first, last, main.offset if main is not None else max(readings)[3])
    yield from replace(lasted, day=calendar_date(key) or date.min).samples(key, {metric: value})


def _readings(told: ByOrigin) -> list[Reading]:
    found: dict[int, Reading] = {}
    for origin in sorted(told, key=lambda origin: (rank(origin), origin)):
        for reading in told[origin]:
            found.setdefault(reading[0], reading)
    return list(found.values())


def _by_origin(fields: Fields, metric: Metric) -> ByOrigin:
    told = mapping(mapping(fields.get("readings")).get(metric))
    return {origin: [_reading(fields, *item) for item in mapping(some).items()] for origin, some in told.items()}


def _reading(fields: Fields, at: str, values: Any) -> Reading:
    value, count, offset = fields.figures(values, 3)
    if count < 1:
        raise fields.bad("a count is unreadable")
    return fields.second(at), value, count, fields.east(offset)


def _workouts(key: str, fields: Fields) -> Iterator[Episode]:  # noqa: ARG001 - one shape
    for workout in chosen_workouts(_sessions(_every(fields))):
        sport = str(workout.more.get("type") or "").casefold()
        label = EXERCISES.get(sport, sport.replace("_", " ")) or None
        values = {metric: finite(workout.more.get(str(metric))) for metric in (Metric.DISTANCE, Metric.STEPS)}
        yield _stretch(workout).episode(EpisodeKind.WORKOUT, workout.key, values, label=label)


def _mindful(key: str, fields: Fields) -> Iterator[Sample]:  # noqa: ARG001 - one shape
    for workout in chosen_workouts(_sessions(_every(fields))):
        lasted = _stretch(workout)
        yield from lasted.samples(workout.key, {Metric.MINDFUL: lasted.minutes})


def _stretch(session: Session) -> Stretch:
    return Stretch.of_seconds(session.start, session.end, session.offset)


def _every(fields: Fields) -> list[tuple[str, Fields]]:
    return [(key, Fields(mapping(row), fields.name)) for key, row in fields.payload.items()]


def _sessions(found: Iterable[tuple[str, Fields]]) -> Iterator[Session]:
    for key, row in found:
        start, end = (row.second(row.get(edge), edge) for edge in ("start", "end"))
        stages, method = row.get("stages") or [], row.get("method")
        if not isinstance(stages, list) or not start <= end <= start + SESSION_MAX_SECONDS:
            raise row.bad("a session is unreadable")
        yield Session(
            key=key,
            start=start,
            end=end,
            offset=row.offset("offset"),
            origin=str(row.get("origin") or ""),
            stages=[_stage(row, stage) for stage in stages],
            method=method if isinstance(method, str) else None,
            more=row.payload,
        )


def _stage(row: Fields, told: Any) -> tuple[int, int, str]:
    if not isinstance(told, list) or len(told) != 3:
        raise row.bad("a stage is unreadable")
    return row.second(told[0]), row.second(told[1]), str(told[2])


STREAM_READERS: Mapping[str, Callable[[str, Fields], Iterator[Item]]] = {
    "day": _day,
    "heart_rate": _rates,
    "night": _night,
    "workout": _workouts,
    "mindful": _mindful,
    "unreadable": _unreadable,
}
