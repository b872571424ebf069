"""Connect Apple Health by the export that a user makes on the phone (export.zip or export.xml)."""

from bridge.domain.languages import say
from bridge.domain.metrics import NIGHT_MINUTES, metrics_of
from bridge.domain.ports import ConnectorSpec, File, Setting

EXPORT_MARKS = (b"<HealthData", b"<!DOCTYPE HealthData")

SPEC = ConnectorSpec(
    name="apple_health",
    title=say("Apple Health (export.zip or export.xml)"),
    delivers=frozenset({"episodes", *NIGHT_MINUTES})
    | metrics_of(
        "hrv_sdnn hrv_rmssd hrv_rmssd_spot hrv_rmssd_beats resting_hr heart_rate respiratory_rate spo2 "
        "skin_temperature steps stand_hours floors distance active_energy zone_minutes ascent speed mindful noted"
    ),
    streams=("day", "activity", "heart_rate", "hrv", "rmssd", "night", "workout", "mindful", "noted", "every"),
    normaliser_version=7,
    normaliser="connectors.apple.export.normalise:normalise",
    lasting=frozenset(
        {"day", "activity", "heart_rate", "hrv", "rmssd", "night", "workout", "mindful", "noted", "every"}
    ),  # cut-off exports add,
    recognises="connectors.apple.export:recognise",
    reads="connectors.apple.export.files:read",
    leaves_out={
        r"(^|/)(apple_health_export|workout-routes)/.*\.gpx$": "routes of workouts",
        r"(^|/)electrocardiograms/": "electrocardiograms",
        r"(^|/)clinical-records/|_cda\.xml$": "clinical documents",
    },
    file_settings=(
        Setting(
            name="sources",
            help="sources by trust, best first: watch, phone, others, makers (such as WHOOP), or a part of a name",
            default="watch,phone,others,makers",
        ),
        Setting(name="keep_all", help="yes keeps every single measurement, of any type; no does not", default="no"),
    ),
    remembers_files=True,
    reads_zones=True,
    remembers_parts=True,
)


def recognise(file: File) -> bool:
    """Return True if a file's first element or document type is Apple Health's, and it is no clinical document."""
    is_xml = file.head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<")
    return is_xml and not file.name.lower().endswith("_cda.xml") and any(mark in file.head for mark in EXPORT_MARKS)
