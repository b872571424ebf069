"""Cohorts of people with a row per day, from any study or device."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta

NUMBERS: Mapping[str, tuple[float, float]] = {
    "asleep_min": (0, 1440),
    "in_bed_min": (0, 1440),
    "deep_min": (0, 1440),
    "light_min": (0, 1440),
    "rem_min": (0, 1440),
    "awake_min": (0, 1440),
    "hrv_rmssd_ms": (5, 250),
    "hrv_sdnn_ms": (5, 300),
    "resting_hr_bpm": (30, 110),
    "steps": (0, 150_000),
    "stress_garmin": (0, 100),
    "stress_fitbit": (0, 100),
    "vendor_sleep_score": (0, 100),
}  # column -> the closed range outside of which a value is an artefact
OF_A_NIGHT = frozenset(NUMBERS) - {"steps", "stress_garmin"}
LEAST_NIGHT, MOST_NIGHT = 1.0, 16.0  # hours
USUAL_WAKING = time(7)
USUAL_REPORT = 12.0  # the hour a report is compared at when the cohort does not say when it was given
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """A local date of a person with the night that ended on it.

    All times are local times with UTC as their zone, because a cohort has no zones.
    """

    date: date
    onset: datetime | None = None
    wake: datetime | None = None
    values: Mapping[str, float] = field(default_factory=dict)  # a column of ``NUMBERS`` -> value in its unit
    reports: Mapping[str, float] = field(default_factory=dict)  # what was asked -> answer, higher is better
    hour: float | None = None  # local hour of the report

    @property
    def woke(self) -> datetime:
        """The reported end of the night. Without it, USUAL_WAKING or the time of the report if that was earlier."""
        assumed = min(self.midnight + timedelta(hours=USUAL_WAKING.hour), self.asked)
        return self.wake or assumed

    @property
    def midnight(self) -> datetime:
        return datetime.combine(self.date, time(), tzinfo=UTC)

    @property
    def asked(self) -> datetime:
        """The time of the report. If reports came all day, it is noon, or the end of the night if that was later."""
        if self.hour is not None:
            return self.midnight + timedelta(hours=self.hour)
        noon = self.midnight + timedelta(hours=USUAL_REPORT)
        return noon if self.wake is None else max(noon, self.wake)

    @property
    def night_known(self) -> bool:
        """True if the night was over at the time of the report."""
        return self.woke <= self.asked

    @property
    def slept(self) -> float | None:
        """The hours asleep, as reported, as the sum of stages, or in bed less awake, or None outside 1 to 16 hours."""
        hours = _asleep(self.values)
        return hours if hours is not None and LEAST_NIGHT <= hours <= MOST_NIGHT else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    name: str
    days: tuple[Day, ...]  # ascending, one per date

    @property
    def asked(self) -> tuple[Day, ...]:
        """The days with a report."""
        return tuple(day for day in self.days if day.reports)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cohort:
    """The people of a study. ``aside`` counts unused rows and cells by reason. ``assumed`` lists assumptions."""

    name: str
    persons: tuple[Person, ...]
    aside: Mapping[str, int] = field(default_factory=Counter)
    assumed: tuple[str, ...] = ()
    licence: str = ""


def _asleep(values: Mapping[str, float]) -> float | None:
    stages = ("light_min", "deep_min", "rem_min")
    if "asleep_min" in values:
        return values["asleep_min"] / 60
    if all(stage in values for stage in stages):
        return sum(values[stage] for stage in stages) / 60
    if "in_bed_min" in values and "awake_min" in values:
        return (values["in_bed_min"] - values["awake_min"]) / 60
    return None
