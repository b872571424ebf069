"""Turn the records of Health Connect into samples and episodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from bridge.domain.errors import BadRecord
from bridge.domain.metrics import Metric
from bridge.domain.samples import finite, samples
from bridge.domain.types import Episode, EpisodeKind, Item, RawRecord, Sample
from connectors.health_connect import SPEC
from connectors.health_connect.exercises import EXERCISES
from connectors.health_connect.origins import rank
from connectors.health_connect.sleeps import Session, chosen_sleeps, chosen_workouts
from connectors.health_connect.sums import total
from connectors.instants import calendar_date
from connectors.payload import Stretch, mapping

QUARTER = 900
DARK = (22, 8)  # local hours of a night without a recorded sleep, for values that are also measured by day
NIGHTLY = (Metric.RESPIRATORY_RATE, Metric.SPO2, Metric.SKIN_TEMPERATURE, Metric.SKIN_TEMPERATURE_DELTA)
MINUTES = {  # of a sleep
    "asleep": Metric.ASLEEP,
    "in_bed": Metric.IN_BED,
    "awake": Metric.AWAKE,
    "light_sleep": Metric.LIGHT_SLEEP,
    "deep_sleep": Metric.DEEP_SLEEP,
    "rem_sleep": Metric.REM_SLEEP,
}
MINUTE = timedelta(minutes=1)

Reading = tuple[int, float, float, int]  # Unix second, value, how many it is the mean of, minutes east of UTC


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - no record has a parent
    """Return the samples and episodes of a record. Raises BadRecord naming the unreadable field."""
    read = STREAM_READERS.get(record.stream)
    if read is None:
        raise _bad(record.stream, "not a stream of health_connect")
    return list(read(record.key, record.payload))


def _unreadable(key: str, payload: Mapping[str, Any]) -> Iterator[Item]:
    raise _bad(key, f"rows without a time or a value: {payload.get('rows')}")


def _day(key: str, payload: Mapping[str, Any]) -> Iterator[Sample]:
    day = calendar_date(key)
    if day is None:
        raise _bad("day", "the date is unreadable")
    sums, offset = mapping(payload.get("sums")), _whole(payload.get("offset"))
    values: dict[Metric, float | None] = {
        metric: total(mapping(sums.get(metric)))
        for metric in (Metric.STEPS, Metric.DISTANCE, Metric.ACTIVE_ENERGY, Metric.TOTAL_ENERGY)
    }
    values[Metric.RESTING_HR] = _resting(mapping(payload.get("resting_hr")))
    start = datetime(day.year, day.month, day.day, tzinfo=UTC) - timedelta(minutes=offset)
    yield from Stretch(start=start, end=None, offset=offset, day=day).samples(key, values)


def _resting(told: Mapping[str, Any]) -> float | None:
    best = min((origin for origin in told if told[origin]), key=lambda one: (rank(one), one), default=None)
    if best is None:
        return None
    _, value = max((_second(at), _number(found)) for at, found in mapping(told[best]).items())
    return value


def _rates(key: str, payload: Mapping[str, Any]) -> Iterator[Sample]:  # noqa: ARG001 - one shape
    """Yield the mean heart rate of each quarter-hour, from its most trusted origin alone (see ``rank``)."""
    quarters: dict[int, dict[str, list[list[float]]]] = defaultdict(lambda: defaultdict(list))
    for origin, found in payload.items():
        for at, values in mapping(found).items():
            quarters[_second(at) // QUARTER][origin].append(_numbers(values, 5))
    for quarter, origins in sorted(quarters.items()):
        best = min(origins, key=lambda one: (rank(one), one))
        yield _rate(quarter, origins[best])


def _rate(quarter: int, parts: Sequence[Sequence[float]]) -> Sample:
    start = datetime.fromtimestamp(quarter * QUARTER, UTC)
    count = sum(part[0] for part in parts)
    if count < 1:
        raise _bad("heart_rate", "a count is unreadable")
    low, high = min(part[2] for part in parts), max(part[3] for part in parts)
    mean = sum(part[0] * part[1] for part in parts) / count
    return Sample(
        key=f"{Metric.HEART_RATE}/{start:%Y-%m-%dT%H:%MZ}",
        metric=Metric.HEART_RATE,
        start=start,
        end=start + timedelta(seconds=QUARTER),
        offset=_whole(parts[0][4]),
        day=(start + timedelta(minutes=parts[0][4])).date(),
        value=min(max(mean, low), high),
        count=int(count),
        low=low,
        high=high,
    )


def _night(key: str, payload: Mapping[str, Any]) -> Iterator[Item]:
    """Yield a night's sleeps and naps, and the values measured at night."""
    sleeps = chosen_sleeps(_sessions("night", mapping(payload.get("sessions"))))
    episodes = [_sleep(one) for one in sleeps]
    yield from episodes
    nights = [
        (episode, session)
        for episode, session in zip(episodes, sleeps, strict=True)
        if episode.kind is EpisodeKind.SLEEP
    ]
    main = max(nights, key=lambda one: one[0].values.get(Metric.ASLEEP, 0.0), default=None)
    readings = mapping(payload.get("readings"))
    session = main[1] if main is not None else None
    yield from _variability(key, mapping(readings.get(Metric.HRV_RMSSD)), session)
    yield from _spots(Metric.HRV_SDNN, _readings(mapping(readings.get(Metric.HRV_SDNN))))
    for metric in NIGHTLY:
        inside = _nightly(metric, mapping(readings.get(metric)), session)
        if inside:
            yield from _mean(key, metric, inside, session)


def _sleep(session: Session) -> Episode:
    start, end = (datetime.fromtimestamp(at, UTC) for at in session.slept())
    lasted = Stretch(start=start, end=end, offset=session.offset, day=(end + session.offset * MINUTE).date())
    kind = EpisodeKind.NAP if lasted.is_nap else EpisodeKind.SLEEP
    minutes = {MINUTES[name]: value for name, value in session.minutes().items() if name in MINUTES}
    return lasted.episode(kind, session.key, minutes)


def _variability(key: str, told: Mapping[str, Any], main: Session | None) -> Iterator[Sample]:
    inside = _of_best(told, main, lambda one: main is not None and main.start <= one[0] <= main.end)
    if inside:
        yield from _mean(key, Metric.HRV_RMSSD, inside, main)
    outside = [one for one in _readings(told) if main is None or not main.start <= one[0] <= main.end]
    yield from _spots(Metric.HRV_RMSSD_SPOT, outside)


def _spots(metric: Metric, readings: Iterable[Reading]) -> Iterator[Sample]:
    for at, value, _, offset in sorted(readings):
        start = datetime.fromtimestamp(at, UTC)
        day = (start + offset * MINUTE).date()
        yield from samples({metric: value}, key=str(at), start=start, end=None, offset=offset, day=day)


def _nightly(metric: Metric, told: Mapping[str, Any], main: Session | None) -> list[Reading]:
    every = _readings(told)
    if len(every) == 1 or metric in (Metric.SKIN_TEMPERATURE, Metric.SKIN_TEMPERATURE_DELTA):
        return _of_best(told, main, lambda _: True)
    if main is not None:
        return _of_best(told, main, lambda one: main.start <= one[0] <= main.end)
    return _of_best(told, None, lambda one: not DARK[1] <= (one[0] + one[3] * 60) % 86_400 // 3600 < DARK[0])


def _of_best(told: Mapping[str, Any], main: Session | None, counts: Callable[[Reading], bool]) -> list[Reading]:
    """Return the readings for which ``counts`` is True, of a single origin."""
    found = {origin: [one for one in _of(told[origin]) if counts(one)] for origin in told}
    sleep = main.origin if main is not None else None
    best = min(
        (origin for origin, some in found.items() if some),
        key=lambda one: (one != sleep, rank(one), -len(found[one]), one),
        default=None,
    )
    return [] if best is None else found[best]


def _mean(key: str, metric: Metric, readings: Sequence[Reading], main: Session | None) -> Iterator[Sample]:
    value = sum(one[1] * one[2] for one in readings) / sum(one[2] for one in readings)
    first, last = (main.start, main.end) if main is not None else (min(readings)[0], max(readings)[0])
    offset = main.offset if main is not None else max(readings)[3]
    start, end = (datetime.fromtimestamp(at, UTC) for at in (first, last))
    day = calendar_date(key) or date.min
    yield from samples({metric: value}, key=key, start=start, end=end, offset=offset, day=day)


def _readings(told: Mapping[str, Any]) -> list[Reading]:
    found: dict[int, Reading] = {}
    for origin in sorted(told, key=lambda one: (rank(one), one)):
        for reading in _of(told[origin]):
            found.setdefault(reading[0], reading)
    return list(found.values())


def _of(told: Any) -> list[Reading]:
    found = []
    for at, values in mapping(told).items():
        value, count, offset = _numbers(values, 3)
        if count < 1:
            raise _bad("night", "a count is unreadable")
        found.append((_second(at), value, count, _whole(offset)))
    return found


def _workouts(key: str, payload: Mapping[str, Any]) -> Iterator[Episode]:  # noqa: ARG001 - one shape
    for one in chosen_workouts(_sessions("workout", payload)):
        sport = str(one.more.get("type") or "").casefold()
        label = EXERCISES.get(sport, sport.replace("_", " ")) or None
        values = {metric: finite(one.more.get(str(metric))) for metric in (Metric.DISTANCE, Metric.STEPS)}
        yield _stretch(one).episode(EpisodeKind.WORKOUT, one.key, values, label=label)


def _mindful(key: str, payload: Mapping[str, Any]) -> Iterator[Sample]:  # noqa: ARG001 - one shape
    for one in chosen_workouts(_sessions("mindful", payload)):
        lasted = _stretch(one)
        yield from lasted.samples(one.key, {Metric.MINDFUL: lasted.minutes})


def _stretch(session: Session) -> Stretch:
    start, end = (datetime.fromtimestamp(at, UTC) for at in (session.start, session.end))
    return Stretch(start=start, end=end, offset=session.offset, day=(start + session.offset * MINUTE).date())


def _sessions(stream: str, told: Mapping[str, Any]) -> Iterator[Session]:
    for key, found in told.items():
        row = mapping(found)
        start, end = _second(row.get("start")), _second(row.get("end"))
        stages, method = row.get("stages") or [], row.get("method")
        if not isinstance(stages, list) or not start <= end <= start + 2 * 86_400:
            raise _bad(stream, "a session is unreadable")
        session = Session(
            key=key,
            start=start,
            end=end,
            offset=_whole(row.get("offset")),
            origin=str(row.get("origin") or ""),
            stages=[_stage(one) for one in stages],
            method=method if isinstance(method, str) else None,
        )
        yield replace(session, more=row)


def _stage(told: Any) -> tuple[int, int, str]:
    if not isinstance(told, list) or len(told) != 3:
        raise _bad("night", "a stage is unreadable")
    return _second(told[0]), _second(told[1]), str(told[2])


def _second(value: Any) -> int:
    """Return Unix seconds from a number or its text."""
    try:
        at = int(value)
    except (TypeError, ValueError, OverflowError):
        at = 0
    if not 631_152_000 <= at < 7_258_118_400:
        raise _bad("", "a time is unreadable")
    return at


def _whole(value: Any) -> int:
    minutes = finite(value)
    if minutes is None or abs(minutes) > 15 * 60:
        raise _bad("", "an offset is unreadable")
    return int(minutes)


def _number(value: Any) -> float:
    found = finite(value)
    if found is None:
        raise _bad("", "a number is unreadable; send the day again from the app")
    return found


def _numbers(values: Any, count: int) -> list[float]:
    if not isinstance(values, list) or len(values) != count:
        raise _bad("", "a reading is unreadable")
    return [_number(value) for value in values]


def _bad(where: str, why: str) -> BadRecord:
    return BadRecord(f"{SPEC.name}/{where}: {why}" if where else f"{SPEC.name}: {why}")


STREAM_READERS: Mapping[str, Callable[[str, Mapping[str, Any]], Iterator[Item]]] = {
    "day": _day,
    "heart_rate": _rates,
    "night": _night,
    "workout": _workouts,
    "mindful": _mindful,
    "unreadable": _unreadable,
}
