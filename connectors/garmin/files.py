"""Read Garmin's FIT files, the JSON of an account export, and saved answers of Garmin Connect."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from bridge.domain.errors import SourceChanged
from bridge.domain.ports import File, Recognised
from bridge.domain.types import Page, RawRecord
from bridge.ingest.files import ending
from bridge.ingest.json_stream import Broken, Json, objects
from connectors.garmin import fit
from connectors.garmin.fields import is_whole, mark, settled_fields, versions, workout_key
from connectors.instants import utc_of_naive
from connectors.payload import mapping

FILE_PAGE_RECORDS = 200
PAGE_CHARACTERS = 1 << 21
ROW_MAX_CHARACTERS = 1 << 21  # a night with all its readings has 400,000
FRUITLESS_MAX = 100_000  # objects in a row that are nothing of Garmin's
NOT_OVER = "day whose totals are left out, because it was not over when the export was made"
DEPTH = 4  # wrappers around an answer
LEVELS = 8  # lists and objects around a row
SAVED_MAX_BYTES = 500_000_000  # bytes
EXPORTED = {
    re.compile(r"UDSFile_.*\.json$"): "uds",
    re.compile(r".*_sleepData\.json$"): "export_sleep",
    re.compile(r".*_healthStatusData\.json$"): "export_health",
    re.compile(r".*_summarizedActivities\.json$"): "export_activity",
}
SHAPES = {  # a field that only this kind of answer has -> stream
    "dailySleepDTO": "sleep",
    "hrvSummary": "hrv",
    "hrvSummaries": "hrv",
    "stressValuesArray": "stress",
    "heartRateValues": "heart_rate",
    "bodyBatteryValuesArray": "body_battery",
    "wellnessStartTimeGmt": "summary",
    "startTimeGMT": "activity",
}
NAMED_BY = {"export_sleep": "sleepStartTimestampGMT"}
HOSTS = ("connectapi.garmin.com", "connect.garmin.com")
PRIVATE_KEYS = re.compile(
    r"owner|userRoles|activityName|name$|locationName|description|.*(Latitude|Longitude)$|.*Image"
)
Row = tuple[str, Mapping[str, Any]]
Rows = Iterator[Row]


def recognise(file: File) -> Recognised | bool:
    """Return whether a file is Garmin's, by a mark in FIT files, the account export's name, or its fields."""
    if fit.recognise(file):
        return True
    head = file.head.decode("utf-8-sig", errors="replace")
    if ending(file.name) != "json" and (ending(file.name) or not head.lstrip().startswith(("{", "["))):
        return False
    if _exported(file) is not None:
        return True
    told = any(f'"{field}"' in head for field in SHAPES) or any(host in head for host in HOSTS)
    return told and Recognised(0.7, "it has fields of Garmin's answers")


def read(file: File, *, zone: str) -> Iterator[Page]:
    """Yield the file's raw records in pages. ``zone`` is stored with records that state no offset.

    Raises SourceChanged for a file of more than 500 MB, and after the readable part of a damaged file.
    """
    if fit.recognise(file):
        yield from fit.read(file, zone=zone)
        return
    if file.size > SAVED_MAX_BYTES:
        raise SourceChanged("the file is larger than 500 MB, unlike Garmin's; leave it out, or download it again")
    exported = _exported(file)
    page: list[RawRecord] = []
    characters, days = 0, CutShortDays()
    with file.open() as content:
        try:
            for rows, length in _rows(Json(content), exported):
                found = [_record(stream, row, zone, exported=exported is not None) for stream, row in rows]
                page += [record for record in found if not days.holds(record)]
                characters += length
                if len(page) >= FILE_PAGE_RECORDS or characters >= PAGE_CHARACTERS:
                    yield from _pages(page)
                    page, characters = [], 0
        except Broken:
            yield from _pages([*page, *days.records()])
            raise SourceChanged("the file is cut off or is not JSON; what came before was read. Get it again") from None
    yield from _pages([*page, *days.records()])
    if days.last:
        yield Page(stream="uds", records=(), left_out={NOT_OVER: 1})


class CutShortDays:
    """The days of the account export that end before midnight, held until a later day shows that they were over."""

    def __init__(self) -> None:
        self._held: list[RawRecord] = []
        self._newest = ""

    def holds(self, record: RawRecord) -> bool:
        """Hold a record of a day that had not ended, and return True. Return False for any other record."""
        if record.stream != "uds":
            return False
        self._newest = max(self._newest, record.key)
        short = not is_whole(settled_fields(record.payload, "uds"))
        self._held += [record] * short
        return short

    @property
    def last(self) -> bool:
        """True if the latest day in the file had not ended, so that its totals are left out."""
        return any(record.key >= self._newest for record in self._held)

    def records(self) -> Iterator[RawRecord]:
        """Yield the held records. A day before the file's latest gets ``over`` in its payload."""
        for record in self._held:
            over = record.key < self._newest
            yield replace(record, payload={**record.payload, "over": True}) if over else record


def _pages(records: list[RawRecord]) -> Iterator[Page]:
    for stream in sorted({record.stream for record in records}):
        yield Page(stream=stream, records=tuple(record for record in records if record.stream == stream))


def _rows(document: Json, exported: str | None) -> Iterator[tuple[list[Row], int]]:
    fruitless = 0
    for body, inside in objects(document, ROW_MAX_CHARACTERS, LEVELS):
        found = _answers(body) if exported is None else _export_rows(body, exported)
        rows = [(stream, row) for stream, row in found if not inside or key_of(stream, row) != "?"]
        fruitless = 0 if rows else fruitless + 1
        if fruitless > FRUITLESS_MAX:
            raise SourceChanged(f"{FRUITLESS_MAX} entries in a row are not Garmin's; download the export again")
        yield rows, document.length
    document.end()


def _exported(file: File) -> str | None:
    return next((stream for name, stream in EXPORTED.items() if name.match(file.name)), None)


def _export_rows(body: Mapping[str, Any], stream: str) -> Rows:
    deeper = body.get("summarizedActivitiesExport")
    for one in deeper if isinstance(deeper, list) else [body]:
        if isinstance(one, Mapping) and one:
            yield stream, one


def _answers(body: Any, depth: int = 0) -> Rows:
    """Yield (stream, row) for every Garmin Connect answer in a document, within a few levels of objects."""
    if isinstance(body, list):
        for one in body:
            yield from _answers(one, depth)
    elif isinstance(body, Mapping):
        if "uri" in body and "body" in body:
            if body.get("method", "GET") == "GET" and urlsplit(str(body["uri"])).hostname in (None, *HOSTS):
                yield from _answers(body["body"], depth)
            return
        stream = next((stream for field, stream in SHAPES.items() if field in body), None)
        if stream is not None:
            yield from _split(stream, body)
        elif "summaryDTO" in body:
            yield "activity", _single(body)
        elif depth < DEPTH:
            yield from _wrapped(body, depth)


def _wrapped(body: Mapping[str, Any], depth: int) -> Rows:
    for one in body.values():
        if isinstance(one, list | Mapping):
            yield from ((stream, row) for stream, row in _answers(one, depth + 1) if key_of(stream, row) != "?")


def _single(body: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **mapping(body.get("summaryDTO")),
        "activityId": body.get("activityId"),
        "activityType": body.get("activityTypeDTO"),
    }


def _split(stream: str, body: Mapping[str, Any]) -> Rows:
    several = body.get("hrvSummaries")
    for one in several if isinstance(several, list) else [body]:
        if isinstance(one, Mapping):
            yield stream, {"hrvSummary": one} if one is not body else body


def _record(stream: str, row: Mapping[str, Any], zone: str, *, exported: bool) -> RawRecord:
    row = kept(row)
    if stream in ("activity", "export_activity"):
        workout = {str(row.get("activityId", "?")): versions({**row, "stream": stream})}
        return RawRecord(stream="workout", key=started(row), payload={"zone": zone, "rows": workout}, adds=True)
    if not exported:
        key = key_of(stream, row)
        named = key if key != "?" else f"?{mark(row)}"
        answer, live = {"rows": versions(row)}, f"{stream}/{key}"
        return RawRecord(stream=f"saved_{stream}", key=named, payload=answer, parent=live, adds=True)
    key = str(row.get(NAMED_BY.get(stream, "calendarDate"), f"?{mark(row)}"))
    parent = None if stream == "uds" else f"uds/{row.get('calendarDate')}"
    payload = {"rows": versions(row), "zone": zone}
    return RawRecord(stream=stream, key=key, payload=payload, parent=parent, adds=True)


def started(activity: Mapping[str, Any]) -> str:
    """Return an activity's key, the start in Unix seconds, which is the same in every kind of file.

    An activity without a readable start gets a key by its content.
    """
    at = utc_of_naive(activity.get("startTimeGMT", activity.get("startTimeGmt")))
    return workout_key(None if at is None else at.timestamp(), activity)


KEYS: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
    "sleep": lambda row: mapping(row.get("dailySleepDTO")).get("calendarDate"),
    "hrv": lambda row: mapping(row.get("hrvSummary")).get("calendarDate"),
    "body_battery": lambda row: row.get("calendarDate") or row.get("date"),
    "activity": lambda row: row.get("activityId"),
    "export_activity": lambda row: row.get("activityId"),
}


def key_of(stream: str, row: Mapping[str, Any]) -> str:
    """Return the date or id that identifies a row within its stream, or "?" without any."""
    find = KEYS.get(stream)
    return str((find(row) if find else row.get("calendarDate")) or "?")


def kept(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row without its names, descriptions, places and pictures, which are never stored."""
    return {field: value for field, value in row.items() if not PRIVATE_KEYS.match(field)}
