"""Connect Health Connect, the store of health data on Android phones, which free apps read and send as JSON.

Apps: github.com/mcnaveen/health-connect-webhook, github.com/owen282000/life-dashboard-companion-app.
"""

from bridge.domain.languages import say
from bridge.domain.metrics import NIGHT_MINUTES, metrics_of
from bridge.domain.ports import ConnectorSpec

SPEC = ConnectorSpec(
    name="health_connect",
    title=say("Health Connect (pushes from Android, JSON files)"),
    delivers=frozenset({"episodes", *NIGHT_MINUTES})
    | metrics_of(
        "hrv_rmssd hrv_rmssd_spot hrv_sdnn resting_hr heart_rate respiratory_rate spo2 skin_temperature "
        "skin_temperature_delta steps distance active_energy total_energy mindful"
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
