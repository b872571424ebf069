"""Define the columns of the files of WHOOP's export, in their order, and turn rows into samples and episodes."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bridge.domain.errors import BadRecord
from bridge.domain.metrics import Metric
from bridge.domain.types import Episode, EpisodeKind, Item, RawRecord, Sample
from connectors.instants import local_date
from connectors.noted import note_name
from connectors.payload import Fields
from connectors.stretches import Stretch

JOURNAL = "export_journal"


@dataclass(frozen=True, slots=True)
class Table:
    """A kind of file in WHOOP's export.

    ``key`` is the column with the instant that identifies a row. ``counts`` are the possible numbers of columns.
    """

    stream: str
    key: str
    columns: tuple[str, ...]
    counts: frozenset[int]

    @property
    def by_name(self) -> dict[str, str]:
        return {column.casefold(): column for column in self.columns}

    @property
    def names(self) -> set[str]:
        return set(self.by_name)


_TOLD = tomllib.loads(Path(__file__).with_name("columns.toml").read_text(encoding="utf-8"))
TABLES = tuple(
    Table(stream, told["key"], tuple(told["columns"]), frozenset(told["counts"]))
    for stream, told in _TOLD["tables"].items()
)
RECOVERY_COLUMNS, DAY_COLUMNS, NIGHT_COLUMNS, SESSION_COLUMNS = (
    {Metric(metric): column for metric, column in _TOLD[name].items()}
    for name in ("recovery", "day", "night", "session")
)
MOST_IN_BED = 1440.0  # minutes
YES, NO = {"true", "1", "verdadero", "wahr", "vrai"}, {"false", "0", "falso", "falsch", "faux", ""}
_ZONE = re.compile(r"UTC(Z|[+-]\d{2}:\d{2})")


def normalise_row(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:
    """Return the samples and episodes of a row. ``parent`` is the stored sleep of a cycle's row, or None.

    Raises BadRecord, which names the unreadable column.
    """
    match record.stream:
        case "export_cycle":
            return [*_cycle(record), *_own_night(record, parent)]
        case "export_sleep":
            return list(_night(record))
        case "export_workout":
            return [_session(record)]
        case "export_journal":
            return [_answer(record)]
    raise BadRecord(f"whoop/{record.stream}: the connector whoop knows no such file of the export")


def _cycle(record: RawRecord) -> Iterator[Sample]:
    row = record.payload
    if (slept := _slept(record)) is not None:
        yield from slept.samples(record.key, _values(row, RECOVERY_COLUMNS))
    if _has(row, "Cycle end time"):
        cycle = _stretch(record, "Cycle start time", "Cycle end time")
        middle = cycle.start + timedelta(minutes=cycle.minutes / 2)
        yield from replace(cycle, day=local_date(middle, cycle.offset)).samples(record.key, _values(row, DAY_COLUMNS))
    elif not _has(row, "Cycle start time"):
        raise BadRecord('whoop/export_cycle: the column "Cycle start time" is empty')
    elif slept is None and {*_values(row, RECOVERY_COLUMNS).values()} != {None}:
        raise BadRecord("whoop/export_cycle: a recovery has no sleep, so its night is not known")


def _own_night(record: RawRecord, parent: RawRecord | None) -> Iterator[Item]:
    if _slept(record) is not None and not _is_night(parent):
        yield from _night(record)


def _is_night(parent: RawRecord | None) -> bool:
    try:
        return parent is not None and bool(list(_night(parent)))
    except BadRecord:
        return False


def _slept(record: RawRecord) -> Stretch | None:
    """Return the time of a row's sleep. Without sleep times, it is the minutes in bed from the start of the cycle."""
    row = record.payload
    if _has(row, "Sleep onset", "Wake onset"):
        return _stretch(record, "Sleep onset", "Wake onset")
    in_bed = _number(row.get("In bed duration (min)"))
    if not in_bed or not _has(row, "Cycle start time"):
        return None
    offset = _offset(row)
    begun = _utc(row, "Cycle start time", offset)
    over = begun + timedelta(minutes=min(in_bed, MOST_IN_BED))
    return Stretch(start=begun, end=over, offset=offset, day=local_date(over, offset))


def _night(record: RawRecord) -> Iterator[Item]:
    night, row = _slept(record) or _stretch(record, "Sleep onset", "Wake onset"), record.payload
    nap = _flag(row, "Nap")
    yield night.episode(EpisodeKind.NAP if nap else EpisodeKind.SLEEP, record.key, _values(row, NIGHT_COLUMNS))
    if not nap:
        yield from night.samples(record.key, _values(row, {Metric.RESPIRATORY_RATE: "Respiratory rate (rpm)"}))


def _session(record: RawRecord) -> Episode:
    lasted, name = _stretch(record, "Workout start time", "Workout end time"), record.payload.get("Activity name")
    label = name if isinstance(name, str) else None
    return lasted.on_start().episode(
        EpisodeKind.WORKOUT, record.key, _values(record.payload, SESSION_COLUMNS), label=label
    )


def _answer(record: RawRecord) -> Sample:
    row, offset = record.payload, _offset(record.payload)
    at, name = _utc(row, "Cycle start time", offset), note_name(row.get("Question text"))
    if name is None:
        raise BadRecord('whoop/export_journal: the column "Question text" is empty or too long')
    value = float(_flag(row, "Answered yes"))
    return Sample(key=name, metric=Metric.NOTED, start=at, offset=offset, day=local_date(at, offset), value=value)


def _stretch(record: RawRecord, start: str, end: str) -> Stretch:
    offset = _offset(record.payload)
    begun, over = _utc(record.payload, start, offset), _utc(record.payload, end, offset)
    Fields.of("whoop", record).ordered(begun, over, longest=None)
    return Stretch(start=begun, end=over, offset=offset, day=local_date(over, offset))


def instant_key(row: Mapping[str, Any], column: str) -> str | None:
    """Return the UTC instant in a row's column, which identifies the row in every export. None if unreadable."""
    try:
        return _utc(row, column, _offset(row)).isoformat()
    except BadRecord:
        return None


def night_of(stream: str, row: Mapping[str, Any]) -> str | None:
    """Return the path ("export_sleep/KEY") of the sleep of a cycle's row. None for other streams, or if unreadable."""
    column = "Sleep onset" if _has(row, "Sleep onset") else "Cycle start time"
    onset = instant_key(row, column) if stream == "export_cycle" else None
    return onset and f"export_sleep/{onset}"


def _has(row: Mapping[str, Any], *columns: str) -> bool:
    return all(row.get(column) for column in columns)


def _offset(row: Mapping[str, Any]) -> int:
    text = row.get("Cycle timezone")
    found = _ZONE.fullmatch(text.strip()) if isinstance(text, str) else None
    if found is None:
        raise BadRecord('whoop/export: the column "Cycle timezone" holds no offset like UTC+02:00')
    if found[1] == "Z":
        return 0
    hours, minutes = int(found[1][1:3]), int(found[1][4:6])
    if hours > 14 or minutes > 59:
        raise BadRecord('whoop/export: the column "Cycle timezone" holds no offset like UTC+02:00')
    return (hours * 60 + minutes) * (-1 if found[1][0] == "-" else 1)


def _utc(row: Mapping[str, Any], column: str, offset: int) -> datetime:
    text = row.get(column)
    try:
        if not isinstance(text, str):
            raise ValueError
        wall = datetime.strptime(text.strip(), "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
        if not 2000 <= wall.year < 2100:
            raise ValueError
    except ValueError:
        raise BadRecord(f'whoop/export: the column "{column}" holds no time like 2026-11-20 10:05:00') from None
    return wall - timedelta(minutes=offset)


def _values(row: Mapping[str, Any], columns: Mapping[Metric, str]) -> dict[Metric, float | None]:
    return {metric: _number(row.get(column)) for metric, column in columns.items()}


def _number(text: Any) -> float | None:
    try:
        return float(text.replace(",", ".")) if isinstance(text, str) else None
    except ValueError:
        return None


def _flag(row: Mapping[str, Any], column: str) -> bool:
    text = str(row.get(column) or "").strip().casefold()
    if text not in YES | NO:
        raise BadRecord(f'whoop/export: the column "{column}" is neither true nor false')
    return text in YES
