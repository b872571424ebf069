"""Read the account export of Garmin, with day summaries, nights, health status and activities.

All times are UTC without saying so. An activity's durations are in ms, and distances in cm.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from bridge.domain.metrics import Metric
from bridge.domain.types import Episode, EpisodeKind, Item, RawRecord, Sample
from connectors.garmin.fields import (
    STAGES,
    fields_of,
    intensity,
    is_whole,
    naps,
    offset_at_home,
    offset_of,
    settled_fields,
    span,
    unconfirmed,
    workout,
)
from connectors.instants import local_date, midnight, utc_of_naive
from connectors.payload import CENTIMETRES, KILOJOULES, METRES_A_SECOND, Fields, Table, mapping, rows
from connectors.stretches import Stretch

EXPORTED_DAY: Table = {
    Metric.STEPS: "totalSteps",
    Metric.DISTANCE: "totalDistanceMeters",
    Metric.ACTIVE_ENERGY: "activeKilocalories",
    Metric.TOTAL_ENERGY: "totalKilocalories",
}
EXPORTED_SLEEP: Table = {**STAGES, Metric.SLEEP_SCORE: "sleepScores.overallScore"}
EXPORTED_NIGHT: Table = {Metric.RESPIRATORY_RATE: "averageRespiration", Metric.SPO2: "spo2SleepSummary.averageSPO2"}
EXPORTED_WORKOUT: Table = {
    Metric.DISTANCE: ("distance", CENTIMETRES),
    Metric.ACTIVE_ENERGY: ("calories", KILOJOULES),
    Metric.HEART_RATE: "avgHr",
    Metric.ASCENT: ("elevationGain", CENTIMETRES),
    Metric.SPEED: ("avgSpeed", 10 * METRES_A_SECOND),  # centimetres a millisecond
    Metric.STEPS: "steps",
}
HEALTH = {
    "HRV": Metric.HRV_RMSSD,
    "SPO2": Metric.SPO2,
    "RESPIRATION": Metric.RESPIRATORY_RATE,
    "SKIN_TEMP_C": Metric.SKIN_TEMPERATURE_DELTA,
}
NOT_MEASURED = {"UNKNOWN", "ONBOARDING"}
NOON = timedelta(hours=12)


def daily(record: RawRecord, parent: RawRecord | None) -> Iterator[Item]:  # noqa: ARG001 - the readers' shape
    """Yield a day's totals, resting heart rate, stress and body battery as samples, if a watch was worn."""
    fields = settled_fields(record.payload, "uds")
    day = fields.date_in("calendarDate")
    if fields.get("includesWellnessData") is False:
        return
    start, offset = _begin(fields, record.payload)
    over = record.payload.get("over") is True or is_whole(fields)
    entries = [fields_of(mapping(entry), "uds") for entry in rows(fields.get("allDayStress.aggregatorList"))]
    levels = {str(entry.get("type")): entry.number("averageStressLevel") for entry in entries}
    resting = fields.number("currentDayRestingHeartRate") or fields.number("restingHeartRate")  # 0 early in the day
    totals = fields.measured(EXPORTED_DAY) | intensity(fields, of_day=True) | {Metric.DAILY_STRESS: levels.get("TOTAL")}
    civil = Stretch(start=start, end=start + timedelta(days=1), offset=offset, day=day)
    yield from civil.samples(record.key, {Metric.RESTING_HR: resting} | (totals if over else {}))
    yield from _battery(record.key, fields.inner("bodyBattery"), civil, offset)


def _battery(key: str, battery: Fields, civil: Stretch, offset: int) -> Iterator[Sample]:
    """Yield the body battery at the moments that the day's row names, such as its highest and lowest."""
    named = [fields_of(mapping(entry), "uds") for entry in rows(battery.get("bodyBatteryStatList"))]
    levels = [(utc_of_naive(entry.get("statTimestamp")), entry.number("statsValue")) for entry in named]
    known = {(at, level): level for at, level in levels if level is not None and level >= 0}
    for at, level in sorted((at, level) for at, level in known if at is not None):
        yield Sample(
            key=f"{key}/{Metric.BODY_BATTERY}/{at:%Y-%m-%dT%H:%MZ}/{level:g}",
            metric=Metric.BODY_BATTERY,
            start=at,
            offset=offset,
            day=local_date(at, offset),
            value=level,
        )
    if known and all(at is None for at, _ in known):
        found = list(known.values())
        yield Sample(
            key=f"{key}/{Metric.BODY_BATTERY}",
            metric=Metric.BODY_BATTERY,
            value=sum(found) / len(found),
            count=len(found),
            low=min(found),
            high=max(found),
            start=civil.start,
            end=civil.end,
            offset=offset,
            day=civil.day,
        )


def sleep(record: RawRecord, parent: RawRecord | None) -> Iterator[Item]:
    """Yield a night's sleep and naps as episodes, and the night's breathing and blood oxygen as samples.

    A night that was guessed, or with the watch off, yields its naps only. Raises BadRecord for unreadable times.
    """
    fields = settled_fields(record.payload, "export_sleep")
    day = fields.date_in("calendarDate")
    found = list(naps(record.key, fields, "napList", lambda at: _offset(record.payload, parent, at)))
    yield from found
    if unconfirmed(fields) or (found and fields.get("sleepStartTimestampGMT") is None):
        return
    start, end = span(fields, "sleepStartTimestampGMT", "sleepEndTimestampGMT")
    night = Stretch(start=start, end=end, offset=_offset(record.payload, parent, end), day=day)
    values = fields.measured(EXPORTED_SLEEP) | {Metric.IN_BED: night.minutes}
    slept = [values[m] for m in (Metric.LIGHT_SLEEP, Metric.DEEP_SLEEP)]
    known = [minutes for minutes in (*slept, values[Metric.REM_SLEEP]) if minutes is not None]  # old watches: no REM
    values[Metric.ASLEEP] = sum(known) if None not in slept and sum(known) > 0 else None
    yield night.episode(EpisodeKind.SLEEP, record.key, values)
    yield from night.samples(record.key, fields.measured(EXPORTED_NIGHT))


def health(record: RawRecord, parent: RawRecord | None) -> Iterator[Item]:
    """Yield overnight HRV, breathing, blood oxygen and the deviation of the skin's temperature as samples."""
    fields = settled_fields(record.payload, "export_health")
    day = fields.date_in("calendarDate")
    entries = [fields_of(mapping(entry), "export_health") for entry in rows(fields.get("metrics"))]
    measured = [entry for entry in entries if str(entry.get("type")) in HEALTH and not _unmeasured(entry)]
    values = {HEALTH[str(entry.get("type"))]: entry.number("value") for entry in measured}
    offset = _offset(record.payload, parent, utc_of_naive(fields.get("createTimestampUTC")) or midnight(day))
    start = midnight(day) - timedelta(minutes=offset)
    morning = Stretch(start=start, end=start + NOON, offset=offset, day=day)
    yield from morning.samples(record.key, values)


def _unmeasured(entry: Fields) -> bool:
    return str(entry.get("status")) in NOT_MEASURED and not entry.get("value")


def activity(key: str, row: Mapping[str, Any]) -> Episode:
    """Return an activity as a workout episode. Raises BadRecord if its start or length is unreadable.

    The field ``calories`` holds kJ: 4.19 times the number in the FIT file of the same activity.
    """
    fields = fields_of(row, "export_activity")
    return workout(key, fields, EXPORTED_WORKOUT, ("startTimeGmt", "activityType"), per_second=1000)


def _begin(fields: Fields, payload: Mapping[str, Any]) -> tuple[datetime, int]:
    start = utc_of_naive(fields.get("wellnessStartTimeGmt"))
    offset = offset_of(fields, "wellnessStartTimeLocal", "wellnessStartTimeGmt")
    if start is not None and offset is not None:
        return start, offset
    wall = midnight(fields.date_in("calendarDate"))
    offset = offset_at_home(payload, wall, "uds")
    return wall - timedelta(minutes=offset), offset


def _offset(payload: Mapping[str, Any], parent: RawRecord | None, at: datetime) -> int:
    summary = settled_fields(parent.payload if parent is not None else {}, "uds")
    found = offset_of(summary, "wellnessStartTimeLocal", "wellnessStartTimeGmt")
    return offset_at_home(payload, at, "export") if found is None else found
