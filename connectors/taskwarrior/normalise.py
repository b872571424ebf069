"""Turn Taskwarrior's exported tasks into tasks. Fields: taskwarrior.org/docs/design/task."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any

from bridge.domain.errors import BadRecord
from bridge.domain.types import Item, RawRecord, Task
from connectors.instants import EVENT_YEARS, time_zone, utc_of_unix
from connectors.payload import words

OPEN = ("pending", "waiting")
NO_TASK = ("deleted", "recurring")  # the pattern of repeated tasks, each of which is a task of its own
NO_PROJECT = "Taskwarrior"


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - the port's shape
    """Return the record's task, nothing for a deleted task or a pattern of repeated ones."""
    payload = record.payload
    status, title = payload.get("status"), words(payload.get("description"))
    if status in NO_TASK:
        return []
    if status not in (*OPEN, "completed"):
        raise BadRecord("taskwarrior/task: status is unknown")
    of = words(payload.get("project")) or NO_PROJECT
    completed = _completed(payload) if status == "completed" else None
    return [Task(key=record.key, list=of, title=title, due=_due(payload), completed=completed)]


def _due(payload: Any) -> date | None:
    if payload.get("due") is None:
        return None
    at, zone = _instant(payload.get("due")), time_zone(payload.get("zone"))
    if at is None or zone is None:
        raise BadRecord("taskwarrior/task: due or zone is unreadable")
    return at.astimezone(zone).date()


def _completed(payload: Any) -> datetime:
    at = _instant(payload.get("end")) or _instant(payload.get("modified"))
    if at is None:
        raise BadRecord("taskwarrior/task: a completed task states neither when it ended nor when it changed")
    return at


def _instant(value: Any) -> datetime | None:
    """Return the instant of a text such as ``20261120T090500Z``, or of seconds since 1970."""
    text = str(value)
    if text.isdecimal() and len(text) <= len("1700000000"):
        return utc_of_unix(int(text))
    try:
        at = datetime.strptime(text, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        return None
    return at if at.year in EVENT_YEARS else None
