"""Connect Google Health (API v4), the successor of the Fitbit Web API, to which Fitbit and Pixel devices write.

Names of data types and fields: Google's discovery document ``health.v4``.
"""

from fractions import Fraction

from bridge.domain.languages import say
from bridge.domain.metrics import Metric
from bridge.domain.ports import ConnectorSpec, Setting
from bridge.domain.shareable import Shareable
from connectors.google.auth import GOOGLE_SETTINGS, REGISTRATION
from connectors.payload import Table

MILLIMETRES = Fraction(1, 1000)

STAGES = {"LIGHT": Metric.LIGHT_SLEEP, "DEEP": Metric.DEEP_SLEEP, "REM": Metric.REM_SLEEP}
SLEEP: Table = {
    Metric.ASLEEP: "sleep.summary.minutesAsleep",
    Metric.AWAKE: "sleep.summary.minutesAwake",
    Metric.IN_BED: "sleep.summary.minutesInSleepPeriod",
}
EXERCISE: Table = {
    Metric.DISTANCE: ("exercise.metricsSummary.distanceMillimeters", MILLIMETRES),
    Metric.TOTAL_ENERGY: "exercise.metricsSummary.caloriesKcal",
    Metric.HEART_RATE: "exercise.metricsSummary.averageHeartRateBeatsPerMinute",
    Metric.STEPS: "exercise.metricsSummary.steps",
    Metric.ASCENT: ("exercise.metricsSummary.elevationGainMillimeters", MILLIMETRES),
    Metric.SPEED: ("exercise.metricsSummary.averageSpeedMillimetersPerSecond", Fraction(36, 10_000)),
    Metric.ZONE_MINUTES: "exercise.metricsSummary.activeZoneMinutes",
}
DAILY: dict[str, Table] = {  # stream -> what a date has
    "resting_heart_rate": {Metric.RESTING_HR: "dailyRestingHeartRate.beatsPerMinute"},
    "variability": {Metric.HRV_RMSSD: "dailyHeartRateVariability.averageHeartRateVariabilityMilliseconds"},
    "oxygen": {Metric.SPO2: "dailyOxygenSaturation.averagePercentage"},
    "respiration": {Metric.RESPIRATORY_RATE: "dailyRespiratoryRate.breathsPerMinute"},
    "temperature": {Metric.SKIN_TEMPERATURE: "dailySleepTemperatureDerivations.nightlyTemperatureCelsius"},
}
SUMS: dict[str, Table] = {  # stream -> the sum of a civil day
    "steps": {Metric.STEPS: "steps.countSum"},
    "distance": {Metric.DISTANCE: ("distance.millimetersSum", MILLIMETRES)},
    "active_energy": {Metric.ACTIVE_ENERGY: "activeEnergyBurned.kcalSum"},
    "total_energy": {Metric.TOTAL_ENERGY: "totalCalories.kcalSum"},
    "zone_minutes": {  # as Google counts them, an intense minute twice
        Metric.FAT_BURN_MINUTES: "activeZoneMinutes.sumInFatBurnHeartZone",
        Metric.CARDIO_MINUTES: "activeZoneMinutes.sumInCardioHeartZone",
        Metric.PEAK_MINUTES: "activeZoneMinutes.sumInPeakHeartZone",
    },
}

SHAREABLE = Shareable(
    parts=(
        "dataPoints rollupDataPoints sleep exercise interval metadata summary stages stagesSummary metricsSummary time "
        "heartRateVariability sampleTime civilStartTime civilEndTime civilTime dailyRestingHeartRate "
        "dailyRestingHeartRateMetadata dailyHeartRateVariability dailyOxygenSaturation dailyRespiratoryRate "
        "dailySleepTemperatureDerivations activeEnergyBurned activeZoneMinutes totalCalories steps distance"
    ),
    measures=(
        "hours minutes seconds nanos count steps distance countSum millimetersSum kcalSum sumInCardioHeartZone "
        "sumInFatBurnHeartZone sumInPeakHeartZone minutesAsleep minutesAwake minutesInSleepPeriod minutesToFallAsleep "
        "minutesAfterWakeUp activeDuration activeZoneMinutes averageHeartRateBeatsPerMinute caloriesKcal "
        "averageSpeedMillimetersPerSecond distanceMillimeters elevationGainMillimeters "
        "rootMeanSquareOfSuccessiveDifferencesMilliseconds standardDeviationMilliseconds beatsPerMinute entropy "
        "averageHeartRateVariabilityMilliseconds nonRemHeartRateBeatsPerMinute averagePercentage lowerBoundPercentage "
        "deepSleepRootMeanSquareOfSuccessiveDifferencesMilliseconds upperBoundPercentage breathsPerMinute "
        "baselineTemperatureCelsius nightlyTemperatureCelsius"
    ),
    flags="mainSleep nap processed",
    instants="startTime endTime physicalTime createTime updateTime",
    walls="date",
    offsets="startUtcOffset endUtcOffset utcOffset",
    names="dataPointName nextPageToken",
    sports="exerciseType",
    words={
        "type": "AWAKE DEEP LIGHT REM ASLEEP RESTLESS CLASSIC STAGES",
        "exerciseType": "OTHER",
        "stagesStatus": "SUCCEEDED REJECTED_NAP REJECTED_COVERAGE REJECTED_MAX_GAP",
        "calculationMethod": "WITH_SLEEP ONLY_WITH_AWAKE_DATA",
    },
    path=(
        "v4 users me dataTypes sleep exercise heart-rate-variability daily-resting-heart-rate "
        "daily-heart-rate-variability daily-oxygen-saturation daily-respiratory-rate "
        "daily-sleep-temperature-derivations steps distance active-energy-burned active-zone-minutes total-calories "
        "dataPoints:reconcile dataPoints:dailyRollUp"
    ),
    asks="filter pageSize",
)

SPEC = ConnectorSpec(
    name="google_health",
    title=say("Google Health: Fitbit, Pixel Watch (API v4)"),
    delivers=frozenset({"episodes", Metric.HRV_SDNN, Metric.SKIN_TEMPERATURE_DELTA}).union(
        SLEEP, STAGES.values(), EXERCISE, *DAILY.values(), *SUMS.values()
    ),
    normaliser_version=3,
    streams=("sleep", "exercise", "readings", *DAILY, *SUMS),
    called={
        "readings": "heart rate variability",
        "variability": "nightly heart rate variability",
        "oxygen": "blood oxygen",
        "temperature": "skin temperature",
    },
    normaliser="connectors.google.health.normalise:normalise",
    settings=(
        Setting(name="base_url", help="the API's address", default="https://health.googleapis.com"),
        *GOOGLE_SETTINGS,
        Setting(name="days", help="how many days back the first sync reads", default="365", whole=True),
        Setting(
            name="webhook_secret",
            help="the secret that Google sends with its webhooks; empty: none are taken",
            default="",
            secret=True,
        ),
    ),
    registration=REGISTRATION,
    consent_scopes=tuple(
        f"https://www.googleapis.com/auth/googlehealth.{area}.readonly"
        for area in ("sleep", "activity_and_fitness", "health_metrics_and_measurements")
    ),
    opens="connectors.google.health.client:GoogleHealth",
    shareable=SHAREABLE,
    authorises="connectors.google.health.client:authorise",
    revokes="connectors.google.auth:revoke",
    notices="connectors.google.health.client:notice",
)
