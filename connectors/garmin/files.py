"""Garmin's files: FIT, the account export's JSON, and answers of Garmin Connect that somebody saved.

A saved answer is the JSON document itself, or a list of exchanges (``{"uri", "status", "body"}``) as recorders write.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

from bridge.errors import SourceChanged
from bridge.files import ending
from bridge.ports import File
from bridge.types import Page, RawRecord
from connectors.garmin import fit

PAGE = 200
DEPTH = 4  # wrappers around an answer
LARGEST = 500_000_000  # bytes
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
NAMED_BY = {"export_sleep": "sleepStartTimestampGMT", "export_activity": "activityId"}
HOSTS = ("connectapi.garmin.com", "connect.garmin.com")
PRIVATE = re.compile(r"owner|userRoles|activityName|name$|locationName|description|.*(Latitude|Longitude)$|.*Image")
Rows = Iterator[tuple[str, Mapping[str, Any]]]


def recognise(file: File) -> bool:
    """FIT by its header, the export's files by their names, saved answers by their fields."""
    if fit.recognise(file):
        return True
    head = file.head.decode("utf-8-sig", errors="replace")
    if ending(file.name) != "json" and (ending(file.name) or not head.lstrip().startswith(("{", "["))):
        return False
    return _exported(file) is not None or any(f'"{field}"' in head for field in SHAPES) or any(h in head for h in HOSTS)


def read(file: File, *, zone: str) -> Iterator[Page]:
    """The file's records, at most 200 a page. Raises SourceChanged for one that is damaged or far too large."""
    if fit.recognise(file):
        yield from fit.read(file, zone=zone)
        return
    body, export = _json(file), _exported(file)
    rows = _answers(body) if export is None else _export_rows(body, export)
    records = (_record(stream, row, zone, exported=export is not None) for stream, row in rows)
    while page := tuple(islice(records, PAGE)):
        for stream in sorted({record.stream for record in page}):
            yield Page(stream=stream, records=tuple(record for record in page if record.stream == stream))


def _json(file: File) -> Any:
    if file.size > LARGEST:
        raise SourceChanged("it is far larger than any file of Garmin's; get it again")
    with file.open() as content:
        try:
            return json.load(content)
        except (ValueError, RecursionError):
            raise SourceChanged("it is cut off or no JSON; get it again") from None


def _exported(file: File) -> str | None:
    return next((stream for name, stream in EXPORTED.items() if name.match(file.name)), None)


def _export_rows(body: Any, stream: str) -> Rows:
    """The rows of a file of the account export; activities lie one level deeper."""
    for row in body if isinstance(body, list) else []:
        if isinstance(row, Mapping):
            deeper = row.get("summarizedActivitiesExport")
            for one in deeper if isinstance(deeper, list) else [row]:
                if isinstance(one, Mapping):
                    yield stream, one


def _answers(body: Any, depth: int = 0) -> Rows:
    """Every answer in a document, whatever it is wrapped in."""
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
    """The answers within an object; a part of one, as a lap of an activity, does not say of which day or id it is."""
    for one in body.values():
        if isinstance(one, list | Mapping):
            yield from ((stream, row) for stream, row in _answers(one, depth + 1) if key_of(stream, row) != "?")


def _single(body: Mapping[str, Any]) -> dict[str, Any]:
    """An activity asked for by itself, as it stands in a list."""
    return {
        **_of(body, "summaryDTO"),
        "activityId": body.get("activityId"),
        "activityType": body.get("activityTypeDTO"),
    }


def _split(stream: str, body: Mapping[str, Any]) -> Rows:
    """A range of nights becomes one record per night."""
    several = body.get("hrvSummaries")
    for one in several if isinstance(several, list) else [body]:
        if isinstance(one, Mapping):
            yield stream, {"hrvSummary": one} if one is not body else body


def _record(stream: str, row: Mapping[str, Any], zone: str, *, exported: bool) -> RawRecord:
    if not exported:
        return RawRecord(stream=stream, key=key_of(stream, row), payload=kept(row))
    key = str(row.get(NAMED_BY.get(stream, "calendarDate"), "?"))
    parent = f"uds/{row.get('calendarDate')}" if stream in ("export_sleep", "export_health") else None
    return RawRecord(stream=stream, key=key, payload={"row": kept(row), "zone": zone}, parent=parent)


KEYS: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
    "sleep": lambda row: _of(row, "dailySleepDTO").get("calendarDate"),
    "hrv": lambda row: _of(row, "hrvSummary").get("calendarDate"),
    "body_battery": lambda row: row.get("calendarDate") or row.get("date"),
    "activity": lambda row: row.get("activityId"),
}


def key_of(stream: str, row: Mapping[str, Any]) -> str:
    """What tells one record of a stream from the next: its date, or its id."""
    find = KEYS.get(stream)
    return str((find(row) if find else row.get("calendarDate")) or "?")


def kept(row: Mapping[str, Any]) -> dict[str, Any]:
    """A record without names, places and pictures, which nothing here needs."""
    return {field: value for field, value in row.items() if not PRIVATE.match(field)}


def _of(row: Mapping[str, Any], field: str) -> Mapping[str, Any]:
    found = row.get(field)
    return found if isinstance(found, Mapping) else {}
