"""Find the kind of a file of a Fitbit export, of JSON files by name and of CSV files by the names of their columns.

Names of folders are not used, because they changed several times, and partial downloads have none.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Collection
from dataclasses import dataclass

from bridge.domain.ports import File
from bridge.ingest.files import ending

REPEAT_NUMBER = r"( ?\(\d+\))?"  # the number that a browser gives a repeated download
MONTHLY = r"_\d{4}-\d\d(-\d\d)?" + REPEAT_NUMBER + r"\.csv$"
FITBIT, GOOGLE = "fitbit", "google"  # of which of the two services a value is; Fitbit's own counts first


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of file of a Fitbit export, with its stream of records and the method that reads its rows.

    ``rows`` names a method of ``Gathered``. ``name`` is None if files may have any name, and ``weight`` is None without
    a column of counts.
    """

    stream: str
    rows: str
    of: str = FITBIT
    columns: tuple[str, ...] = ()
    name: str | None = None
    at: str = "timestamp"
    value: str = ""
    weight: str | None = None


def _dated(stem: str) -> str:
    return rf"^{stem}-\d{{4}}-\d\d-\d\d{REPEAT_NUMBER}\.json$"


def _daily(stream: str, of: str, value: str, *columns: str, at: str = "timestamp", name: str | None = None) -> Kind:
    return Kind(stream=stream, rows="daily", of=of, columns=(at, value, *columns), value=value, at=at, name=name)


JSON_KINDS = (
    Kind(stream="night", rows="log", name=_dated("sleep")),
    Kind(stream="resting_heart_rate", rows="resting", name=_dated("resting_heart_rate")),
    Kind(stream="steps", rows="minute", name=_dated("steps")),
    Kind(stream="distance", rows="centimetres", name=_dated("distance")),
    Kind(stream="energy", rows="minute", name=_dated("calories")),
    Kind(stream="heart_rate", rows="beats", name=_dated("heart_rate")),
    Kind(stream="workout", rows="exercise", name=rf"^exercise-\d+{REPEAT_NUMBER}\.json$"),
)
CSV_KINDS = (
    _daily("variability", FITBIT, "rmssd", "nremhr"),
    _daily("variability", GOOGLE, "average heart rate variability milliseconds"),
    _daily("respiration", FITBIT, "daily_respiratory_rate"),
    _daily("respiration", f"{FITBIT} nights", "full_sleep_breathing_rate"),
    _daily("respiration", GOOGLE, "breaths per minute"),
    _daily("oxygen", FITBIT, "average_value", "lower_bound", "upper_bound"),
    _daily("oxygen", GOOGLE, "average percentage"),
    Kind(
        stream="temperature",
        rows="daily",
        columns=("sleep_end", "nightly_temperature"),
        at="sleep_end",
        value="nightly_temperature",
        weight="temperature_samples",
    ),
    _daily("temperature", GOOGLE, "nightly temperature celsius"),
    Kind(
        stream="stress", rows="stress", columns=("date", "updated_at", "stress_score"), at="date", value="stress_score"
    ),
    _daily("readiness", FITBIT, "readiness_score_value", at="date"),
    _daily("readiness", GOOGLE, "score", name=r"^daily_readiness"),
    _daily("resting_heart_rate", GOOGLE, "beats per minute", name=r"^daily_resting_heart_rate"),
    Kind(stream="score", rows="score", columns=("sleep_log_entry_id", "timestamp", "overall_score")),
    Kind(stream="score", rows="session_score", of=GOOGLE, columns=("sleep_id", "score_time", "overall_score")),
    Kind(stream="night", rows="session", of=GOOGLE, columns=("sleep_id", "sleep_start", "sleep_end")),
    Kind(stream="night", rows="stage", of=GOOGLE, columns=("sleep_id", "sleep_stage_type", "sleep_stage_start")),
    Kind(stream="workout", rows="workout", of=GOOGLE, columns=("exercise_id", "exercise_start", "exercise_end")),
    Kind(
        stream="zone_minutes", rows="zone_day", columns=("date_time", "heart_zone_id", "total_minutes"), at="date_time"
    ),
    Kind(stream="zone_minutes", rows="zone", of=GOOGLE, columns=("timestamp", "heart rate zone", "total minutes")),
    Kind(
        stream="heart_rate",
        rows="pulse",
        of=GOOGLE,
        columns=("timestamp", "beats per minute"),
        name=r"^heart_rate" + MONTHLY,
    ),
    Kind(stream="steps", rows="sum", of=GOOGLE, columns=("timestamp", "steps"), value="steps", name="^steps" + MONTHLY),
    Kind(
        stream="distance",
        rows="sum",
        of=GOOGLE,
        columns=("timestamp", "distance"),
        value="distance",
        name="^distance" + MONTHLY,
    ),
    Kind(
        stream="energy",
        rows="sum",
        of=GOOGLE,
        columns=("timestamp", "calories"),
        value="calories",
        name="^calories" + MONTHLY,
    ),
)


def kind_of(file: File) -> Kind | None:
    """Return the kind of a file of a Fitbit export by its name and first bytes. Return None for any other file."""
    if ending(file.name) == "json":
        begins = file.head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"["
        return next((kind for kind in JSON_KINDS if begins and _named(kind, file.name)), None)
    if ending(file.name) not in ("csv", ""):
        return None
    line = file.head.decode("utf-8-sig", errors="replace").partition("\n")[0]
    columns = header(line)
    return next((kind for kind in CSV_KINDS if set(kind.columns) <= set(columns) and _named(kind, file.name)), None)


def header(line: str) -> list[str]:
    """Return the column names in the first line of a CSV file, in lower case, or [] if it cannot be parsed."""
    try:
        names: Collection[str] = next(csv.reader([line.strip("\r\n")]), [])
    except csv.Error:
        return []
    return [name.strip().casefold() for name in names]


def _named(kind: Kind, name: str) -> bool:
    return kind.name is None or re.search(kind.name, name, re.IGNORECASE) is not None
