"""The columns of the export's files, in their order, and what a row means."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from bridge.errors import BadRecord
from bridge.metrics import METRICS, Metric
from bridge.types import Episode, EpisodeKind, Item, RawRecord, Sample

_CYCLE = ("Cycle start time", "Cycle end time", "Cycle timezone")
_SLEEP = (
    "Sleep performance %",
    "Respiratory rate (rpm)",
    "Asleep duration (min)",
    "In bed duration (min)",
    "Light sleep duration (min)",
    "Deep (SWS) duration (min)",
    "REM duration (min)",
    "Awake duration (min)",
    "Sleep need (min)",
    "Sleep debt (min)",
    "Sleep efficiency %",
    "Sleep consistency %",
)


@dataclass(frozen=True, slots=True)
class Table:
    """One kind of file; ``stream`` None: known but not imported; ``key``: the column whose instant identifies a row."""

    stream: str | None
    key: str
    columns: tuple[str, ...]
    counts: frozenset[int]

    @property
    def by_name(self) -> dict[str, str]:
        return {column.casefold(): column for column in self.columns}

    @property
    def names(self) -> set[str]:
        return set(self.by_name)


TABLES = (
    Table(
        "export_cycle",
        "Cycle start time",
        (
            *_CYCLE,
            "Recovery score %",
            "Resting heart rate (bpm)",
            "Heart rate variability (ms)",
            "Skin temp (celsius)",
            "Blood oxygen %",
            "Day Strain",
            "Energy burned (cal)",
            "Max HR (bpm)",
            "Average HR (bpm)",
            "Sleep onset",
            "Wake onset",
            *_SLEEP,
        ),
        frozenset({26}),
    ),
    Table("export_sleep", "Sleep onset", (*_CYCLE, "Sleep onset", "Wake onset", *_SLEEP, "Nap"), frozenset({18})),
    Table(
        "export_workout",
        "Workout start time",
        (
            *_CYCLE,
            "Workout start time",
            "Workout end time",
            "Duration (min)",
            "Activity name",
            "Activity Strain",
            "Energy burned (cal)",
            "Max HR (bpm)",
            "Average HR (bpm)",
            "HR Zone 1 %",
            "HR Zone 2 %",
            "HR Zone 3 %",
            "HR Zone 4 %",
            "HR Zone 5 %",
            "GPS enabled",
            "Distance (meters)",
            "Altitude gain (meters)",
            "Altitude change (meters)",
        ),
        frozenset({17, 20}),
    ),
    Table(None, "Cycle start time", (*_CYCLE, "Question text", "Answered yes", "Notes"), frozenset({6})),
)

RECOVERY = {
    Metric.HRV_RMSSD: "Heart rate variability (ms)",
    Metric.RESTING_HR: "Resting heart rate (bpm)",
    Metric.RECOVERY_SCORE: "Recovery score %",
    Metric.SPO2: "Blood oxygen %",
    Metric.SKIN_TEMPERATURE: "Skin temp (celsius)",
}
DAY = {Metric.STRAIN: "Day Strain", Metric.TOTAL_ENERGY: "Energy burned (cal)"}  # "(cal)" is kcal, and total energy
NIGHT = {
    Metric.SLEEP_SCORE: "Sleep performance %",
    Metric.ASLEEP: "Asleep duration (min)",
    Metric.IN_BED: "In bed duration (min)",
    Metric.LIGHT_SLEEP: "Light sleep duration (min)",
    Metric.DEEP_SLEEP: "Deep (SWS) duration (min)",
    Metric.REM_SLEEP: "REM duration (min)",
    Metric.AWAKE: "Awake duration (min)",
    Metric.SLEEP_NEED: "Sleep need (min)",
    Metric.SLEEP_EFFICIENCY: "Sleep efficiency %",
    Metric.SLEEP_CONSISTENCY: "Sleep consistency %",
}
SESSION = {
    Metric.STRAIN: "Activity Strain",
    Metric.TOTAL_ENERGY: "Energy burned (cal)",
    Metric.HEART_RATE: "Average HR (bpm)",
    Metric.DISTANCE: "Distance (meters)",
}
YES, NO = {"true", "1", "verdadero", "wahr", "vrai"}, {"false", "0", "falso", "falsch", "faux", ""}
_ZONE = re.compile(r"UTC(Z|[+-]\d{2}:\d{2})")


def normalise_row(record: RawRecord) -> Sequence[Item]:
    """What a row of the export means. Raises BadRecord naming the column, never its value."""
    match record.stream:
        case "export_cycle":
            return list(_cycle(record))
        case "export_sleep":
            return list(_night(record))
        case "export_workout":
            return [_session(record)]
    raise BadRecord(f"whoop/{record.stream}: not a file of the export")


def _cycle(record: RawRecord) -> Iterator[Sample]:
    """The night's recovery, keyed by the date of waking, and the day's strain once the cycle has ended."""
    row, offset = record.payload, _offset(record.payload)
    if _has(row, "Sleep onset", "Wake onset"):
        start, end = _utc(row, "Sleep onset", offset), _utc(row, "Wake onset", offset)
        yield from _samples(record, _values(row, RECOVERY), start, end, offset, _day(end, offset))
    if _has(row, "Cycle end time"):
        start, end = _utc(row, "Cycle start time", offset), _utc(row, "Cycle end time", offset)
        yield from _samples(record, _values(row, DAY), start, end, offset, _day(start + (end - start) / 2, offset))
    elif not _has(row, "Cycle start time"):
        raise BadRecord("whoop/export_cycle: Cycle start time is missing")


def _night(record: RawRecord) -> Iterator[Item]:
    row, offset = record.payload, _offset(record.payload)
    start, end = _utc(row, "Sleep onset", offset), _utc(row, "Wake onset", offset)
    _ordered(start, end, "export_sleep")
    nap = _flag(row, "Nap")
    kind = EpisodeKind.NAP if nap else EpisodeKind.SLEEP
    values, day = _values(row, NIGHT), _day(end, offset)
    yield Episode(key=record.key, kind=kind, start=start, end=end, offset=offset, day=day, values=values)
    if not nap:
        breath = _values(row, {Metric.RESPIRATORY_RATE: "Respiratory rate (rpm)"})
        yield from _samples(record, breath, start, end, offset, day)


def _session(record: RawRecord) -> Episode:
    row, offset = record.payload, _offset(record.payload)
    start, end = _utc(row, "Workout start time", offset), _utc(row, "Workout end time", offset)
    _ordered(start, end, "export_workout")
    name = row.get("Activity name")
    return Episode(
        key=record.key,
        kind=EpisodeKind.WORKOUT,
        start=start,
        end=end,
        offset=offset,
        day=_day(start, offset),
        label=name if isinstance(name, str) else None,
        values=_values(row, SESSION),
    )


def _samples(
    record: RawRecord, values: Mapping[Metric, float], start: datetime, end: datetime, offset: int, day: date
) -> Iterator[Sample]:
    _ordered(start, end, record.stream)
    for metric, value in values.items():
        key = f"{record.key}/{metric}"
        yield Sample(key=key, metric=metric, start=start, end=end, offset=offset, day=day, value=value)


def _ordered(start: datetime, end: datetime, stream: str) -> None:
    if end < start:
        raise BadRecord(f"whoop/{stream}: ends before it starts")


def instant_key(row: Mapping[str, Any], column: str) -> str | None:
    """What identifies a row across exports: the UTC instant in its key column; None when that is unreadable."""
    try:
        return _utc(row, column, _offset(row)).isoformat()
    except BadRecord:
        return None


def _has(row: Mapping[str, Any], *columns: str) -> bool:
    return all(row.get(column) for column in columns)


def _offset(row: Mapping[str, Any]) -> int:
    text = row.get("Cycle timezone")
    found = _ZONE.fullmatch(text.strip()) if isinstance(text, str) else None
    if found is None:
        raise BadRecord("whoop/export: Cycle timezone is unreadable")
    if found[1] == "Z":
        return 0
    hours, minutes = int(found[1][1:3]), int(found[1][4:6])
    if hours > 14 or minutes > 59:
        raise BadRecord("whoop/export: Cycle timezone is unreadable")
    return (hours * 60 + minutes) * (-1 if found[1][0] == "-" else 1)


def _utc(row: Mapping[str, Any], column: str, offset: int) -> datetime:
    """A wall-clock text, read with the row's own offset."""
    text = row.get(column)
    try:
        if not isinstance(text, str):
            raise ValueError
        wall = datetime.strptime(text.strip(), "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
        if not 2000 <= wall.year < 2100:
            raise ValueError
    except ValueError:
        raise BadRecord(f"whoop/export: {column} is no time") from None
    return wall - timedelta(minutes=offset)


def _day(at: datetime, offset: int) -> date:
    return (at + timedelta(minutes=offset)).date()


def _values(row: Mapping[str, Any], columns: Mapping[Metric, str]) -> dict[Metric, float]:
    """The columns that hold a plausible number."""
    found = {metric: _number(row.get(column)) for metric, column in columns.items()}
    return {m: v for m, v in found.items() if v is not None and METRICS[m].low <= v <= METRICS[m].high}


def _number(text: Any) -> float | None:
    """A number, with the decimal comma that Excel may have put in."""
    try:
        return float(text.replace(",", ".")) if isinstance(text, str) else None
    except ValueError:
        return None


def _flag(row: Mapping[str, Any], column: str) -> bool:
    text = str(row.get(column) or "").strip().casefold()
    if text not in YES | NO:
        raise BadRecord(f"whoop/export: {column} is neither true nor false")
    return text in YES
