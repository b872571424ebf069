"""The measured quantities: a unit belongs to its metric, and two things that differ in meaning are two metrics.

RMSSD is not SDNN. Plausible ranges stand here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from rhythm_env.interface import Meter


class Metric(StrEnum):
    """A measured quantity. Its unit, shape and plausible range stand in ``METRICS``."""

    HRV_RMSSD = "hrv_rmssd"
    HRV_SDNN = "hrv_sdnn"
    HRV_RMSSD_SPOT = "hrv_rmssd_spot"
    HRV_RMSSD_BEATS = "hrv_rmssd_beats"
    RESTING_HR = "resting_hr"
    HEART_RATE = "heart_rate"
    RESPIRATORY_RATE = "respiratory_rate"
    SPO2 = "spo2"
    SKIN_TEMPERATURE = "skin_temperature"
    SKIN_TEMPERATURE_DELTA = "skin_temperature_delta"
    ASLEEP = "asleep"
    IN_BED = "in_bed"
    AWAKE = "awake"
    LIGHT_SLEEP = "light_sleep"
    DEEP_SLEEP = "deep_sleep"
    REM_SLEEP = "rem_sleep"
    SLEEP_NEED = "sleep_need"
    SLEEP_EFFICIENCY = "sleep_efficiency"
    SLEEP_CONSISTENCY = "sleep_consistency"
    SLEEP_SCORE = "sleep_score"
    RECOVERY_SCORE = "recovery_score"
    BODY_BATTERY = "body_battery"
    STRESS = "stress"
    DAILY_STRESS = "daily_stress"
    STRESS_MANAGEMENT = "stress_management"
    STEPS = "steps"
    STAND_HOURS = "stand_hours"
    DISTANCE = "distance"
    ACTIVE_ENERGY = "active_energy"
    TOTAL_ENERGY = "total_energy"
    STRAIN = "strain"
    MINDFUL = "mindful"
    CHECK_IN = "check_in"
    CHECK_IN_VITALITY = "check_in_vitality"
    CHECK_IN_COGNITION = "check_in_cognition"
    CHECK_IN_PROGRESS = "check_in_progress"
    CHECK_IN_SERENITY = "check_in_serenity"
    CHECK_IN_CONNECTION = "check_in_connection"
    CONTACTS = "contacts"
    MESSAGES = "messages"


class Shape(StrEnum):
    """How a metric lies in time. Nightly and daily values keep their revisions; intraday values do not."""

    NIGHTLY = "nightly"  # one per main sleep, keyed by the local date of waking
    DAILY = "daily"  # one per civil local date
    INTRADAY = "intraday"  # instants or short intervals


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricSpec:
    """Unit, shape and the closed range outside of which a value is an artefact, not a measurement."""

    unit: str
    shape: Shape
    low: float
    high: float


METRICS: Mapping[Metric, MetricSpec] = MappingProxyType(
    {
        Metric.HRV_RMSSD: MetricSpec(unit="ms", shape=Shape.NIGHTLY, low=5, high=250),
        Metric.HRV_SDNN: MetricSpec(unit="ms", shape=Shape.INTRADAY, low=5, high=300),
        # Of some minutes, as the watch writes it, and of a minute's list of single beats: neither is a night's mean.
        Metric.HRV_RMSSD_SPOT: MetricSpec(unit="ms", shape=Shape.INTRADAY, low=5, high=300),
        Metric.HRV_RMSSD_BEATS: MetricSpec(unit="ms", shape=Shape.INTRADAY, low=5, high=300),
        Metric.RESTING_HR: MetricSpec(unit="bpm", shape=Shape.NIGHTLY, low=30, high=110),
        Metric.HEART_RATE: MetricSpec(unit="bpm", shape=Shape.INTRADAY, low=25, high=240),
        Metric.RESPIRATORY_RATE: MetricSpec(unit="1/min", shape=Shape.NIGHTLY, low=4, high=60),
        Metric.SPO2: MetricSpec(unit="%", shape=Shape.NIGHTLY, low=50, high=100),
        Metric.SKIN_TEMPERATURE: MetricSpec(unit="°C", shape=Shape.NIGHTLY, low=20, high=45),
        Metric.SKIN_TEMPERATURE_DELTA: MetricSpec(unit="K", shape=Shape.NIGHTLY, low=-10, high=10),
        Metric.ASLEEP: MetricSpec(unit="min", shape=Shape.NIGHTLY, low=0, high=1440),
        Metric.IN_BED: MetricSpec(unit="min", shape=Shape.NIGHTLY, low=0, high=1440),
        Metric.AWAKE: MetricSpec(unit="min", shape=Shape.NIGHTLY, low=0, high=1440),
        Metric.LIGHT_SLEEP: MetricSpec(unit="min", shape=Shape.NIGHTLY, low=0, high=1440),
        Metric.DEEP_SLEEP: MetricSpec(unit="min", shape=Shape.NIGHTLY, low=0, high=1440),
        Metric.REM_SLEEP: MetricSpec(unit="min", shape=Shape.NIGHTLY, low=0, high=1440),
        Metric.SLEEP_NEED: MetricSpec(unit="min", shape=Shape.NIGHTLY, low=0, high=1440),
        Metric.SLEEP_EFFICIENCY: MetricSpec(unit="%", shape=Shape.NIGHTLY, low=0, high=100),
        Metric.SLEEP_CONSISTENCY: MetricSpec(unit="%", shape=Shape.NIGHTLY, low=0, high=100),
        Metric.SLEEP_SCORE: MetricSpec(unit="vendor 0-100", shape=Shape.NIGHTLY, low=0, high=100),
        Metric.RECOVERY_SCORE: MetricSpec(unit="vendor 0-100", shape=Shape.NIGHTLY, low=0, high=100),
        Metric.BODY_BATTERY: MetricSpec(unit="vendor 0-100", shape=Shape.INTRADAY, low=0, high=100),
        Metric.STRESS: MetricSpec(unit="vendor 0-100", shape=Shape.INTRADAY, low=0, high=100),
        Metric.DAILY_STRESS: MetricSpec(unit="vendor 0-100", shape=Shape.DAILY, low=0, high=100),
        # Fitbit's: high is calm, the other way round than Garmin's.
        Metric.STRESS_MANAGEMENT: MetricSpec(unit="vendor 0-100", shape=Shape.NIGHTLY, low=0, high=100),
        Metric.STEPS: MetricSpec(unit="count", shape=Shape.DAILY, low=0, high=150_000),
        Metric.STAND_HOURS: MetricSpec(unit="count", shape=Shape.DAILY, low=0, high=24),
        Metric.DISTANCE: MetricSpec(unit="m", shape=Shape.DAILY, low=0, high=500_000),
        Metric.ACTIVE_ENERGY: MetricSpec(unit="kcal", shape=Shape.DAILY, low=0, high=20_000),
        Metric.TOTAL_ENERGY: MetricSpec(unit="kcal", shape=Shape.DAILY, low=0, high=20_000),
        Metric.STRAIN: MetricSpec(unit="vendor 0-21", shape=Shape.DAILY, low=0, high=21),
        Metric.MINDFUL: MetricSpec(unit="min", shape=Shape.INTRADAY, low=0, high=1440),
        Metric.CHECK_IN: MetricSpec(unit="1-5", shape=Shape.INTRADAY, low=1, high=5),
        Metric.CHECK_IN_VITALITY: MetricSpec(unit="1-5", shape=Shape.INTRADAY, low=1, high=5),
        Metric.CHECK_IN_COGNITION: MetricSpec(unit="1-5", shape=Shape.INTRADAY, low=1, high=5),
        Metric.CHECK_IN_PROGRESS: MetricSpec(unit="1-5", shape=Shape.INTRADAY, low=1, high=5),
        Metric.CHECK_IN_SERENITY: MetricSpec(unit="1-5", shape=Shape.INTRADAY, low=1, high=5),
        Metric.CHECK_IN_CONNECTION: MetricSpec(unit="1-5", shape=Shape.INTRADAY, low=1, high=5),
        Metric.CONTACTS: MetricSpec(unit="count", shape=Shape.DAILY, low=0, high=10_000),
        Metric.MESSAGES: MetricSpec(unit="count", shape=Shape.DAILY, low=0, high=100_000),
    }
)

# What a person's own score is about: one of the meters, or (None) life as a whole.
CHECK_INS: Mapping[Meter | None, Metric] = MappingProxyType(
    {None: Metric.CHECK_IN, **{meter: Metric(f"check_in_{meter.lower()}") for meter in Meter}}
)
