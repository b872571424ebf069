"""Google's task resources as tasks. Field names: developers.google.com/workspace/tasks/reference/rest/v1/tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any

from bridge.errors import BadRecord
from bridge.types import Item, RawRecord, Task


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - the port's shape
    """One task per task resource, nothing for a list. Raises BadRecord naming the unreadable field."""
    if record.stream == "list":
        return []
    payload = record.payload
    one, _, key = record.key.rpartition("/")
    if not isinstance(payload.get("id"), str) or not key:
        raise BadRecord("google_tasks/task: id is missing")
    title = payload.get("title")
    return [
        Task(
            key=record.key,
            list=one,
            title=title if isinstance(title, str) and title.strip() else None,
            due=_due(payload),
            completed=_completed(payload),
        )
    ]


def _due(payload: Mapping[str, Any]) -> date | None:
    """A date: the time of day in ``due`` is always midnight UTC and means nothing, so no zone may move it."""
    text = payload.get("due")
    if text is None:
        return None
    try:
        day = date.fromisoformat(str(text)[:10])
    except ValueError:
        raise BadRecord("google_tasks/task: due is no date") from None
    if not 1900 <= day.year < 2200:
        raise BadRecord("google_tasks/task: due is no date")
    return day


def _completed(payload: Mapping[str, Any]) -> datetime | None:
    """When it was done; None while it needs action."""
    status = payload.get("status")
    if status == "needsAction":
        return None
    if status != "completed":
        raise BadRecord("google_tasks/task: status is missing or unknown")
    for field in ("completed", "updated"):
        at = _instant(payload.get(field))
        if at is not None:
            return at
    raise BadRecord("google_tasks/task: completed is no instant")


def _instant(text: Any) -> datetime | None:
    if not isinstance(text, str):
        return None
    try:
        at = datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return at if 1990 <= at.year < 2200 else None
