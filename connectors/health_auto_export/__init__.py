"""Health Auto Export: what an app on the iPhone writes or sends of Apple Health, every day."""

from bridge.metrics import Metric
from bridge.ports import ConnectorSpec

SPEC = ConnectorSpec(
    name="health_auto_export",
    title="Health Auto Export (JSON files and pushes)",
    delivers=frozenset(
        {
            "episodes",
            Metric.HRV_SDNN,
            Metric.RESTING_HR,
            Metric.HEART_RATE,
            Metric.RESPIRATORY_RATE,
            Metric.SPO2,
            Metric.SKIN_TEMPERATURE,
            Metric.ASLEEP,
            Metric.IN_BED,
            Metric.AWAKE,
            Metric.LIGHT_SLEEP,
            Metric.DEEP_SLEEP,
            Metric.REM_SLEEP,
            Metric.STEPS,
            Metric.DISTANCE,
            Metric.ACTIVE_ENERGY,
            Metric.MINDFUL,
        }
    ),
    streams=("day", "heart_rate", "instants", "night", "workout", "unreadable"),
    normaliser_version=2,
    normaliser="connectors.health_auto_export.normalise:normalise",
    lasting=frozenset({"day", "heart_rate", "instants", "night"}),  # pieces add to a day,
    recognises="connectors.health_auto_export.files:recognise",
    reads="connectors.health_auto_export.files:read",
    receives="connectors.health_auto_export.files:receive",
)
