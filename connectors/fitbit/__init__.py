"""Connect Fitbit and Pixel Watch by the files of an export of Google Takeout, or of fitbit.com before it.

The files were compared with real exports of 2020 to 2026. Minute by minute files, heart rates and workouts are written
in UTC, although they do not say so. Sleep logs are written in the clock of the account.
"""

from bridge.domain.languages import say
from bridge.domain.metrics import Metric
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
FOLDERS = "|".join(  # of Google Takeout, which people also import alone
    (
        *(
            r"Global Export Data",
            r"Physical Activity(_GoogleData)?",
            r"Active Zone Minutes[^/]*",
            "Estimated Oxygen[^/]*",
        ),
        *(
            "Oxygen Saturation[^/]*",
            "Heart Rate Variability",
            "Sleep Score",
            "Stress Score",
            "Stress Journal",
            "Biometrics",
        ),
        *(
            "Daily Readiness",
            "Guided Programs",
            "Fitbit Care[^/]*",
            "Fitbit Friends",
            "Fitbit Premium",
            "Menstrual Health",
        ),
        *(r"[^/]*_GoogleData", "Snore and Noise Detect", "Paired Devices", "Personal & Account", "Your Profile"),
        *("Sleep Profile", "Atrial Fibrillation[^/]*", "Blood Glucose", "Hydration", "Nutrition", "Mindfulness[^/]*"),
    )
)
FILES = "|".join(
    (
        *(
            "altitude-",
            "(demographic|run)_vo2_max-",
            "height-",
            "weight-",
            "food_logs-",
            "water_logs-",
            "swim_lengths_data-",
        ),
        *("(lightly|moderately|very)_active_minutes-", "sedentary_minutes-", "time_in_heart_rate_zones-", "badge"),
        *("estimated_oxygen_variation-", "Minute SpO2", "(Device|Computed|Wrist) Temperature", "Active Zone Minutes"),
        *("Heart Rate Variability (Details|Histogram)", "Respiratory Rate Summary", "mood-", "menstrual_health_"),
    )
)
SPEC = ConnectorSpec(
    name="fitbit",
    title=say("Fitbit, Pixel Watch (Google Takeout)"),
    delivers=frozenset(
        {
            "episodes",
            Metric.ASLEEP,
            Metric.AWAKE,
            Metric.IN_BED,
            Metric.LIGHT_SLEEP,
            Metric.DEEP_SLEEP,
            Metric.REM_SLEEP,
            Metric.SLEEP_EFFICIENCY,
            Metric.SLEEP_SCORE,
            Metric.HEART_RATE,
            Metric.ZONE_MINUTES,
            Metric.ASCENT,
            Metric.SPEED,
            *ZONES.values(),
            *DAILY.values(),
            *SUMS.values(),
        }
    ),
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
