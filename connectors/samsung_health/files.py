"""Read a table or JSON file of Samsung Health's download, and gather the rows into records by date.

A table's first line names its kind and its second the columns, and each row ends with a needless comma. Each row is
stored under its own name, so the order of tables does not matter.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from bridge.domain.metrics import METRICS, Metric
from bridge.domain.ports import File
from bridge.domain.slots import ZoneHistory
from bridge.domain.types import Page
from bridge.ingest.files import ending
from bridge.ingest.json_stream import ReadablePart, json_list
from connectors.gathering import Clock, Gathering, Payload
from connectors.instants import MINUTE, local_date, utc_of_naive, utc_of_unix
from connectors.payload import Fields, Table

READINGS_MAX = 50_000  # of heart rate or stress that are held at once; a table has ten years of them
OFFSET = re.compile(r"UTC([+-])(\d\d):?(\d\d)")
STAGES = {"40001": "awake", "40002": "light", "40003": "deep", "40004": "rem"}
NIGHT_MIN = timedelta(minutes=30)  # a reading of blood oxygen in sleep; those that somebody took last less
ALL_DEVICES = "-2"  # the source type of a row in which Samsung Health has merged phone and watch
SLEEP_FIELDS = ("efficiency", "sleep_score", "total_rem_duration", "total_light_duration")
WORKOUT_COLUMNS = ("exercise_type", "calorie", "distance", "mean_heart_rate", "mean_speed", "altitude_gain")
TABLE_STREAMS = {  # kind -> (stream, how its rows are taken)
    "com.samsung.shealth.sleep": ("night", "sleep"),
    "com.samsung.health.sleep": ("night", "sleep"),
    "com.samsung.health.sleep_stage": ("night", "stage"),
    "com.samsung.shealth.step_daily_trend": ("day", "trend"),
    "com.samsung.shealth.tracker.pedometer_day_summary": ("day", "summary"),
    "com.samsung.shealth.exercise": ("workout", "workout"),
    "com.samsung.health.exercise": ("workout", "workout"),
    "com.samsung.shealth.tracker.heart_rate": ("heart_rate", "rate"),
    "com.samsung.health.heart_rate": ("heart_rate", "rate"),
    "com.samsung.shealth.stress": ("stress", "stress"),
    "com.samsung.shealth.vitality_score": ("energy_score", "vitality"),
    "com.samsung.health.respiratory_rate": ("respiration", "respiration"),
    "com.samsung.shealth.tracker.oxygen_saturation": ("oxygen", "oxygen"),
    "com.samsung.health.skin_temperature": ("temperature", "temperature"),
}
BINS = {  # kind -> (stream, how the measurements in its JSON files are taken, the field by which they are known)
    "com.samsung.shealth.tracker.heart_rate": ("heart_rate", "rate_bin", "heart_rate"),
    "com.samsung.shealth.stress": ("stress", "stress_bin", "score"),
}
VITALITY: Table = {
    Metric.HRV_RMSSD: "shrv_value",
    Metric.RESTING_HR: "shr_value",
    Metric.RECOVERY_SCORE: "total_score",
}
LINE_MAX_CHARACTERS = 1 << 16
KIND = re.compile(r"\ufeff?(com\.samsung\.s?health\.[\w.]+),\d+")
NAMED = re.compile(r"(com\.samsung\.s?health\.[a-z_.]*[a-z_])(\.\d+)?\.csv$")  # for a table without its first line
NEEDED = re.compile(r"(^|[,.])(start_time|day_time)\b")
BESIDE = re.compile(r"\.binning_data( ?\(\d+\))?\.json$")  # the name of a JSON file, below the folder of its kind


class Span(NamedTuple):
    """The time of a row, with the minutes east of UTC at its end."""

    start: datetime
    end: datetime
    offset: int

    def told(self) -> Payload:
        """Return the time in the form stored in a record."""
        return {"start": self.start.isoformat(), "end": self.end.isoformat(), "offset": self.offset}


@dataclass(slots=True)
class Gathered:
    """The records that the rows of a Samsung Health file form. They are kept in ``into``."""

    shape: tuple[str, str]  # stream, and the method by which its rows are taken
    into: Gathering
    ended: dict[str, tuple[datetime, int]] = field(default_factory=dict)  # sleep -> end of its last stage, offset
    stages: dict[str, dict[str, float]] = field(default_factory=dict)  # sleep -> minutes of its stages
    held: int = 0  # readings in records

    def take(self, row: Any) -> None:
        self.into.take(self.shape[0], getattr(self, f"_{self.shape[1]}"), row)

    def drained(self) -> Iterator[Page]:
        """Yield the records in pages and forget them, if they hold many readings. Otherwise yield nothing."""
        if self.held >= READINGS_MAX:
            self.held = 0
            yield from self.into.pages()

    def pages(self) -> Iterator[Page]:
        """Yield the remaining records in pages, and a page that counts unreadable rows. Called once, at the end."""
        for sleep, (end, offset) in self.ended.items():
            self._of(local_date(end, offset)).setdefault("stages", {})[sleep] = self.stages[sleep]
        yield from self.into.pages()
        yield from self.into.unreadable()

    def _of(self, day: date) -> Payload:
        return self.into.dated(self.shape[0], day)

    def _offset(self, row: Fields, at: datetime) -> int:
        found = OFFSET.fullmatch(str(row.get("time_offset")).strip())
        if found:
            return (-1 if found[1] == "-" else 1) * (int(found[2]) * 60 + int(found[3]))
        return self.into.clock.place(at.timestamp()).offset

    def _span(self, row: Fields) -> Span:
        start, end = _time(row, "start_time"), _time(row, "end_time")
        row.ordered(start, end)
        return Span(start, end, self._offset(row, end))

    def _sleep(self, row: Fields) -> None:
        span = self._span(row)
        told = span.told() | _numbers(row, SLEEP_FIELDS)
        self._of(local_date(span.end, span.offset)).setdefault("sleeps", {})[_key(row)] = told

    def _stage(self, row: Fields) -> None:
        start, end, offset = self._span(row)
        sleep, stage = row.get("sleep_id"), STAGES.get(str(row.get("stage")))
        if not isinstance(sleep, str) or stage is None:
            raise row.bad("sleep_id or stage is unknown")
        minutes = self.stages.setdefault(sleep, {})
        minutes[stage] = minutes.get(stage, 0.0) + (end - start) / MINUTE
        self.ended[sleep] = max(self.ended.get(sleep, (end, offset)), (end, offset))

    def _trend(self, row: Fields) -> None:
        self._count(row, "merged" if row.get("source_type") == ALL_DEVICES else "device", "count")

    def _summary(self, row: Fields) -> None:
        self._count(row, "device", "step_count")

    def _count(self, row: Fields, of: str, steps: str) -> None:
        told = {"steps": row.needed(steps, written=True), **_numbers(row, ("distance",))}
        self._of(_time(row, "day_time").date()).setdefault(of, {})[_key(row)] = told

    def _workout(self, row: Fields) -> None:
        span = self._span(row)
        told = span.told() | _numbers(row, WORKOUT_COLUMNS)
        self._of(local_date(span.start, span.offset)).setdefault("workouts", {})[_key(row)] = told

    def _rate(self, row: Fields) -> None:
        self._row(row, "heart_rate", Metric.HEART_RATE)

    def _rate_bin(self, row: Fields) -> None:
        self._bin(row, "heart_rate", Metric.HEART_RATE)

    def _stress(self, row: Fields) -> None:
        self._row(row, "score", Metric.STRESS)

    def _stress_bin(self, row: Fields) -> None:
        self._bin(row, "score", Metric.STRESS)

    def _row(self, row: Fields, name: str, metric: Metric) -> None:
        key, at = _key(row), _time(row, "start_time")
        self._of(at.date()).setdefault("rows", {})[key] = self._reading(row, at, name, metric)

    def _bin(self, row: Fields, name: str, metric: Metric) -> None:
        # Named by their time, because the JSON files of a day come singly.
        at = row.unix("start_time", per_second=1000)
        self._of(at.date()).setdefault("bins", {})[at.isoformat()] = self._reading(row, at, name, metric)

    def _reading(self, row: Fields, at: datetime, name: str, metric: Metric) -> list[Any]:
        value = row.needed(name, written=True)
        if not METRICS[metric].low <= value <= METRICS[metric].high:
            raise row.bad(f"{name} is impossible")
        self.held += 1
        return [at.isoformat(), value, self._offset(row, at)]

    def _vitality(self, row: Fields) -> None:
        values = {metric.value: row.cell(str(name)) for metric, name in VITALITY.items()}
        told = {name: value for name, value in values.items() if value is not None and value > 0}
        if told:
            self._of(_time(row, "day_time").date()).update(told)

    def _respiration(self, row: Fields) -> None:
        self._nightly(row, "average", timedelta(0))

    def _oxygen(self, row: Fields) -> None:
        self._nightly(row, "spo2", NIGHT_MIN)

    def _temperature(self, row: Fields) -> None:
        self._nightly(row, "temperature", timedelta(0))

    def _nightly(self, row: Fields, name: str, least: timedelta) -> None:
        start, end, offset = self._span(row)
        value = row.needed(name, written=True)
        if end - start >= least and value > 0:
            told = [value, (end - start) / MINUTE]
            self._of(local_date(end, offset)).setdefault("nights", {})[start.isoformat()] = told


def _time(row: Fields, path: str) -> datetime:
    text = row.get(path)
    at = utc_of_unix(int(text), per_second=1000) if isinstance(text, str) and text.isdecimal() else utc_of_naive(text)
    if at is None:
        raise row.bad(f"{path} is not a time")
    return at


def _key(row: Fields) -> str:
    key = row.get("datauuid") or row.get("start_time")  # tables that were cut to some columns lack the first
    if not isinstance(key, str) or not key:
        raise row.bad("datauuid is missing")
    return key


def _numbers(row: Fields, names: tuple[str, ...]) -> dict[str, float]:
    return {name: value for name in names if (value := row.cell(name))}


def recognise(file: File) -> bool:
    """Return True for a table of Samsung Health of a used kind, and for a JSON file of the download."""
    return kind_of(file) is not None


def kind_of(file: File) -> str | None:
    """Return the kind of a file of Samsung Health, such as ``com.samsung.shealth.sleep``. None for other files."""
    if ending(file.name) == "json":
        listed = file.head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"[" and b'"start_time"' in file.head
        told = BESIDE.search(file.name) is not None and listed
        return next((kind for kind, (_, _, value) in BINS.items() if told and f'"{value}"'.encode() in file.head), None)
    text = file.head.decode("utf-8", errors="replace")
    begins = KIND.match(text) or (NAMED.match(file.name) if NEEDED.search(text.partition("\n")[0]) else None)
    return begins[1] if begins and begins[1] in TABLE_STREAMS else None


def read(file: File, *, zone: str, zones: ZoneHistory = ()) -> Iterator[Page]:
    """Yield a file's records in pages. ``zones`` are the zones that the person lived in, or ``zone`` if it is empty.

    The zones are for rows without an offset. Raises SourceChanged for too large a file, and after the readable part of
    a damaged file.
    """
    kind = kind_of(file)
    if kind is None:
        return
    beside = ending(file.name) == "json"
    gathered = Gathered(BINS[kind][:2] if beside else TABLE_STREAMS[kind], Gathering(Clock(zone, zones)))
    readable = ReadablePart(file, json_list(file) if beside else _rows(file), again="Download the data again")
    for row in readable:
        gathered.take(row)
        yield from gathered.drained()
    yield from gathered.pages()
    readable.raise_damage()


def _rows(file: File) -> Iterator[dict[str, str]]:
    with file.open() as content, io.TextIOWrapper(content, "utf-8-sig", errors="replace", newline="") as text:
        line = text.readline(LINE_MAX_CHARACTERS)
        if KIND.match(line):
            line = text.readline(LINE_MAX_CHARACTERS)
        header = next(csv.reader([line.strip("\r\n")]), [])
        columns = [name.strip().rpartition(".")[2] for name in header]
        for cells in csv.reader(text):
            told = {name: cell for name, cell in zip(columns, cells, strict=False) if name and cell}
            if told:
                yield told
