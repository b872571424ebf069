"""Garmin: the Connect Personal API, saved Connect answers, the account export, and FIT files."""

from bridge.metrics import Metric
from bridge.ports import ConnectorSpec, Setting

SPEC = ConnectorSpec(
    name="garmin",
    title="Garmin (Connect Personal API, account export, FIT and Connect JSON files)",
    delivers=frozenset(
        {
            "episodes",
            Metric.HRV_RMSSD,
            Metric.RESTING_HR,
            Metric.HEART_RATE,
            Metric.RESPIRATORY_RATE,
            Metric.SPO2,
            Metric.SKIN_TEMPERATURE_DELTA,
            Metric.ASLEEP,
            Metric.IN_BED,
            Metric.AWAKE,
            Metric.LIGHT_SLEEP,
            Metric.DEEP_SLEEP,
            Metric.REM_SLEEP,
            Metric.SLEEP_NEED,
            Metric.SLEEP_SCORE,
            Metric.BODY_BATTERY,
            Metric.STRESS,
            Metric.DAILY_STRESS,
            Metric.STEPS,
            Metric.DISTANCE,
            Metric.ACTIVE_ENERGY,
            Metric.TOTAL_ENERGY,
        }
    ),
    streams=("summary", "sleep", "hrv", "heart_rate", "body_battery", "activity"),
    normaliser_version=3,
    normaliser="connectors.garmin.normalise:normalise",
    lasting=frozenset({"fit_day", "uds"}),  # files add to a day; the export's nights take their offset from it,
    settings=(
        Setting(name="base_url", help="the API's address", default="https://personal.connectapi.garmin.com"),
        Setting(name="api_key", help="your Personal API key (asked for when empty)", default="", secret=True),
        Setting(name="days", help="how many days back the first sync reads", default="90", whole=True),
    ),
    opens="connectors.garmin.client:Garmin",
    authorises="connectors.garmin.consent:authorise",
    recognises="connectors.garmin.files:recognise",
    reads="connectors.garmin.files:read",
)
