"""WHOOP: the API v2 (cycles, sleeps, recoveries, workouts) and the data export a member can download."""

from bridge.metrics import Metric
from bridge.ports import ConnectorSpec, Setting

SPEC = ConnectorSpec(
    name="whoop",
    title="WHOOP (API v2 and data export)",
    delivers=frozenset(
        {
            "episodes",
            Metric.HRV_RMSSD,
            Metric.RESTING_HR,
            Metric.RESPIRATORY_RATE,
            Metric.SPO2,
            Metric.SKIN_TEMPERATURE,
            Metric.RECOVERY_SCORE,
            Metric.STRAIN,
            Metric.TOTAL_ENERGY,
            Metric.HEART_RATE,
            Metric.DISTANCE,
            Metric.ASLEEP,
            Metric.IN_BED,
            Metric.AWAKE,
            Metric.LIGHT_SLEEP,
            Metric.DEEP_SLEEP,
            Metric.REM_SLEEP,
            Metric.SLEEP_NEED,
            Metric.SLEEP_EFFICIENCY,
            Metric.SLEEP_CONSISTENCY,
            Metric.SLEEP_SCORE,
        }
    ),
    streams=("cycle", "sleep", "recovery", "workout", "history"),
    normaliser="connectors.whoop.normalise:normalise",
    lasting=frozenset({"sleep"}),  # a recovery is read with its sleep,
    settings=(
        Setting(name="base_url", help="the API's address", default="https://api.prod.whoop.com"),
        Setting(name="client_id", help="the client id of your WHOOP developer app"),
        Setting(name="client_secret", help="the client secret of your WHOOP developer app", secret=True),
        Setting(
            name="redirect_uri",
            help="a redirect address registered with your WHOOP developer app",
            default="http://localhost:8764/",
        ),
    ),
    opens="connectors.whoop.client:Whoop",
    authorises="connectors.whoop.consent:authorise",
    revokes="connectors.whoop.consent:revoke",
    notices="connectors.whoop.webhook:notice",
    shares_limit=True,
    recognises="connectors.whoop.export:recognise",
    reads="connectors.whoop.export:read",
)
