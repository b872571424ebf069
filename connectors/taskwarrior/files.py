"""Read the tasks that ``task export`` of Taskwarrior writes, as a list or one on each line.

Annotations, tags and user-defined attributes are left out. Fields: taskwarrior.org/docs/design/task.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from typing import Any, BinaryIO

from bridge.domain.errors import BadRecord, SourceChanged
from bridge.domain.ports import File
from bridge.domain.types import Item, Page, RawRecord, Task
from bridge.ingest.json_stream import Broken, Json
from connectors.instants import EVENT_YEARS, due_time, time_zone, utc_of_unix
from connectors.lists import file_pages, named
from connectors.payload import words

TASKS_READ_MAX = 200_000
TASK_MAX_CHARS = 200_000
TASK_MARKS = (b'"uuid"', b'"description"', b'"status"', b'"entry"')
KEPT = ("description", "status", "due", "end", "modified", "project", "priority")
LINE_MAX_BYTES = 8_000_000
# A text, or a value that is no text, list or object. Numbers come as the place writes them, such as 13,2 or nan.
TEXT_OR_VALUE = re.compile(rb'"(?:[^"\\\n]|\\.)*+"|(:\s*)([^\s"{}\[\]:,][^"{}\[\]:\n]*?)(?=\s*(?:,\s*"|,?\s*$|[}\]]))')
OPEN = ("pending", "waiting")
NO_TASK = ("deleted", "recurring")  # the pattern of repeated tasks, each of which is a task of its own
NO_PROJECT = "Taskwarrior"


def recognise(file: File) -> bool:
    """Return True if a file is JSON whose first bytes hold the fields that every task of Taskwarrior has."""
    begun = file.head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return begun.startswith((b"[", b"{")) and all(mark in begun for mark in TASK_MARKS)


def read(file: File, *, zone: str) -> Iterator[Page]:
    """Yield the tasks in pages. Tasks of an earlier file of the same name that this file lacks are deleted.

    ``zone`` is for local dates. Raises SourceChanged for too large a file, and CutShort after the readable part.
    """
    _, parent = named(file)
    records: list[RawRecord] = []
    cut = False
    with file.open() as opened:
        try:
            for task in _tasks(Json(_Mended(opened))):
                records.append(_record(task, parent, zone))
                if len(records) > TASKS_READ_MAX:
                    raise SourceChanged("the file holds more than 200,000 tasks; export fewer")
        except Broken:
            cut = True
    yield from file_pages(parent, records, cut=cut)


class _Mended(io.RawIOBase, BinaryIO):
    """A file in which invalid JSON numbers are replaced by null, because no number of a task is used."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._left = file, b""

    def read(self, size: int = -1) -> bytes:
        while len(self._left) < size or size < 0:
            line = self._file.readline(LINE_MAX_BYTES)
            if not line:
                break
            self._left += TEXT_OR_VALUE.sub(_mended, line)
        found, self._left = (self._left, b"") if size < 0 else (self._left[:size], self._left[size:])
        return found


def _mended(found: re.Match[bytes]) -> bytes:
    if found.group(2) is None:
        return found.group()
    try:
        json.loads(found.group(2), parse_constant=_refuse)
    except ValueError:
        return found.group(1) + b"null"
    return found.group()


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _tasks(document: Json) -> Iterator[dict[str, Any]]:
    if document.peek() == "[":
        for _ in document.elements():
            yield from _task(document)
        document.end()
        return
    while document.peek():
        yield from _task(document)


def _task(document: Json) -> Iterator[dict[str, Any]]:
    found = document.object(TASK_MAX_CHARS) if document.peek() == "{" else None
    if found is None:
        document.skip()
    elif isinstance(found.get("uuid"), str):
        yield found


def _record(task: dict[str, Any], parent: str, zone: str) -> RawRecord:
    kept = {name: task[name] for name in KEPT if task.get(name) is not None}
    return RawRecord(stream="task", key=task["uuid"], payload={**kept, "zone": zone}, parent=parent)


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - the port's shape
    """Return [the record's task], or [] for a deleted task and for the pattern of a repeated task."""
    payload = record.payload
    status, title = payload.get("status"), words(payload.get("description"))
    if status in NO_TASK:
        return []
    if status not in (*OPEN, "completed"):
        raise BadRecord("taskwarrior/task: the field status is not pending, waiting, completed, recurring or deleted")
    of = words(payload.get("project")) or NO_PROJECT
    completed = _completed(payload) if status == "completed" else None
    due, due_at = _due(payload)
    return [Task(key=record.key, list=of, title=title, due=due, due_at=due_at, completed=completed)]


def _due(payload: Any) -> tuple[date | None, datetime | None]:
    """Return (date, instant) at which a task is due. Midnight stands for the date alone, with None as the instant."""
    if payload.get("due") is None:
        return None, None
    at, zone = _instant(payload.get("due")), time_zone(payload.get("zone"))
    if at is None or zone is None:
        raise BadRecord("taskwarrior/task: the field due holds no time, or the file's time zone is unknown")
    day = at.astimezone(zone).date()
    return day, due_time(at, zone, day)


def _completed(payload: Any) -> datetime:
    at = _instant(payload.get("end")) or _instant(payload.get("modified"))
    if at is None:
        raise BadRecord("taskwarrior/task: a completed task states neither when it ended nor when it changed")
    return at


def _instant(value: Any) -> datetime | None:
    text = str(value)
    if text.isdecimal() and len(text) <= len("1700000000"):
        return utc_of_unix(int(text))
    try:
        at = datetime.strptime(text, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        return None
    return at if at.year in EVENT_YEARS else None
