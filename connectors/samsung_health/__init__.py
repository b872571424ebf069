"""Connect Samsung Health by the CSV tables and JSON files that its app lets a person download.

The tables were compared with a real export of 2018 to 2025. Times are in UTC, and each row states its offset.
"""

from bridge.domain.languages import say
from bridge.domain.metrics import NIGHT_MINUTES, Metric, metrics_of
from bridge.domain.ports import ConnectorSpec

NIGHTLY = {  # stream -> mean of a night
    "respiration": Metric.RESPIRATORY_RATE,
    "oxygen": Metric.SPO2,
    "temperature": Metric.SKIN_TEMPERATURE,
}
STREAMS = ("night", "day", "workout", "heart_rate", "stress", "energy_score", *NIGHTLY)

SPEC = ConnectorSpec(
    name="samsung_health",
    title=say("Samsung Health (downloaded personal data)"),
    delivers=frozenset({"episodes", *NIGHT_MINUTES, *NIGHTLY.values()})
    | metrics_of(
        "sleep_efficiency sleep_score hrv_rmssd resting_hr recovery_score heart_rate stress steps distance "
        "total_energy speed ascent"
    ),
    streams=STREAMS,
    normaliser_version=3,
    normaliser="connectors.samsung_health.normalise:normalise",
    recognises="connectors.samsung_health.files:recognise",
    reads="connectors.samsung_health.files:read",
    leaves_out={r"(^|/)com\.samsung\.[\w.]+(/|\.csv$)": "parts of Samsung Health's data that are not used"},
    lasting=frozenset(STREAMS),  # tables of a night come one by one
    dated_by_content=True,
    reads_zones=True,
)
