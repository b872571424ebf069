"""Turn the components of an iCalendar file into events and tasks, with the same meaning as those from Google."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from bridge.domain.errors import BadRecord
from bridge.domain.recurrence import Series, ended
from bridge.domain.types import Event, Item, RawRecord, Response, Task
from connectors.instants import EVENT_YEARS, calendar_date, due_time, time_zone, utc, zone_of_arrival
from connectors.payload import mapping, rows, words

RESPONSES = {
    "ACCEPTED": Response.ACCEPTED,
    "TENTATIVE": Response.TENTATIVE,
    "NEEDS-ACTION": Response.NEEDS_ACTION,
    "DECLINED": Response.DECLINED,
}
MICROSOFT = {"OOF": "outOfOffice", "WORKINGELSEWHERE": "workingLocation"}
REPEATS = ("RRULE:", "RDATE")
OPEN = ("NEEDS-ACTION", "IN-PROCESS")
DAY = timedelta(days=1)
DURATION_MAX_MINUTES = 366 * 1440  # minutes
FAULTS = {
    "RRULE": "the rule of a series (RRULE) is unreadable or too frequent; only its first start was read",
    "RDATE": "further dates of a series (RDATE) are in a time zone that the calendar does not explain",
    "EXDATE": "excluded dates of a series (EXDATE) are in a time zone that the calendar does not explain",
}


def of_file(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - the port's shape
    """Return the events and tasks of a record of an iCalendar file or of a calendar's address."""
    return meanings("ics", record, record.stream)


def of_server(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - the port's shape
    """Return the events and tasks of a CalDAV record. ``parent`` is the record of the series of an exception."""
    kind = "task" if record.payload.get("kind") == "task" else "event"
    master = None if record.parent is None else record.parent.partition("/")[2]
    return meanings("caldav", record, kind, master=master or record.key)


def meanings(source: str, record: RawRecord, stream: str, *, master: str | None = None) -> Sequence[Item]:
    """Return the event or the task of a record. A cancelled task and a replaced series give nothing.

    ``master`` is the key of the record's series, by default calendar and UID. Raises BadRecord, which names ``source``
    and the unreadable property.
    """
    try:
        return _items(record, stream, master)
    except BadRecord as error:
        raise BadRecord(f"{source}/{stream}: {error}") from None


def _items(record: RawRecord, stream: str, master: str | None) -> Sequence[Item]:
    payload = record.payload
    if payload.get("unreadable") is True:
        raise BadRecord(FAULTS.get(str(payload.get("why")), "the entry is not valid iCalendar"))
    calendar, uid = payload.get("calendar"), payload.get("uid")
    if not isinstance(calendar, str) or not isinstance(uid, str) or not uid:
        raise BadRecord("the entry has no UID" if isinstance(calendar, str) else "the entry's calendar is not known")
    if stream == "task":
        return [] if payload.get("status") == "CANCELLED" else _task(record.key, calendar, payload)
    return [_event(record.key, calendar, uid, payload, master or f"{calendar}/{uid}")]


def _task(key: str, calendar: str, payload: Mapping[str, Any]) -> list[Item]:
    stated = payload.get("due")
    start, due = payload.get("start"), _started_plus(payload) if stated is None else stated
    day = _day(due)
    if stated is not None and day is None:
        raise BadRecord(_unreadable("DUE", stated))
    series = _series(start or due, payload)
    if day is not None and series is not None:
        done = (_wall(row, series.zone, series.first.time()) for row in rows(payload.get("replaced")))
        left = series.first_without({at for at in done if at is not None})
        if left is None:
            return []
        day += left.date() - series.first.date()
    due_at = due_time(_instant(due), time_zone(_zone(due)), day)
    title, completed = words(payload.get("title")), _completed(payload)
    return [Task(key=key, list=calendar, title=title, due=day, due_at=due_at, completed=completed)]


def _series(begins: Any, payload: Mapping[str, Any]) -> Series | None:
    lines, zone = _lines(payload), time_zone(mapping(begins).get("zone"))
    first = _wall(begins, zone, time())
    if first is None or not any(line.startswith(REPEATS) for line in lines):
        return None
    return Series(lines=lines, first=first, zone=zone, homes=[zone] if zone else [])


def _started_plus(payload: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the due time of a to-do from its start and its length (RFC 5545, 3.6.2), or None if one is missing."""
    start, length = mapping(payload.get("start")), _length(payload)
    if length is None:
        return None
    first, begun = _date(start), _instant(start)
    if first is not None:
        return {"date": (first + sum(length, timedelta(0))).isoformat()}
    if begun is None:
        return None
    return {**start, "at": ended(begun, time_zone(start.get("zone")) or UTC, length).isoformat()}


def _length(payload: Mapping[str, Any]) -> tuple[timedelta, timedelta] | None:
    days, minutes = payload.get("days") or 0, payload.get("minutes")
    if minutes is None:
        return None
    if not (_is_number(days) and _is_number(minutes)) or not 0 <= days * 1440 + minutes <= DURATION_MAX_MINUTES:
        raise BadRecord("the entry's length (DURATION) is negative, too long or not a number")
    return timedelta(days=days), timedelta(minutes=minutes)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _completed(payload: Mapping[str, Any]) -> datetime | None:
    status, completed = payload.get("status"), _instant(payload.get("completed"))
    if status in OPEN:
        return None
    if completed is not None or (status != "COMPLETED" and payload.get("percent") != "100"):
        return completed
    changed = _instant(payload.get("modified"))
    if changed is None:
        raise BadRecord("a to-do is completed, but neither COMPLETED nor LAST-MODIFIED tells when")
    return changed


def _event(key: str, calendar: str, uid: str, payload: Mapping[str, Any], master: str) -> Event:
    facts: dict[str, Any] = {
        "key": key,
        "calendar": calendar,
        "series": uid,
        "title": words(payload.get("title")),
        "busy": payload.get("busy") is not False and payload.get("microsoft") not in ("FREE", "WORKINGELSEWHERE"),
        "kind": _kind(payload),
        "response": RESPONSES.get(str(payload.get("answer"))),
        "others": _count(payload.get("others")),
        "organised_by_me": payload.get("organised_by_me") is not False,
        "conference": payload.get("conference") is True,
        "located": payload.get("located") is True,
        "private": payload.get("class") in ("PRIVATE", "CONFIDENTIAL"),
        "cancelled": payload.get("status") == "CANCELLED",
    }
    hole = facts["cancelled"] and "original" in payload  # it may carry nothing but what it replaces
    times = {"recurrence": _lines(payload)} if hole else _times(payload)
    return Event(**facts, **times, **_exception(master, payload))


def _kind(payload: Mapping[str, Any]) -> str:
    ours = payload.get("ours")
    if isinstance(ours, str):
        return f"advice:{ours.rpartition('/')[2]}"
    return MICROSOFT.get(str(payload.get("microsoft")), "default")


def _times(payload: Mapping[str, Any]) -> dict[str, Any]:
    start, end = payload.get("start"), payload.get("end")
    length = _length(payload)
    lines = {"recurrence": _lines(payload)}
    first = _date(start)
    if first is not None:
        last = _date(end) or _day(end)
        if last is None:
            last = first + (sum(length or (), timedelta(0)) or DAY)
        return {"first_day": first, "last_day": max(first, last - DAY), "zone": _zone(start), **lines}
    begun = _instant(start)
    if begun is None:
        raise BadRecord(_unreadable("DTSTART", start))
    zone = time_zone(_zone(start)) or UTC
    stated, ends = _date(end), _instant(end)
    if stated is not None:  # it lasts until that day begins, and on its own day until it ends
        day = max(stated, begun.astimezone(zone).date() + DAY)
        ends = datetime.combine(day, time(), zone).astimezone(UTC)
    elif end is None:
        ends = ended(begun, zone, length or (timedelta(0), timedelta(0)))
    if ends is None or ends < begun:
        raise BadRecord(_unreadable("DTEND", end) if ends is None else "DTEND is before DTSTART")
    return {
        "start": begun,
        "end": ends,
        "zone": _zone(start),
        "end_zone": zone_of_arrival(_zone(start), _zone(end)),
        **lines,
    }


def _exception(master: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    original = payload.get("original")
    if original is None:
        return {}
    day, at = _date(original), _instant(original)
    if day is None and at is None:
        raise BadRecord(_unreadable("RECURRENCE-ID", original))
    if day is None and _date(payload.get("start")) is not None:
        day = _day(original)
    midnight = at is None or at.astimezone(ZoneInfo(_zone(original) or "UTC")).time() == time()
    surely = day is not None and midnight and "start" in payload
    return {"master": master, "original_start": None if surely else at, "original_day": day}


def _instant(when: Any) -> datetime | None:
    return utc(mapping(when).get("at"), EVENT_YEARS)


def _date(when: Any) -> date | None:
    return calendar_date(mapping(when).get("date"), EVENT_YEARS)


def _day(when: Any) -> date | None:
    at, zone = _instant(when), _zone(when)
    if at is None:
        return _date(when)
    return (at.astimezone(ZoneInfo(zone)) if zone else at).date()


def _wall(when: Any, zone: ZoneInfo | None, of_a_day: time) -> datetime | None:
    at, day = _instant(when), _date(when)
    if at is None:
        return None if day is None else datetime.combine(day, of_a_day)
    return at.astimezone(zone or UTC).replace(tzinfo=None)


def _unreadable(name: str, when: Any) -> str:
    if "unknown" in mapping(when):
        return f"{name} is in a time zone that the calendar does not explain"
    return f"{name} is missing or unreadable"


def _zone(when: Any) -> str | None:
    zone = time_zone(mapping(when).get("zone"))
    return None if zone is None else zone.key


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 100_000 else 0


def _lines(payload: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(line for line in rows(payload.get("lines")) if isinstance(line, str))
