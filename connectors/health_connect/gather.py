"""Gather the rows of a Health Connect document into records of civil days, nights, heart rates and workouts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from bridge.domain.metrics import Metric
from bridge.domain.samples import finite
from bridge.domain.slots import ZoneHistory, ZoneSpan, zone_at
from bridge.domain.types import RawRecord
from connectors.health_connect.origins import AGGREGATED, origin_of
from connectors.instants import calendar_date, offset_in, utc

QUARTER, HOUR, DAY = 900, 3600, 86_400  # seconds
TO_MIDNIGHT = timedelta(hours=6)  # readings after 18:00 belong to the night that ends tomorrow
SESSION_MAX = 2 * DAY
AHEAD_MAX = 300  # seconds; a sum that ends further in the future is a projection
ALMOST_A_DAY = 23 * HOUR  # the shortest civil day
LONG = 6 * HOUR  # a sum over more, from a whole quarter-hour, is of a day that began at a midnight elsewhere
UTC_MIDNIGHT_MAX = 14 * 60  # minutes east; midnights beyond are of places west of UTC

SUM_FIELDS = {  # list -> metric, and the fields of its value
    "steps": (Metric.STEPS, ("count", "total")),
    "distance": (Metric.DISTANCE, ("meters", "total")),
    "active_calories": (Metric.ACTIVE_ENERGY, ("calories", "total")),
    "total_calories": (Metric.TOTAL_ENERGY, ("calories", "total")),
}
TOTALS = {
    Metric.STEPS: "steps",
    Metric.DISTANCE: "distance_meters",
    Metric.ACTIVE_ENERGY: "active_calories",
    Metric.TOTAL_ENERGY: "total_calories",
}
READINGS = {  # list -> name in the night's record, and the fields of its value
    "heart_rate_variability": (Metric.HRV_RMSSD, ("rmssd_millis", "heart_rate_variability_millis", "avg")),
    "oxygen_saturation": (Metric.SPO2, ("percentage", "avg")),
    "respiratory_rate": (Metric.RESPIRATORY_RATE, ("rate", "avg")),
    "skin_temperature": (Metric.SKIN_TEMPERATURE_DELTA, ("delta_celsius", "avg_delta_celsius", "avg")),
}
HEART_RATE = ("bpm", "avg")
READ = frozenset({*SUM_FIELDS, *READINGS, "heart_rate", "resting_heart_rate", "sleep", "exercise", "mindfulness"}) | {
    "daily_totals"
}

Payload = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Told:
    """Members of a Health Connect document that describe the document itself."""

    members: Mapping[str, Any]

    @property
    def test(self) -> bool:
        """True for a made-up document, which the app sends to try the address."""
        return self.members.get("test") is True

    @property
    def apple(self) -> bool:
        """True for a document of an iPhone, whose heart rate variability is SDNN."""
        return self.members.get("source") == "healthkit_ios"

    @property
    def sent(self) -> float | None:
        """Unix seconds at which the document was made, or None if it does not say so readably."""
        at = utc(self.members.get("timestamp"))
        return None if at is None else at.timestamp()


@dataclass(slots=True)
class Gathered:
    """The records into which the rows of a Health Connect document are gathered by ``take``, or counted.

    ``zone`` tells the person's clock if ``zones`` is empty.
    """

    told: Told
    zone: str
    zones: ZoneHistory = ()
    _found: dict[str, dict[str, Payload]] = field(default_factory=lambda: defaultdict(dict))
    _unreadable: Counter[str] = field(default_factory=Counter)
    _offsets: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.zones = self.zones or (ZoneSpan(since=datetime.min.replace(tzinfo=UTC), zone=self.zone),)

    def take(self, name: str, row: Any) -> None:
        """Add a row of the document's list ``name``. A row without a time or a value is counted as unreadable."""
        try:
            if not isinstance(row, Mapping):
                raise ValueError
            TAKEN.get(name, _take_sum if name in SUM_FIELDS else _take_reading)(self, name, row)
        except ValueError:
            self._unreadable[name] += 1

    def records(self) -> dict[str, list[RawRecord]]:
        """Return the records by stream. The stream "unreadable" holds a record for each list with unreadable rows."""
        found = {
            stream: [RawRecord(stream=stream, key=key, payload=payload, adds=True) for key, payload in some.items()]
            for stream, some in self._found.items()
        }
        if self._unreadable:
            found["unreadable"] = [
                RawRecord(stream="unreadable", key=name, payload={"list": name, "rows": count})
                for name, count in self._unreadable.items()
            ]
        return found

    def within(self, stream: str, key: str, *path: str) -> Payload:
        """Return the object at ``path`` in the payload of a record. The record and the object are made where absent."""
        place = self._found[stream].setdefault(key, {})
        for part in path:
            place = place.setdefault(part, {})
        return place

    def offset(self, at: int) -> int:
        """Return the minutes that the person's clock is east of UTC at a Unix second. Results are remembered."""
        quarter = at // QUARTER
        if quarter not in self._offsets:
            instant = datetime.fromtimestamp(quarter * QUARTER, UTC)
            self._offsets[quarter] = offset_in(zone_at(instant, self.zones), instant)
        return self._offsets[quarter]

    def wall(self, at: int) -> datetime:
        """Return what the person's clock showed at a Unix second, marked as UTC."""
        return datetime.fromtimestamp(at + self.offset(at) * 60, UTC)

    def night(self, at: int) -> str:
        """Return the date on which the night of a Unix second ends. From 18:00 on that is the next date."""
        return (self.wall(at) + TO_MIDNIGHT).date().isoformat()


def _second(row: Mapping[str, Any], *names: str) -> int:
    at = utc(next((row[name] for name in names if row.get(name) is not None), None))
    if at is None:
        raise ValueError
    return int(at.timestamp())


def _value(row: Mapping[str, Any], names: tuple[str, ...]) -> float:
    found = next((number for name in names if (number := finite(row.get(name))) is not None), None)
    if found is None:
        raise ValueError
    return found


def _span(row: Mapping[str, Any]) -> tuple[int, int]:
    start, end = _second(row, "start_time", "bucket_start"), _second(row, "end_time", "bucket_end")
    if not 0 <= end - start <= SESSION_MAX:
        raise ValueError
    return start, end


def _take_sum(into: Gathered, name: str, row: Mapping[str, Any]) -> None:
    """Add a row with the sum of a stretch of time to its day."""
    metric, fields = SUM_FIELDS[name]
    value, (start, end), origin = _value(row, fields), _span(row), origin_of(row)
    sent = into.told.sent
    if sent is not None and end > sent + AHEAD_MAX:
        return
    counted = finite(row.get("sample_count")) is not None
    if origin == AGGREGATED and not counted and _is_total(into, start, end):
        _take_total(into, metric, value, start, end)
        return
    day = into.wall(start).date().isoformat()
    into.within("day", day).setdefault("offset", into.offset(start))
    parts = into.within("day", day, "sums", metric, "parts", origin)
    if origin != AGGREGATED:
        parts[str(start)] = [end, value]
    elif counted:  # what came late for a window is sent alone, and adds to it
        into.within("day", day, "sums", metric, "parts", origin, f"{start} {end}", "added")[
            f"{row['sample_count']} {value:g}"
        ] = value
    else:
        into.within("day", day, "sums", metric, "parts", origin, f"{start} {end}", "sent")[f"{value:g}"] = value


def _is_total(into: Gathered, start: int, end: int) -> bool:
    return end - start > (HOUR if _midnight(into, start) else LONG) and start % QUARTER == 0


def _midnight(into: Gathered, start: int) -> bool:
    wall = into.wall(start)
    return (wall.hour, wall.minute, wall.second) == (0, 0, 0)


def _take_total(into: Gathered, metric: Metric, value: float, start: int, end: int) -> None:
    """Add a civil day's total that the phone made over all origins, from its own midnight."""
    east = -(start // 60) % (24 * 60)
    offset = into.offset(start) if _midnight(into, start) else east if east <= UTC_MIDNIGHT_MAX else east - 24 * 60
    day = datetime.fromtimestamp(start + offset * 60, UTC).date().isoformat()
    into.within("day", day)["offset"] = offset
    place = into.within("day", day, "sums", metric)
    if end - start >= ALMOST_A_DAY:
        into.within("day", day, "sums", metric, "whole")[f"{value:g}"] = value
    else:
        place["so_far"] = value


def _take_daily_totals(into: Gathered, name: str, row: Mapping[str, Any]) -> None:  # noqa: ARG001 - one shape
    """Add the totals of a civil day that Health Connect made over all origins."""
    day = calendar_date(row.get("date"))
    if day is None:
        raise ValueError
    noon = int(datetime(day.year, day.month, day.day, 12, tzinfo=UTC).timestamp())
    for metric, told in TOTALS.items():
        value = finite(row.get(told))
        if value is not None:
            into.within("day", day.isoformat()).setdefault("offset", into.offset(noon))
            into.within("day", day.isoformat(), "sums", metric)["told"] = value


def _take_reading(into: Gathered, name: str, row: Mapping[str, Any]) -> None:
    metric, fields = READINGS[name]
    value, at, count = _value(row, fields), _second(row, "time", "bucket_start"), finite(row.get("sample_count")) or 1
    origin, told = origin_of(row), [value, count, into.offset(at)]
    readings = into.within("night", into.night(at), "readings")
    if name == "heart_rate_variability" and into.told.apple:
        metric = Metric.HRV_SDNN
    readings.setdefault(metric, {}).setdefault(origin, {})[str(at)] = told
    baseline = finite(row.get("baseline_celsius"))
    if baseline is not None:
        absolute = readings.setdefault(Metric.SKIN_TEMPERATURE, {}).setdefault(origin, {})
        absolute[str(at)] = [baseline + value, count, into.offset(at)]


def _take_resting(into: Gathered, name: str, row: Mapping[str, Any]) -> None:  # noqa: ARG001 - one shape
    value, at = _value(row, HEART_RATE), _second(row, "time", "bucket_start")
    day = into.wall(at).date().isoformat()
    into.within("day", day).setdefault("offset", into.offset(at))
    into.within("day", day, "resting_hr", origin_of(row))[str(at)] = value


def _take_rate(into: Gathered, name: str, row: Mapping[str, Any]) -> None:  # noqa: ARG001 - one shape
    """Add a heart rate to the mean of its quarter-hour and origin."""
    value, at = _value(row, HEART_RATE), _second(row, "time", "bucket_start")
    low, high = (number if (number := finite(row.get(name))) is not None else value for name in ("min", "max"))
    count = finite(row.get("sample_count")) or 1
    utc_day = datetime.fromtimestamp(at, UTC).date().isoformat()
    quarters = into.within("heart_rate", utc_day, origin_of(row))
    known = next((key for key in quarters if int(key) // QUARTER == at // QUARTER), None)
    if known is not None:
        before = quarters.pop(known)
        count, low, high = count + before[0], min(low, before[2]), max(high, before[3])
        value = before[1] + (value - before[1]) * (count - before[0]) / count
        at = min(at, int(known))
    quarters[str(at)] = [count, value, low, high, into.offset(at)]


def _take_sleep(into: Gathered, name: str, row: Mapping[str, Any]) -> None:  # noqa: ARG001 - one shape
    """Add a sleep session to the night of the local date of its end."""
    end, lasted = _second(row, "session_end_time", "end_time"), finite(row.get("duration_seconds"))
    start = _second(row, "start_time") if lasted is None else end - int(lasted)
    if not 0 < end - start <= SESSION_MAX:
        raise ValueError
    stages = []
    for told in row.get("stages") or ():
        if not isinstance(told, Mapping):
            raise ValueError
        since, until = _span(told)
        stages.append([since, until, str(told.get("stage") or "").casefold().removeprefix("stage_type_")])
    origin = origin_of(row)
    session = {"start": start, "end": end, "offset": into.offset(end), "origin": origin, "stages": sorted(stages)}
    into.within("night", into.wall(end).date().isoformat(), "sessions")[_name(row, start, origin)] = session


def _take_session(into: Gathered, name: str, row: Mapping[str, Any]) -> None:
    """Add a workout or a mindful session to the UTC date of its start."""
    (start, end), origin = _span(row), origin_of(row)
    metadata = row.get("metadata")
    method = metadata.get("recording_method") if isinstance(metadata, Mapping) else None
    session: Payload = {"start": start, "end": end, "offset": into.offset(start), "origin": origin}
    more = {"type": row.get("type"), "method": method}
    more |= {"distance": finite(row.get("distance_meters")), "steps": finite(row.get("steps"))}
    session |= {key: value for key, value in more.items() if isinstance(value, str | float)}
    stream = "workout" if name == "exercise" else "mindful"
    utc_day = datetime.fromtimestamp(start, UTC).date().isoformat()
    into.within(stream, utc_day)[_name(row, start, origin)] = session


def _name(row: Mapping[str, Any], start: int, origin: str) -> str:
    uuid = row.get("uuid")
    return uuid if isinstance(uuid, str) and uuid else f"{start} {origin}"


TAKEN: Mapping[str, Callable[[Gathered, str, Mapping[str, Any]], None]] = {
    "daily_totals": _take_daily_totals,
    "resting_heart_rate": _take_resting,
    "heart_rate": _take_rate,
    "sleep": _take_sleep,
    "exercise": _take_session,
    "mindfulness": _take_session,
}
