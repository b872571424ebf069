"""Recognise the files and pushes of the app Health Auto Export, and read them piece by piece.

The name of a metric may follow its points, so a file is read twice, first for the names and then for the points.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from bridge.domain.errors import BadRecord, SourceChanged
from bridge.domain.ports import File, Recognised
from bridge.domain.types import Page, RawRecord, union
from bridge.ingest.files import HEAD_BYTES, ending
from bridge.ingest.json_stream import Broken, Json
from connectors.apple.auto_export import episodes
from connectors.apple.auto_export.points import POINT_KINDS, Points

PACKED = b"bvx"  # the app's own files in iCloud: LZFSE
OTHERS = rb"stateOfMind|symptoms|cycleTracking|medications|ecg|heartRateNotifications"
MARKS = re.compile(rb'"(metrics|workouts|' + OTHERS + rb')"\s*:\s*(\[|null)')
HELD, POINTS = 500, 20_000  # records, and points in them, held back to be joined
PAGE_RECORDS = 100
SLEEP = "sleep_analysis"
DEPTH = 2  # nested "data" members
COARSE = ("week", "month", "year")
NAME = re.compile(r"[^a-z0-9]+")
FRUITLESS_MAX = 100_000  # entries in a row that hold nothing of the app's
CUT_OFF = "the file is cut off or is not JSON; what came before was read. Export it again"

Metric = tuple[str, str]  # name and unit
PIECE_MAX_BYTES = 1 << 22  # bytes; a day of heart rates is 1 MB
OWN_FORM = re.compile(rb'"metric"\s*:\s*"')
ROUTE = re.compile(rb'"locations"\s*:\s*\[')
NOT_A_LETTER = re.compile(r"[^a-z0-9]+")
SLEEP_TOTALS = ("totalSleep", "sleepStart", "inBedStart")

Named = tuple[str, str, list[Any]]  # a metric's name, unit and points


def recognise(file: File) -> Recognised | bool:
    """Return whether a file is Health Auto Export's, by its first bytes and its name's ending.

    A ``Recognised`` with a low confidence stands for a JSON file that holds a single piece of such data.
    """
    if file.head.startswith(PACKED):
        return file.name.lower().endswith(".hae")
    head = file.head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not head.startswith(b"{") or ending(file.name) not in ("json", "hae", "txt", ""):
        return False
    return MARKS.search(head) is not None or (_is_piece(file) and Recognised(0.4, "it has the form of a piece"))


def receive(headers: Mapping[str, str], body: File) -> None:
    """Raise BadRecord if a pushed body is not a complete JSON document of Health Auto Export.

    Raise it also if the header ``automation-aggregation`` names sums over weeks, months or years.
    """
    grouping = headers.get("automation-aggregation", "").casefold()
    if any(word in grouping for word in COARSE):
        raise BadRecord("the data hold sums over more than a day; set the automation's time grouping to days or less")
    if not recognise(body):
        raise BadRecord("the data are not from Health Auto Export; set the automation's format to JSON")
    try:
        with body.open() as stream:
            document = Json(stream)
            document.skip()
            document.end()
    except Broken:
        raise BadRecord("the push is cut off or is not JSON, and nothing of it was kept; send it again") from None


def read(file: File, *, zone: str) -> Iterator[Page]:
    """Yield a file's raw records in pages. ``zone`` is used for times that state no offset.

    Raises SourceChanged for the app's packed format, and for a damaged file once its readable part was yielded.
    """
    if file.head.startswith(PACKED):
        raise SourceChanged("the file is in the app's own packed format; let the app export JSON files, or push")
    held = _Held()
    try:
        for record in _records(file, zone):
            yield from held.take(record)
    except Broken:
        yield from held.rest()
        raise SourceChanged(CUT_OFF) from None
    except SourceChanged:
        yield from held.rest()
        raise
    yield from held.rest()


class _Fruitless:
    """A counter of useless entries in succession, which stops the reading of a small zip that unpacks to millions."""

    def __init__(self) -> None:
        self._count = 0

    def note(self, *, useful: bool) -> None:
        self._count = 0 if useful else self._count + 1
        if self._count > FRUITLESS_MAX:
            raise SourceChanged(f"{FRUITLESS_MAX} entries in a row hold nothing of the app's; export the file again")


class _Held:
    """A buffer of raw records, in which records of the same key are joined, so that each is stored once."""

    def __init__(self) -> None:
        self._records: dict[str, RawRecord] = {}
        self._points = 0

    def take(self, record: RawRecord) -> Iterator[Page]:
        self._points += _size(record.payload)
        before = self._records.get(record.path)
        if before is not None and record.adds:
            payload = union(before.payload, record.payload)
            record = RawRecord(stream=record.stream, key=record.key, payload=payload, adds=True)
        self._records[record.path] = record
        if len(self._records) >= HELD or self._points >= POINTS:
            yield from self.rest()

    def rest(self) -> Iterator[Page]:
        by_stream: dict[str, list[RawRecord]] = {}
        for record in self._records.values():
            by_stream.setdefault(record.stream, []).append(record)
        self._records, self._points = {}, 0
        for stream, records in sorted(by_stream.items()):
            for first in range(0, len(records), PAGE_RECORDS):
                yield Page(stream=stream, records=tuple(records[first : first + PAGE_RECORDS]))


def _size(payload: Mapping[str, Any]) -> int:
    return sum(_size(part) if isinstance(part, Mapping) else 1 for part in payload.values())


def _records(file: File, zone: str) -> Iterator[RawRecord]:
    if not MARKS.search(file.head):
        for name, unit, points in _piece_metrics(file):
            yield from _metric(name, unit, iter(points), zone)
        for found in _piece_workouts(file):
            yield episodes.workout_record(found, zone)
        return
    with file.open() as stream:
        named = list(_names(Json(stream)))
    with file.open() as stream:
        yield from _contents(Json(stream), iter(named), zone)


def _names(document: Json) -> Iterator[Metric]:
    fruitless = _Fruitless()
    try:
        for name in _arrays(document):
            if name == "workouts":
                document.skip()
                continue
            for _ in document.elements():
                if document.peek() != "{":
                    document.skip()
                    fruitless.note(useful=False)
                    continue
                for metric in _named(document):
                    fruitless.note(useful=metric[0] in POINT_KINDS or metric[0] == SLEEP)
                    yield metric
    except Broken:
        return


def _named(document: Json) -> Iterator[Metric]:
    found = {"name": "", "units": ""}
    cut_off = False
    try:
        for member in document.members():
            if member in found:
                found[member] = str(document.value() or "")
            else:
                document.skip()
    except Broken:
        cut_off = True
    yield NAME.sub("_", found["name"].casefold()), found["units"]
    if cut_off:
        raise Broken


def _arrays(document: Json, depth: int = 0) -> Iterator[str]:
    """Yield "metrics" or "workouts" when ``document`` stands before the list of that name, which is then to be read."""
    for member in document.members():
        following = document.peek()
        if member == "data" and following == "{" and depth < DEPTH:
            yield from _arrays(document, depth + 1)
        elif member in ("metrics", "workouts") and following == "[":
            yield member
        else:
            document.skip()


def _contents(document: Json, named: Iterator[Metric], zone: str) -> Iterator[RawRecord]:
    fruitless = _Fruitless()
    for array in _arrays(document):
        for _ in document.elements():
            if document.peek() != "{":
                document.skip()
                fruitless.note(useful=False)
            elif array == "metrics":
                name, unit = next(named, ("", ""))
                for member in document.members():
                    if member == "data" and document.peek() == "[":
                        yield from _metric(name, unit, _points(document), zone)
                    else:
                        document.skip()
            else:
                found = _workout(document)
                fruitless.note(useful=bool(found))
                yield episodes.workout_record(found, zone)


def _points(document: Json) -> Iterator[Any]:
    fruitless = _Fruitless()
    for _ in document.elements():
        point = document.value()
        fruitless.note(useful=isinstance(point, dict) and bool(point))
        yield point


def _workout(document: Json) -> dict[str, Any]:
    found = {}
    for member in document.members():
        if member in episodes.WORKOUT_FIELDS:
            found[member] = document.value()
        else:
            document.skip()
    return found


def _metric(name: str, unit: str, points: Iterator[Any], zone: str) -> Iterator[RawRecord]:
    """Yield the records of a metric's points, and records that count the unreadable points and the sums over weeks."""
    if name == SLEEP:
        yield from _sleep(unit, points, zone)
        return
    kind = POINT_KINDS.get(name)
    if kind is None:
        for _ in points:
            pass
        return
    taken, fruitless = Points(kind, unit.strip(), zone), _Fruitless()
    broken: Broken | SourceChanged | None = None
    try:
        for point in points:
            before = taken.unreadable
            yield from taken.take(point)
            fruitless.note(useful=taken.unreadable == before)
    except (Broken, SourceChanged) as error:  # earlier points are kept
        broken = error
    yield from taken.rest()
    yield from _unreadable(name, taken.unreadable)
    yield from _unreadable(name, taken.coarse, "coarse")
    if broken is not None:
        raise broken


def _sleep(unit: str, points: Iterator[Any], zone: str) -> Iterator[RawRecord]:
    # All stages are read before their records are made, because the night of a stage depends on the stage before.
    failed, stages, fruitless = 0, [], _Fruitless()
    broken: Broken | SourceChanged | None = None
    try:
        for point in points:
            try:
                own = str(point.get("units") or unit) if isinstance(point, Mapping) else unit
                told = episodes.take(point, own, zone)
            except ValueError:
                failed += 1
                fruitless.note(useful=False)
            else:
                fruitless.note(useful=True)
                if isinstance(told, RawRecord):
                    yield told
                else:
                    stages.append(told)
    except (Broken, SourceChanged) as error:  # earlier points are kept
        broken = error
    yield from episodes.records(stages)
    yield from _unreadable(SLEEP, failed)
    if broken is not None:
        raise broken


def _unreadable(name: str, count: int, what: str = "points") -> Iterator[RawRecord]:
    if count:
        key = name if what == "points" else f"{name} {what}"
        yield RawRecord(stream="unreadable", key=key, payload={"metric": name, what: count})


def _is_piece(file: File) -> bool:
    """Return True if a small file is a single metric, workout, route or night in the form of this app."""
    if file.size > PIECE_MAX_BYTES:
        return False
    if OWN_FORM.search(file.head) or ROUTE.search(file.head):
        return True
    if file.size > HEAD_BYTES:
        return _is_workout_head(file.head)
    return any(_shape(part) for part in _parts(_document(file)))


def _is_workout_head(head: bytes) -> bool:
    return all(f'"{name}"'.encode() in head for name in ("name", "start", "duration"))


def _document(file: File) -> Mapping[str, Any]:
    with file.open() as stream:
        content = stream.read(PIECE_MAX_BYTES)
    try:
        found = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, Mapping) else {}


def _parts(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if _shape(document):
        yield document
    else:
        yield from ({"name": name, **one} for name, one in document.items() if isinstance(one, Mapping) and _shape(one))


def _shape(one: Mapping[str, Any]) -> str:
    """Return the form of a JSON object, "day", "workout", "route", "sleep" or "point". Return "" for other objects."""
    if isinstance(one.get("metric"), str) and isinstance(one.get("data"), list):
        return "day"
    if "start" in one and "end" in one and isinstance(one.get("name"), str) and "duration" in one:
        return "workout"
    if isinstance(one.get("locations"), list) and "name" in one:
        return "route"
    if any(name in one for name in SLEEP_TOTALS) or ("startDate" in one and "value" in one):
        return "sleep"
    if "date" in one and ("Avg" in one or "qty" in one or "systolic" in one):
        return "point"
    return ""


def _piece_metrics(file: File) -> Iterator[Named]:
    for part in _parts(_document(file)):
        unit = str(part.get("units") or "")
        match _shape(part):
            case "day":
                yield _name(part["metric"]), unit, part["data"]
            case "sleep":
                yield "sleep_analysis", unit, [part]
            case "point":
                yield "heart_rate" if "Avg" in part else _name(part.get("name")), unit, [part]


def _piece_workouts(file: File) -> Iterator[Mapping[str, Any]]:
    yield from (part for part in _parts(_document(file)) if _shape(part) == "workout")


def _name(text: Any) -> str:
    return NOT_A_LETTER.sub("_", str(text or "").casefold())
