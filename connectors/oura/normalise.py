"""Oura's records as samples and episodes. Names and units: Oura's API v2 (OpenAPI 1.28).

``average_hrv`` is an RMSSD. ``daily_stress`` is kept, but means nothing here yet: it counts seconds of a day, and no
metric does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from bridge.errors import BadRecord
from bridge.measured import finite, in_range, quarter_hours, samples
from bridge.metrics import Metric
from bridge.types import Episode, EpisodeKind, Item, RawRecord, Sample

SECONDS = {
    Metric.ASLEEP: "total_sleep_duration",
    Metric.IN_BED: "time_in_bed",
    Metric.AWAKE: "awake_time",
    Metric.LIGHT_SLEEP: "light_sleep_duration",
    Metric.DEEP_SLEEP: "deep_sleep_duration",
    Metric.REM_SLEEP: "rem_sleep_duration",
}
OF_NIGHT = {
    Metric.HRV_RMSSD: "average_hrv",
    Metric.RESTING_HR: "lowest_heart_rate",
    Metric.RESPIRATORY_RATE: "average_breath",
}
KINDS = {"long_sleep": EpisodeKind.SLEEP, "sleep": EpisodeKind.NAP, "late_nap": EpisodeKind.NAP}
NO_SLEEP = frozenset({"rest", "deleted"})  # lying still, and what the person has taken back
OF_DAY: Mapping[str, Mapping[Metric, str]] = {
    "daily_sleep": {Metric.SLEEP_SCORE: "score"},
    "daily_readiness": {Metric.RECOVERY_SCORE: "score", Metric.SKIN_TEMPERATURE_DELTA: "temperature_deviation"},
    "daily_activity": {
        Metric.STEPS: "steps",
        Metric.ACTIVE_ENERGY: "active_calories",
        Metric.TOTAL_ENERGY: "total_calories",
    },
}
MINDFUL = frozenset({"breathing", "meditation", "relaxation"})
LONGEST = timedelta(days=3)


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - none has a parent
    """What a record means. Raises BadRecord naming the unreadable field, never its value."""
    if record.stream in OF_DAY:
        values = {metric: _number(record.payload, field) for metric, field in OF_DAY[record.stream].items()}
        worn = values.get(Metric.STEPS) != 0 or bool(values.get(Metric.ACTIVE_ENERGY))
        return list(_of_day(record, values)) if worn else []  # a ring in a drawer counts 0, which is no measurement
    read = READERS.get(record.stream)
    if read is None:
        raise BadRecord(f"oura/{record.stream}: not a stream of oura")
    return list(read(record))


def _sleep(record: RawRecord) -> Iterator[Item]:
    payload, kind = record.payload, record.payload.get("type")
    if not isinstance(kind, str) or kind not in (*KINDS, *NO_SLEEP):
        raise BadRecord("oura/sleep: type is missing or unknown")
    if kind in NO_SLEEP:
        return
    start, end, offset = _span(record, "bedtime_start", "bedtime_end")
    day = _day(record)
    values: dict[Metric, float | None] = {metric: _minutes(payload, field) for metric, field in SECONDS.items()}
    values[Metric.SLEEP_EFFICIENCY] = _number(payload, "efficiency")
    yield Episode(
        key=record.key, kind=KINDS[kind], start=start, end=end, offset=offset, day=day, values=in_range(values)
    )
    if KINDS[kind] is EpisodeKind.SLEEP:
        measured = {metric: _number(payload, field) for metric, field in OF_NIGHT.items()}
        yield from samples(measured, key=record.key, start=start, end=end, offset=offset, day=day)


def _of_day(record: RawRecord, values: Mapping[Metric, float | None]) -> Iterator[Sample]:
    """Scores and totals say which day they are of, and not always when that began."""
    day = _day(record)
    try:
        start, offset = _instant(record, "timestamp")
    except BadRecord:
        start, offset = datetime.combine(day, time(), UTC), None
    for metric, value in in_range(values).items():
        key = f"{record.key}/{metric}"
        yield Sample(key=key, metric=metric, start=start, offset=offset, day=day, value=value)


def _oxygen(record: RawRecord) -> Iterator[Sample]:
    measured = record.payload.get("spo2_percentage")
    average = _number(measured, "average") if isinstance(measured, Mapping) else None
    yield from _of_day(record, {Metric.SPO2: average})


def _heart_rate(record: RawRecord) -> Iterator[Sample]:
    """Oura dates them in UTC; the local day follows from where the person lives."""
    try:
        zone = ZoneInfo(str(record.payload.get("zone")))
    except (KeyError, ValueError, OSError):  # of unknown names, of names that are none, of folders
        raise BadRecord("oura/heartrate: zone is unknown") from None
    rows = record.payload.get("data")
    if not isinstance(rows, list):
        raise BadRecord("oura/heartrate: data is no list")
    by_offset: dict[int, list[tuple[float, float]]] = {}
    for at, value in _readings(rows):
        moved = at.astimezone(zone).utcoffset() or timedelta(0)
        by_offset.setdefault(int(moved / timedelta(minutes=1)), []).append((at.timestamp(), value))
    for offset, readings in by_offset.items():
        yield from quarter_hours(Metric.HEART_RATE, readings, offset=offset)


def _readings(rows: Sequence[Any]) -> Iterator[tuple[datetime, float]]:
    for row in rows:
        at = _aware(row.get("timestamp")) if isinstance(row, Mapping) else None
        value = _number(row, "bpm") if at is not None else None
        if at is not None and value is not None:
            yield at, value


def _workout(record: RawRecord) -> Iterator[Episode]:
    start, end, offset = _span(record, "start_datetime", "end_datetime")
    sport = record.payload.get("activity")
    values = {
        Metric.ACTIVE_ENERGY: _number(record.payload, "calories"),
        Metric.DISTANCE: _number(record.payload, "distance"),
    }
    yield Episode(
        key=record.key,
        kind=EpisodeKind.WORKOUT,
        start=start,
        end=end,
        offset=offset,
        day=_local(start, offset),
        label=sport if isinstance(sport, str) and sport else None,
        values=in_range(values),
    )


def _session(record: RawRecord) -> Iterator[Sample]:
    kind = record.payload.get("type")
    if isinstance(kind, str) and kind in MINDFUL:
        start, end, offset = _span(record, "start_datetime", "end_datetime")
        minutes = {Metric.MINDFUL: (end - start) / timedelta(minutes=1)}
        yield from samples(minutes, key=record.key, start=start, end=end, offset=offset, day=_local(start, offset))


def _nothing(record: RawRecord) -> Iterator[Item]:
    """A record that is kept for the day it means something; it must be dated all the same."""
    _day(record)
    yield from ()


READERS: Mapping[str, Callable[[RawRecord], Iterator[Item]]] = {
    "sleep": _sleep,
    "daily_spo2": _oxygen,
    "daily_stress": _nothing,
    "heartrate": _heart_rate,
    "workout": _workout,
    "session": _session,
}


def _span(record: RawRecord, start: str, end: str) -> tuple[datetime, datetime, int]:
    """Two instants in order, and the offset the second was written with: the person's at that time."""
    begun, _ = _instant(record, start)
    over, offset = _instant(record, end)
    if over < begun or over - begun > LONGEST:
        raise BadRecord(f"oura/{record.stream}: it ends before it starts, or days later")
    return begun, over, offset


def _instant(record: RawRecord, field: str) -> tuple[datetime, int]:
    """An instant in UTC and the offset it was written with."""
    at = _aware(record.payload.get(field))
    if at is None:
        raise BadRecord(f"oura/{record.stream}: {field} is no instant")
    return at.astimezone(UTC), int((at.utcoffset() or timedelta(0)) / timedelta(minutes=1))


def _aware(text: Any) -> datetime | None:
    try:
        at = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return None
    return at if at.tzinfo is not None and 2000 <= at.year < 2100 else None


def _day(record: RawRecord) -> date:
    """The date Oura files a record under: of waking for a sleep."""
    try:
        day = date.fromisoformat(str(record.payload.get("day")))
    except ValueError:
        day = date.min
    if not 2000 <= day.year < 2100:
        raise BadRecord(f"oura/{record.stream}: day is no date")
    return day


def _local(at: datetime, offset: int) -> date:
    return (at + timedelta(minutes=offset)).date()


def _number(payload: Mapping[str, Any], field: str) -> float | None:
    return finite(payload.get(field))


def _minutes(payload: Mapping[str, Any], field: str) -> float | None:
    seconds = _number(payload, field)
    return None if seconds is None else seconds / 60
