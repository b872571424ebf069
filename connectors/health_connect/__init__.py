"""Connect Health Connect, the store of health data on Android phones, which free apps read and send as JSON.

Apps: github.com/mcnaveen/health-connect-webhook, github.com/owen282000/life-dashboard-companion-app.
"""

from bridge.domain.languages import say
from bridge.domain.metrics import NIGHT_MINUTES, Metric
from bridge.domain.ports import ConnectorSpec

SPEC = ConnectorSpec(
    name="health_connect",
    title=say("Health Connect (pushes from Android, JSON files)"),
    delivers=frozenset(
        {
            "episodes",
            Metric.HRV_RMSSD,
            Metric.HRV_RMSSD_SPOT,
            Metric.HRV_SDNN,
            Metric.RESTING_HR,
            Metric.HEART_RATE,
            Metric.RESPIRATORY_RATE,
            Metric.SPO2,
            Metric.SKIN_TEMPERATURE,
            Metric.SKIN_TEMPERATURE_DELTA,
            *NIGHT_MINUTES,
            Metric.STEPS,
            Metric.DISTANCE,
            Metric.ACTIVE_ENERGY,
            Metric.TOTAL_ENERGY,
            Metric.MINDFUL,
        }
    ),
    streams=("day", "heart_rate", "night", "workout", "mindful", "unreadable"),
    normaliser_version=3,
    normaliser="connectors.health_connect.normalise:normalise",
    lasting=frozenset({"day", "heart_rate", "night", "workout", "mindful"}),  # pieces add to a day,
    recognises="connectors.health_connect.files:recognise",
    reads="connectors.health_connect.files:read",
    reads_zones=True,
    dated_by_content=True,
    receives="connectors.health_connect.files:receive",
)
