"""Gather the rows of a file of a Fitbit export into records by date.

Sums are kept by quarters of an hour, because files begin at midnights of the account's clock.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

from bridge.domain.metrics import METRICS, Metric
from bridge.domain.samples import FINITE_MAX, finite
from bridge.domain.types import Page, RawRecord
from connectors.fitbit import ZONES
from connectors.fitbit.clock import QUARTER_MINUTES, Clock, Unreadable, american, dated, written
from connectors.fitbit.kinds import Kind
from connectors.instants import written_offset
from connectors.payload import SPAN_MAX, mapping, words

PAGE_RECORDS = 200
MILLISECONDS_MAX = 1e10  # far more than any workout lasts
AMERICAN_MINUTE, ISO_MINUTE = len("04/06/26 18:40"), len("2026-04-06T18:40")
LOG_FIELDS = (
    "startTime",
    "endTime",
    "duration",
    "minutesAsleep",
    "minutesAwake",
    "timeInBed",
    "efficiency",
    "type",
    "mainSleep",
)
STAGES = ("light", "deep", "rem")
SESSION_FIELDS = (
    "sleep_start",
    "sleep_end",
    "start_utc_offset",
    "end_utc_offset",
    "minutes_asleep",
    "minutes_awake",
    "minutes_in_sleep_period",
    "algorithm_version",
    "sleep_created",
)
EXERCISE_FIELDS = (
    "startTime",
    "duration",
    "activityName",
    "calories",
    "distance",
    "distanceUnit",
    "averageHeartRate",
    "steps",
    "elevationGain",
    "speed",
    "activeZoneMinutes",
)
WORKOUT_COLUMNS = (
    "exercise_start",
    "exercise_end",
    "utc_offset",
    "activity_name",
    "tracker_total_calories",
    "tracker_total_distance_mm",
    "tracker_avg_heart_rate",
    "tracker_total_steps",
    "tracker_total_altitude_mm",
    "tracker_avg_speed_mm_per_second",
    "manually_logged_total_calories",
    "manually_logged_total_distance_mm",
)
UNREADABLE = "rows without a plausible time or value"
BPM = METRICS[Metric.HEART_RATE]
Row = Mapping[str, Any]


@dataclass(slots=True)
class Gathered:
    """The records of a file of a Fitbit export (``found``: date -> payload), growing as rows are taken."""

    kind: Kind
    clock: Clock
    found: dict[str, dict[str, Any]] = field(default_factory=dict)  # key of a record -> payload
    aside: int = 0
    newest: datetime | None = None
    _quarters: dict[str, list[float]] = field(default_factory=dict)  # text of a minute -> readings of its quarter-hour

    def take(self, row: Any) -> None:
        """Add a row. A row without a readable time or value is counted and left out."""
        try:
            getattr(self, f"_{self.kind.rows}")(mapping(row))
        except Unreadable:
            self.aside += 1

    def pages(self) -> Iterator[Page]:
        """Yield the records in pages, and last a page with the number of rows that were set aside, if any were."""
        records = [
            RawRecord(stream=self.kind.stream, key=key, payload=payload, adds=True, as_of=self.newest)
            for key, payload in self.found.items()
        ]
        for first in range(0, len(records), PAGE_RECORDS):
            yield Page(stream=self.kind.stream, records=tuple(records[first : first + PAGE_RECORDS]))
        if self.aside:
            why = (self.kind.stream, UNREADABLE)
            yield Page(stream=self.kind.stream, records=(), set_aside=Counter({why: self.aside}))

    def _of(self, day: date, zone: str | None = None) -> dict[str, Any]:
        return self.found.setdefault(str(day), {"zone": zone or self.clock.of_date(day)})

    def _seen(self, at: datetime) -> None:
        self.newest = at if self.newest is None or at > self.newest else self.newest

    def _daily(self, row: Row) -> None:
        text = words(row.get(self.kind.at))
        value = _number(row.get(self.kind.value))
        weight = finite(_text_number(row.get(self.kind.weight))) if self.kind.weight else None
        day = dated(text)
        if value > 0:
            self._of(day).setdefault(self.kind.of, {})[str(text)] = [value, weight or 0.0]

    def _stress(self, row: Row) -> None:
        day = dated(row.get(self.kind.at))
        failed = str(row.get("calculation_failed", "")).strip().casefold() == "true"
        if failed or not str(row.get("status") or "READY").startswith("READY"):
            return
        self._daily({**row, self.kind.at: str(day)})

    def _resting(self, row: Row) -> None:
        at, value = american(row.get("dateTime")), _number(mapping(row.get("value")).get("value"))
        if value > 0:
            self._seen(at)
            self._of(at.date()).setdefault(self.kind.of, {})[str(at.date())] = [value, 0.0]

    def _minute(self, row: Row) -> None:
        self._add(american(row.get("dateTime")), _number(row.get("value")), "")

    def _centimetres(self, row: Row) -> None:
        self._add(american(row.get("dateTime")), _number(row.get("value")) / 100, "")

    def _sum(self, row: Row) -> None:
        source = words(row.get("data source")) or "?"
        self._add(written(row.get("timestamp")), _number(row.get(self.kind.value)), source)

    def _zone_day(self, row: Row) -> None:
        at = written(row.get("date_time"))
        self._put(at.date(), None, at, _number(row.get("total_minutes")), _zone_of(row.get("heart_zone_id")))

    def _zone(self, row: Row) -> None:
        self._add(
            written(row.get("timestamp")), _number(row.get("total minutes")), _zone_of(row.get("heart rate zone"))
        )

    def _add(self, at: datetime, value: float, source: str) -> None:
        day, zone = self.clock.place(at)
        self._put(day, zone, at, value, source)

    def _put(self, day: date, zone: str | None, at: datetime, value: float, source: str) -> None:
        self._seen(at)
        if value > 0:
            sums = self._of(day, zone).setdefault(self.kind.of, {}).setdefault(source, {})
            piece = f"{at.day:02}T{_quarter(at)}"
            sums[piece] = sums.get(piece, 0.0) + value

    def _beats(self, row: Row) -> None:
        self._beat(str(row.get("dateTime"))[:AMERICAN_MINUTE], mapping(row.get("value")).get("bpm"), american)

    def _pulse(self, row: Row) -> None:
        self._beat(str(row.get("timestamp"))[:ISO_MINUTE], row.get("beats per minute"), written)

    def _beat(self, minute: str, rate: Any, read: Callable[[str], datetime]) -> None:
        """Add a heart rate to its quarter of an hour, which is kept as [sum, count, lowest, highest]."""
        bpm = _number(rate)
        if not BPM.low <= bpm <= BPM.high:
            raise Unreadable
        quarter = self._quarters.get(minute)
        if quarter is None:
            quarter = self._quarters[minute] = self._quarter_of(read(minute), bpm)
        quarter[0] += bpm
        quarter[1] += 1
        if bpm < quarter[2]:
            quarter[2] = bpm
        elif bpm > quarter[3]:
            quarter[3] = bpm

    def _quarter_of(self, at: datetime, bpm: float) -> list[float]:
        self._seen(at)
        quarters = self._of(at.date(), self.clock.place(at)[1]).setdefault(self.kind.of, {})
        found: list[float] = quarters.setdefault(_quarter(at), [0.0, 0, bpm, bpm])
        return found

    def _log(self, row: Row) -> None:
        day, key = dated(row.get("dateOfSleep")), _key(row.get("logId"))
        start, end = written(row.get("startTime")), written(row.get("endTime"))
        _ordered(start, end)
        summary = mapping(mapping(row.get("levels")).get("summary"))
        minutes = {name: mapping(summary.get(name)).get("minutes") for name in STAGES}
        self._of(day).setdefault("logs", {})[key] = {**_kept(row, LOG_FIELDS), "stages": minutes}

    def _session(self, row: Row) -> None:
        start, end = session_walls(row)
        _ordered(start, end)
        self._of(end.date()).setdefault("sessions", {})[_key(row.get("sleep_id"))] = _kept(row, SESSION_FIELDS)

    def _stage(self, row: Row) -> None:
        start, end = written(row.get("sleep_stage_start")), written(row.get("sleep_stage_end"))
        sleep, stage = _key(row.get("sleep_id")), str(row.get("sleep_stage_type")).casefold()
        if not start <= end <= start + timedelta(days=1) or stage not in (*STAGES, "awake", "asleep", "restless"):
            raise Unreadable
        for day in {end.date(), (end + timedelta(minutes=_offset(row.get("end_utc_offset")))).date()}:
            minutes = self._of(day).setdefault("stages", {}).setdefault(sleep, {})
            minutes[stage] = minutes.get(stage, 0.0) + (end - start) / timedelta(minutes=1)

    def _score(self, row: Row) -> None:
        at, key = written(row.get("timestamp")), _key(row.get("sleep_log_entry_id"))
        if words(row.get("overall_score")) is not None:
            told = {"at": f"{at:%Y-%m-%dT%H:%M:%S}", "value": _number(row.get("overall_score"))}
            self._of(at.date()).setdefault("logs", {})[key] = told

    def _session_score(self, row: Row) -> None:
        wall, key, value = score_wall(row), _key(row.get("sleep_id")), _number(row.get("overall_score"))
        if value > 0:
            told = {"at": f"{wall:%Y-%m-%dT%H:%M:%S}", "value": value, "created": row.get("sleep_score_created")}
            self._of(wall.date()).setdefault("sessions", {})[key] = told

    def _exercise(self, row: Row) -> None:
        at, key = american(row.get("startTime")), _key(row.get("logId"))
        _ordered(at, at + timedelta(milliseconds=min(_number(row.get("duration")), MILLISECONDS_MAX)))
        self._seen(at)
        self._of(at.date(), self.clock.place(at)[1]).setdefault("logs", {})[key] = _kept(row, EXERCISE_FIELDS)

    def _workout(self, row: Row) -> None:
        start, end = written(row.get("exercise_start")), written(row.get("exercise_end"))
        _ordered(start, end)
        sessions = self._of(start.date(), self.clock.place(start)[1]).setdefault("sessions", {})
        sessions[_key(row.get("exercise_id"))] = _kept(row, WORKOUT_COLUMNS)


def session_walls(row: Row) -> tuple[datetime, datetime]:
    """Return the wall clock at the start and the end of Google's sleep session, marked as UTC.

    Rows without an algorithm's version hold it, rows with a version hold instants. Raises Unreadable.
    """
    instants = words(row.get("algorithm_version")) is not None
    east = [timedelta(minutes=_offset(row.get(f"{end}_utc_offset")) * instants) for end in ("start", "end")]
    return written(row.get("sleep_start")) + east[0], written(row.get("sleep_end")) + east[1]


def score_wall(row: Row) -> datetime:
    """Return the wall clock at the time of a sleep session's score, marked as UTC.

    The reading (instant or wall clock) nearer to the computation counts. Raises Unreadable for a bad time.
    """
    at, east = written(row.get("score_time")), timedelta(minutes=_offset(row.get("score_utc_offset")))
    made = written(row.get("sleep_score_created"))
    return at + east if abs(made - at) < abs(made - (at - east)) else at


def _zone_of(text: Any) -> str:
    found = "_".join(str(text).upper().split())
    if found not in ZONES:
        raise Unreadable
    return found


def _quarter(at: datetime) -> str:
    return f"{at.hour:02}:{at.minute // QUARTER_MINUTES * QUARTER_MINUTES:02}"


def _ordered(start: datetime, end: datetime) -> None:
    if not start <= end <= start + SPAN_MAX:
        raise Unreadable


def _offset(text: Any) -> int:
    return written_offset(text) or 0


def _kept(row: Row, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: row[name] for name in names if row.get(name) not in (None, "")}


def _key(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | str) or value == "":
        raise Unreadable
    return str(value)


def _text_number(value: Any) -> Any:
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return None


def _number(value: Any) -> float:
    found = value if type(value) is int else finite(_text_number(value))
    if found is None or not -FINITE_MAX < found < FINITE_MAX:
        raise Unreadable
    return found
