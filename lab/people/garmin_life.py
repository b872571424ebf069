"""The demo person's nights and days in Garmin Connect's formats."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from lab.people.days import WEEK
from lab.people.nights import Night, bell

DAY = timedelta(days=1)
AWAKE_STRESS = 31.0  # Garmin's 0-100 on an ordinary day


def garmin_account(
    slept: Sequence[Night], today: date, zone: ZoneInfo, rng: random.Random, *, every: int = 2
) -> dict[str, Any]:
    """Return a Garmin Connect account with the nights ``slept`` and the days after them.

    Heart rates are ``every`` minutes apart. The day ``today`` ends soon after waking.
    """
    return {
        "origin": "generated",
        "about": "a made-up person for the demo; the shapes are those of Garmin Connect",
        "summaries": [summary(night, today, zone, rng) for night in slept],
        "sleeps": {night.day.isoformat(): sleep(night, zone, rng) for night in slept},
        "hrv": [hrv(night) for night in slept],
        "heart_rates": {night.day.isoformat(): _heart_rate(night, today, zone, rng, every) for night in slept},
        "body_battery": [_battery(night, today, zone, rng) for night in slept],
        "activities": list(_activities(slept, today, zone, rng)),
    }


def _bounds(day: date, today: date, zone: ZoneInfo, woke: datetime) -> tuple[datetime, datetime]:
    """Return the bounds of a civil day. The day ``today`` ends an hour after waking (``woke``)."""
    start = datetime.combine(day, time(), zone)
    end = datetime.combine(day + DAY, time(), zone)
    return start, min(end, woke.astimezone(zone) + timedelta(hours=1)) if day == today else end


def _stamps(name: str, at: datetime, zone: ZoneInfo) -> dict[str, str]:
    return {
        f"{name}GMT": f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%S}.0",
        f"{name}Local": f"{at.astimezone(zone):%Y-%m-%dT%H:%M:%S}.0",
    }


def _epochs(name: str, at: datetime, zone: ZoneInfo) -> dict[str, int]:
    """Return an instant in milliseconds, as UTC and as the local wall clock read as if it were UTC."""
    wall = at.astimezone(zone).replace(tzinfo=UTC)
    return {f"{name}GMT": round(at.timestamp() * 1000), f"{name}Local": round(wall.timestamp() * 1000)}


def summary(night: Night, today: date, zone: ZoneInfo, rng: random.Random) -> dict[str, Any]:
    start, end = _bounds(night.day, today, zone, night.end)
    share = (end - start) / DAY
    steps = max(900, round((8200 + 2100 * bell(rng) - 2500 * night.stress) * share))
    begins, ends = _stamps("wellnessStartTime", start, zone), _stamps("wellnessEndTime", end, zone)
    return {
        "calendarDate": night.day.isoformat(),
        "includesWellnessData": True,
        **{name.replace("GMT", "Gmt"): value for name, value in (begins | ends).items()},
        "totalSteps": steps,
        "totalDistanceMeters": round(steps * 0.76),
        "activeKilocalories": round(steps * 0.045, 1),
        "totalKilocalories": round(1560 * share + steps * 0.045, 1),
        "restingHeartRate": round(night.resting_hr),
        "averageStressLevel": max(8, round(AWAKE_STRESS + 16 * (night.stress - 0.25) + 3 * bell(rng))),
        "source": "GARMIN",
    }


def sleep(night: Night, zone: ZoneInfo, rng: random.Random) -> dict[str, Any]:
    asleep = round(night.asleep * 60)
    deep, rem = round(asleep * night.deep_share), round(asleep * night.rem_share)
    start = night.start.replace(microsecond=0)
    awake = round(night.awake * 60)
    end = start + timedelta(seconds=asleep + awake)
    return {
        "dailySleepDTO": {
            "id": round(start.timestamp() * 1000),
            "calendarDate": night.day.isoformat(),
            "sleepTimeSeconds": asleep,
            "napTimeSeconds": 0,
            **_epochs("sleepStartTimestamp", start, zone),
            **_epochs("sleepEndTimestamp", end, zone),
            "unmeasurableSleepSeconds": 0,
            "deepSleepSeconds": deep,
            "lightSleepSeconds": asleep - deep - rem,
            "remSleepSeconds": rem,
            "awakeSleepSeconds": awake,
            "averageRespirationValue": round(night.breaths),
            "averageSpO2Value": round(night.spo2),
            "sleepScores": {"overall": {"value": max(20, min(98, round(asleep / 300 - 6 + 4 * bell(rng))))}},
            "sleepNeed": {"baseline": 470, "actual": round(night.need)},
        },
        "avgSkinTempDeviationC": round(night.skin - 33.4, 1),
    }


def hrv(night: Night) -> dict[str, Any]:
    made = night.end + timedelta(minutes=4)
    return {
        "calendarDate": night.day.isoformat(),
        "lastNightAvg": round(night.hrv),
        "lastNight5MinHigh": round(night.hrv * 1.45),
        "status": "BALANCED",
        "createTimeStamp": f"{made.astimezone(UTC):%Y-%m-%dT%H:%M:%S}.0",
    }


def _heart_rate(night: Night, today: date, zone: ZoneInfo, rng: random.Random, every: int) -> dict[str, Any]:
    start, end = _bounds(night.day, today, zone, night.end)
    values: list[list[int | None]] = []
    at = start.astimezone(UTC)
    while at < end:
        asleep = night.start <= at < night.end
        beat = night.resting_hr + (3 if asleep else 21 + 6 * night.stress) + 4 * bell(rng)
        values.append([round(at.timestamp() * 1000), None if rng.random() < 0.02 else round(beat)])
        at += timedelta(minutes=every)
    return {
        "calendarDate": night.day.isoformat(),
        **_stamps("startTimestamp", start, zone),
        **_stamps("endTimestamp", end, zone),
        "restingHeartRate": round(night.resting_hr),
        "heartRateValueDescriptors": [{"key": "timestamp", "index": 0}, {"key": "heartrate", "index": 1}],
        "heartRateValues": values,
    }


def _battery(night: Night, today: date, zone: ZoneInfo, rng: random.Random) -> dict[str, Any]:
    start, end = _bounds(night.day, today, zone, night.end)
    full = min(100, max(35, round(88 - 25 * night.stress + 5 * bell(rng))))
    points = [(start, max(5, full - 45)), (night.end, full), (end, max(5, full - 62))]
    return {
        "date": night.day.isoformat(),
        **_stamps("startTimestamp", start, zone),
        **_stamps("endTimestamp", end, zone),
        "bodyBatteryValueDescriptorDTOList": [
            {"bodyBatteryValueDescriptorIndex": 0, "bodyBatteryValueDescriptorKey": "timestamp"},
            {"bodyBatteryValueDescriptorIndex": 1, "bodyBatteryValueDescriptorKey": "bodyBatteryLevel"},
        ],
        "bodyBatteryValuesArray": [[round(at.timestamp() * 1000), level] for at, level in points if at <= end],
    }


def _activities(slept: Sequence[Night], today: date, zone: ZoneInfo, rng: random.Random) -> Iterator[dict[str, Any]]:
    for number, night in enumerate(slept):
        training = WEEK.get(night.day.weekday())
        if training is None or night.day >= today or rng.random() < 0.15:
            continue
        start = datetime.combine(night.day, training.at, zone) + timedelta(seconds=rng.randrange(300))
        minutes = training.minutes + 3 * bell(rng)
        yield {
            "activityId": 20_000_000_000 + number,
            "startTimeLocal": f"{start:%Y-%m-%d %H:%M:%S}",
            "startTimeGMT": f"{start.astimezone(UTC):%Y-%m-%d %H:%M:%S}",
            "activityType": {"typeKey": training.sport},
            "duration": round(minutes * 60, 1),
            "elapsedDuration": round(minutes * 60 + 20, 1),
            "distance": None if training.kilometres is None else round(training.kilometres * 1000, 1),
            "calories": round(minutes * 8.1),
            "averageHR": training.heart_rate,
        }
