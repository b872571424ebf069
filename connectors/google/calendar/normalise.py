"""Turn the event resources of Google Calendar into events.

Field names: developers.google.com/workspace/calendar/api/v3/reference/events.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from bridge.domain.errors import BadRecord
from bridge.domain.types import Event, Item, RawRecord, Response
from connectors.instants import EVENT_YEARS, calendar_date, time_zone, utc, zone_of_arrival
from connectors.payload import mapping, rows, words

TASK_LINK = "tasks.google.com/task/"
OURS = "rhythm"  # the private extended property of events we wrote ourselves: ``<slot>/<action>``
THEIRS = "on_a_calendar_of_somebody_else"  # put beside Google's own fields, true there
EVENT_TYPES = {"default", "focusTime", "outOfOffice", "workingLocation", "birthday", "fromGmail"}
RESPONSES = {
    "accepted": Response.ACCEPTED,
    "tentative": Response.TENTATIVE,
    "needsAction": Response.NEEDS_ACTION,
    "declined": Response.DECLINED,
}


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - the port's shape
    if record.stream == "calendar":
        return []
    payload = record.payload
    calendar, _, key = record.key.rpartition("/")
    if not isinstance(payload.get("id"), str) or not key:
        raise BadRecord("google_calendar/event: the field id is missing")
    times = _hole(payload) if payload.get("status") == "cancelled" else _times(payload)
    return [Event(key=record.key, calendar=calendar, **_facts(payload) | times, **_exception(payload, calendar))]


def _hole(payload: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(payload.get("recurringEventId"), str):
        raise BadRecord("google_calendar/event: the event is cancelled and belongs to no series")
    return {"cancelled": True}


def _times(payload: Mapping[str, Any]) -> dict[str, Any]:
    start, end = mapping(payload.get("start")), mapping(payload.get("end"))
    if (first := _date(start)) is not None:
        if (last := _date(end)) is None or last < first:
            raise BadRecord("google_calendar/event: the last day (end) is missing or before the first day (start)")
        return {"first_day": first, "last_day": max(first, last - timedelta(days=1)), "recurrence": _rules(payload)}
    zone = time_zone(start.get("timeZone"))
    end_zone = zone if end.get("timeZone") == start.get("timeZone") else time_zone(end.get("timeZone"))
    begun, ended = _instant(start, zone), _instant(end, end_zone)
    if begun is None or ended is None or ended < begun:
        raise BadRecord("google_calendar/event: start or end is missing or no time, or end is before start")
    name, arrival = None if zone is None else zone.key, None
    if end_zone is not zone and end_zone is not None:
        arrival = zone_of_arrival(name, end_zone.key)
    return {"start": begun, "end": ended, "recurrence": _rules(payload), "zone": name, "end_zone": arrival}


def _exception(payload: Mapping[str, Any], calendar: str) -> dict[str, Any]:
    master = payload.get("recurringEventId")
    if not isinstance(master, str) or not master:
        return {}
    original = mapping(payload.get("originalStartTime"))
    start, day = _instant(original, time_zone(original.get("timeZone"))), _date(original)
    if start is None and day is None:
        raise BadRecord("google_calendar/event: the field originalStartTime is unreadable")
    return {"master": f"{calendar}/{master}", "original_start": start, "original_day": day}


def _facts(payload: Mapping[str, Any]) -> dict[str, Any]:
    attendees = rows(payload.get("attendees"))
    people = [a for a in attendees if isinstance(a, dict) and a.get("resource") is not True]
    me = [a for a in people if a.get("self") is True]
    answer, theirs = _response(me[0]) if me else None, payload.get(THEIRS) is True
    mine = "organizer" not in payload or mapping(payload["organizer"]).get("self") is True
    others = len(people) - len(me)
    return {
        "series": words(payload.get("iCalUID")),
        "title": words(payload.get("summary")),
        "busy": payload.get("transparency") != "transparent",
        "kind": _kind(payload),
        "response": None if theirs else answer,
        "cancelled": theirs and answer is Response.DECLINED,
        "others": max(others, 1) if payload.get("attendeesOmitted") is True else others,
        "organised_by_me": mine and not (theirs and others),
        "conference": bool(mapping(payload.get("conferenceData"))) or words(payload.get("hangoutLink")) is not None,
        "located": "://" not in (words(payload.get("location")) or "://"),
        "private": payload.get("visibility") in ("private", "confidential"),
    }


def _response(me: Mapping[str, Any]) -> Response | None:
    answer = me.get("responseStatus")
    return RESPONSES.get(answer) if isinstance(answer, str) else None


def _kind(payload: Mapping[str, Any]) -> str:
    """Return Google's type of an event, "task", or ``advice:ACTION`` for an event that the bridge wrote."""
    ours = mapping(mapping(payload.get("extendedProperties")).get("private")).get(OURS)
    if isinstance(ours, str):
        return f"advice:{ours.rpartition('/')[2]}"
    kind, description = payload.get("eventType"), payload.get("description")
    if kind == "focusTime" and isinstance(description, str) and TASK_LINK in description:
        return "task"
    return kind if isinstance(kind, str) and kind in EVENT_TYPES else "default"


def _rules(payload: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(line for line in rows(payload.get("recurrence")) if isinstance(line, str))


def _instant(when: Mapping[str, Any], zone: ZoneInfo | None) -> datetime | None:
    return utc(when.get("dateTime"), EVENT_YEARS, zone=zone)


def _date(when: Mapping[str, Any]) -> date | None:
    return calendar_date(when.get("date"), EVENT_YEARS)
