"""The measured quantities. A unit belongs to its metric, and two quantities that differ in meaning are two metrics.

The plausible ranges stand here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType


class Metric(StrEnum):
    """A measured quantity. Its unit, shape and plausible range stand in ``METRICS``.

    The quantities of a night come as samples of the day of waking, or as values of the sleep's episode. All minutes,
    the need and the efficiency are read from the episode of the main sleep.

    Most sources say which sleep of a day is the main sleep and which is a nap (``EpisodeKind``). From other sources, a
    sleep shorter than three hours that begins between 08:00 and 20:00 local is a nap. The meters read one main sleep a
    day: the longest of at least three hours that ends between 03:00 and 15:00, otherwise the longest.
    """

    HRV_RMSSD = "hrv_rmssd"
    """Heart-rate variability as the mean RMSSD of a night, as the vendor computes it. RMSSD is not SDNN."""

    HRV_SDNN = "hrv_sdnn"
    """Heart-rate variability as SDNN of a reading of about a minute, by day or night. Apple's watch measures it."""

    HRV_RMSSD_SPOT = "hrv_rmssd_spot"
    """RMSSD of a reading of some minutes, as the watch itself writes it. It is not a night's mean."""

    HRV_RMSSD_BEATS = "hrv_rmssd_beats"
    """RMSSD computed from the list of single beats of a reading of about a minute. It is not a night's mean."""

    RESTING_HR = "resting_hr"
    """Resting heart rate of a day, as the source defines it.

    Oura gives the lowest rate of the night, WHOOP an average of the night, Garmin and Apple an estimate of the day.
    The meters compare each source with itself only, so that the definitions need not agree.
    """

    HEART_RATE = "heart_rate"
    """Heart rate by day and night as means of quarter-hours; in a workout's episode, the mean of the workout."""

    RESPIRATORY_RATE = "respiratory_rate"
    """Mean number of breaths per minute during the main sleep."""

    SPO2 = "spo2"
    """Mean oxygen saturation of the blood during the main sleep."""

    SKIN_TEMPERATURE = "skin_temperature"
    """Absolute skin temperature of a night, as WHOOP and Apple measure it."""

    SKIN_TEMPERATURE_DELTA = "skin_temperature_delta"
    """Difference of a night's skin temperature from the user's own normal, as Oura and Garmin give it."""

    ASLEEP = "asleep"
    """Minutes asleep, which is light, deep and REM sleep together. In a nap's episode, the minutes of the nap."""

    IN_BED = "in_bed"
    """Minutes in bed, from lying down to getting up."""

    AWAKE = "awake"
    """Minutes awake between falling asleep and getting up."""

    LIGHT_SLEEP = "light_sleep"
    """Minutes of light sleep (stages N1 and N2)."""

    DEEP_SLEEP = "deep_sleep"
    """Minutes of deep sleep (stage N3, slow-wave sleep)."""

    REM_SLEEP = "rem_sleep"
    """Minutes of REM sleep."""

    SLEEP_NEED = "sleep_need"
    """Minutes of sleep that the vendor says the user needed for a night, debt and strain included."""

    SLEEP_EFFICIENCY = "sleep_efficiency"
    """Share of the time in bed that the user was asleep, in per cent."""

    SLEEP_LATENCY = "sleep_latency"
    """Minutes from lying down to falling asleep, as the source tells them."""

    SLEEP_CONSISTENCY = "sleep_consistency"
    """The vendor's score of how regular the hours of sleep are, in per cent."""

    SLEEP_SCORE = "sleep_score"
    """The vendor's own score of a night, from 0 to 100. Scores of two vendors are never compared."""

    RECOVERY_SCORE = "recovery_score"
    """The vendor's own score of readiness after a night, from 0 to 100, as WHOOP and Oura give it."""

    BODY_BATTERY = "body_battery"
    """Garmin's energy reserve by day and night, from 0 to 100. It charges in sleep and drains awake."""

    STRESS = "stress"
    """Garmin's stress level (0 to 100) as means of quarter-hours. A high value is strained."""

    DAILY_STRESS = "daily_stress"
    """Garmin's mean stress level (0 to 100) of a whole day, sleep included. A high value is strained."""

    STRESS_MANAGEMENT = "stress_management"
    """Fitbit's stress management score (0 to 100) of a night. A high value is calm, unlike Garmin's stress."""

    STEPS = "steps"
    """Steps of a civil local day."""

    STAND_HOURS = "stand_hours"
    """Hours of a day in which the user stood for at least a minute, as Apple counts them."""

    FLOORS = "floors"
    """Floors climbed on a civil local day."""

    DISTANCE = "distance"
    """Distance of a day; in a workout's episode, the distance of the workout."""

    ACTIVE_ENERGY = "active_energy"
    """Energy spent on movement, without the basal rate, of a day or in a workout's episode."""

    TOTAL_ENERGY = "total_energy"
    """Energy spent altogether, basal rate included, of a day or in a workout's episode."""

    ZONE_MINUTES = "zone_minutes"
    """Minutes of effort that the vendor counts towards the week's activity, of a day or in a workout's episode.

    Fitbit and Garmin count a minute of hard effort twice.
    """

    FAT_BURN_MINUTES = "fat_burn_minutes"
    """Minutes of a day in the vendor's zone of moderate heart rate, each counted as the vendor counts it."""

    CARDIO_MINUTES = "cardio_minutes"
    """Minutes of a day in the vendor's zone of vigorous heart rate, each counted as the vendor counts it."""

    PEAK_MINUTES = "peak_minutes"
    """Minutes of a day in the vendor's zone of the highest heart rate, each counted as the vendor counts it."""

    ASCENT = "ascent"
    """Metres climbed in a workout."""

    SPEED = "speed"
    """Mean speed of a workout."""

    STRAIN = "strain"
    """WHOOP's strain of a day or in a workout's episode, from 0 to 21."""

    MINDFUL = "mindful"
    """Minutes of a mindfulness session."""

    FOCUS = "focus"
    """Minutes of focused work in a stretch of time, as the user's computer records it."""

    CHECK_IN = "check_in"
    """The user's own score of life as a whole, from 1 to 5."""

    CHECK_IN_VITALITY = "check_in_vitality"
    """The user's own score of the meter vitality, from 1 to 5."""

    CHECK_IN_COGNITION = "check_in_cognition"
    """The user's own score of the meter cognition, from 1 to 5."""

    CHECK_IN_PROGRESS = "check_in_progress"
    """The user's own score of the meter progress, from 1 to 5."""

    CHECK_IN_SERENITY = "check_in_serenity"
    """The user's own score of the meter serenity, from 1 to 5."""

    CHECK_IN_CONNECTION = "check_in_connection"
    """The user's own score of the meter connection, from 1 to 5."""

    NOTED = "noted"
    """Amount of something that the user noted, such as two glasses. The sample's key begins with its name.

    A slash and what tells several apart may follow. The amount is in the unit in which it was noted.
    """

    CONTACTS = "contacts"
    """Number of people with whom the user was in touch on a day, as the user's own file counts them."""

    MESSAGES = "messages"
    """Number of messages of a day, as the user's own file counts them."""


NIGHT_MINUTES = frozenset(  # the minutes of a night, with its stages
    {Metric.ASLEEP, Metric.IN_BED, Metric.AWAKE, Metric.LIGHT_SLEEP, Metric.DEEP_SLEEP, Metric.REM_SLEEP}
)


class Shape(StrEnum):
    """The frequency of a metric's values: once a night, once a day, or more often.

    The store keeps revisions of nightly and daily values, and none of intraday values.
    """

    NIGHTLY = "nightly"  # a value per main sleep, keyed by the local date of waking
    DAILY = "daily"  # a value per civil local date
    INTRADAY = "intraday"  # instants or short intervals


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricSpec:
    """The unit, the shape and the closed range [``low``, ``high``] of a metric, in its unit.

    Values outside the range are impossible. Intraday metrics with ``packed`` store many readings in one row.
    """

    unit: str
    shape: Shape
    low: float
    high: float
    packed: bool = False


# The ranges are those of living people, athletes and the sick among them, with room for the device's error:
# - variability: athletes reach 300 ms and more at night, autonomic neuropathy leaves a few ms (healthy means: 42 ms
#   RMSSD and 50 ms SDNN, Shaffer & Ginsberg 2017, https://doi.org/10.3389/fpubh.2017.00258);
# - resting heart rate: 27 per minute is a record of healthy people (Guinness World Records, 2005), and fever or an
#   overactive thyroid exceed 140 at rest;
# - heart rate: pauses of a sleeping athlete's heart, and atrial flutter that is conducted beat by beat, up to 300;
# - steps and distance of a day: 24 hours on foot (319 km is the record) and on a bicycle (1,026 km).
METRICS: Mapping[Metric, MetricSpec] = MappingProxyType(
    {
        Metric.HRV_RMSSD: MetricSpec(unit="ms", shape=Shape.NIGHTLY, low=1, high=400),
        Metric.HRV_SDNN: MetricSpec(unit="ms", shape=Shape.INTRADAY, low=1, high=400),
        Metric.HRV_RMSSD_SPOT: MetricSpec(unit="ms", shape=Shape.INTRADAY, low=1, high=400),
        Metric.HRV_RMSSD_BEATS: MetricSpec(unit="ms", shape=Shape.INTRADAY, low=1, high=400),
        Metric.RESTING_HR: MetricSpec(unit="bpm", shape=Shape.NIGHTLY, low=25, high=180),
        Metric.HEART_RATE: MetricSpec(unit="bpm", shape=Shape.INTRADAY, low=20, high=300, packed=True),
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
        Metric.SLEEP_LATENCY: MetricSpec(unit="min", shape=Shape.NIGHTLY, low=0, high=1440),
        Metric.SLEEP_CONSISTENCY: MetricSpec(unit="%", shape=Shape.NIGHTLY, low=0, high=100),
        Metric.SLEEP_SCORE: MetricSpec(unit="vendor 0-100", shape=Shape.NIGHTLY, low=0, high=100),
        Metric.RECOVERY_SCORE: MetricSpec(unit="vendor 0-100", shape=Shape.NIGHTLY, low=0, high=100),
        Metric.BODY_BATTERY: MetricSpec(unit="vendor 0-100", shape=Shape.INTRADAY, low=0, high=100, packed=True),
        Metric.STRESS: MetricSpec(unit="vendor 0-100", shape=Shape.INTRADAY, low=0, high=100, packed=True),
        Metric.DAILY_STRESS: MetricSpec(unit="vendor 0-100", shape=Shape.DAILY, low=0, high=100),
        Metric.STRESS_MANAGEMENT: MetricSpec(unit="vendor 0-100", shape=Shape.NIGHTLY, low=0, high=100),
        Metric.STEPS: MetricSpec(unit="count", shape=Shape.DAILY, low=0, high=400_000),
        Metric.STAND_HOURS: MetricSpec(unit="count", shape=Shape.DAILY, low=0, high=24),
        Metric.FLOORS: MetricSpec(unit="count", shape=Shape.DAILY, low=0, high=5_000),
        Metric.DISTANCE: MetricSpec(unit="m", shape=Shape.DAILY, low=0, high=1_200_000),
        Metric.ACTIVE_ENERGY: MetricSpec(unit="kcal", shape=Shape.DAILY, low=0, high=20_000),
        Metric.TOTAL_ENERGY: MetricSpec(unit="kcal", shape=Shape.DAILY, low=0, high=20_000),
        Metric.ZONE_MINUTES: MetricSpec(unit="min", shape=Shape.DAILY, low=0, high=2880),
        Metric.FAT_BURN_MINUTES: MetricSpec(unit="min", shape=Shape.DAILY, low=0, high=2880),
        Metric.CARDIO_MINUTES: MetricSpec(unit="min", shape=Shape.DAILY, low=0, high=2880),
        Metric.PEAK_MINUTES: MetricSpec(unit="min", shape=Shape.DAILY, low=0, high=2880),
        Metric.ASCENT: MetricSpec(unit="m", shape=Shape.DAILY, low=0, high=40_000),
        Metric.SPEED: MetricSpec(unit="km/h", shape=Shape.DAILY, low=0, high=200),
        Metric.STRAIN: MetricSpec(unit="vendor 0-21", shape=Shape.DAILY, low=0, high=21),
        Metric.MINDFUL: MetricSpec(unit="min", shape=Shape.INTRADAY, low=0, high=1440),
        Metric.FOCUS: MetricSpec(unit="min", shape=Shape.INTRADAY, low=0, high=1440),
        Metric.CHECK_IN: MetricSpec(unit="1-5", shape=Shape.INTRADAY, low=1, high=5),
        Metric.CHECK_IN_VITALITY: MetricSpec(unit="1-5", shape=Shape.INTRADAY, low=1, high=5),
        Metric.CHECK_IN_COGNITION: MetricSpec(unit="1-5", shape=Shape.INTRADAY, low=1, high=5),
        Metric.CHECK_IN_PROGRESS: MetricSpec(unit="1-5", shape=Shape.INTRADAY, low=1, high=5),
        Metric.CHECK_IN_SERENITY: MetricSpec(unit="1-5", shape=Shape.INTRADAY, low=1, high=5),
        Metric.CHECK_IN_CONNECTION: MetricSpec(unit="1-5", shape=Shape.INTRADAY, low=1, high=5),
        Metric.NOTED: MetricSpec(unit="count", shape=Shape.INTRADAY, low=0, high=10_000),
        Metric.CONTACTS: MetricSpec(unit="count", shape=Shape.DAILY, low=0, high=10_000),
        Metric.MESSAGES: MetricSpec(unit="count", shape=Shape.DAILY, low=0, high=100_000),
    }
)


def name_noted(key: str) -> str:
    """Return the name of a note from the key of its sample (metric ``NOTED``)."""
    return key.partition("/")[0]


def metrics_of(names: str) -> frozenset[Metric]:
    """Return the metrics whose names a text holds, separated by blanks. Raises ValueError for an unknown name."""
    return frozenset(map(Metric, names.split()))
