"""Oura: the API v2 (sleep, scores, activity, heart rate, blood oxygen, workouts, sessions)."""

from bridge.metrics import Metric
from bridge.ports import ConnectorSpec, Setting

SPEC = ConnectorSpec(
    name="oura",
    title="Oura (API v2)",
    delivers=frozenset(
        {
            "episodes",
            Metric.HRV_RMSSD,
            Metric.RESTING_HR,
            Metric.RESPIRATORY_RATE,
            Metric.SPO2,
            Metric.SKIN_TEMPERATURE_DELTA,
            Metric.RECOVERY_SCORE,
            Metric.SLEEP_SCORE,
            Metric.HEART_RATE,
            Metric.STEPS,
            Metric.DISTANCE,
            Metric.ACTIVE_ENERGY,
            Metric.TOTAL_ENERGY,
            Metric.MINDFUL,
            Metric.ASLEEP,
            Metric.IN_BED,
            Metric.AWAKE,
            Metric.LIGHT_SLEEP,
            Metric.DEEP_SLEEP,
            Metric.REM_SLEEP,
            Metric.SLEEP_EFFICIENCY,
        }
    ),
    streams=(
        *("sleep", "daily_sleep", "daily_readiness", "daily_activity", "daily_spo2", "daily_stress"),
        *("heartrate", "workout", "session"),
    ),
    normaliser_version=2,
    normaliser="connectors.oura.normalise:normalise",
    settings=(
        Setting(name="base_url", help="the API's address", default="https://api.ouraring.com"),
        Setting(name="consent_url", help="the consent page's address", default="https://cloud.ouraring.com"),
        Setting(name="client_id", help="the client id of your Oura application"),
        Setting(name="client_secret", help="the client secret of your Oura application", secret=True),
        Setting(
            name="port",
            help="the port of http://127.0.0.1:PORT/, the redirect address registered with your application",
            default="8765",
        ),
        Setting(name="days", help="how many days back the first sync reads", default="365", whole=True),
    ),
    opens="connectors.oura.client:Oura",
    authorises="connectors.oura.consent:authorise",
    revokes="connectors.oura.consent:revoke",
)
