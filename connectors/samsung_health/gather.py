"""Gather the rows of a Samsung Health table into records by date.

Each row is kept under a name of its own, so that tables in any order agree.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from bridge.domain.metrics import METRICS, Metric
from bridge.domain.samples import finite
from bridge.domain.slots import ZoneHistory, zone_at
from bridge.domain.types import Page, RawRecord
from connectors.instants import YEARS, offset_in, time_zone, utc_of_unix
from connectors.payload import SPAN_MAX, Table, mapping

PAGE_RECORDS = 200
READINGS_MAX = 50_000  # of heart rate or stress that are held at once; a table has ten years of them
MINUTE = timedelta(minutes=1)
OFFSET = re.compile(r"UTC([+-])(\d\d):?(\d\d)")
STAGES = {"40001": "awake", "40002": "light", "40003": "deep", "40004": "rem"}
NIGHT_MIN = timedelta(minutes=30)  # a reading of blood oxygen in sleep; those that somebody took last less
ALL_DEVICES = "-2"  # the source type of a row in which Samsung Health has merged phone and watch
SLEEP_FIELDS = ("efficiency", "sleep_score", "total_rem_duration", "total_light_duration")
WORKOUT_COLUMNS = ("exercise_type", "calorie", "distance", "mean_heart_rate", "mean_speed", "altitude_gain")
UNREADABLE = "rows without a plausible time or value"
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
Row = Mapping[str, Any]


class Unreadable(Exception):
    """The error of a row without a readable time or value, which is counted and passed over."""


@dataclass(slots=True)
class Gathered:
    """The records of a file of Samsung Health, growing as rows are taken. ``zone`` is for empty ``zones``."""

    shape: tuple[str, str]  # stream, and the method by which its rows are taken
    zone: str
    zones: ZoneHistory = ()
    found: dict[str, dict[str, Any]] = field(default_factory=dict)  # key of a record -> payload
    ended: dict[str, tuple[datetime, int]] = field(default_factory=dict)  # sleep -> end of its last stage, offset
    stages: dict[str, dict[str, float]] = field(default_factory=dict)  # sleep -> minutes of its stages
    aside: int = 0
    held: int = 0  # readings in ``found``

    def take(self, row: Any) -> None:
        """Add a row to the record of its date. A row without a readable time or value is counted and left out."""
        try:
            getattr(self, f"_{self.shape[1]}")(mapping(row))
        except Unreadable:
            self.aside += 1

    def drained(self) -> Iterator[Page]:
        """Yield the records so far in pages, and forget them, if they hold 50,000 readings or more."""
        if self.held >= READINGS_MAX:
            yield from self._pages()

    def pages(self) -> Iterator[Page]:
        """Yield the records in pages, and last a page with the number of rows that were set aside, if any were.

        It is called after the last row was taken.
        """
        for sleep, (end, offset) in self.ended.items():
            self._of(_local(end, offset)).setdefault("stages", {})[sleep] = self.stages[sleep]
        yield from self._pages()
        stream = self.shape[0]
        if self.aside:
            yield Page(stream=stream, records=(), set_aside=Counter({(stream, UNREADABLE): self.aside}))

    def _pages(self) -> Iterator[Page]:
        stream = self.shape[0]
        records = [RawRecord(stream=stream, key=key, payload=told, adds=True) for key, told in self.found.items()]
        for first in range(0, len(records), PAGE_RECORDS):
            yield Page(stream=stream, records=tuple(records[first : first + PAGE_RECORDS]))
        self.found, self.held = {}, 0

    def _of(self, day: date) -> dict[str, Any]:
        noon = datetime.combine(day, time(12), UTC)
        return self.found.setdefault(str(day), {"zone": self._zone(noon)})

    def _zone(self, at: datetime) -> str:
        return zone_at(at, self.zones).key if self.zones else self.zone

    def _offset(self, row: Row, at: datetime) -> int:
        """Return the row's own minutes east of UTC, else those of the person's zone at the instant ``at``."""
        found = OFFSET.fullmatch(str(row.get("time_offset")).strip())
        if found:
            return (-1 if found[1] == "-" else 1) * (int(found[2]) * 60 + int(found[3]))
        zone = time_zone(self._zone(at))
        if zone is None:
            raise Unreadable
        return offset_in(zone, at)

    def _span(self, row: Row) -> tuple[datetime, datetime, int]:
        start, end = _time(row.get("start_time")), _time(row.get("end_time"))
        if not start <= end <= start + SPAN_MAX:
            raise Unreadable
        return start, end, self._offset(row, end)

    def _sleep(self, row: Row) -> None:
        start, end, offset = self._span(row)
        told = {"start": start.isoformat(), "end": end.isoformat(), "offset": offset, **_numbers(row, SLEEP_FIELDS)}
        self._of(_local(end, offset)).setdefault("sleeps", {})[_key(row)] = told

    def _stage(self, row: Row) -> None:
        start, end, offset = self._span(row)
        sleep, stage = row.get("sleep_id"), STAGES.get(str(row.get("stage")))
        if not isinstance(sleep, str) or stage is None:
            raise Unreadable
        minutes = self.stages.setdefault(sleep, {})
        minutes[stage] = minutes.get(stage, 0.0) + (end - start) / MINUTE
        self.ended[sleep] = max(self.ended.get(sleep, (end, offset)), (end, offset))

    def _trend(self, row: Row) -> None:
        self._count(row, "merged" if row.get("source_type") == ALL_DEVICES else "device", "count")

    def _summary(self, row: Row) -> None:
        self._count(row, "device", "step_count")

    def _count(self, row: Row, of: str, steps: str) -> None:
        told = {"steps": _number(row.get(steps)), **_numbers(row, ("distance",))}
        self._of(_day(row)).setdefault(of, {})[_key(row)] = told

    def _workout(self, row: Row) -> None:
        start, end, offset = self._span(row)
        told = {"start": start.isoformat(), "end": end.isoformat(), "offset": offset, **_numbers(row, WORKOUT_COLUMNS)}
        self._of(_local(start, offset)).setdefault("workouts", {})[_key(row)] = told

    def _rate(self, row: Row) -> None:
        self._row(row, "heart_rate", Metric.HEART_RATE)

    def _rate_bin(self, row: Row) -> None:
        self._bin(row, "heart_rate", Metric.HEART_RATE)

    def _stress(self, row: Row) -> None:
        self._row(row, "score", Metric.STRESS)

    def _stress_bin(self, row: Row) -> None:
        self._bin(row, "score", Metric.STRESS)

    def _row(self, row: Row, name: str, metric: Metric) -> None:
        self._reading("rows", _key(row), _time(row.get("start_time")), _number(row.get(name)), metric, row)

    def _bin(self, row: Row, name: str, metric: Metric) -> None:
        at = utc_of_unix(row.get("start_time"), per_second=1000)
        if at is None:
            raise Unreadable
        self._reading("bins", at.isoformat(), at, _number(row.get(name)), metric, row)

    def _reading(self, of: str, key: str, at: datetime, value: float, metric: Metric, row: Row) -> None:
        # Names differ by reading, because the JSON files of a day come singly.
        if not METRICS[metric].low <= value <= METRICS[metric].high:
            raise Unreadable
        self.held += 1
        self._of(at.date()).setdefault(of, {})[key] = [at.isoformat(), value, self._offset(row, at)]

    def _vitality(self, row: Row) -> None:
        values = {metric.value: _text_number(row.get(str(name))) for metric, name in VITALITY.items()}
        told = {name: value for name, value in values.items() if value is not None and value > 0}
        if told:
            self._of(_day(row)).update(told)

    def _respiration(self, row: Row) -> None:
        self._nightly(row, "average", timedelta(0))

    def _oxygen(self, row: Row) -> None:
        self._nightly(row, "spo2", NIGHT_MIN)

    def _temperature(self, row: Row) -> None:
        self._nightly(row, "temperature", timedelta(0))

    def _nightly(self, row: Row, name: str, least: timedelta) -> None:
        start, end, offset = self._span(row)
        value = _number(row.get(name))
        if end - start >= least and value > 0:
            told = [value, (end - start) / MINUTE]
            self._of(_local(end, offset)).setdefault("nights", {})[start.isoformat()] = told


def _time(text: Any) -> datetime:
    """Return the instant of a time such as ``2020-07-16 20:20:00.000``, or of milliseconds since 1970."""
    if isinstance(text, str) and text.isdecimal():
        at = utc_of_unix(int(text), per_second=1000)
    else:
        try:
            at = datetime.fromisoformat(str(text)).replace(tzinfo=UTC)
        except ValueError:
            raise Unreadable from None
    if at is None or at.year not in YEARS:
        raise Unreadable
    return at


def _day(row: Row) -> date:
    return _time(row.get("day_time")).date()


def _local(at: datetime, offset: int) -> date:
    return (at + timedelta(minutes=offset)).date()


def _key(row: Row) -> str:
    key = row.get("datauuid") or row.get("start_time")  # tables that were cut to some columns lack the first
    if not isinstance(key, str) or not key:
        raise Unreadable
    return key


def _numbers(row: Row, names: tuple[str, ...]) -> dict[str, float]:
    values = {name: _text_number(row.get(name)) for name in names}
    return {name: value for name, value in values.items() if value}


def _text_number(value: Any) -> float | None:
    try:
        return finite(float(value) if isinstance(value, str) else value)
    except ValueError:
        return None


def _number(value: Any) -> float:
    found = _text_number(value)
    if found is None:
        raise Unreadable
    return found
