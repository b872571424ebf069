"""Connect Health Auto Export, an iPhone app that writes or sends Apple Health data every day."""

from bridge.domain.languages import say
from bridge.domain.metrics import NIGHT_MINUTES, Metric
from bridge.domain.ports import ConnectorSpec

SPEC = ConnectorSpec(
    name="health_auto_export",
    title=say("Health Auto Export (JSON files and pushes)"),
    delivers=frozenset(
        {
            "episodes",
            Metric.HRV_SDNN,
            Metric.HRV_RMSSD_SPOT,
            Metric.RESTING_HR,
            Metric.HEART_RATE,
            Metric.RESPIRATORY_RATE,
            Metric.SPO2,
            Metric.SKIN_TEMPERATURE,
            *NIGHT_MINUTES,
            Metric.STEPS,
            Metric.FLOORS,
            Metric.DISTANCE,
            Metric.ACTIVE_ENERGY,
            Metric.ZONE_MINUTES,
            Metric.ASCENT,
            Metric.SPEED,
            Metric.MINDFUL,
            Metric.NOTED,
        }
    ),
    streams=("day", "heart_rate", "instants", "night", "workout", "unreadable"),
    normaliser_version=6,
    normaliser="connectors.apple.auto_export.normalise:normalise",
    lasting=frozenset({"day", "heart_rate", "instants", "night"}),  # pieces add to a day,
    recognises="connectors.apple.auto_export.files:recognise",
    reads="connectors.apple.auto_export.files:read",
    dated_by_content=True,
    receives="connectors.apple.auto_export.files:receive",
)
