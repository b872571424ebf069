"""Turn the components of an iCalendar file into events and tasks, with the same meaning as those from Google."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo

from bridge.domain.errors import BadRecord
from bridge.domain.types import Event, Item, RawRecord, Response, Task
from connectors.instants import EVENT_YEARS, calendar_date, time_zone, utc, zone_of_arrival
from connectors.payload import mapping, rows, words

RESPONSES = {
    "ACCEPTED": Response.ACCEPTED,
    "TENTATIVE": Response.TENTATIVE,
    "NEEDS-ACTION": Response.NEEDS_ACTION,
    "DECLINED": Response.DECLINED,
}
MICROSOFT = {"OOF": "outOfOffice", "WORKINGELSEWHERE": "workingLocation"}
OPEN = ("NEEDS-ACTION", "IN-PROCESS")
DAY = timedelta(days=1)
DURATION_MAX_MINUTES = 366 * 1440  # minutes
# A rule that finds a date in every step, so that following it takes as many steps as dates.
PLAIN_RULE = re.compile(
    r"(?:(?:FREQ=(?:DAILY|WEEKLY|MONTHLY|YEARLY)|INTERVAL=\d{1,3}|COUNT=\d{1,5}|UNTIL=\d{8}(?:T\d{6}Z?)?|WKST=[A-Z]{2}"
    r"|BYDAY=[A-Z]{2}(?:,[A-Z]{2}){0,6})(?:;|$))+"
)
UNTIL = re.compile(r"UNTIL=(\d{8})(?:T\d{6}Z?)?")


def meanings(source: str, record: RawRecord, stream: str, *, master: str | None = None) -> Sequence[Item]:
    """Return the event or the task of a record of ``source``, which names the source in errors.

    A cancelled task gives nothing, nor does a series of tasks whose instances all have records of their own.
    ``stream`` is "event" or "task". ``master`` is the key of the series that the record belongs to, by default its
    calendar and UID. Raises BadRecord naming the unreadable property.
    """
    try:
        return _items(record, stream, master)
    except BadRecord as error:
        raise BadRecord(f"{source}/{stream}: {error}") from None


def _items(record: RawRecord, stream: str, master: str | None) -> Sequence[Item]:
    payload = record.payload
    if payload.get("unreadable") is True:
        raise BadRecord("the entry is no valid iCalendar")
    calendar, uid = payload.get("calendar"), payload.get("uid")
    if not isinstance(calendar, str) or not isinstance(uid, str) or not uid:
        raise BadRecord("UID or calendar is missing")
    if stream == "task":
        return [] if payload.get("status") == "CANCELLED" else _task(record.key, calendar, payload)
    return [_event(record.key, calendar, uid, payload, master or f"{calendar}/{uid}")]


def _task(key: str, calendar: str, payload: Mapping[str, Any]) -> list[Item]:
    """Return a list with the task of a record. Of a series it is the first instance that no other record replaces.

    The list is empty if all instances are replaced. Raises BadRecord if DUE is unreadable.
    """
    due = payload.get("due")
    day = _day(_started_plus(payload) if due is None else due)
    if due is not None and day is None:
        raise BadRecord("DUE is unreadable")
    replaced = [found for found in map(_day, rows(payload.get("replaced"))) if found is not None]
    if day is not None and replaced:
        day = _first_left(day, _lines(payload), replaced)
        if day is None:
            return []
    return [Task(key=key, list=calendar, title=words(payload.get("title")), due=day, completed=_completed(payload))]


def _started_plus(payload: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the time at which a to-do that states a start and a length is due (RFC 5545, 3.6.2).

    Return None without a start at a time of day, and without a length from 0 to 366 days.
    """
    start, minutes = mapping(payload.get("start")), payload.get("minutes")
    begun = _instant(start)
    if begun is None or not isinstance(minutes, int | float) or not 0 <= minutes <= DURATION_MAX_MINUTES:
        return None
    return {**start, "at": (begun + timedelta(minutes=minutes)).isoformat()}


def _first_left(day: date, lines: Sequence[str], replaced: Sequence[date]) -> date | None:
    """Return the first date of a series from ``day`` on that is not in ``replaced``. Return None if none is left.

    Only rules that find a date in every step are followed. Another rule leaves the series where it begins.
    """
    from dateutil.rrule import rrulestr

    rules = [line.removeprefix("RRULE:") for line in lines if line.startswith("RRULE:")]
    if len(rules) != 1 or not PLAIN_RULE.fullmatch(rules[0].upper()):
        return day
    rule = UNTIL.sub(r"UNTIL=\1", rules[0].upper())
    try:
        found = rrulestr(rule, dtstart=datetime(day.year, day.month, day.day))  # noqa: DTZ001 - a date
        dates = (at.date() for at in islice(found, len(replaced) + 1))
        return next((one for one in dates if one not in replaced), None)
    except (ValueError, OverflowError):
        return day


def _completed(payload: Mapping[str, Any]) -> datetime | None:
    """Return when a task was completed, or None for a task that is not.

    A completed task without that time was completed at its last change. A task that was opened again may still hold
    the time of its completion. Raises BadRecord for a completed task without either time.
    """
    status, completed = payload.get("status"), _instant(payload.get("completed"))
    if status in OPEN:
        return None
    if completed is not None or status != "COMPLETED":
        return completed
    changed = _instant(payload.get("modified"))
    if changed is None:
        raise BadRecord("a completed task has neither COMPLETED nor LAST-MODIFIED")
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
    """Return ``advice:ACTION`` for an entry that the bridge wrote.

    For any other entry return "outOfOffice" or "workingLocation" by Microsoft's property, else "default".
    """
    ours = payload.get("ours")
    if isinstance(ours, str):
        return f"advice:{ours.rpartition('/')[2]}"
    return MICROSOFT.get(str(payload.get("microsoft")), "default")


def _times(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of an event's start, end and recurrence. Raises BadRecord if they are unreadable.

    An all-day event without an end or a length lasts a day, and any other such event no time. Of an all-day event
    iCalendar states the day after the last day. The result states the last day.
    """
    start, end = payload.get("start"), payload.get("end")
    minutes = payload.get("minutes")
    length = minutes if isinstance(minutes, int | float) and not isinstance(minutes, bool) else None
    if length is not None and not 0 <= length <= DURATION_MAX_MINUTES:
        raise BadRecord("DURATION is unreadable")
    lines = {"recurrence": _lines(payload)}
    first = _date(start)
    if first is not None:
        last = _date(end)
        if last is None:
            last = first + (timedelta(minutes=length) if length else DAY)
        return {"first_day": first, "last_day": max(first, last - DAY), **lines}
    begun = _instant(start)
    if begun is None:
        raise BadRecord("DTSTART is missing or unreadable")
    ended = _instant(end) if end is not None else begun + timedelta(minutes=length or 0)
    if ended is None or ended < begun:
        raise BadRecord("DTEND is unreadable or before DTSTART")
    return {
        "start": begun,
        "end": ended,
        "zone": _zone(start),
        "end_zone": zone_of_arrival(_zone(start), _zone(end)),
        **lines,
    }


def _exception(master: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields for the series ``master`` and the instance that an event replaces, or none for other events.

    In an all-day series the instance is a day. If it is uncertain whether the series is all-day, both a day and an
    instant are returned. A cancelled event may state only the time that it replaces. A time other than midnight may
    belong to a series that later became all-day. Raises BadRecord if the time is unreadable.
    """
    original = payload.get("original")
    if original is None:
        return {}
    day, at = _date(original), _instant(original)
    if day is None and at is None:
        raise BadRecord("RECURRENCE-ID is unreadable")
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
    """Return the date of a day, or of a time on the wall clock of its own zone. Return None if unreadable."""
    at, zone = _instant(when), _zone(when)
    if at is None:
        return _date(when)
    return (at.astimezone(ZoneInfo(zone)) if zone else at).date()


def _zone(when: Any) -> str | None:
    zone = time_zone(mapping(when).get("zone"))
    return None if zone is None else zone.key


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 100_000 else 0


def _lines(payload: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(line for line in rows(payload.get("lines")) if isinstance(line, str))
