"""Garmin Connect's JSON: day summaries, sleeps, overnight HRV, stress, body battery, heart rate, activities.

``...GMT`` fields are UTC, ``...Local`` ones the wall clock written as if it were UTC: their difference is the offset.
A sleep's ``calendarDate`` is the local date of waking. Negative levels say why there is no measurement; they are none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from bridge.errors import BadRecord
from bridge.measured import finite, in_range, quarter_hours, samples
from bridge.metrics import Metric
from bridge.types import Episode, EpisodeKind, Item, RawRecord
from connectors.garmin.fields import (
    STAGES,
    day_of,
    inner,
    instant,
    is_over,
    listed,
    number,
    offset_between,
    seconds,
    span,
    unconfirmed,
)

SUMMARY = {
    Metric.STEPS: "totalSteps",
    Metric.DISTANCE: "totalDistanceMeters",
    Metric.ACTIVE_ENERGY: "activeKilocalories",
    Metric.TOTAL_ENERGY: "totalKilocalories",
    Metric.DAILY_STRESS: "averageStressLevel",
}
READING = timedelta(minutes=10)  # what a night without times is known by: its summary's creation


def summary(record: RawRecord, parent: RawRecord | None) -> Iterator[Item]:  # noqa: ARG001 - the port's shape
    """A civil day. The totals of one that is still running grow: nothing yet. One without a watch has none."""
    payload = record.payload
    day = day_of(payload, "calendarDate", "summary")
    if payload.get("includesWellnessData") is False or payload.get("wellnessStartTimeGmt") is None:
        return
    start, end = span(payload, "wellnessStartTimeGmt", "wellnessEndTimeGmt", "summary")
    offset = offset_between(payload.get("wellnessStartTimeLocal"), payload.get("wellnessStartTimeGmt"))
    place: dict[str, Any] = {"key": record.key, "start": start, "end": end, "offset": offset, "day": day}
    yield from samples({Metric.RESTING_HR: number(payload, "restingHeartRate")}, **place)
    if is_over(payload, end - start):
        yield from samples({m: number(payload, field) for m, field in SUMMARY.items()}, **place)


def sleep(record: RawRecord, parent: RawRecord | None) -> Iterator[Item]:  # noqa: ARG001
    """The main sleep of a date; a date without one answers with nulls, a watch that was not worn with zeros."""
    payload = record.payload
    night = inner(payload, "dailySleepDTO")
    if not night:
        raise BadRecord("garmin/sleep: dailySleepDTO is missing")
    day = day_of(night, "calendarDate", "sleep")
    if night.get("id") is None and night.get("sleepStartTimestampGMT") is None:
        return
    if unconfirmed(night) and not number(night, "sleepTimeSeconds"):
        return
    start, end = span(night, "sleepStartTimestampGMT", "sleepEndTimestampGMT", "sleep")
    offset = offset_between(night.get("sleepEndTimestampLocal"), night.get("sleepEndTimestampGMT"))
    values = {m: seconds(night, field) for m, field in STAGES.items()}
    values[Metric.ASLEEP] = seconds(night, "sleepTimeSeconds")
    values[Metric.IN_BED] = (end - start) / timedelta(minutes=1)
    values[Metric.SLEEP_SCORE] = number(inner(inner(night, "sleepScores"), "overall"), "value")
    values[Metric.SLEEP_NEED] = number(inner(night, "sleepNeed"), "actual")
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
        Metric.RESPIRATORY_RATE: number(night, "averageRespirationValue"),
        Metric.SPO2: number(night, "averageSpO2Value"),
        Metric.SKIN_TEMPERATURE_DELTA: number(payload, "avgSkinTempDeviationC"),
    }
    yield from samples(overnight, key=record.key, start=start, end=end, offset=offset, day=day)


def hrv(record: RawRecord, parent: RawRecord | None) -> Iterator[Item]:  # noqa: ARG001
    """The night's mean RMSSD. With its readings a record knows the night's times, without them when it was made."""
    payload = record.payload
    found = inner(payload, "hrvSummary") or payload
    day = day_of(found, "calendarDate", "hrv")
    value = number(found, "lastNightAvg")
    if value is None:
        value = number(found, "lastNight")
    if value is None:
        return
    if payload.get("sleepStartTimestampGMT") is not None:
        start, end = span(payload, "sleepStartTimestampGMT", "sleepEndTimestampGMT", "hrv")
        offset = offset_between(payload.get("sleepEndTimestampLocal"), payload.get("sleepEndTimestampGMT"))
    else:
        made = instant(found.get("createTimeStamp"))
        if made is None:
            raise BadRecord("garmin/hrv: neither the night's times nor createTimeStamp can be read")
        start, end, offset = made - READING, made, None
    yield from samples({Metric.HRV_RMSSD: value}, key=record.key, start=start, end=end, offset=offset, day=day)


def stress(record: RawRecord, parent: RawRecord | None) -> Iterator[Item]:  # noqa: ARG001
    """Stress every three minutes, and the body battery beside it."""
    payload, offset = record.payload, _day_offset(record.payload, "stress")
    readings = _readings(payload, "stressValuesArray", "stressValueDescriptorsDTOList", "stressLevel")
    yield from quarter_hours(Metric.STRESS, readings, offset=offset)
    battery = _readings(payload, "bodyBatteryValuesArray", "bodyBatteryValueDescriptorsDTOList", "bodyBatteryLevel")
    yield from quarter_hours(Metric.BODY_BATTERY, battery, offset=offset)


def heart_rate(record: RawRecord, parent: RawRecord | None) -> Iterator[Item]:  # noqa: ARG001
    """Heart rate every two minutes; a date without any answers with nulls."""
    if _is_empty(record.payload, "heartRateValues"):
        return
    offset = _day_offset(record.payload, "heart_rate")
    readings = _readings(record.payload, "heartRateValues", "heartRateValueDescriptors", "heartrate")
    yield from quarter_hours(Metric.HEART_RATE, readings, offset=offset)


def body_battery(record: RawRecord, parent: RawRecord | None) -> Iterator[Item]:  # noqa: ARG001
    """The body battery where it changed; a date without any answers with nulls."""
    if _is_empty(record.payload, "bodyBatteryValuesArray"):
        return
    offset = _day_offset(record.payload, "body_battery")
    readings = _readings(
        record.payload, "bodyBatteryValuesArray", "bodyBatteryValueDescriptorDTOList", "bodyBatteryLevel"
    )
    yield from quarter_hours(Metric.BODY_BATTERY, readings, offset=offset)


def activity(record: RawRecord, parent: RawRecord | None) -> Iterator[Item]:  # noqa: ARG001
    """A recorded activity."""
    payload = record.payload
    start, minutes = instant(payload.get("startTimeGMT")), seconds(payload, "elapsedDuration")
    if minutes is None:
        minutes = seconds(payload, "duration")
    if start is None or minutes is None:
        raise BadRecord("garmin/activity: startTimeGMT or duration is unreadable")
    offset = offset_between(payload.get("startTimeLocal"), payload.get("startTimeGMT"))
    kind = inner(payload, "activityType").get("typeKey")
    values = {
        Metric.ACTIVE_ENERGY: number(payload, "calories"),
        Metric.DISTANCE: number(payload, "distance"),
        Metric.HEART_RATE: number(payload, "averageHR"),
        Metric.STEPS: number(payload, "steps"),
    }
    yield Episode(
        key=record.key,
        kind=EpisodeKind.WORKOUT,
        start=start,
        end=start + timedelta(minutes=minutes),
        offset=offset,
        day=(start + timedelta(minutes=offset or 0)).date(),
        label=kind if isinstance(kind, str) else None,
        values=in_range(values),
    )


def _is_empty(payload: Mapping[str, Any], values: str) -> bool:
    """Whether an answer has room for values and none: such a date may have no times either."""
    return values in payload and not payload[values]


def _day_offset(payload: Mapping[str, Any], what: str) -> int:
    """Minutes east of UTC of a day that starts at local midnight. Raises BadRecord."""
    offset = offset_between(payload.get("startTimestampLocal"), payload.get("startTimestampGMT"))
    if offset is None:
        raise BadRecord(f"garmin/{what}: startTimestampGMT or startTimestampLocal is unreadable")
    return offset


def _readings(payload: Mapping[str, Any], values: str, described: str, wanted: str) -> Iterator[tuple[float, float]]:
    """(Unix seconds, value) of an array whose columns a list of descriptors names; layouts differ."""
    at, value = 0, 1
    for column in listed(payload, described):
        if isinstance(column, Mapping):
            names = [column.get(name) for name in column if name.lower().endswith("key")]
            index = next((column[name] for name in column if name.lower().endswith("index")), None)
            if isinstance(index, int) and not isinstance(index, bool) and 0 <= index < 20:
                at = index if "timestamp" in names else at
                value = index if wanted in names else value
    for row in listed(payload, values):
        if isinstance(row, list) and len(row) > max(at, value):
            instant_at, level = instant(row[at]), row[value]
            if instant_at is not None and (found := finite(level)) is not None:
                yield instant_at.timestamp(), found
