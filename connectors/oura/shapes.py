"""Recognise rows of Oura by their fields, and write each as a piece of its day's or night's record."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from bridge.domain.samples import finite
from bridge.domain.types import RawRecord
from connectors.instants import offset_in, time_zone, utc, utc_of_naive
from connectors.oura import DAILY, NIGHT, SLEEP
from connectors.payload import mapping, words

TRENDS = "trends"  # the table of *Trends*, whose values count where no other row of the day or night has them
LONG_SLEEP_SECONDS = 3 * 3600  # Oura calls a sleep of three hours or more long (API v2, "PublicSleepType")
TAG = "enhanced_tag"  # only from files, and only once it is switched on
TAGS_LEFT = "tags are private, and left unread until BRIDGE_OURA_TAGS=yes"
UNCONFIRMED = "rests that Oura did not confirm as sleep"
# stream, fields that only its rows have, how sure they make; the first that fits counts
SHAPES: tuple[tuple[str, frozenset[str], float], ...] = (
    (TAG, frozenset({"tag_type_code", "start_time", "start_day"}), 1.0),
    ("heartrate", frozenset({"bpm", "timestamp", "source"}), 0.6),
    ("sleep", frozenset({"bedtime_start", "bedtime_end", "total_sleep_duration"}), 1.0),
    ("sleep", frozenset({"bedtime_start", "bedtime_end", "rmssd"}), 1.0),  # API v1
    ("daily_spo2", frozenset({"day", "spo2_percentage"}), 0.9),
    ("daily_stress", frozenset({"day", "stress_high"}), 0.9),
    ("daily_activity", frozenset({"day", "steps", "active_calories"}), 0.9),
    ("daily_activity", frozenset({"summary_date", "steps", "cal_active"}), 0.9),  # API v1
    ("daily_readiness", frozenset({"day", "score", "temperature_deviation"}), 0.9),
    ("workout", frozenset({"start_datetime", "end_datetime", "activity", "intensity"}), 0.8),
    ("session", frozenset({"start_datetime", "end_datetime", "type", "day"}), 0.6),
    ("daily_sleep", frozenset({"day", "score", "contributors", "timestamp"}), 0.9),
)
_TOLD = tomllib.loads(Path(__file__).with_name("shapes.toml").read_text(encoding="utf-8"))
OLDER_NAMES: Mapping[str, str] = _TOLD["older"]  # API v1 -> v2
TRENDS_NAMES = {  # column of *Trends* -> stream and name in the API
    column: (stream, name)
    for stream, names in _TOLD["trends"].items()
    for name, some in names.items()
    for column in some
}
TRENDS_MORE, COMMON = (frozenset(_TOLD["columns"][name]) for name in ("more", "common"))  # others; other vendors' too
EARLIER_KEYS = ("id", "bedtime_start", "start_datetime", "day", "date")  # by which earlier releases named rows
KEPT = {"sleep": {"bedtime_start", "bedtime_end", *SLEEP.values(), *NIGHT.values()}} | {
    stream: {"timestamp", *table.values()} for stream, table in DAILY.items()
}


def stream_of(fields: Collection[str]) -> str | None:
    """Return the stream of a row with these fields, "trends" for rows of *Trends*. None if they are not Oura's."""
    return next((stream for stream, _ in _fitting(fields)), None)


def sureness(fields: Collection[str]) -> float:
    """Return how surely a row with these fields is Oura's, from 0 to 1."""
    return next((sure for _, sure in _fitting(fields)), 0.0)


def _fitting(fields: Collection[str]) -> Iterator[tuple[str, float]]:
    names = set(fields)
    yield from ((stream, sure) for stream, needed, sure in SHAPES if needed <= names)
    known = names & {*TRENDS_NAMES, *TRENDS_MORE}
    if "date" in names and known - COMMON and 2 * len(known) >= len(names) - 1:
        yield TRENDS, 1.0 if len(known - COMMON) > 2 else 0.6


@dataclass(slots=True)
class Pieces:
    """The nights and days of a file, gathered into raw records. ``zone`` is for times without an offset."""

    zone: str
    unconfirmed: int = 0
    earlier: set[tuple[str, str]] = field(default_factory=set)  # (stream, key) that earlier releases gave the rows
    _typed: bool = False  # a sleep has a type
    _untyped: list[dict[str, Any]] = field(default_factory=list)
    _found: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)

    def take(self, stream: str, row: Mapping[str, Any]) -> None:
        """Add a row of ``sleep``, of a daily stream or of *Trends*."""
        name = next((str(row[name]) for name in EARLIER_KEYS if words(str(row.get(name) or ""))), None)
        if name is not None:
            self.earlier.add((stream, name))
        if stream == TRENDS:
            self._take_trends(row)
            return
        row = {OLDER_NAMES.get(name, name): value for name, value in row.items()} | dict(row)
        if stream == "sleep":
            if "type" not in row and (longest := finite(row.get("is_longest"))) is not None:
                row["type"] = "long_sleep" if longest else "sleep"
            if "type" not in row:
                self._untyped.append(row)
                return
            self._typed = True
            if row["type"] is None:
                self.unconfirmed += 1
                return
        self._add(stream, row, "")

    def _take_trends(self, row: Mapping[str, Any]) -> None:
        told: dict[str, dict[str, Any]] = {}
        for name, value in row.items():
            if name in TRENDS_NAMES:
                of_stream, renamed = TRENDS_NAMES[name]
                told.setdefault(of_stream, {})[renamed] = value
        if not any(finite(told.get("daily_activity", {}).get(name)) for name in ("steps", "active_calories")):
            told.pop("daily_activity", None)  # a day without the ring
        for of_stream, values in told.items():
            if of_stream != "sleep" or {"bedtime_start", "bedtime_end"} <= values.keys():
                self._add(of_stream, {**values, "day": row.get("date")}, TRENDS)

    def records(self) -> Iterator[RawRecord]:
        """Yield the records. If no sleep of the file states its type, one of three hours or more is a long sleep."""
        self.unconfirmed += len(self._untyped) if self._typed else 0
        for row in () if self._typed else self._untyped:
            long = (finite(row.get("total_sleep_duration")) or 0) >= LONG_SLEEP_SECONDS
            self._add("sleep", row | {"type": "long_sleep" if long else "sleep"}, "")
        self.earlier -= self._found.keys()
        for (stream, key), payload in self._found.items():
            yield RawRecord(stream=stream, key=key, payload=payload, adds=True)

    def _add(self, stream: str, row: Mapping[str, Any], within: str) -> None:
        told = {"day": row.get("day")} | {name: _plain(row[name]) for name in _names(stream) if _is_told(row.get(name))}
        if stream == "sleep":
            told |= {name: self._placed(row, name) for name in ("bedtime_start", "bedtime_end")}
            if not within:
                told["type"] = row["type"]
            at = utc(told["bedtime_start"])
            key = f"{at:%Y-%m-%dT%H:%MZ}" if at else f"night {row.get('id') or row.get('bedtime_start')}"
            if told["day"] is None or "summary_date" in row:  # the date of waking follows from the night
                del told["day"]
        else:
            key = str(told["day"])
        if words(row.get("id")):
            told["id"] = row["id"]
        there = self._found.get((stream, key), told)
        if there.get("id", told.get("id")) != told.get("id") and "deleted" not in (told.get("type"), there.get("type")):
            key = f"{key}/{told.get('id')}"
        before = self._found.setdefault((stream, key), {})
        if within:
            before[within] = told
        elif before.get("type") is None or told.get("type") != "deleted":  # a night taken back came anew at that time
            before |= told

    def _placed(self, row: Mapping[str, Any], name: str) -> Any:
        text, east, place = row.get(name), finite(row.get("timezone")), time_zone(self.zone)
        wall = utc_of_naive(text) if isinstance(text, str) and utc(text) is None else None
        if wall is not None and (east is not None or place is not None):
            at = wall - timedelta(minutes=east if east is not None else 0)
            if east is None and place is not None:
                at = wall.replace(tzinfo=place)
                east = offset_in(place, at)
            sign = "-" if (east or 0) < 0 else "+"
            minutes = abs(int(east or 0))
            return f"{wall:%Y-%m-%dT%H:%M:%S}{sign}{minutes // 60:02}:{minutes % 60:02}"
        return text.replace(" ", "T").replace(".000", "") if isinstance(text, str) else text


def _names(stream: str) -> set[str]:
    return {path.partition(".")[0] if isinstance(path, str) else path[0] for path in KEPT[stream]}


def _is_told(value: Any) -> bool:
    return value is not None and (finite(value) is not None or isinstance(value, str | Mapping))


def _plain(value: Any) -> Any:
    return {"average": mapping(value).get("average")} if isinstance(value, Mapping) else value
