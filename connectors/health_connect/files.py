"""Gather documents of apps that send Health Connect into records of days, nights, heart rates and workouts.

A document is read twice, because facts needed for reading its lists may follow the lists.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from bridge.domain.errors import BadRecord, SourceChanged
from bridge.domain.metrics import Metric
from bridge.domain.ports import File, Recognised
from bridge.domain.slots import ZoneHistory
from bridge.domain.types import Page, RawRecord
from bridge.ingest.files import ending
from bridge.ingest.json_stream import Broken, Json
from connectors.gathering import Clock, Gathering, Payload
from connectors.health_connect.sleeps import AGGREGATED, origin_of
from connectors.instants import local_date, utc
from connectors.payload import Fields, mapping, rows

QUARTER, HOUR, DAY = 900, 3600, 86_400  # seconds
TO_MIDNIGHT = timedelta(hours=6)  # readings after 18:00 belong to the night that ends tomorrow
SESSION_MAX = timedelta(days=2)
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
MARK = re.compile(rb'"(app_version|timestamp|source)"\s*:\s*"')
OWN = (b'"app_version"', b'"timestamp"')  # members of every document of these apps
LISTS = re.compile(rb'"(' + b"|".join(name.encode() for name in sorted(READ)) + rb')"\s*:\s*\[')
ABOUT = ("source", "timestamp", "test")  # members that tell how the lists are to be read
CUT_OFF = "the file is cut off or is not JSON; what came before was read. Send it again"


@dataclass(frozen=True, slots=True)
class Told:
    """The facts that a Health Connect document says about itself: the app, its version, and when it was made."""

    members: Mapping[str, Any]

    @property
    def test(self) -> bool:
        """True for an invented document that the app sends to try the address."""
        return self.members.get("test") is True

    @property
    def apple(self) -> bool:
        """True for a document of an iPhone, which measures heart rate variability as SDNN."""
        return self.members.get("source") == "healthkit_ios"

    @property
    def sent(self) -> float | None:
        """The Unix second at which the document was made, or None if that is unreadable."""
        at = utc(self.members.get("timestamp"))
        return None if at is None else at.timestamp()


@dataclass(frozen=True, slots=True)
class Gathered:
    """The records that the rows of a Health Connect document form. They are kept in ``into``."""

    told: Told
    into: Gathering

    def take(self, name: str, row: Any) -> None:
        """Add a row of the document's list ``name``. A row without a time or a value is counted as unreadable."""
        read = TAKEN.get(name, _take_sum if name in SUM_FIELDS else _take_reading)
        self.into.take(name, lambda fields: read(self, fields), row)

    def pages(self) -> Iterator[Page]:
        """Yield the records in pages. For each list with unreadable rows, a record of "unreadable" counts them."""
        yield from self.into.pages()
        bad = [
            RawRecord(stream="unreadable", key=name, payload={"list": name, "rows": count})
            for name, count in self.into.aside.items()
        ]
        if bad:
            yield Page(stream="unreadable", records=tuple(bad))

    def day(self, at: int, *path: str) -> Payload:
        """Return the object at ``path`` in the record of the local date of a Unix second, creating it if missing."""
        place = self.into.clock.place(at)
        self.into.within("day", str(place.day)).setdefault("offset", place.offset)
        return self.into.within("day", str(place.day), *path)

    def offset(self, at: int) -> int:
        """Return the minutes that the person's clock is east of UTC at a Unix second."""
        return self.into.clock.place(at).offset

    def wall(self, at: int) -> datetime:
        """Return the person's local time at a Unix second, marked as UTC."""
        return datetime.fromtimestamp(at + self.offset(at) * 60, UTC)

    def night(self, at: int) -> str:
        """Return the date on which the night of a Unix second ends. From 18:00 on that is the next date."""
        return str((self.wall(at) + TO_MIDNIGHT).date())


def _second(row: Fields, *names: str) -> int:
    name = next((name for name in names if row.get(name) is not None), names[0])
    return int(row.instant(name).timestamp())


def _span(row: Fields) -> tuple[int, int]:
    start, end = _second(row, "start_time", "bucket_start"), _second(row, "end_time", "bucket_end")
    _ordered(row, start, end)
    return start, end


def _ordered(row: Fields, start: int, end: int) -> None:
    row.ordered(datetime.fromtimestamp(start, UTC), datetime.fromtimestamp(end, UTC), SESSION_MAX)


def _take_sum(into: Gathered, row: Fields) -> None:
    metric, fields = SUM_FIELDS[row.name]
    value, span, origin = row.needed(*fields), _span(row), origin_of(row.payload)
    sent = into.told.sent
    if sent is not None and span[1] > sent + AHEAD_MAX:
        return
    counted = row.number("sample_count") is not None
    if origin == AGGREGATED and not counted and _is_total(into, *span):
        _take_total(into, metric, value, span)
        return
    parts, (start, end) = into.day(span[0], "sums", metric, "parts", origin), span
    if origin != AGGREGATED:
        parts[str(start)] = [end, value]
        return
    # What came late for a window is sent alone, and adds to it.
    key, of = (f"{row.get('sample_count')} {value:g}", "added") if counted else (f"{value:g}", "sent")
    parts.setdefault(f"{start} {end}", {}).setdefault(of, {})[key] = value


def _is_total(into: Gathered, start: int, end: int) -> bool:
    return end - start > (HOUR if _midnight(into, start) else LONG) and start % QUARTER == 0


def _midnight(into: Gathered, start: int) -> bool:
    wall = into.wall(start)
    return (wall.hour, wall.minute, wall.second) == (0, 0, 0)


def _take_total(into: Gathered, metric: Metric, value: float, span: tuple[int, int]) -> None:
    """Add a day's total, which the phone summed over all apps from midnight. ``span`` is in Unix seconds."""
    start, end = span
    east = -(start // 60) % (24 * 60)
    offset = into.offset(start) if _midnight(into, start) else east if east <= UTC_MIDNIGHT_MAX else east - 24 * 60
    day = str(local_date(datetime.fromtimestamp(start, UTC), offset))
    into.into.within("day", day)["offset"] = offset
    sums = into.into.within("day", day, "sums", metric)
    if end - start >= ALMOST_A_DAY:
        sums.setdefault("whole", {})[f"{value:g}"] = value
    else:
        sums["so_far"] = value


def _take_daily_totals(into: Gathered, row: Fields) -> None:
    day = row.day("date")
    offset = into.offset(int(datetime(day.year, day.month, day.day, 12, tzinfo=UTC).timestamp()))
    for metric, told in TOTALS.items():
        value = row.number(told)
        if value is not None:
            into.into.within("day", str(day)).setdefault("offset", offset)
            into.into.within("day", str(day), "sums", metric)["told"] = value


def _take_reading(into: Gathered, row: Fields) -> None:
    metric, fields = READINGS[row.name]
    value, at = row.needed(*fields), _second(row, "time", "bucket_start")
    count, origin = row.number("sample_count") or 1, origin_of(row.payload)
    readings = into.into.within("night", into.night(at), "readings")
    if row.name == "heart_rate_variability" and into.told.apple:
        metric = Metric.HRV_SDNN
    readings.setdefault(metric, {}).setdefault(origin, {})[str(at)] = [value, count, into.offset(at)]
    baseline = row.number("baseline_celsius")
    if baseline is not None:
        absolute = readings.setdefault(Metric.SKIN_TEMPERATURE, {}).setdefault(origin, {})
        absolute[str(at)] = [baseline + value, count, into.offset(at)]


def _take_resting(into: Gathered, row: Fields) -> None:
    value, at = row.needed(*HEART_RATE), _second(row, "time", "bucket_start")
    into.day(at, "resting_hr", origin_of(row.payload))[str(at)] = value


def _take_rate(into: Gathered, row: Fields) -> None:
    value, at = row.needed(*HEART_RATE), _second(row, "time", "bucket_start")
    low, high = (number if (number := row.number(name)) is not None else value for name in ("min", "max"))
    count = row.number("sample_count") or 1
    quarters = into.into.within("heart_rate", _utc_day(at), origin_of(row.payload))
    known = next((key for key in quarters if int(key) // QUARTER == at // QUARTER), None)
    if known is not None:
        before = quarters.pop(known)
        count, low, high = count + before[0], min(low, before[2]), max(high, before[3])
        value = before[1] + (value - before[1]) * (count - before[0]) / count
        at = min(at, int(known))
    quarters[str(at)] = [count, value, low, high, into.offset(at)]


def _take_sleep(into: Gathered, row: Fields) -> None:
    end, lasted = _second(row, "session_end_time", "end_time"), row.number("duration_seconds")
    start = _second(row, "start_time") if lasted is None else end - int(lasted)
    _ordered(row, start, end)
    if start == end:
        raise row.bad("it has no length")
    stages = []
    for told in rows(row.get("stages")):
        stage = Fields(mapping(told), row.name)
        word = str(stage.get("stage") or "").casefold().removeprefix("stage_type_")
        stages.append([*_span(stage), word])
    session = _session(into, row, (start, end), end) | {"stages": sorted(stages)}
    into.into.within("night", str(into.wall(end).date()), "sessions")[_name(row, session)] = session


def _take_session(into: Gathered, row: Fields) -> None:
    span = _span(row)
    session = _session(into, row, span, span[0])
    more = {
        "type": row.get("type"),
        "distance": row.number("distance_meters"),
        "steps": row.number("steps"),
        "method": row.get("metadata.recording_method"),
    }
    session |= {key: value for key, value in more.items() if isinstance(value, str | float)}
    stream = "workout" if row.name == "exercise" else "mindful"
    into.into.within(stream, _utc_day(span[0]))[_name(row, session)] = session


def _session(into: Gathered, row: Fields, span: tuple[int, int], at: int) -> Payload:
    return {"start": span[0], "end": span[1], "offset": into.offset(at), "origin": origin_of(row.payload)}


def _name(row: Fields, session: Payload) -> str:
    uuid = row.get("uuid")
    return uuid if isinstance(uuid, str) and uuid else f"{session['start']} {session['origin']}"


def _utc_day(at: int) -> str:
    return str(datetime.fromtimestamp(at, UTC).date())


TAKEN: Mapping[str, Callable[[Gathered, Fields], None]] = {
    "daily_totals": _take_daily_totals,
    "resting_heart_rate": _take_resting,
    "heart_rate": _take_rate,
    "sleep": _take_sleep,
    "exercise": _take_session,
    "mindfulness": _take_session,
}


def recognise(file: File) -> Recognised | None:
    """Return how surely a file is JSON of an app that sends Health Connect, None if it is not."""
    head = file.head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not head.startswith(b"{") or ending(file.name) not in ("json", "txt", ""):
        return None
    if all(name in head for name in OWN):
        return Recognised(0.95, "it names its app's version and a timestamp")
    if MARK.search(head) is None or LISTS.search(head) is None:
        return None
    return Recognised(0.5, "it has lists of this name")


def receive(headers: Mapping[str, str], body: File) -> None:  # noqa: ARG001 - the port's shape
    """Raise BadRecord if a pushed body is not a complete JSON document of an app that sends Health Connect."""
    named: set[str] = set()
    try:
        with body.open() as stream:
            document = Json(stream)
            for member in document.members():
                named.add(member)
                document.skip()
            document.end()
    except Broken:
        raise BadRecord("the push is cut off or is not JSON, and nothing of it was kept; send it again") from None
    if not named & READ and "timestamp" not in named:
        raise BadRecord("no app that passes on Health Connect sent these data; see docs/sources/health_connect.md")


def read(file: File, *, zone: str, zones: ZoneHistory = ()) -> Iterator[Page]:
    """Yield a file's records in pages. ``zones`` are the zones that the person lived in, or ``zone`` if it is empty.

    Times are UTC. Raises SourceChanged after the readable part of a damaged file.
    """
    gathered = Gathered(Told(_about(file)), Gathering(Clock(zone, zones)))
    if gathered.told.test:
        return
    broken = False
    try:
        with file.open() as stream:
            document = Json(stream)
            for member in document.members():
                if member in READ and document.peek() == "[":
                    for _ in document.elements():
                        gathered.take(member, document.value())
                else:
                    document.skip()
    except Broken:
        broken = True
    yield from gathered.pages()
    if broken:
        raise SourceChanged(CUT_OFF)


def _about(file: File) -> dict[str, Any]:
    """Return those of the members ``source``, ``timestamp`` and ``test`` that a pushed document has."""
    found: dict[str, Any] = {}
    try:
        with file.open() as stream:
            document = Json(stream)
            for member in document.members():
                if member in ABOUT and document.peek() not in ("{", "["):
                    found[member] = document.value()
                else:
                    document.skip()
    except Broken:
        pass
    return found
