"""Turn the task resources of Google Tasks into tasks.

Field names: developers.google.com/workspace/tasks/reference/rest/v1/tasks.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime

from bridge.domain.types import Item, RawRecord, Task
from connectors.instants import EVENT_YEARS, calendar_date, utc
from connectors.payload import Fields, words


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - the port's shape
    if record.stream == "list":
        return []
    fields = Fields.of("google_tasks", record)
    one, _, key = record.key.rpartition("/")
    if not isinstance(fields.get("id"), str) or not key:
        raise fields.bad("id is missing")
    title = words(fields.get("title"))
    return [Task(key=record.key, list=one, title=title, due=_due(fields), completed=_completed(fields))]


def _due(fields: Fields) -> date | None:
    text = fields.get("due")
    day = None if text is None else calendar_date(str(text)[:10], EVENT_YEARS)
    if text is not None and day is None:
        raise fields.bad("due is no date")
    return day


def _completed(fields: Fields) -> datetime | None:
    if not fields.choice("status", {"needsAction": False, "completed": True}):
        return None
    at = utc(fields.get("completed")) or utc(fields.get("updated"))
    if at is None:
        raise fields.bad("completed is no instant")
    return at
