"""People's usual values, against which fixtures are held. They are wide enough for anybody, too narrow for a wrong
unit.

Metric -> mean and spread, or those of the natural logarithm; of a workout some differ. Sleep: Ohayon 2004 (adults'
sleep over the lifespan). Heart-rate variability, heart rate at rest, steps, scores: ``bridge.meters.baseline``, its
spread between and within people together. The rest are round figures of healthy adults, with wide spreads.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import hypot, log
from types import MappingProxyType

from bridge.domain.metrics import Metric
from bridge.domain.samples import CHECK_INS
from bridge.meters.baseline import CONSTANTS

LINEAR: Mapping[str, tuple[float, float]] = {
    Metric.ASLEEP: (420, 70),
    Metric.IN_BED: (470, 70),
    Metric.AWAKE: (40, 25),
    Metric.LIGHT_SLEEP: (240, 50),
    Metric.DEEP_SLEEP: (75, 25),
    Metric.REM_SLEEP: (95, 25),
    Metric.SLEEP_NEED: (480, 50),
    Metric.SLEEP_EFFICIENCY: (88, 6),
    Metric.SLEEP_CONSISTENCY: (75, 12),
    Metric.HEART_RATE: (72, 12),
    Metric.RESPIRATORY_RATE: (15, 2),
    Metric.SPO2: (96.5, 1.5),
    Metric.SKIN_TEMPERATURE: (34, 1.2),
    Metric.SKIN_TEMPERATURE_DELTA: (0, 0.3),
    Metric.TOTAL_ENERGY: (2300, 400),
    Metric.STRAIN: (10.5, 3.5),
    Metric.STAND_HOURS: (10, 3),
    Metric.STRESS: (33, 12),
    Metric.BODY_BATTERY: (50, 20),
    **dict.fromkeys(CHECK_INS.values(), (3.3, 0.9)),
    Metric.NOTED: (1, 1),  # as often as not an amount of one
}
LOGARITHMIC: Mapping[str, tuple[float, float]] = {
    Metric.ACTIVE_ENERGY: (log(450), 0.5),
    Metric.DISTANCE: (log(5500), 0.6),
    Metric.MINDFUL: (log(10), 0.8),
    Metric.SLEEP_LATENCY: (log(10), 0.9),
    Metric.FLOORS: (log(8), 0.9),
    Metric.FOCUS: (log(30), 0.9),
    Metric.ZONE_MINUTES: (log(30), 0.9),
    Metric.FAT_BURN_MINUTES: (log(15), 0.9),
    Metric.CARDIO_MINUTES: (log(12), 0.9),
    Metric.PEAK_MINUTES: (log(6), 0.9),
    Metric.ASCENT: (log(60), 1),
    Metric.SPEED: (log(9), 0.5),
}
IN_WORKOUTS: Mapping[str, tuple[float, float, float | None]] = {
    Metric.HEART_RATE: (130, 18, None),
    Metric.STRAIN: (9, 4, None),
    Metric.ACTIVE_ENERGY: (log(330), 0.6, 0.0),
    Metric.TOTAL_ENERGY: (log(380), 0.6, 0.0),
    Metric.DISTANCE: (log(6000), 0.9, 0.0),
    Metric.STEPS: (log(4500), 0.9, 0.0),
}
PEOPLE: Mapping[str, tuple[float, float, float | None]] = MappingProxyType(
    {metric: (c.mu, hypot(c.between, c.within), c.shift if c.logarithm else None) for metric, c in CONSTANTS.items()}
    | {metric: (mean, spread, None) for metric, (mean, spread) in LINEAR.items()}
    | {metric: (mean, spread, 0.0) for metric, (mean, spread) in LOGARITHMIC.items()}
)


def spreads_away(kind: str, metric: str, value: float) -> float:
    """Return the distance of a value from people's mean, in spreads. Infinite where a logarithm has none."""
    mean, spread, shift = IN_WORKOUTS.get(metric, PEOPLE[metric]) if kind == "workout" else PEOPLE[metric]
    if shift is None:
        return abs(value - mean) / spread
    return abs(log(value + shift) - mean) / spread if value + shift > 0 else float("inf")
