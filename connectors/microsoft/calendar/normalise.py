"""Turn events of Microsoft Graph into events. A series gives none itself, for its occurrences have their own records.

Field names: learn.microsoft.com/graph/api/resources/event.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from bridge.domain.errors import BadRecord
from bridge.domain.types import Event, Item, RawRecord, Response
from connectors.microsoft.calendar.events import MASTER, OCCURRENCE
from connectors.microsoft.graph import instant, written_date, zone_of
from connectors.payload import words

RESPONSES = {
    "accepted": Response.ACCEPTED,
    "tentativelyAccepted": Response.TENTATIVE,
    "notResponded": Response.NEEDS_ACTION,
    "declined": Response.DECLINED,
}
FREE = ("free", "workingElsewhere")  # of showAs
PRIVATE = ("private", "confidential")  # of sensitivity


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:
    """Return a list with the event of a record. It is empty for a calendar, a series and a cancelled event.

    Raises BadRecord, which names the field, if it is unreadable, and for an occurrence without its series.
    """
    payload = record.payload
    if record.stream == "calendar" or payload.get("type") == MASTER:
        return []
    calendar, _, key = record.key.rpartition("/")
    if not isinstance(payload.get("id"), str) or not key:
        raise BadRecord("microsoft_calendar/event: id is missing")
    told = payload
    if payload.get("type") == OCCURRENCE:
        if parent is None:
            raise BadRecord("microsoft_calendar/event: the series of this occurrence has not come")
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
                "microsoft_calendar/event: an all-day event's start or end is no date, or in the wrong order"
            )
        return {"first_day": first, "last_day": max(first, last - timedelta(days=1))}
    begun, ended = instant(start), instant(end)
    if begun is None or ended is None or ended < begun:
        raise BadRecord("microsoft_calendar/event: start or end is no instant, or end is before start")
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
