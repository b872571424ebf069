"""The account export (Export Your Data): day summaries (UDS), nights, health status, activities.

Times are UTC without saying so, and a night does not tell its offset: that of the day summary of the same date is
taken, else the person's zone. Units differ from the API's: durations in ms, distances in cm.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from bridge.errors import BadRecord
from bridge.measured import in_range, samples
from bridge.metrics import Metric
from bridge.types import Episode, EpisodeKind, Item, RawRecord
from connectors.garmin.fields import (
    STAGES,
    WHOLE_DAY,
    day_of,
    inner,
    instant,
    is_over,
    listed,
    number,
    offset_between,
    offset_in,
    seconds,
    span,
    unconfirmed,
)

DAILY = {
    Metric.STEPS: "totalSteps",
    Metric.DISTANCE: "totalDistanceMeters",
    Metric.ACTIVE_ENERGY: "activeKilocalories",
    Metric.TOTAL_ENERGY: "totalKilocalories",
}
HEALTH = {
    "HRV": Metric.HRV_RMSSD,
    "SPO2": Metric.SPO2,
    "RESPIRATION": Metric.RESPIRATORY_RATE,
    "SKIN_TEMP_C": Metric.SKIN_TEMPERATURE_DELTA,
}
NOT_MEASURED = {"UNKNOWN", "ONBOARDING"}
CM_PER_M, MS_PER_S = 100, 1000
KCAL_PER_MINUTE = 25  # beyond any person: then the figure is in kJ
KJ_PER_KCAL = 4.184
NOON = timedelta(hours=12)


def daily(record: RawRecord, parent: RawRecord | None) -> Iterator[Item]:  # noqa: ARG001 - the port's shape
    """A civil day. Of the one in which the export was asked for only the resting heart rate is known."""
    row = inner(record.payload, "row")
    day = day_of(row, "calendarDate", "uds")
    if row.get("includesWellnessData") is False:
        return
    start, offset = _begin(row, record.payload)
    levels = {
        str(entry.get("type")): number(entry, "averageStressLevel")
        for entry in listed(inner(row, "allDayStress"), "aggregatorList")
        if isinstance(entry, Mapping)
    }
    resting = number(row, "currentDayRestingHeartRate") or number(row, "restingHeartRate")  # 0 early in the day
    totals = {m: number(row, field) for m, field in DAILY.items()} | {Metric.DAILY_STRESS: levels.get("TOTAL")}
    values = {Metric.RESTING_HR: resting} | (totals if _is_whole(row, start) else {})
    end = start + timedelta(days=1)
    yield from samples(values, key=record.key, start=start, end=end, offset=offset, day=day)


def _is_whole(row: Mapping[str, Any], start: datetime) -> bool:
    """Whether the day was over; one that does not tell its end was."""
    end, length = instant(row.get("wellnessEndTimeGmt")), number(row, "durationInMilliseconds")
    if end is None:
        return length is None or length / MS_PER_S >= WHOLE_DAY.total_seconds()
    return is_over(row, end - start)


def sleep(record: RawRecord, parent: RawRecord | None) -> Iterator[Item]:
    """A night, unless nobody confirmed it or the watch was off."""
    row = inner(record.payload, "row")
    day = day_of(row, "calendarDate", "export_sleep")
    if unconfirmed(row):
        return
    start, end = span(row, "sleepStartTimestampGMT", "sleepEndTimestampGMT", "export_sleep")
    offset = _offset(record.payload, parent, end)
    values = {m: seconds(row, field) for m, field in STAGES.items()}
    slept = [values[m] for m in (Metric.LIGHT_SLEEP, Metric.DEEP_SLEEP)]
    known = [minutes for minutes in (*slept, values[Metric.REM_SLEEP]) if minutes is not None]  # old ones: no REM
    values[Metric.ASLEEP] = sum(known) if None not in slept and sum(known) > 0 else None
    values[Metric.IN_BED] = (end - start) / timedelta(minutes=1)
    values[Metric.SLEEP_SCORE] = number(inner(row, "sleepScores"), "overallScore")
    yield Episode(
        key=record.key,
        kind=EpisodeKind.SLEEP,
        start=start,
        end=end,
        offset=offset,
        day=day,
        values=in_range(values),
    )
    overnight = {
        Metric.RESPIRATORY_RATE: number(row, "averageRespiration"),
        Metric.SPO2: number(inner(row, "spo2SleepSummary"), "averageSPO2"),
    }
    yield from samples(overnight, key=record.key, start=start, end=end, offset=offset, day=day)


def health(record: RawRecord, parent: RawRecord | None) -> Iterator[Item]:
    """Overnight HRV (the only place it stands in an export), breathing, blood oxygen and the skin's deviation.

    A zero of unknown status was not measured. It was read in the morning of its date; noon is safely after.
    """
    row = inner(record.payload, "row")
    day = day_of(row, "calendarDate", "export_health")
    metrics = listed(row, "metrics")
    values = {
        HEALTH[str(entry["type"])]: number(entry, "value")
        for entry in metrics
        if isinstance(entry, Mapping) and str(entry.get("type")) in HEALTH and not _unmeasured(entry)
    }
    made = instant(row.get("createTimestampUTC")) or instant(f"{day}T00:00:00")
    if made is None:
        raise BadRecord("garmin/export_health: createTimestampUTC is unreadable")
    offset = _offset(record.payload, parent, made)
    wall = instant(f"{day}T00:00:00") or made
    noon = wall - timedelta(minutes=offset) + NOON
    yield from samples(values, key=record.key, start=noon - NOON, end=noon, offset=offset, day=day)


def _unmeasured(entry: Mapping[str, Any]) -> bool:
    return str(entry.get("status")) in NOT_MEASURED and not entry.get("value")


def activity(record: RawRecord, parent: RawRecord | None) -> Iterator[Item]:  # noqa: ARG001
    """A recorded activity."""
    row = inner(record.payload, "row")
    start, duration = instant(row.get("startTimeGmt")), number(row, "elapsedDuration")
    if duration is None:
        duration = number(row, "duration")
    if start is None or duration is None or not 0 <= duration <= 30 * 86_400_000:
        raise BadRecord("garmin/export_activity: startTimeGmt or duration is unreadable")
    length = timedelta(seconds=duration / MS_PER_S)
    offset = offset_between(row.get("startTimeLocal"), row.get("startTimeGmt"))
    distance, kind = number(row, "distance"), row.get("activityType")
    values = {
        Metric.DISTANCE: None if distance is None else distance / CM_PER_M,
        Metric.ACTIVE_ENERGY: _kilocalories(number(row, "calories"), length),
        Metric.HEART_RATE: number(row, "avgHr"),
        Metric.STEPS: number(row, "steps"),
    }
    yield Episode(
        key=record.key,
        kind=EpisodeKind.WORKOUT,
        start=start,
        end=start + length,
        offset=offset,
        day=(start + timedelta(minutes=offset or 0)).date(),
        label=kind if isinstance(kind, str) else None,
        values=in_range(values),
    )


def _kilocalories(value: float | None, length: timedelta) -> float | None:
    """The unit is not documented: what nobody can burn in kcal is kJ."""
    if value is None or value <= KCAL_PER_MINUTE * max(length / timedelta(minutes=1), 1):
        return value
    return value / KJ_PER_KCAL


def _begin(row: Mapping[str, Any], payload: Mapping[str, Any]) -> tuple[datetime, int]:
    """The day's first instant and its offset."""
    start = instant(row.get("wellnessStartTimeGmt"))
    offset = offset_between(row.get("wellnessStartTimeLocal"), row.get("wellnessStartTimeGmt"))
    if start is not None and offset is not None:
        return start, offset
    wall = instant(f"{day_of(row, 'calendarDate', 'uds')}T00:00:00")
    if wall is None:
        raise BadRecord("garmin/uds: calendarDate is no date")
    offset = _in_zone(payload, wall)
    return wall - timedelta(minutes=offset), offset


def _offset(payload: Mapping[str, Any], parent: RawRecord | None, at: datetime) -> int:
    """That of the same date's summary, else the zone's."""
    row = inner(parent.payload, "row") if parent is not None else {}
    found = offset_between(row.get("wellnessStartTimeLocal"), row.get("wellnessStartTimeGmt"))
    return _in_zone(payload, at) if found is None else found


def _in_zone(payload: Mapping[str, Any], at: datetime) -> int:
    zone = payload.get("zone")
    try:
        return offset_in(zone if isinstance(zone, str) else "UTC", at)
    except (KeyError, ValueError, OSError):
        raise BadRecord("garmin: the zone is unknown") from None
