"""Turn Todoist's exported tasks into tasks. Fields: developer.todoist.com/api/v1, and the columns of its CSV files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from bridge.domain.errors import BadRecord
from bridge.domain.types import Item, RawRecord, Task
from connectors.instants import EVENT_YEARS, calendar_date, due_time, time_zone, utc
from connectors.payload import words

LABELS = re.compile(r"(?:\s+@[^\s@]+)+$")  # a CSV file adds them to the title
HEADING = "* "  # begins the title of a task that cannot be completed
ISO_DAY = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[T ]|$)")
# As Todoist writes dates in English, e.g. "Oct 5 2026" or "5 Oct 2026 9:00". A year is needed.
MONTH_DAY = re.compile(r"([A-Z][a-z]{2})[a-z]* (\d{1,2}),? (\d{4})(?:\s|$)")
DAY_MONTH = re.compile(r"(\d{1,2}) ([A-Z][a-z]{2})[a-z]* (\d{4})(?:\s|$)")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - the port's shape
    """Return [the task] of a record, or [] for a heading. Raises BadRecord, which names the unreadable field."""
    payload = record.payload
    title, of = words(payload.get("title")), words(payload.get("list"))
    if title is None or of is None:
        raise BadRecord(f"todoist/task: the field {'title' if title is None else 'list'} is missing")
    if title.startswith(HEADING):
        return []
    zone = time_zone(payload.get("zone"))
    due = _day(payload.get("due"), zone)
    due_at = due_time(_at(payload.get("due"), zone), zone, due)
    due = due or _day(payload.get("deadline"), zone)
    title = LABELS.sub("", title) if payload.get("labelled") is True else title
    return [Task(key=record.key, list=of, title=title, due=due, due_at=due_at, completed=_completed(payload))]


def _completed(payload: Any) -> datetime | None:
    at = utc(payload.get("completed"))
    if payload.get("checked") is not True:
        return at
    found = at or utc(payload.get("updated"))
    if found is None:
        raise BadRecord("todoist/task: a completed task states neither when it was completed nor when it changed")
    return found


def _at(text: Any, zone: ZoneInfo | None) -> datetime | None:
    return None if zone is None else utc(text, EVENT_YEARS, zone=zone)


def _day(text: Any, zone: ZoneInfo | None) -> date | None:
    if not isinstance(text, str):
        return None
    at = _at(text, zone)
    if at is not None and zone is not None:
        return at.astimezone(zone).date()
    if iso := ISO_DAY.match(text):
        return calendar_date(iso[1], EVENT_YEARS)
    if american := MONTH_DAY.match(text):
        return _of_parts(american[3], american[1], american[2])
    if british := DAY_MONTH.match(text):
        return _of_parts(british[3], british[2], british[1])
    return None


def _of_parts(year: str, month: str, day: str) -> date | None:
    if month not in MONTHS:
        return None
    return calendar_date(f"{year}-{MONTHS.index(month) + 1:02}-{int(day):02}", EVENT_YEARS)
