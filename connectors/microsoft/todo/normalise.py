"""Turn tasks of Microsoft To Do into tasks.

Field names: learn.microsoft.com/graph/api/resources/todotask.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time

from bridge.domain.types import Item, RawRecord, Task
from connectors.instants import EVENT_YEARS, utc
from connectors.microsoft.graph import instant, written_date
from connectors.payload import Fields, words

STATES = {"notStarted": False, "inProgress": False, "waitingOnOthers": False, "deferred": False, "completed": True}


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - the port's shape
    if record.stream == "list":
        return []
    fields = Fields.of("microsoft_todo", record)
    one, _, key = record.key.rpartition("/")
    if not isinstance(fields.get("id"), str) or not key:
        raise fields.bad("id is missing")
    return [
        Task(
            key=record.key,
            list=one,
            title=words(fields.get("title")),
            due=_due(fields),
            completed=_completed(fields),
        )
    ]


def _due(fields: Fields) -> date | None:
    written = fields.get("dueDateTime")
    day = None if written is None else written_date(written, fields.get("zone"))
    if written is not None and day is None:
        raise fields.bad("dueDateTime is no date")
    return day


def _completed(fields: Fields) -> datetime | None:
    if not fields.choice("status", STATES):
        return None
    at, changed = instant(fields.get("completedDateTime")), utc(fields.get("lastModifiedDateTime"), EVENT_YEARS)
    if at is None or (at.time() == time(0) and changed is not None and changed.date() == at.date()):
        at = changed
    if at is None:
        raise fields.bad("completedDateTime is no instant")
    return at
