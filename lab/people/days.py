"""The demo person's WHOOP account, with cycles from sleep to sleep, workouts and naps."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from lab.people.nights import (
    BASE_NEED,
    MINUTE,
    USER_ID,
    Night,
    bell,
    new_id,
    nights,
    offset_text,
    recovery_records,
    sleep_record,
    sleep_score,
    stage_summary,
    stamp,
)


class Training(NamedTuple):
    sport: str
    at: time
    minutes: float
    strain: float
    heart_rate: int
    kilometres: float | None = None


WEEK = {  # by weekday; the calendar has the same appointments
    1: Training("weightlifting", time(18, 40), 58, 9.6, 118),
    3: Training("weightlifting", time(18, 42), 55, 9.2, 116),
    5: Training("running", time(9, 12), 47, 12.8, 149, 8.1),
    6: Training("yoga", time(9, 36), 52, 4.4, 92),
}
ZONES = ("zero", "one", "two", "three", "four", "five")
ZONE_SHARES = {  # of a workout's time, by heart-rate zone
    "weightlifting": (0.10, 0.38, 0.33, 0.15, 0.04, 0.0),
    "running": (0.02, 0.06, 0.22, 0.46, 0.21, 0.03),
    "yoga": (0.45, 0.42, 0.12, 0.01, 0.0, 0.0),
}


def whoop_account(today: date, zone: ZoneInfo, days: int, hard: frozenset[date], rng: random.Random) -> dict[str, Any]:
    """Return a WHOOP account of the last ``days`` days, each collection in order of time. Today's cycle has no end.

    ``hard`` are days of stress with fewer workouts.
    """
    slept = nights(today, zone, days, hard, rng)
    workouts = dict(_workouts(slept, zone, today, hard, rng))
    naps = dict(_naps(slept, zone, today, rng))
    rested = {day: _minutes(nap) for day, nap in naps.items()}
    sleeps = [sleep_record(night, zone, rested.get(night.day - timedelta(days=1), 0.0), rng) for night in slept]
    return {
        "origin": "generated",
        "about": "a made-up person for the demo; the shapes are those of the WHOOP API v2",
        "profile": {
            "user_id": USER_ID,
            "email": "ana.keller@example.com",
            "first_name": "Ana",
            "last_name": "Keller",
        },
        "cycles": list(cycles(slept, workouts, zone, rng)),
        "sleeps": sorted([*sleeps, *naps.values()], key=lambda record: str(record["start"])),
        "recoveries": list(recovery_records(slept, rng)),
        "workouts": list(workouts.values()),
    }


def _minutes(record: Mapping[str, Any]) -> float:
    return float(record["score"]["stage_summary"]["total_in_bed_time_milli"]) / MINUTE


def cycles(
    slept: Sequence[Night], workouts: Mapping[date, Mapping[str, Any]], zone: ZoneInfo, rng: random.Random
) -> Iterator[dict[str, Any]]:
    """Yield a WHOOP cycle for each night, until the next recorded sleep begins. The last cycle has no end."""
    ends: list[datetime | None] = [later.start for _, later in pairwise(slept)]
    for night, end in zip(slept, [*ends, None], strict=True):
        record: dict[str, Any] = {
            "id": night.cycle_id,
            "user_id": USER_ID,
            "created_at": stamp(night.end + timedelta(seconds=rng.randrange(240, 1200))),
            "updated_at": stamp((end or night.end) + timedelta(seconds=rng.randrange(1200, 2400))),
            "start": stamp(night.start),
        }
        if end is not None:
            record["end"] = stamp(end)
        record["timezone_offset"] = offset_text(night.start, zone)
        record["score_state"] = "SCORED"
        record["score"] = _load(night, end is None, workouts.get(night.day), rng)
        yield record


def _load(night: Night, running: bool, workout: Mapping[str, Any] | None, rng: random.Random) -> dict[str, Any]:
    """Return a cycle's score (strain, energy, heart rates), with lower values while the day is ``running``."""
    trained = float(workout["score"]["strain"]) if workout else 0.0
    strain = 1.9 + 0.3 * bell(rng) if running else 7.2 + 0.45 * trained + 1.1 * bell(rng) + night.stress
    energy = 3100 + 90 * bell(rng) if running else 7600 + 190 * strain + 250 * bell(rng)
    peak = int(workout["score"]["max_heart_rate"]) if workout else round(118 + 7 * bell(rng))
    return {
        "strain": round(min(max(strain, 0.4), 20.5), 5),
        "kilojoule": round(energy, 3),
        "average_heart_rate": round(night.resting_hr + (6 if running else 14 + 0.3 * strain)),
        "max_heart_rate": round(96 + 5 * bell(rng)) if running else peak,
    }


def _workouts(
    slept: Sequence[Night], zone: ZoneInfo, today: date, hard: frozenset[date], rng: random.Random
) -> Iterator[tuple[date, dict[str, Any]]]:
    """Yield the workouts of days before today, some of which are skipped, most often on ``hard`` days."""
    for night in slept:
        training = WEEK.get(night.day.weekday())
        skipped = rng.random() < (0.7 if night.day in hard else 0.12)
        if training is not None and night.day < today and not skipped:
            yield night.day, workout(night.day, training, zone, rng)


def workout(day: date, training: Training, zone: ZoneInfo, rng: random.Random) -> dict[str, Any]:
    start = datetime.combine(day, training.at, zone).astimezone(UTC) + timedelta(seconds=rng.randrange(300))
    minutes = training.minutes + 4 * bell(rng)
    end = start + timedelta(milliseconds=round(minutes * MINUTE))
    return {
        "id": new_id(rng),
        "user_id": USER_ID,
        "created_at": stamp(end + timedelta(seconds=rng.randrange(60, 600))),
        "updated_at": stamp(end + timedelta(seconds=rng.randrange(600, 1800))),
        "start": stamp(start),
        "end": stamp(end),
        "timezone_offset": offset_text(start, zone),
        "sport_name": training.sport,
        "score_state": "SCORED",
        "score": _effort(training, round(minutes * MINUTE), rng),
    }


def _effort(training: Training, length: int, rng: random.Random) -> dict[str, Any]:
    shares = ZONE_SHARES[training.sport]
    average = round(training.heart_rate + 3 * bell(rng))
    score: dict[str, Any] = {
        "strain": round(max(training.strain + 0.7 * bell(rng), 1.0), 4),
        "average_heart_rate": average,
        "max_heart_rate": average + round(max(28 + 4 * bell(rng), 12)),
        "kilojoule": round(length / MINUTE * (training.heart_rate - 60) * 0.42, 3),
        "percent_recorded": 100.0,
        "zone_durations": {
            f"zone_{zone}_milli": round(length * share) for zone, share in zip(ZONES, shares, strict=True)
        },
    }
    if training.kilometres is not None:
        metres = 1000 * (training.kilometres + 0.4 * bell(rng))
        score |= {"distance_meter": round(metres, 2), "altitude_gain_meter": 41.5, "altitude_change_meter": -0.8}
    return score


def _naps(
    slept: Sequence[Night], zone: ZoneInfo, today: date, rng: random.Random
) -> Iterator[tuple[date, dict[str, Any]]]:
    """Yield (date, nap) for some weekend afternoons, never on consecutive days."""
    last = date.min
    for night in slept:
        free = night.day.weekday() >= 5 and night.day < today
        if rng.random() < 0.4 and free and night.day - last > timedelta(days=1):
            last = night.day
            yield night.day, _nap(night, zone, rng)


def _nap(night: Night, zone: ZoneInfo, rng: random.Random) -> dict[str, Any]:
    start = datetime.combine(night.day, time(13, 50), zone).astimezone(UTC) + timedelta(seconds=rng.randrange(2400))
    minutes = 27 + 5 * bell(rng)
    end = start + timedelta(milliseconds=round(minutes * MINUTE))
    summary = stage_summary(minutes, 0.1 * minutes, 0.08, 0.06, rng)
    need = {
        "baseline_milli": round(BASE_NEED * MINUTE),
        "need_from_sleep_debt_milli": round(night.debt * MINUTE),
        "need_from_recent_strain_milli": 0,
        "need_from_recent_nap_milli": 0,
    }
    return {
        "id": new_id(rng),
        "cycle_id": night.cycle_id,
        "user_id": USER_ID,
        "created_at": stamp(end + timedelta(seconds=rng.randrange(240, 900))),
        "updated_at": stamp(end + timedelta(seconds=rng.randrange(900, 1800))),
        "start": stamp(start),
        "end": stamp(end),
        "timezone_offset": offset_text(start, zone),
        "nap": True,
        "score_state": "SCORED",
        "score": sleep_score(summary, need, breaths=night.breaths, consistency=None),
    }
