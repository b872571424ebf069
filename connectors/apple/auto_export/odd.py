"""Read files that hold a single piece of Health Auto Export's data instead of its usual lists.

A piece is a workout, a point, a day of the app's own unpacked files, or several points by name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from bridge.domain.ports import File
from bridge.ingest.files import HEAD_BYTES

PIECE_MAX_BYTES = 1 << 22  # bytes; a day of heart rates is 1 MB
OWN_FORM = re.compile(rb'"metric"\s*:\s*"')
ROUTE = re.compile(rb'"locations"\s*:\s*\[')
NOT_A_LETTER = re.compile(r"[^a-z0-9]+")
SLEEP_TOTALS = ("totalSleep", "sleepStart", "inBedStart")

Named = tuple[str, str, list[Any]]  # a metric's name, unit and points


def recognise(file: File) -> bool:
    """Return True if a file is a single piece of data in a shape that only Health Auto Export writes.

    Return False for a file of more than 4 MiB.
    """
    if file.size > PIECE_MAX_BYTES:
        return False
    if OWN_FORM.search(file.head) or ROUTE.search(file.head):
        return True
    if file.size > HEAD_BYTES:
        return _is_workout_head(file.head)
    return any(_shape(one) for one in _parts(_document(file)))


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
    """Return the shape of a JSON object of Health Auto Export, "day", "workout", "route", "sleep" or "point"."""
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


def metrics(file: File) -> Iterator[Named]:
    for one in _parts(_document(file)):
        unit = str(one.get("units") or "")
        match _shape(one):
            case "day":
                yield _name(one["metric"]), unit, one["data"]
            case "sleep":
                yield "sleep_analysis", unit, [one]
            case "point":
                yield "heart_rate" if "Avg" in one else _name(one.get("name")), unit, [one]


def workouts(file: File) -> Iterator[Mapping[str, Any]]:
    yield from (one for one in _parts(_document(file)) if _shape(one) == "workout")


def _name(text: Any) -> str:
    return NOT_A_LETTER.sub("_", str(text or "").casefold())
