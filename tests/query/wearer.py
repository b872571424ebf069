"""Made-up years of a person, as items for the store and as tables for pandas, which is the other reader."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pandas as pd

from bridge.domain.metrics import METRICS, Metric
from bridge.domain.records import User
from bridge.domain.types import Episode, EpisodeKind, Item, RawRecord, Sample
from bridge.store import Store

FIRST = date(2025, 1, 1)
NOW = datetime(2026, 11, 28, 9, tzinfo=UTC)
MOVES = (("Europe/Berlin", date(2010, 1, 1)), ("America/New_York", date(2025, 3, 2)), ("Asia/Tokyo", date(2026, 2, 1)))
SPORTS = ("Run", "Outdoor Bike", "HKWorkoutActivityTypeYoga", "lap_swimming", "Weights")
NIGHTLY = (Metric.IN_BED, Metric.AWAKE, Metric.LIGHT_SLEEP, Metric.DEEP_SLEEP, Metric.REM_SLEEP, Metric.ASLEEP)
DAILY = (Metric.STEPS, Metric.RESTING_HR, Metric.HRV_RMSSD, Metric.ZONE_MINUTES, Metric.CARDIO_MINUTES, Metric.DISTANCE)
RANGES = {
    Metric.STEPS: (500, 22_000),
    Metric.RESTING_HR: (42, 71),
    Metric.HRV_RMSSD: (18, 120),
    Metric.ZONE_MINUTES: (0, 140),
    Metric.CARDIO_MINUTES: (0, 60),
    Metric.DISTANCE: (300, 21_000),
}


class Wearer:
    """``items`` for the store; ``days`` and ``workouts`` for pandas. A tenth of everything is missing."""

    def __init__(self, seed: int, count: int = 700, first: date = FIRST) -> None:
        rng = random.Random(seed)
        self.items: list[Item] = []
        days: list[dict[str, Any]] = []
        workouts: list[dict[str, Any]] = []
        for n in range(count):
            day = first + timedelta(days=n)
            days.append(self._day(rng, day))
            workouts += [one for one in (self._workout(rng, day, k) for k in range(2)) if one]
        self.days, self.workouts = pd.DataFrame(days), pd.DataFrame(workouts)

    def _day(self, rng: random.Random, day: date) -> dict[str, Any]:
        row: dict[str, Any] = {"day": day, "weekday": day.isoweekday()}
        for metric in DAILY:
            if rng.random() < 0.9:
                low, high = RANGES[metric]
                value = float(rng.randint(low, high))
                row[str(metric)] = value
                at = datetime.combine(day, time(0), tzinfo=zone_of(day)).astimezone(UTC)
                key = f"{metric}/{day}"
                self.items.append(
                    Sample(key=key, metric=metric, start=at, day=day, value=value, offset=offset(at, day))
                )
        if rng.random() < 0.9:
            bed = datetime.combine(day - timedelta(days=1), time(21), tzinfo=zone_of(day)).astimezone(UTC)
            bed += timedelta(minutes=rng.randint(0, 300))
            wake = bed + timedelta(minutes=rng.randint(300, 560))
            parts = {metric: float(rng.randint(20, 200)) for metric in NIGHTLY[1:5] if rng.random() < 0.95}
            in_bed = (wake - bed) / timedelta(minutes=1)
            asleep = min(float(rng.randint(240, 540)), in_bed)
            most = sum(value for metric, value in parts.items() if metric is not Metric.AWAKE)
            if most > asleep:  # nobody's stages last longer than their sleep
                parts |= {m: float(v * asleep // most) for m, v in parts.items() if m is not Metric.AWAKE}
            values = parts | {Metric.IN_BED: in_bed, Metric.ASLEEP: asleep}
            local = [at + timedelta(minutes=offset(at, day)) for at in (bed, wake)]
            row |= {str(metric): value for metric, value in values.items()}
            row |= {f"night.{name}": at.hour * 60 + at.minute for name, at in zip(("start", "end"), local, strict=True)}
            self.items.append(
                Episode(
                    key=f"night/{day}",
                    kind=EpisodeKind.SLEEP,
                    start=bed,
                    end=wake,
                    offset=offset(wake, day),
                    day=day,
                    values=values,
                )
            )
        return row

    def _workout(self, rng: random.Random, day: date, number: int) -> dict[str, Any] | None:
        if rng.random() < 0.7:
            return None
        start = datetime.combine(day, time(7 + 9 * number, rng.randint(0, 59)), tzinfo=zone_of(day)).astimezone(UTC)
        minutes = rng.randint(15, 120)
        sport = rng.choice(SPORTS)
        values = {
            Metric.DISTANCE: float(rng.randint(500, 30_000)),
            Metric.TOTAL_ENERGY: float(rng.randint(60, 1200)),
            Metric.SPEED: rng.randint(30, 300) / 10,
            Metric.ASCENT: float(rng.randint(0, 900)),
            Metric.STEPS: float(rng.randint(0, 15_000)),
            Metric.ZONE_MINUTES: float(rng.randint(0, 100)),
            Metric.HEART_RATE: float(rng.randint(90, 180)),
        }
        values = {metric: value for metric, value in values.items() if rng.random() < 0.9}
        end = start + timedelta(minutes=minutes)
        self.items.append(
            Episode(
                key=f"workout/{day}/{number}",
                kind=EpisodeKind.WORKOUT,
                start=start,
                end=end,
                offset=offset(start, day),
                day=day,
                label=sport,
                values=values,
            )
        )
        names = {Metric.TOTAL_ENERGY: "energy", Metric.HEART_RATE: "average_hr"}
        local = start + timedelta(minutes=offset(start, day))
        row = {"day": day, "weekday": day.isoweekday(), "sport": sport, "minutes": float(minutes)}
        row |= {"start": local.hour * 60 + local.minute}
        return row | {names.get(metric, str(metric)): value for metric, value in values.items()}


def zone_of(day: date) -> ZoneInfo:
    """The zone in which the made-up person lives on a day."""
    return ZoneInfo([name for name, since in MOVES if since <= day][-1])


def offset(at: datetime, day: date) -> int:
    """Minutes east of UTC at an instant."""
    shift = at.astimezone(zone_of(day)).utcoffset()
    assert shift is not None
    return round(shift / timedelta(minutes=1))


def land(store: Store, user: User, items: Sequence[Item]) -> None:
    """Store the items, each as a record of its own."""
    connection = store.connections.connect(user.id, "whoop", "account", now=NOW)
    by_key = {one.key: one for one in items}
    records = [RawRecord(stream="all", key=key, payload={}) for key in by_key]
    store.ingest.land(connection, records, lambda record, _: [by_key[record.key]], now=NOW, version=1)


assert set(DAILY) <= set(METRICS)
