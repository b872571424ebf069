"""Choose the parts of an event of Microsoft Graph to store, and turn them into events.

Of its texts only the title is stored, and no address or place. A series gives no event itself, because each occurrence
has a record. Field names: learn.microsoft.com/graph/api/resources/event.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from bridge.domain.errors import BadRecord
from bridge.domain.types import Event, Item, RawRecord, Response
from connectors.microsoft.graph import instant, written_date, zone_of
from connectors.payload import mapping, rows, words

RESPONSES = {
    "accepted": Response.ACCEPTED,
    "tentativelyAccepted": Response.TENTATIVE,
    "notResponded": Response.NEEDS_ACTION,
    "declined": Response.DECLINED,
}
FREE = ("free", "workingElsewhere")  # of showAs
PRIVATE = ("private", "confidential")  # of sensitivity
SINGLE, OCCURRENCE, EXCEPTION, MASTER = "singleInstance", "occurrence", "exception", "seriesMaster"
PLAIN = (
    "id",
    "type",
    "seriesMasterId",
    "iCalUId",
    "subject",
    "start",
    "end",
    "isAllDay",
    "isCancelled",
    "isOrganizer",
    "isOnlineMeeting",
    "originalStartTimeZone",
    "sensitivity",
    "showAs",
)
OF_OCCURRENCE = ("id", "type", "seriesMasterId", "start", "end")  # as a listing of changes tells it
MARKED = re.compile(r"rhythm-bridge ([0-9a-f]{40}) (\S{1,40}/[A-Z_]{1,40})")


def kept(event: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of an event that are stored. Attendees are only counted.

    Of an occurrence only its id, type, series and times are stored.
    """
    if event.get("type") == OCCURRENCE:
        return {name: event[name] for name in OF_OCCURRENCE if name in event}
    found = {name: event[name] for name in PLAIN if event.get(name) is not None}
    attendees = [mapping(row) for row in rows(event.get("attendees"))]
    people = [attendee for attendee in attendees if attendee.get("type") != "resource"]
    mark = mark_of(event)
    return found | {
        "response": words(mapping(event.get("responseStatus")).get("response")),
        "attendees": len(people),
        "organizerAttends": _address(event.get("organizer")) in {_address(person) for person in people} - {None},
        "located": "://" not in (words(mapping(event.get("location")).get("displayName")) or "://"),
        **({} if mark is None else {"rhythm": mark[1]}),
    }


def mark_of(event: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return (digest of the plan's key, SLOT/ACTION) from the bridge's mark in an event's text. None without a mark."""
    text = event.get("bodyPreview")
    found = MARKED.search(text) if isinstance(text, str) else None
    return None if found is None else (found[1], found[2])


def _address(person: Any) -> str | None:
    address = mapping(mapping(person).get("emailAddress")).get("address")
    return address.lower() if isinstance(address, str) else None


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:
    """Return [the event] of a record, or [] for a calendar, a series or a cancelled event.

    Raises BadRecord for an unreadable field, which it names, and for an occurrence whose series is not stored.
    """
    payload = record.payload
    if record.stream == "calendar" or payload.get("type") == MASTER:
        return []
    calendar, _, key = record.key.rpartition("/")
    if not isinstance(payload.get("id"), str) or not key:
        raise BadRecord("microsoft_calendar/event: the field id is missing")
    told = payload
    if payload.get("type") == OCCURRENCE:
        if parent is None:
            raise BadRecord(
                "microsoft_calendar/event: the series of this occurrence is not stored yet, or is unreadable"
            )
        told = parent.payload
    if told.get("isCancelled") is True:
        return []
    uid = words((told if parent is None else parent.payload).get("iCalUId"))
    return [Event(key=record.key, calendar=calendar, series=uid, **_facts(told), **_times(payload, told))]


def _times(payload: Mapping[str, Any], told: Mapping[str, Any]) -> dict[str, Any]:
    start, end, zone = payload.get("start"), payload.get("end"), told.get("originalStartTimeZone")
    if told.get("isAllDay") is True:
        first, last = written_date(start, zone), written_date(end, zone)
        if first is None or last is None or last < first:
            raise BadRecord(
                "microsoft_calendar/event: start or end of an all-day event is missing or no date, or end is "
                "before start"
            )
        return {"first_day": first, "last_day": max(first, last - timedelta(days=1))}
    begun, ended = instant(start), instant(end)
    if begun is None or ended is None or ended < begun:
        raise BadRecord("microsoft_calendar/event: start or end is missing or no time, or end is before start")
    known = zone_of(zone)
    return {"start": begun, "end": ended, "zone": None if known is None else known.key}


def _facts(told: Mapping[str, Any]) -> dict[str, Any]:
    mine = told.get("isOrganizer") is not False
    return {
        "title": words(told.get("subject")),
        "busy": told.get("showAs") not in FREE,
        "kind": _kind(told),
        "response": RESPONSES.get(str(told.get("response"))),
        "others": _others(told, mine=mine),
        "organised_by_me": mine,
        "conference": told.get("isOnlineMeeting") is True,
        "located": told.get("located") is True,
        "private": told.get("sensitivity") in PRIVATE,
    }


def _others(told: Mapping[str, Any], *, mine: bool) -> int:
    count = told.get("attendees")
    people = count if isinstance(count, int) and not isinstance(count, bool) and count > 0 else 0
    listed = told.get("organizerAttends") is True
    if mine:
        return people - listed
    return max(people - listed, 1)


def _kind(told: Mapping[str, Any]) -> str:
    ours = words(told.get("rhythm"))
    if ours is not None:
        return f"advice:{ours.rpartition('/')[2]}"
    kinds = {"oof": "outOfOffice", "workingElsewhere": "workingLocation"}
    return kinds.get(str(told.get("showAs")), "default")
