"""Turn Garmin's raw records into samples and episodes, by a function for each stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from bridge.domain.errors import BadRecord
from bridge.domain.metrics import Metric
from bridge.domain.samples import finite, quarter_hours
from bridge.domain.types import Episode, EpisodeKind, Item, RawRecord
from connectors.garmin import account_export, watch
from connectors.garmin.fields import (
    STAGES,
    fields_of,
    intensity,
    is_over,
    naps,
    offset_of,
    settled,
    span,
    unconfirmed,
    workout,
)
from connectors.instants import local_date, utc_of_naive
from connectors.payload import METRES_A_SECOND, SECONDS, Fields, Table, mapping, rows
from connectors.stretches import Stretch

SAVED = "saved_"  # begins the stream of answers that came as files
SUMMARY: Table = {
    Metric.STEPS: "totalSteps",
    Metric.DISTANCE: "totalDistanceMeters",
    Metric.ACTIVE_ENERGY: "activeKilocalories",
    Metric.TOTAL_ENERGY: "totalKilocalories",
    Metric.DAILY_STRESS: "averageStressLevel",
}
RESTING: Table = {Metric.RESTING_HR: "restingHeartRate"}
SLEEP: Table = {
    **STAGES,
    Metric.ASLEEP: ("sleepTimeSeconds", SECONDS),
    Metric.SLEEP_SCORE: "sleepScores.overall.value",
    Metric.SLEEP_NEED: "sleepNeed.actual",
}
NIGHT_AVERAGES: Table = {Metric.RESPIRATORY_RATE: "averageRespirationValue", Metric.SPO2: "averageSpO2Value"}
SKIN: Table = {Metric.SKIN_TEMPERATURE_DELTA: "avgSkinTempDeviationC"}  # beside the night, not in it
WORKOUT: Table = {
    Metric.ACTIVE_ENERGY: "calories",
    Metric.DISTANCE: "distance",
    Metric.HEART_RATE: "averageHR",
    Metric.ASCENT: "elevationGain",
    Metric.SPEED: ("averageSpeed", METRES_A_SECOND),
    Metric.STEPS: "steps",
}
READING = timedelta(minutes=10)  # the span of a night without times, which is known by its summary's creation


def summary(record: RawRecord, parent: RawRecord | None) -> Iterator[Item]:  # noqa: ARG001 - the readers' shape
    """Yield the totals, mean stress and resting heart rate of a day as samples, if a watch was worn."""
    fields = fields_of(record.payload, "summary")
    day = fields.date_in("calendarDate")
    if fields.get("includesWellnessData") is False or fields.get("wellnessStartTimeGmt") is None:
        return
    start, end = span(fields, "wellnessStartTimeGmt", "wellnessEndTimeGmt")
    offset = offset_of(fields, "wellnessStartTimeLocal", "wellnessStartTimeGmt")
    civil = Stretch(start=start, end=end, offset=offset, day=day)
    yield from civil.samples(record.key, fields.measured(RESTING))
    if is_over(fields, end - start):
        yield from civil.samples(record.key, fields.measured(SUMMARY) | intensity(fields, of_day=True))


def sleep(record: RawRecord, parent: RawRecord | None) -> Iterator[Item]:  # noqa: ARG001
    """Yield a date's main sleep and naps as episodes, and the night's body values as samples.

    A sleep that was guessed yields its naps only. Raises BadRecord if ``dailySleepDTO``, its date or its times are
    unreadable.
    """
    fields = fields_of(record.payload, "sleep")
    night = fields.inner("dailySleepDTO")
    if not night.payload:
        raise fields.bad("dailySleepDTO is missing")
    day = night.date_in("calendarDate")
    east = offset_of(night, "sleepEndTimestampLocal", "sleepEndTimestampGMT")
    yield from naps(record.key, fields, "dailyNapDTOS", lambda _: east)
    if night.get("id") is None and night.get("sleepStartTimestampGMT") is None:
        return
    if unconfirmed(night) and not night.number("sleepTimeSeconds"):
        return
    lasted = replace(_night(night), day=day)
    yield lasted.episode(EpisodeKind.SLEEP, record.key, night.measured(SLEEP) | {Metric.IN_BED: lasted.minutes})
    yield from lasted.samples(record.key, night.measured(NIGHT_AVERAGES) | fields.measured(SKIN))


def _night(fields: Fields) -> Stretch:
    start, end = span(fields, "sleepStartTimestampGMT", "sleepEndTimestampGMT")
    offset = offset_of(fields, "sleepEndTimestampLocal", "sleepEndTimestampGMT")
    return Stretch(start=start, end=end, offset=offset, day=local_date(end, offset))


def hrv(record: RawRecord, parent: RawRecord | None) -> Iterator[Item]:  # noqa: ARG001
    """Yield the night's mean RMSSD as a sample, or nothing without a value. Raises BadRecord for unreadable times."""
    fields = fields_of(record.payload, "hrv")
    found = fields.inner("hrvSummary") if mapping(fields.get("hrvSummary")) else fields
    day, value = found.date_in("calendarDate"), found.number("lastNightAvg")
    value = found.number("lastNight") if value is None else value
    if value is None:
        return
    if fields.get("sleepStartTimestampGMT") is not None:
        night = replace(_night(fields), day=day)
    else:
        made = utc_of_naive(found.get("createTimeStamp"))
        if made is None:
            raise fields.bad("neither the night's times nor createTimeStamp can be read")
        night = Stretch(start=made - READING, end=made, offset=None, day=day)
    yield from night.samples(record.key, {Metric.HRV_RMSSD: value})


def stress(record: RawRecord, parent: RawRecord | None) -> Iterator[Item]:  # noqa: ARG001
    """Yield stress and body battery, each as a sample per quarter-hour with the mean of its readings.

    Garmin measures stress every three minutes. Raises BadRecord if the day's start times are unreadable.
    """
    fields = fields_of(record.payload, "stress")
    offset = _day_offset(fields)
    readings = _readings(fields, "stressValuesArray", "stressValueDescriptorsDTOList", "stressLevel")
    yield from quarter_hours(Metric.STRESS, readings, offset=offset)
    battery = _readings(fields, "bodyBatteryValuesArray", "bodyBatteryValueDescriptorsDTOList", "bodyBatteryLevel")
    yield from quarter_hours(Metric.BODY_BATTERY, battery, offset=offset)


def heart_rate(record: RawRecord, parent: RawRecord | None) -> Iterator[Item]:  # noqa: ARG001
    """Yield the mean heart rate of each quarter-hour as a sample. Raises BadRecord for unreadable start times."""
    fields = fields_of(record.payload, "heart_rate")
    if not _is_empty(fields, "heartRateValues"):
        readings = _readings(fields, "heartRateValues", "heartRateValueDescriptors", "heartrate")
        yield from quarter_hours(Metric.HEART_RATE, readings, offset=_day_offset(fields))


def body_battery(record: RawRecord, parent: RawRecord | None) -> Iterator[Item]:  # noqa: ARG001
    """Yield the mean body battery of each quarter-hour as a sample. Raises BadRecord for unreadable start times."""
    fields = fields_of(record.payload, "body_battery")
    if not _is_empty(fields, "bodyBatteryValuesArray"):
        readings = _readings(fields, "bodyBatteryValuesArray", "bodyBatteryValueDescriptorDTOList", "bodyBatteryLevel")
        yield from quarter_hours(Metric.BODY_BATTERY, readings, offset=_day_offset(fields))


def activity(record: RawRecord, parent: RawRecord | None) -> Iterator[Item]:
    """Yield an activity as a workout, or nothing if ``parent`` is the same activity. Raises BadRecord for bad times."""
    if parent is None:
        yield recorded(record.key, record.payload)


def recorded(key: str, row: Mapping[str, Any]) -> Episode:
    """Return an activity as a workout episode. Raises BadRecord if its start or length is unreadable."""
    return workout(key, fields_of(row, "activity"), WORKOUT, ("startTimeGMT", "activityType.typeKey"), per_second=1)


def _is_empty(fields: Fields, values: str) -> bool:
    return values in fields.payload and not fields.get(values)


def _day_offset(fields: Fields) -> int:
    offset = offset_of(fields, "startTimestampLocal", "startTimestampGMT")
    if offset is None:
        raise fields.bad("startTimestampGMT or startTimestampLocal is unreadable")
    return offset


def _readings(fields: Fields, values: str, described: str, wanted: str) -> Iterator[tuple[float, float]]:
    at, value = 0, 1
    for column in rows(fields.get(described)):
        if isinstance(column, Mapping):
            names = [column.get(name) for name in column if name.lower().endswith("key")]
            index = next((column[name] for name in column if name.lower().endswith("index")), None)
            if isinstance(index, int) and not isinstance(index, bool) and 0 <= index < 20:
                at = index if "timestamp" in names else at
                value = index if wanted in names else value
    for row in rows(fields.get(values)):
        if isinstance(row, list) and len(row) > max(at, value):
            instant_at, level = utc_of_naive(row[at]), row[value]
            if instant_at is not None and (found := finite(level)) is not None:
                yield instant_at.timestamp(), found


Reader = Callable[[RawRecord, RawRecord | None], Iterator[Item]]
READERS: Mapping[str, Reader] = {
    "summary": summary,
    "sleep": sleep,
    "hrv": hrv,
    "stress": stress,
    "heart_rate": heart_rate,
    "body_battery": body_battery,
    "activity": activity,
    "uds": account_export.daily,
    "export_sleep": account_export.sleep,
    "export_health": account_export.health,
    "fit_day": watch.day,
    "fit_sleep": watch.sleep,
    "fit_hrv": watch.hrv,
}


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:
    if record.stream == "workout":
        return list(_workout(record))
    if record.stream.startswith(SAVED):
        return _saved(record, parent)
    reader = READERS.get(record.stream)
    if reader is None:
        raise BadRecord(f"garmin/{record.stream}: the connector garmin knows no stream of this name")
    return list(reader(record, parent))


def _saved(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:
    if parent is not None:
        return ()
    answer = settled(mapping(record.payload.get("rows")))
    return normalise(replace(record, stream=record.stream.removeprefix(SAVED), payload=answer, parent=None), None)


def _workout(record: RawRecord) -> Iterator[Item]:
    by_id, sessions = mapping(record.payload.get("rows")), mapping(record.payload.get("fit"))
    for number in sorted(by_id):
        row = settled(mapping(by_id.get(number)))
        exported = row.get("stream") == "export_activity"
        yield account_export.activity(number, row) if exported else recorded(number, row)
    if not by_id:
        yield watch.session(record.key, settled(sessions), record.payload.get("zone"))
