"""Wearables of a simulated person, which add each morning's figures to an account in their vendor's format."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from lab.people import garmin_life
from lab.people.body import Morning
from lab.people.days import Training, cycles, workout
from lab.people.nights import USER_ID, Night, recovery_records, sleep_record

DAY = timedelta(days=1)
RUN = Training("running", time(18, 30), 45, 10.5, 142, 7.5)
SHARES = {7: 0.08, 9: 0.12, 12: 0.22, 15: 0.13, 17: 0.25, 19: 0.20}  # of a day's steps, by the hour
RESENT = 3  # days that the phone sends again each time
OWN = {"source": "Watch"}


class WhoopBand:
    """A WHOOP account with cycles, sleeps, recoveries and workouts."""

    def __init__(self) -> None:
        self.account: dict[str, Any] = {
            "profile": {"user_id": USER_ID},
            **{name: [] for name in ("cycles", "sleeps", "recoveries", "workouts")},
        }
        self._before: list[Night] = []

    def told(self, morning: Morning, zone: ZoneInfo, *, trained: bool) -> None:
        """Add the morning's night, if the band was worn, and the workout of the day before if ``trained``."""
        night = morning.night
        if not morning.worn:
            return
        rng = random.Random(f"whoop/{night.sleep_id}")
        self._before = [*self._before[-1:], night]
        self.account["cycles"][-1:] = list(cycles(self._before, {}, zone, rng))
        self.account["sleeps"].append(sleep_record(night, zone, 0.0, rng))
        self.account["recoveries"] += recovery_records([night], rng)
        if trained:
            self.account["workouts"].append(workout(night.day - DAY, RUN, zone, rng))


class GarminBand:
    """A Garmin account with daily summaries, nights and variability. A day's summary becomes complete the day after."""

    def __init__(self) -> None:
        self.account: dict[str, Any] = {
            "sleeps": {},
            "heart_rates": {},
            **{name: [] for name in ("summaries", "hrv", "body_battery", "activities")},
        }
        self._last: Night | None = None

    def told(self, morning: Morning, zone: ZoneInfo, *, trained: bool) -> None:  # noqa: ARG002 - the steps have it
        night, day = morning.night, morning.night.day
        rng = random.Random(f"garmin/{night.sleep_id}")
        if self._last is not None and self._last.day == day - DAY:
            over = garmin_life.summary(self._last, day, zone, rng)
            self.account["summaries"][-1] = over | {
                "totalSteps": morning.steps,
                "averageStressLevel": round(morning.stress),
            }
        self._last = night if morning.worn else None
        if not morning.worn:
            return
        self.account["summaries"].append(garmin_life.summary(night, day, zone, rng))
        self.account["sleeps"][day.isoformat()] = garmin_life.sleep(night, zone, rng)
        self.account["hrv"].append(garmin_life.hrv(night))


class PhoneBand:
    """A phone that sends a watch's last days every morning, in the format of Health Auto Export."""

    def __init__(self) -> None:
        self.account: dict[str, Any] = {}
        self._days: list[dict[str, list[dict[str, Any]]]] = []

    def told(self, morning: Morning, zone: ZoneInfo, *, trained: bool) -> None:  # noqa: ARG002 - the steps have it
        night = morning.night
        rng = random.Random(f"phone/{night.sleep_id}")
        found = {"step_count": list(_walked(morning, zone))}
        if morning.worn:
            found |= {
                "sleep_analysis": [_slept(night, zone)],
                "heart_rate_variability": list(_spots(night, zone, rng)),
                "resting_heart_rate": [_dated(night, zone) | {"qty": round(night.resting_hr)}],
            }
        self._days.append(found)

    def body(self, *, everything: bool) -> bytes:
        """Return the body of the phone's request with the last RESENT days, or with all days if ``everything``."""
        days = self._days if everything else self._days[-RESENT:]
        units = {
            "step_count": "count",
            "sleep_analysis": "hr",
            "heart_rate_variability": "ms",
            "resting_heart_rate": "bpm",
        }
        metrics = [
            {"name": name, "units": unit, "data": [point for day in days for point in day.get(name, [])]}
            for name, unit in units.items()
        ]
        return json.dumps({"data": {"metrics": metrics}}).encode()


def _text(at: datetime, zone: ZoneInfo) -> str:
    return f"{at.astimezone(zone):%Y-%m-%d %H:%M:%S %z}"


def _dated(night: Night, zone: ZoneInfo) -> dict[str, Any]:
    return {"date": _text(datetime.combine(night.day, time(), zone), zone), **OWN}


def _walked(morning: Morning, zone: ZoneInfo) -> Iterator[dict[str, Any]]:
    day = morning.night.day - DAY
    for hour, share in SHARES.items():
        at = datetime.combine(day, time(hour), zone)
        yield {"date": _text(at, zone), "qty": round(morning.steps * share), **OWN}


def _slept(night: Night, zone: ZoneInfo) -> dict[str, Any]:
    hours = night.asleep / 60
    deep, rem = hours * night.deep_share, hours * night.rem_share
    bounds = {"sleepStart": night.start, "sleepEnd": night.end, "inBedStart": night.start, "inBedEnd": night.end}
    figures = {"totalSleep": hours, "core": hours - deep - rem, "deep": deep, "rem": rem, "awake": night.awake / 60}
    return {
        **_dated(night, zone),
        **{name: round(value, 4) for name, value in figures.items()},
        "asleep": 0,
        "inBed": round(night.in_bed / 60, 4),
        **{name: _text(at, zone) for name, at in bounds.items()},
    }


def _spots(night: Night, zone: ZoneInfo, rng: random.Random) -> Iterator[dict[str, Any]]:
    """Yield a few SDNN readings. SDNN is larger than RMSSD at rest and varies more between readings."""
    length = night.end - night.start
    for share in (0.2, 0.4, 0.6, 0.8):
        at = (night.start + share * length).astimezone(UTC)
        yield {"date": _text(at, zone), "qty": round(1.1 * night.hrv * (1 + rng.gauss(0, 0.12)), 2), **OWN}


BANDS: Mapping[str, type[Any]] = {"whoop": WhoopBand, "garmin": GarminBand, "health_auto_export": PhoneBand}
