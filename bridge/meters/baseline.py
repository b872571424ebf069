"""Compute a user's normal for each metric and source, as centre and spread of recent days (empirical Bayes).

Constants were fitted on LifeSnaps (CC BY). Those marked "proposal" rest on no data with reports.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, log, sqrt
from statistics import median
from types import MappingProxyType

from bridge.domain.metrics import METRICS, Metric

WINDOW = 60  # days before the value's own day, which is excluded
CALIBRATED = 4  # values below which an input counts half (WHOOP calibrates over 4 recoveries)
OWN_DEVIATION_MIN_VALUES = 5  # values from which their own deviation is used
FAR_OUT = 5.0  # scaled median deviations from the median, beyond which a value is an outlier
PRIOR_SPREAD = 12.0  # values the population's spread is worth
CLIP = 3.0
MAD_TO_SD = 1.4826  # median absolute deviation -> standard deviation of a normal distribution

OWN_SLEEP = "own_sleep"  # the score of bridge.meters.sleep, 0..1


@dataclass(frozen=True, slots=True, kw_only=True)
class Constants:
    """The constants of a metric in the population, from which a user's normal starts.

    ``mu`` is the mean, ``between`` and ``within`` are the standard deviations between people and within a person, and
    ``floor`` is the least spread, in the metric's unit or its logarithm. ``rho`` is the correlation of successive days.
    """

    mu: float
    between: float
    within: float
    floor: float
    rho: float
    k: float
    logarithm: bool = False  # all figures are of the natural logarithm
    shift: float = 0.0  # added before the logarithm
    low: float = float("-inf")  # values outside of [low, high] are artefacts
    high: float = float("inf")


_SDNN = Constants(
    mu=3.7,
    between=0.40,
    within=0.30,
    floor=0.10,
    rho=0.3,
    k=0.6,
    logarithm=True,
    low=METRICS[Metric.HRV_SDNN].low,
    high=METRICS[Metric.HRV_SDNN].high,
)
_RMSSD = replace(_SDNN, mu=3.6)
# Readings of a minute or a few (Apple); the median of at least three counts. The watch's RMSSD, the RMSSD of single
# beats and a night's mean are three metrics. Proposal: RMSSD has the spread of SDNN.
SPOTS: Mapping[Metric, Constants] = MappingProxyType(
    {Metric.HRV_SDNN: _SDNN, Metric.HRV_RMSSD_SPOT: _RMSSD, Metric.HRV_RMSSD_BEATS: _RMSSD}
)


def asleep(metric: str) -> str:
    """Return the key ``METRIC/asleep``, under which a metric's values during the main sleep are kept."""
    return f"{metric}/asleep"


CONSTANTS: Mapping[str, Constants] = MappingProxyType(
    {
        Metric.HRV_RMSSD: Constants(
            mu=3.60,
            between=0.42,
            within=0.19,
            floor=0.06,
            rho=0.28,
            k=0.2,
            logarithm=True,
            low=METRICS[Metric.HRV_RMSSD].low,
            high=METRICS[Metric.HRV_RMSSD].high,
        ),
        **{str(metric): constants for metric, constants in SPOTS.items()},
        **{asleep(metric): constants for metric, constants in SPOTS.items()},
        Metric.RESTING_HR: Constants(
            mu=63.0,
            between=6.8,
            within=2.2,
            floor=0.8,
            rho=0.87,
            k=0.1,
            low=METRICS[Metric.RESTING_HR].low,
            high=METRICS[Metric.RESTING_HR].high,
        ),
        OWN_SLEEP: Constants(mu=0.81, between=0.115, within=0.17, floor=0.05, rho=0.15, k=2.0),
        Metric.STEPS: Constants(mu=8.88, between=0.40, within=0.48, floor=0.15, rho=0.10, k=1.4, logarithm=True, low=1),
        Metric.SLEEP_SCORE: Constants(mu=77.0, between=3.1, within=5.9, floor=2.0, rho=0.0, k=3.7),
        # Garmin's scale, high = strained; means of six hours. Proposal.
        Metric.STRESS: Constants(mu=35.0, between=9.0, within=8.0, floor=3.0, rho=0.4, k=0.8),
        # Fitbit's scale, high = calm.
        Metric.STRESS_MANAGEMENT: Constants(mu=76.0, between=4.4, within=5.9, floor=2.0, rho=0.34, k=1.8),
        # The mean of a whole day, sleep included. Proposal.
        Metric.DAILY_STRESS: Constants(mu=33.0, between=8.0, within=7.0, floor=2.5, rho=0.4, k=0.8),
        # Body battery reached by charging overnight. Proposal.
        Metric.BODY_BATTERY: Constants(mu=75.0, between=12.0, within=17.0, floor=4.0, rho=0.3, k=2.0),
        # One person's export: 55 % is an average day, not 70. Proposal.
        Metric.RECOVERY_SCORE: Constants(mu=58.0, between=8.0, within=17.0, floor=5.0, rho=0.3, k=4.5),
        # Of a night, in °C, and the same as a distance from the user's normal by the vendor. LifeSnaps; its difference
        # is a proposal.
        Metric.SKIN_TEMPERATURE: Constants(mu=33.8, between=0.60, within=0.45, floor=0.15, rho=0.25, k=0.6),
        Metric.SKIN_TEMPERATURE_DELTA: Constants(mu=0.0, between=0.20, within=0.40, floor=0.15, rho=0.3, k=4.0),
        # Breaths per minute (LifeSnaps).
        Metric.RESPIRATORY_RATE: Constants(mu=15.2, between=2.2, within=0.65, floor=0.25, rho=0.25, k=0.1),
        # Minutes; slow-wave sleep is some 15-20 % of an adult's night. Proposal.
        Metric.DEEP_SLEEP: Constants(mu=75.0, between=20.0, within=22.0, floor=6.0, rho=0.1, k=1.2),
        # Natural logarithm of 1 + the count of a day. Proposal.
        Metric.CONTACTS: Constants(
            mu=1.8, between=0.5, within=0.5, floor=0.15, rho=0.3, k=1.0, logarithm=True, shift=1
        ),
        Metric.MESSAGES: Constants(mu=3.2, between=0.9, within=0.7, floor=0.2, rho=0.3, k=0.6, logarithm=True, shift=1),
    }
)

# The spread of log RMSSD against the electrocardiogram's, of a source whose SPEC does not tell its ``rmssd_error``.
UNKNOWN_RMSSD_ERROR = 0.105
SPOT_QUALITY = 0.4  # Apple's spot readings miss the strap's by 29 % (O'Grady 2024): 0.30-0.45


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """A user's normal for a metric of one source, as centre and standard deviation of ``n`` values.

    Both are in the metric's scale, which is the natural logarithm for some metrics (see ``scale``).
    """

    n: int
    centre: float
    spread: float

    def z(self, value: float, constants: Constants) -> float:
        """Return how many standard deviations a value is above the user's normal, within [-3, 3]."""
        return self.scaled(scale(value, constants) - self.centre)

    def far(self, value: float, constants: Constants) -> float:
        """Return how many standard deviations a value is above the user's normal, without a limit."""
        return (scale(value, constants) - self.centre) / self.spread

    def scaled(self, distance: float, *, narrower: float = 1.0) -> float:
        """Return ``distance`` in standard deviations, within [-3, 3].

        The deviation is first multiplied by ``narrower``.
        """
        return clip(distance / (narrower * self.spread), -CLIP, CLIP)


def baseline(raw: Sequence[float], constants: Constants) -> Baseline:
    """Compute the user's normal from past raw values in any order. Without values it is the population's.

    n values remain after artefacts and outliers, with median ``med`` and deviation ``mad`` (``within`` if n < 5).
    centre = (n med + k mu) / (n + k). s0^2 = (n mad^2 + 12 within^2) / (n + 12), and s0 is at least ``floor``. spread =
    s0 sqrt(1 + kap / (n + k kap)) with kap = (1 + rho) / (1 - rho).
    """
    return normal_of([scale(v, constants) for v in raw if plausible(v, constants)], constants)


def normal_of(scaled: Sequence[float], constants: Constants) -> Baseline:
    """Compute a user's normal, as ``baseline`` does, from plausible values in the metric's scale (see ``scale``)."""
    n, middle, deviation = _settled(scaled, constants)
    centre = (n * middle + constants.k * constants.mu) / (n + constants.k)
    pooled = (n * deviation**2 + PRIOR_SPREAD * constants.within**2) / (n + PRIOR_SPREAD)
    kap = (1 + constants.rho) / (1 - constants.rho)
    spread = max(sqrt(pooled), constants.floor) * sqrt(1 + kap / (n + constants.k * kap))
    return Baseline(n=n, centre=centre, spread=spread)


def plausible(value: float, constants: Constants) -> bool:
    """Return True if a raw value lies in the metric's range, [``constants.low``, ``constants.high``]."""
    return constants.low <= value <= constants.high


def scale(value: float, constants: Constants) -> float:
    """Return a raw value in the metric's scale, which is the natural logarithm if ``constants.logarithm``."""
    return log(value + constants.shift) if constants.logarithm else value


def unscale(value: float, constants: Constants) -> float:
    return exp(value) - constants.shift if constants.logarithm else value


def hrv_quality(metric: str, rmssd_error: float | None) -> float:
    """Return the trust (0 to 1) in heart-rate variability, within^2 / (within^2 + error^2), less for spot readings.

    ``rmssd_error`` is the standard error of the source's log RMSSD, or None for a usual one.
    """
    if metric != Metric.HRV_RMSSD:
        return SPOT_QUALITY if metric.partition("/")[0] in SPOTS else 1.0
    error = UNKNOWN_RMSSD_ERROR if rmssd_error is None else rmssd_error
    within = CONSTANTS[Metric.HRV_RMSSD].within
    return within**2 / (within**2 + error**2)


def clip(value: float, low: float = 0.0, high: float = 1.0) -> float:
    return min(max(value, low), high)


def _settled(values: Sequence[float], constants: Constants) -> tuple[int, float, float]:
    n = len(values)
    if n < OWN_DEVIATION_MIN_VALUES:
        return n, median(values) if values else constants.mu, constants.within
    ascending = sorted(values)
    middle = _middle(ascending)
    distances = sorted([middle - v for v in ascending[: n // 2]] + [v - middle for v in ascending[n // 2 :]])
    deviation = MAD_TO_SD * _middle(distances)
    reach = FAR_OUT * max(deviation, constants.floor)
    if distances[-1] <= reach:
        return n, middle, deviation
    return _of_kept([v for v in values if abs(v - middle) <= reach], constants)


def _middle(ascending: Sequence[float]) -> float:
    half = len(ascending) // 2
    return ascending[half] if len(ascending) % 2 else (ascending[half - 1] + ascending[half]) / 2


def _of_kept(kept: Sequence[float], constants: Constants) -> tuple[int, float, float]:
    middle = median(kept)
    return len(kept), middle, _deviation(kept, middle) if len(kept) >= OWN_DEVIATION_MIN_VALUES else constants.within


def _deviation(values: Sequence[float], middle: float) -> float:
    return MAD_TO_SD * median([abs(v - middle) for v in values])
