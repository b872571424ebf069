"""The demo person's nights in WHOOP's formats, with bed times, sleep and the morning's measurements.

Magnitudes are those of a healthy adult. RMSSD is around 55 ms, varies by some 20 % between days and depends on the day
before. Resting heart rate moves against it. Deep sleep takes 15 to 25 % and REM 20 to 25 % of the sleep.
"""

from __future__ import annotations

import math
import random
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

USER_ID = 10_129_001
HRV, RESTING_HR = 55.0, 53.0  # ms and bpm on an ordinary morning
MEMORY = 0.6  # of a day's deviation, how much is left the day after
BASE_NEED = 460.0  # minutes
USUAL_SLEEP = 420.0  # minutes
CALM = 0.25  # the stress of an ordinary day
UNWORN, UNREADABLE = 33, 12  # days ago: a night without the strap, and one that could not be scored
MINUTE = 60_000  # milliseconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Night:
    """The main sleep that ends on ``day``. Durations are in minutes.

    ``stress`` is 0 on a calm day and about 1 on a hard day.
    """

    day: date  # of waking
    start: datetime
    end: datetime
    sleep_id: str
    cycle_id: int
    scored: bool
    awake: float
    deep_share: float
    rem_share: float
    debt: float
    strain_need: float
    consistency: float
    hrv: float
    resting_hr: float
    breaths: float
    spo2: float
    skin: float
    stress: float

    @property
    def in_bed(self) -> float:
        return (self.end - self.start) / timedelta(minutes=1)

    @property
    def asleep(self) -> float:
        return self.in_bed - self.awake

    @property
    def need(self) -> float:
        return BASE_NEED + self.debt + self.strain_need


def bell(rng: random.Random) -> float:
    """Return an almost standard normal number, by additions alone so that every machine gets the same digits."""
    return math.fsum(rng.random() for _ in range(12)) - 6


def new_id(rng: random.Random) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


def stamp(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def offset_text(at: datetime, zone: ZoneInfo) -> str:
    """Return the zone's offset at an instant as ``+hh:mm``, as WHOOP writes it."""
    minutes = int((at.astimezone(zone).utcoffset() or timedelta()) / timedelta(minutes=1))
    hours, rest = divmod(abs(minutes), 60)
    return f"{'-' if minutes < 0 else '+'}{hours:02}:{rest:02}"


def nights(today: date, zone: ZoneInfo, days: int, hard: frozenset[date], rng: random.Random) -> list[Night]:
    """Return the nights that end on the last ``days`` days, ascending, without one on which the band was off.

    ``hard`` are days of stress.
    """
    sleeper = Sleeper(zone=zone, hard=hard, rng=rng, wave=bell(rng), cycle_id=720_000_000 + rng.randrange(1_000_000))
    slept: list[Night] = []
    for ago in reversed(range(days)):
        night = sleeper.night(today - timedelta(days=ago), slept[-4:], scored=ago != UNREADABLE)
        if ago != UNWORN:
            slept.append(night)
    return slept


@dataclass(slots=True, kw_only=True)
class Sleeper:
    """The state of a person that carries over from night to night, such as sleep debt."""

    zone: ZoneInfo
    hard: frozenset[date]
    rng: random.Random
    wave: float  # the slow part of how well the person is, standard normal
    cycle_id: int
    debt: float = 20.0  # minutes of sleep

    def night(self, day: date, before: Sequence[Night], *, scored: bool) -> Night:
        """Return the night that ends on ``day``, after the nights ``before``. Nights must be asked for in order."""
        rng = self.rng
        self.wave = MEMORY * self.wave + math.sqrt(1 - MEMORY**2) * bell(rng)
        self.cycle_id += 60_000 + rng.randrange(9_000)
        stress = max(0.0, CALM + (0.8 if day - timedelta(days=1) in self.hard else 0.0) + 0.15 * bell(rng))
        start, end = _bed_times(day, self.zone, stress, rng)
        minutes = (end - start) / timedelta(minutes=1)
        awake = minutes * min(max(0.075 + 0.03 * stress + 0.015 * bell(rng), 0.03), 0.2)
        hrv = self._hrv(minutes - awake, stress)
        night = Night(
            day=day,
            start=start,
            end=end,
            sleep_id=new_id(rng),
            cycle_id=self.cycle_id,
            scored=scored,
            awake=awake,
            deep_share=min(max(0.20 + 0.03 * bell(rng) - 0.03 * stress, 0.10), 0.30),
            rem_share=min(max(0.23 + 0.03 * bell(rng), 0.14), 0.32),
            debt=self.debt,
            strain_need=min(max(14 + 6 * bell(rng), 0), 40),
            consistency=_consistency(start.astimezone(self.zone), end.astimezone(self.zone), before, self.zone),
            hrv=hrv,
            resting_hr=RESTING_HR - 14 * math.log(hrv / HRV) + 0.7 * bell(rng),
            breaths=14.6 + 0.5 * stress + 0.2 * bell(rng),
            spo2=min(96.4 + 0.5 * bell(rng), 99.5),
            skin=33.4 + 0.2 * bell(rng),
            stress=stress,
        )
        self.debt = min(max(0.5 * self.debt + 0.4 * (BASE_NEED - night.asleep), 0), 90)
        return night

    def _hrv(self, asleep: float, stress: float) -> float:
        lift = 0.15 * self.wave + 0.05 * (asleep - USUAL_SLEEP) / 45 - 0.24 * (stress - CALM)
        return HRV * math.exp(lift + 0.05 * bell(self.rng))


def _bed_times(day: date, zone: ZoneInfo, stress: float, rng: random.Random) -> tuple[datetime, datetime]:
    free = day.weekday() >= 5
    to_bed = 23 * 60 + (55 if free else 0) + 35 * max(stress - CALM, 0) + 20 * bell(rng)
    up = (8 * 60 if free else 6 * 60 + 55) + 13 * bell(rng)
    midnight = datetime.combine(day, time(), zone)
    start = midnight - timedelta(days=1) + timedelta(minutes=round(min(max(to_bed, 1290), 1525), 3))
    end = midnight + timedelta(minutes=round(min(max(up, 360), 525), 3))
    return start.astimezone(UTC), end.astimezone(UTC)


def _consistency(start: datetime, end: datetime, before: Sequence[Night], zone: ZoneInfo) -> float:
    """Return the consistency (20 to 100) of bed and wake times with the nights before."""
    if not before:
        return 80.0
    strays = [
        abs(_clock(now) - _clock(then.astimezone(zone)))
        for night in before
        for now, then in ((start, night.start), (end, night.end))
    ]
    return max(100 - math.fsum(strays) / len(strays) / 3, 20)


def _clock(at: datetime) -> float:
    """Return the minutes since the last noon, so that bed times before and after midnight are close."""
    return (at.hour * 60 + at.minute + at.second / 60 - 720) % 1440


def recovery_score(night: Night) -> int:
    """Return a recovery score (1 to 99), which rises with HRV and sleep and falls with resting heart rate.

    WHOOP's own formula is not public.
    """
    lift = 45 * math.log(night.hrv / HRV) - 1.2 * (night.resting_hr - RESTING_HR)
    return round(min(max(62 + lift + 0.35 * (100 * min(night.asleep / night.need, 1) - 90), 1), 99))


def sleep_record(night: Night, zone: ZoneInfo, nap_before: float, rng: random.Random) -> dict[str, Any]:
    """Return the night in the format of ``/v2/activity/sleep``. ``nap_before`` is the last nap in minutes."""
    record = {
        "id": night.sleep_id,
        "cycle_id": night.cycle_id,
        "user_id": USER_ID,
        "created_at": stamp(night.end + timedelta(seconds=rng.randrange(240, 1200))),
        "updated_at": stamp(night.end + timedelta(seconds=rng.randrange(1200, 2400))),
        "start": stamp(night.start),
        "end": stamp(night.end),
        "timezone_offset": offset_text(night.start, zone),
        "nap": False,
        "score_state": "SCORED" if night.scored else "UNSCORABLE",
    }
    if night.scored:
        need = {
            "baseline_milli": round(BASE_NEED * MINUTE),
            "need_from_sleep_debt_milli": round(night.debt * MINUTE),
            "need_from_recent_strain_milli": round(night.strain_need * MINUTE),
            "need_from_recent_nap_milli": -round(0.8 * nap_before * MINUTE),
        }
        record["score"] = sleep_score(
            stage_summary(night.in_bed, night.awake, night.deep_share, night.rem_share, rng),
            need,
            breaths=night.breaths,
            consistency=night.consistency,
        )
    return record


def stage_summary(in_bed: float, awake: float, deep: float, rem: float, rng: random.Random) -> dict[str, int]:
    """Return the stages of a sleep in milliseconds, which add up to the time in bed.

    ``in_bed`` and ``awake`` are minutes, ``deep`` and ``rem`` are shares of the sleep.
    """
    total, lying_awake = round(in_bed * MINUTE), round(awake * MINUTE)
    asleep = total - lying_awake
    slow_wave, dreaming = round(asleep * deep), round(asleep * rem)
    return {
        "total_in_bed_time_milli": total,
        "total_awake_time_milli": lying_awake,
        "total_no_data_time_milli": 0,
        "total_light_sleep_time_milli": asleep - slow_wave - dreaming,
        "total_slow_wave_sleep_time_milli": slow_wave,
        "total_rem_sleep_time_milli": dreaming,
        "sleep_cycle_count": round(asleep / (95 * MINUTE)),
        "disturbance_count": max(round(awake / 4 + bell(rng)), 0),
    }


def sleep_score(
    summary: dict[str, int], need: dict[str, int], *, breaths: float, consistency: float | None
) -> dict[str, Any]:
    """Return WHOOP's score of a sleep. Performance is sleep over needed sleep, efficiency is sleep over time in bed."""
    asleep = summary["total_in_bed_time_milli"] - summary["total_awake_time_milli"]
    score = {
        "stage_summary": summary,
        "sleep_needed": need,
        "respiratory_rate": round(breaths, 4),
        "sleep_performance_percentage": float(min(round(100 * asleep / sum(need.values())), 100)),
        "sleep_efficiency_percentage": round(100 * asleep / summary["total_in_bed_time_milli"], 4),
    }
    return score if consistency is None else score | {"sleep_consistency_percentage": float(round(consistency))}


def recovery_records(slept: Sequence[Night], rng: random.Random) -> Iterator[dict[str, Any]]:
    """Yield the recovery of each night in the format of ``/v2/recovery``, without a score if the night has none."""
    for night in slept:
        record: dict[str, Any] = {
            "cycle_id": night.cycle_id,
            "sleep_id": night.sleep_id,
            "user_id": USER_ID,
            "created_at": stamp(night.end + timedelta(seconds=rng.randrange(240, 1200))),
            "updated_at": stamp(night.end + timedelta(seconds=rng.randrange(1200, 2400))),
            "score_state": "SCORED" if night.scored else "UNSCORABLE",
        }
        if night.scored:
            record["score"] = {
                "user_calibrating": False,
                "recovery_score": float(recovery_score(night)),
                "resting_heart_rate": float(round(night.resting_hr)),
                "hrv_rmssd_milli": round(night.hrv, 5),
                "spo2_percentage": round(night.spo2, 3),
                "skin_temp_celsius": round(night.skin, 3),
            }
        yield record
