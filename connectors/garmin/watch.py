"""What FIT files mean once their pieces are together: days, nights, overnight HRV, workouts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

from bridge.errors import BadRecord
from bridge.measured import in_range, quarter_hours, samples
from bridge.metrics import Metric
from bridge.types import Episode, EpisodeKind, Item, RawRecord
from connectors.garmin.fields import day_of, inner, listed, number, offset_in
from connectors.garmin.fit import EPOCH, ends

WALKING, RUNNING = "6", "1"  # activity types of the FIT profile; their cycles are steps
SERIES = {Metric.HEART_RATE: "heart_rate", Metric.STRESS: "stress"}
STAGES = {1: Metric.AWAKE, 2: Metric.LIGHT_SLEEP, 3: Metric.DEEP_SLEEP, 4: Metric.REM_SLEEP}
HRV_SCALE = 128  # per ms
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
NIGHT = timedelta(hours=9)  # what an overnight value without times is known to span


def day(record: RawRecord, parent: RawRecord | None) -> Iterator[Item]:  # noqa: ARG001 - the port's shape
    """A local day: quarter-hour means, the day's steps, distance and energy, its resting heart rate.

    Totals run per activity type from midnight and repeat in every file: the highest of each counts, added over types.
    """
    payload = record.payload
    date, offset = day_of(payload, "day", "fit_day"), _minutes(payload)
    device = record.key.partition("/")[0]
    for metric, series in SERIES.items():
        readings = ((at - ends(series), value) for at, value in _points(payload, series))
        yield from quarter_hours(metric, readings, offset=offset, device=device)
    start = datetime(date.year, date.month, date.day, tzinfo=UTC) - timedelta(minutes=offset)
    distance = _total(payload, "distance")
    values = {
        Metric.STEPS: _total(payload, "cycles", only=(WALKING, RUNNING)),
        Metric.DISTANCE: None if distance is None else distance / CM_PER_M,
        Metric.ACTIVE_ENERGY: _total(payload, "calories"),
        Metric.RESTING_HR: max(_points(payload, "resting"), default=(0, None))[1],
    }
    place: dict[str, Any] = {"start": start, "end": start + timedelta(days=1), "offset": offset, "day": date}
    yield from samples(values, key=record.key, **place)


def _points(payload: Mapping[str, Any], series: str) -> list[tuple[int, float]]:
    """(Unix seconds, value), ascending."""
    held = inner(payload, series)
    found = ((at, number(held, at)) for at in held if at.isdigit() and len(at) < 12)
    return sorted((int(at), value) for at, value in found if value is not None)


def _total(payload: Mapping[str, Any], series: str, only: tuple[str, ...] | None = None) -> float | None:
    """The sum of the highest reading of each activity type; None when nothing was counted."""
    highest = []
    for name in payload:
        kind = name.partition(":")[2]
        if name.startswith(f"{series}:") and (only is None or kind in only):
            held = inner(payload, name)
            values = [value for key in held if (value := number(held, key)) is not None]
            highest += [max(values)] if values else []
    return sum(highest) if highest else None


def sleep(record: RawRecord, parent: RawRecord | None) -> Iterator[Item]:  # noqa: ARG001
    """A night from its stages, each lasting until the next begins; the last one only says when the night ended."""
    payload = record.payload
    stages = sorted(pair for pair in map(_stage, listed(payload, "stages")) if pair is not None)
    if len(stages) < 2:
        raise BadRecord("garmin/fit_sleep: fewer than two stages")
    start, end = (datetime.fromtimestamp(at, UTC) for at in (stages[0][0], stages[-1][0]))
    if end - start > timedelta(days=1):
        raise BadRecord("garmin/fit_sleep: longer than a day")
    minutes: dict[Metric, float | None] = dict.fromkeys(STAGES.values(), 0.0)
    for (begun, stage), (ended, _) in pairwise(stages):
        if stage in STAGES:
            minutes[STAGES[stage]] = (minutes[STAGES[stage]] or 0.0) + (ended - begun) / 60
    asleep = sum(minutes[m] or 0.0 for m in (Metric.LIGHT_SLEEP, Metric.DEEP_SLEEP, Metric.REM_SLEEP))
    offset = _place(payload, end)
    values = {
        **minutes,
        Metric.ASLEEP: asleep,
        Metric.IN_BED: (end - start) / timedelta(minutes=1),
        Metric.SLEEP_SCORE: number(payload, "score"),
    }
    yield Episode(
        key=record.key,
        kind=EpisodeKind.SLEEP,
        start=start,
        end=end,
        offset=offset,
        day=(end + timedelta(minutes=offset)).date(),
        values=in_range(values),
    )


def _stage(pair: Any) -> tuple[int, int] | None:
    """(Unix seconds, stage): 0 unmeasurable, 1 awake, 2 light, 3 deep, 4 REM."""
    if not isinstance(pair, list | tuple) or len(pair) != 2:
        return None
    at, stage = pair
    good = all(isinstance(part, int) and not isinstance(part, bool) for part in pair) and EPOCH < at < 1 << 33
    return (at, stage) if good else None


def hrv(record: RawRecord, parent: RawRecord | None) -> Iterator[Item]:  # noqa: ARG001
    """The night's mean RMSSD, written down in the morning."""
    end = _instant(record.payload, "at", "fit_hrv")
    offset, average = _place(record.payload, end), number(record.payload, "average")
    value = None if average is None else average / HRV_SCALE
    date = (end + timedelta(minutes=offset)).date()
    yield from samples({Metric.HRV_RMSSD: value}, key=record.key, start=end - NIGHT, end=end, offset=offset, day=date)


def activity(record: RawRecord, parent: RawRecord | None) -> Iterator[Item]:  # noqa: ARG001
    """The sessions of an activity file; a multisport one has several."""
    for index, session in enumerate(listed(record.payload, "sessions")):
        if isinstance(session, Mapping):
            yield _session(f"{record.key}/{index}", session, record.payload)


def _session(key: str, session: Mapping[str, Any], payload: Mapping[str, Any]) -> Episode:
    begun, elapsed = number(session, "2"), number(session, "7")
    if begun is None or elapsed is None or not 0 <= elapsed <= 30 * 86_400_000:
        raise BadRecord("garmin/fit_activity: start or duration is unreadable")
    start = _at(begun + EPOCH, "fit_activity")
    offset, distance, sport = _place(payload, start), number(session, "9"), number(session, "5")
    values = {
        Metric.DISTANCE: None if distance is None else distance / CM_PER_M,
        Metric.ACTIVE_ENERGY: number(session, "11"),
        Metric.HEART_RATE: number(session, "16"),
    }
    return Episode(
        key=key,
        kind=EpisodeKind.WORKOUT,
        start=start,
        end=start + timedelta(seconds=elapsed / MS_PER_S),
        offset=offset,
        day=(start + timedelta(minutes=offset)).date(),
        label=SPORTS.get(int(sport)) if sport is not None else None,
        values=in_range(values),
    )


def _minutes(payload: Mapping[str, Any]) -> int:
    offset = number(payload, "offset")
    if offset is None or abs(offset) > 15 * 60:
        raise BadRecord("garmin/fit_day: offset is unreadable")
    return int(offset)


def _place(payload: Mapping[str, Any], at: datetime) -> int:
    """The file's own offset, else that of the person's zone."""
    if number(payload, "offset") is not None:
        return _minutes(payload)
    zone = payload.get("zone")
    try:
        return offset_in(zone if isinstance(zone, str) else "UTC", at)
    except (KeyError, ValueError, OSError):
        raise BadRecord("garmin/fit: the zone is unknown") from None


def _instant(payload: Mapping[str, Any], field: str, what: str) -> datetime:
    value = number(payload, field)
    if value is None:
        raise BadRecord(f"garmin/{what}: {field} is unreadable")
    return _at(value, what)


def _at(seconds: float, what: str) -> datetime:
    if not EPOCH < seconds < 1 << 33:
        raise BadRecord(f"garmin/{what}: the time is out of range")
    return datetime.fromtimestamp(seconds, UTC)
