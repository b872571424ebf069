"""Read the files of a Fitbit export row by row, and gather the rows into records by date.

Sums are kept by quarter-hour, because a file's first and last minute are midnights of the account's local time.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from bridge.domain.metrics import METRICS, Metric
from bridge.domain.ports import File
from bridge.domain.slots import ZoneHistory
from bridge.domain.types import Page
from bridge.ingest.files import ending
from bridge.ingest.json_stream import ReadablePart, json_list
from connectors.fitbit import ZONES
from connectors.fitbit.kinds import Kind, header, kind_of
from connectors.gathering import Clock, Gathering, Payload
from connectors.instants import MINUTE, utc_of_naive, written_offset
from connectors.payload import Fields, mapping, words

QUARTER_MINUTES = 15
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
BPM = METRICS[Metric.HEART_RATE]
FIELD_MAX_CHARACTERS = 1_000_000  # of a cell; the events of a workout have thousands


@dataclass(slots=True)
class Gathered:
    """The records that the rows of a Fitbit file form. They are kept in ``into``."""

    kind: Kind
    into: Gathering
    newest: datetime | None = None
    _quarters: dict[str, list[float]] = field(default_factory=dict)  # text of a minute -> readings of its quarter-hour

    def take(self, row: Any) -> None:
        self.into.take(self.kind.stream, getattr(self, f"_{self.kind.rows}"), row)

    def pages(self) -> Iterator[Page]:
        """Yield the records in pages. If rows were left out, a last page states their number."""
        yield from self.into.pages(as_of=self.newest)
        yield from self.into.unreadable()

    def _of(self, day: date, zone: str | None = None) -> Payload:
        return self.into.dated(self.kind.stream, day, zone)

    def _zone_at(self, at: datetime) -> str:
        return self.into.clock.place(at.timestamp()).zone

    def _seen(self, at: datetime) -> None:
        self.newest = at if self.newest is None or at > self.newest else self.newest

    def _daily(self, row: Fields) -> None:
        value, day = row.needed(self.kind.value, written=True), row.date_in(self.kind.at)
        weight = row.cell(self.kind.weight) if self.kind.weight else None
        if value > 0:
            told = str(day) if self.kind.rows == "stress" else str(row.get(self.kind.at))
            self._of(day).setdefault(self.kind.of, {})[told] = [value, weight or 0.0]

    def _stress(self, row: Fields) -> None:
        row.date_in(self.kind.at)
        failed = str(row.get("calculation_failed") or "").strip().casefold() == "true"
        if not failed and str(row.get("status") or "READY").startswith("READY"):
            self._daily(row)

    def _resting(self, row: Fields) -> None:
        at, value = american_time(row, "dateTime"), row.needed("value.value", written=True)
        if value > 0:
            self._seen(at)
            whole = row.get("value.value")
            told = whole if type(whole) is int else value
            self._of(at.date()).setdefault(self.kind.of, {})[str(at.date())] = [told, 0.0]

    def _minute(self, row: Fields) -> None:
        self._add(american_time(row, "dateTime"), row.needed("value", written=True), "")

    def _centimetres(self, row: Fields) -> None:
        self._add(american_time(row, "dateTime"), row.needed("value", written=True) / 100, "")

    def _sum(self, row: Fields) -> None:
        source = words(row.get("data source")) or "?"
        self._add(row.wall("timestamp"), row.needed(self.kind.value, written=True), source)

    def _zone_day(self, row: Fields) -> None:
        at = row.wall("date_time")
        minutes = row.needed("total_minutes", written=True)
        self._put((at.date(), None), at, minutes, _zone_of(row, "heart_zone_id"))

    def _zone(self, row: Fields) -> None:
        minutes = row.needed("total minutes", written=True)
        self._add(row.wall("timestamp"), minutes, _zone_of(row, "heart rate zone"))

    def _add(self, at: datetime, value: float, source: str) -> None:
        place = self.into.clock.place(at.timestamp())
        self._put((place.day, place.zone), at, value, source)

    def _put(self, where: tuple[date, str | None], at: datetime, value: float, source: str) -> None:
        self._seen(at)
        if value > 0:
            sums = self._of(*where).setdefault(self.kind.of, {}).setdefault(source, {})
            piece = f"{at.day:02}T{_quarter(at)}"
            sums[piece] = sums.get(piece, 0.0) + value

    def _beats(self, row: Fields) -> None:
        rate = mapping(row.payload.get("value")).get("bpm")
        self._beat(
            row,
            str(row.payload.get("dateTime"))[:AMERICAN_MINUTE],
            rate if type(rate) is int else row.cell("value.bpm"),
            american,
        )

    def _pulse(self, row: Fields) -> None:
        self._beat(row, str(row.payload.get("timestamp"))[:ISO_MINUTE], row.cell("beats per minute"), utc_of_naive)

    def _beat(self, row: Fields, minute: str, rate: Any, read: Callable[[str], datetime | None]) -> None:
        bpm: float = rate if type(rate) is int else row.figures([rate], 1)[0]  # a whole number stays whole
        if not BPM.low <= bpm <= BPM.high:
            raise row.bad("its heart rate is impossible")
        quarter = self._quarters.get(minute)
        if quarter is None:
            at = read(minute)
            if at is None:
                raise row.bad("its time is unreadable")
            quarter = self._quarters[minute] = self._quarter_of(at, bpm)
        quarter[0] += bpm
        quarter[1] += 1
        if bpm < quarter[2]:
            quarter[2] = bpm
        elif bpm > quarter[3]:
            quarter[3] = bpm

    def _quarter_of(self, at: datetime, bpm: float) -> list[float]:
        self._seen(at)
        quarters = self._of(at.date(), self._zone_at(at)).setdefault(self.kind.of, {})
        found: list[float] = quarters.setdefault(_quarter(at), [0.0, 0, bpm, bpm])
        return found

    def _log(self, row: Fields) -> None:
        day, key = row.date_in("dateOfSleep"), row.key("logId")
        row.ordered(row.wall("startTime"), row.wall("endTime"))
        minutes = {name: row.get(f"levels.summary.{name}.minutes") for name in STAGES}
        self._of(day).setdefault("logs", {})[key] = {**_kept(row, LOG_FIELDS), "stages": minutes}

    def _session(self, row: Fields) -> None:
        start, end = session_walls(row)
        row.ordered(start, end)
        self._of(end.date()).setdefault("sessions", {})[row.key("sleep_id")] = _kept(row, SESSION_FIELDS)

    def _stage(self, row: Fields) -> None:
        start, end = row.wall("sleep_stage_start"), row.wall("sleep_stage_end")
        row.ordered(start, end, timedelta(days=1))
        sleep, stage = row.key("sleep_id"), str(row.get("sleep_stage_type")).casefold()
        if stage not in (*STAGES, "awake", "asleep", "restless"):
            raise row.bad("sleep_stage_type is unknown")
        for day in {end.date(), (end + _east(row, "end_utc_offset")).date()}:
            minutes = self._of(day).setdefault("stages", {}).setdefault(sleep, {})
            minutes[stage] = minutes.get(stage, 0.0) + (end - start) / MINUTE

    def _score(self, row: Fields) -> None:
        at, key = row.wall("timestamp"), row.key("sleep_log_entry_id")
        if words(row.get("overall_score")) is not None:
            told = {"at": f"{at:%Y-%m-%dT%H:%M:%S}", "value": row.needed("overall_score", written=True)}
            self._of(at.date()).setdefault("logs", {})[key] = told

    def _session_score(self, row: Fields) -> None:
        wall, key, value = score_wall(row), row.key("sleep_id"), row.needed("overall_score", written=True)
        if value > 0:
            told = {"at": f"{wall:%Y-%m-%dT%H:%M:%S}", "value": value, "created": row.get("sleep_score_created")}
            self._of(wall.date()).setdefault("sessions", {})[key] = told

    def _exercise(self, row: Fields) -> None:
        at, key = american_time(row, "startTime"), row.key("logId")
        lasted = min(row.needed("duration", written=True), MILLISECONDS_MAX)
        row.ordered(at, at + timedelta(milliseconds=lasted))
        self._seen(at)
        self._of(at.date(), self._zone_at(at)).setdefault("logs", {})[key] = _kept(row, EXERCISE_FIELDS)

    def _workout(self, row: Fields) -> None:
        start, key = row.wall("exercise_start"), row.key("exercise_id")
        row.ordered(start, row.wall("exercise_end"))
        self._of(start.date(), self._zone_at(start)).setdefault("sessions", {})[key] = _kept(row, WORKOUT_COLUMNS)


def session_walls(row: Fields) -> tuple[datetime, datetime]:
    """Return the local time at the start and the end of Google's sleep session, marked as UTC.

    Rows without an algorithm's version state local times, others instants. Raises BadRecord for an unreadable field.
    """
    instants = words(row.get("algorithm_version")) is not None
    east = [_east(row, f"{end}_utc_offset") * instants for end in ("start", "end")]
    return row.wall("sleep_start") + east[0], row.wall("sleep_end") + east[1]


def score_wall(row: Fields) -> datetime:
    """Return the local time of a sleep session's score, marked as UTC. Raises BadRecord for an unreadable field.

    The field may be an instant or a local time. The reading that lies nearer to the time of computation is used.
    """
    at, east, made = row.wall("score_time"), _east(row, "score_utc_offset"), row.wall("sleep_score_created")
    return at + east if abs(made - at) < abs(made - (at - east)) else at


def _east(row: Fields, path: str) -> timedelta:
    return timedelta(minutes=written_offset(row.get(path)) or 0)


def _zone_of(row: Fields, path: str) -> str:
    found = "_".join(str(row.get(path)).upper().split())
    if found not in ZONES:
        raise row.bad(f"{path} is unknown")
    return found


def _quarter(at: datetime) -> str:
    return f"{at.hour:02}:{at.minute // QUARTER_MINUTES * QUARTER_MINUTES:02}"


def _kept(row: Fields, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: row.payload[name] for name in names if row.payload.get(name) not in (None, "")}


def american(text: str) -> datetime | None:
    """Return the UTC instant of a text like ``MM/DD/YY HH:MM:SS``, or None. Seconds and minutes may be missing."""
    try:
        month, day, year = int(text[0:2]), int(text[3:5]), int(text[6:8])
        hour, minute, second = int(text[9:11] or 0), int(text[12:14] or 0), int(text[15:17] or 0)
        return datetime(2000 + year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return None


def american_time(row: Fields, path: str) -> datetime:
    """Return the UTC instant of a time in a field, written like ``MM/DD/YY HH:MM:SS``. Raises BadRecord otherwise."""
    at = american(str(row.get(path)))
    if at is None:
        raise row.bad(f"{path} is not a time")
    return at


def at_wall(wall: datetime, zone: ZoneInfo, *, later: bool = False) -> datetime:
    """Return the instant at which a zone's clocks show ``wall``, which is marked as UTC.

    A local time that occurs twice is the first of the two, or with ``later`` the second.
    """
    return wall.replace(tzinfo=zone, fold=int(later)).astimezone(UTC)


def recognise(file: File) -> bool:
    """Return True if a file's name and first bytes are those of a used file of a Fitbit export."""
    return kind_of(file) is not None


def read(file: File, *, zone: str, zones: ZoneHistory = ()) -> Iterator[Page]:
    """Yield a file's records in pages. ``zones`` are the zones that the person lived in, or ``zone`` if it is empty.

    Raises SourceChanged for too large a file, and after the readable part of a damaged file.
    """
    kind = kind_of(file)
    if kind is None:
        return
    rows = json_list(file) if ending(file.name) == "json" else _csv_rows(file)
    readable = ReadablePart(file, rows, again="Download the export again")
    gathered = Gathered(kind, Gathering(Clock(zone, zones)))
    for row in readable:
        gathered.take(row)
    yield from gathered.pages()
    readable.raise_damage()


def _csv_rows(file: File) -> Iterator[dict[str, str]]:
    csv.field_size_limit(FIELD_MAX_CHARACTERS)
    with file.open() as content, io.TextIOWrapper(content, "utf-8-sig", errors="replace", newline="") as text:
        columns = header(text.readline(FIELD_MAX_CHARACTERS))
        for cells in csv.reader(text):
            if any(cells):
                yield dict(zip(columns, cells, strict=False))
