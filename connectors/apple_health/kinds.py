"""The types of record that are of use, what they are measured in, and what else cannot be true."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bridge.metrics import METRICS, Metric
from connectors.apple_health.units import CELSIUS, KILOCALORIES, METRES, MILLISECONDS, PER_MINUTE, PERCENT

QUANTITY, CATEGORY = "HKQuantityTypeIdentifier", "HKCategoryTypeIdentifier"
SLEEP_VALUE, STOOD = "HKCategoryValueSleepAnalysis", "HKCategoryValueAppleStandHourStood"
ANY = float("inf")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """``role``: what is done with it; ``name``: in a day's or night's payload. Values lie from ``low`` to ``high``."""

    role: str
    name: str
    units: Mapping[str, tuple[float, float]]  # unit -> factor and what is added then; empty: it has no value
    low: float = 0.0
    high: float = ANY


def _within(metric: Metric) -> dict[str, float]:
    return {"low": METRICS[metric].low, "high": METRICS[metric].high}


def _factors(units: Mapping[str, float]) -> dict[str, tuple[float, float]]:
    return {unit: (factor, 0.0) for unit, factor in units.items()}


RATE = _factors(PER_MINUTE)
VARIABILITY = _factors(MILLISECONDS)
KINDS: Mapping[str, Kind] = {
    QUANTITY + "StepCount": Kind(role="total", name="steps", units=_factors({"count": 1.0})),
    QUANTITY + "DistanceWalkingRunning": Kind(role="total", name="distance", units=_factors(METRES)),
    QUANTITY + "ActiveEnergyBurned": Kind(role="total", name="active_energy", units=_factors(KILOCALORIES)),
    QUANTITY + "HeartRate": Kind(role="rate", name="heart_rate", units=RATE, **_within(Metric.HEART_RATE)),
    QUANTITY + "RestingHeartRate": Kind(role="resting", name="resting_hr", units=RATE, **_within(Metric.RESTING_HR)),
    QUANTITY + "HeartRateVariabilitySDNN": Kind(role="sdnn", name="sdnn", units=VARIABILITY),
    # Of iOS 27 and watchOS 27; a quantity of its own, never mixed with the SDNN.
    QUANTITY + "HeartRateVariabilityRMSSD": Kind(role="rmssd", name="hrv_rmssd", units=VARIABILITY),
    QUANTITY + "RespiratoryRate": Kind(
        role="overnight", name="respiratory_rate", units=RATE, **_within(Metric.RESPIRATORY_RATE)
    ),
    QUANTITY + "OxygenSaturation": Kind(role="overnight", name="spo2", units=PERCENT, **_within(Metric.SPO2)),
    QUANTITY + "AppleSleepingWristTemperature": Kind(
        role="overnight", name="skin_temperature", units=CELSIUS, **_within(Metric.SKIN_TEMPERATURE)
    ),
    CATEGORY + "SleepAnalysis": Kind(role="sleep", name="sleep", units={}),
    CATEGORY + "MindfulSession": Kind(role="mindful", name="mindful", units={}),
    CATEGORY + "AppleStandHour": Kind(role="stand", name="stand_hours", units={}),
}
