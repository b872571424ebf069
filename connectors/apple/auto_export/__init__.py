"""Connect Health Auto Export, an iPhone app that writes or sends Apple Health data every day."""

from bridge.domain.languages import say
from bridge.domain.metrics import NIGHT_MINUTES, metrics_of
from bridge.domain.ports import ConnectorSpec

SPEC = ConnectorSpec(
    name="health_auto_export",
    title=say("Health Auto Export (JSON files and pushes)"),
    delivers=frozenset({"episodes", *NIGHT_MINUTES})
    | metrics_of(
        "hrv_sdnn hrv_rmssd_spot resting_hr heart_rate respiratory_rate spo2 skin_temperature steps floors distance "
        "active_energy zone_minutes ascent speed mindful noted"
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
