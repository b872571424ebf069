"""Connect Fitbit and Pixel Watch by the files of an export of Google Takeout, or of fitbit.com before it.

The files were compared with real exports of 2020 to 2026. Files with a row per minute, heart rates and workouts are in
UTC without saying so, and sleep logs are in the account's local time. Names of unused files come from lists of three
accounts' exports, of up to October 2026.
"""

from bridge.domain.languages import say
from bridge.domain.metrics import NIGHT_MINUTES, Metric, metrics_of
from bridge.domain.ports import ConnectorSpec

SUMS = {"steps": Metric.STEPS, "distance": Metric.DISTANCE, "energy": Metric.TOTAL_ENERGY}  # stream -> sum of a day
ZONES = {"FAT_BURN": Metric.FAT_BURN_MINUTES, "CARDIO": Metric.CARDIO_MINUTES, "PEAK": Metric.PEAK_MINUTES}
DAILY = {  # stream -> value of a date
    "resting_heart_rate": Metric.RESTING_HR,
    "variability": Metric.HRV_RMSSD,
    "respiration": Metric.RESPIRATORY_RATE,
    "oxygen": Metric.SPO2,
    "temperature": Metric.SKIN_TEMPERATURE,
    "stress": Metric.STRESS_MANAGEMENT,
    "readiness": Metric.RECOVERY_SCORE,
}
STREAMS = ("night", "score", "workout", "heart_rate", "zone_minutes", *DAILY, *SUMS)

LEFT_OUT = "parts of a Fitbit export that are not used"
FOLDERS = (  # of Google Takeout and of Fitbit's own export, which people also import alone
    "Account Changes|Active Zone Minutes[^/]*|Activity Goals|Atrial Fibrillation[^/]*|Biometrics|Blood Glucose|"
    "Daily Readiness|Estimated Oxygen[^/]*|Fitbit Care[^/]*|Fitbit Friends|Fitbit Premium|Global Export Data|"
    "Google Data|Guided Programs|Health Fitness Data|Heart Rate Variability|Hydration|Menstrual Health|"
    "Mindfulness[^/]*|Nutrition|Oxygen Saturation[^/]*|Paired Devices|Personal & Account|Physical Activity|"
    "Sleep Profile|Sleep Score|Snore and Noise Detect|Stress Journal|Stress Score|User Security Data|Your Profile|"
    "[^/]*_GoogleData"
)
FILES = (  # beginnings of names
    # from Fitbit's days
    "altitude-|(demographic|run)_vo2_max-|height-|weight-|food_logs-|water_logs-|swim_lengths_data[-_]|mood-|badge|"
    "trophy|(lightly|moderately|very)_active_minutes-|sedentary_minutes-|time_in_heart_rate_zones-|"
    "estimated_oxygen_variation-|Minute SpO2|(Device|Computed|Wrist) Temperature|Active Zone Minutes|"
    "Heart Rate Variability (Details|Histogram)|Respiratory Rate Summary|menstrual_health_|Activity Goals|Glucose 2|"
    # from Google's
    "active_(energy_burned|minutes|zone_minutes)_|activity_level_|body_temperature_|calories_in_heart_rate_zone_|"
    "cardio_(load|acute_chronic_workload_ratio)|coarse_physical_location|daily_(heart_rate|oxygen|readiness|"
    "respiratory|resting|sleep_temperature)_|gps_location_|heart_rate_variability_|hydration_log|live_pace_|"
    "micro_(motion|stillness)_|mindfulness_session|nutrition_log|oxygen_saturation_|respiratory_rate_sleep_summary|"
    "sedentary_period_|speed_\\d|time_in_heart_rate_zone_|weather_forecast|"
    "User(ActivityProbabilities|ActivityRecognition|AppSetting|Conversations|Demographic|DeviceLanguage|Exercises|"
    "LegacySetting|LocationCountry|MBDData|ProfileData|SensorCompression|Sleep)|AppContentHistory|"
    "CalibrationStatusFor|Coach[A-Z]|GoalSettingsHistory|LabsSurveyAnswer|PersonalRecords|WeeklyFitnessPlans|"
    "WorkoutSummariesAndRounds"
)
SPEC = ConnectorSpec(
    name="fitbit",
    title=say("Fitbit, Pixel Watch (Google Takeout)"),
    delivers=frozenset({"episodes", *NIGHT_MINUTES, *ZONES.values(), *DAILY.values(), *SUMS.values()})
    | metrics_of("sleep_efficiency sleep_score heart_rate zone_minutes ascent speed"),
    streams=STREAMS,
    normaliser_version=2,
    normaliser="connectors.fitbit.normalise:normalise",
    lasting=frozenset(STREAMS),  # a later export, or a part of the same, adds to a date
    recognises="connectors.fitbit.files:recognise",
    reads="connectors.fitbit.files:read",
    leaves_out={
        rf"(^|/)(Fitbit|Google Health|MyFitbitData|user-site-export|{FOLDERS})/": LEFT_OUT,
        rf"(^|/)({FILES})[^/]*\.(json|csv)$": LEFT_OUT,
        r"(^|/)archive_browser\.html$": "the contents page of Google Takeout",
    },
    dated_by_content=True,
    reads_zones=True,
)
