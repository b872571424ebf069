"""Google's event resources as events. Field names: developers.google.com/workspace/calendar/api/v3/reference/events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from bridge.errors import BadRecord
from bridge.types import Event, Item, RawRecord, Response

TASK_LINK = "tasks.google.com/task/"
OURS = "rhythm"  # the private extended property of events we wrote ourselves: ``<slot>/<action>``
THEIRS = "on_a_calendar_of_somebody_else"  # put beside Google's own fields, true there
KINDS = {"default", "focusTime", "outOfOffice", "workingLocation", "birthday", "fromGmail"}
RESPONSES = {
    "accepted": Response.ACCEPTED,
    "tentative": Response.TENTATIVE,
    "needsAction": Response.NEEDS_ACTION,
    "declined": Response.DECLINED,
}


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - the port's shape
    """One event per event resource, nothing for a calendar. Raises BadRecord naming the unreadable field."""
    if record.stream == "calendar":
        return []
    payload = record.payload
    calendar, _, key = record.key.rpartition("/")
    if not isinstance(payload.get("id"), str) or not key:
        raise BadRecord("google_calendar/event: id is missing")
    times = _hole(payload) if payload.get("status") == "cancelled" else _times(payload)
    return [Event(key=record.key, calendar=calendar, **_facts(payload) | times, **_exception(payload, calendar))]


def _hole(payload: Mapping[str, Any]) -> dict[str, Any]:
    """A cancelled instance may carry nothing but what it replaces."""
    if not isinstance(payload.get("recurringEventId"), str):
        raise BadRecord("google_calendar/event: cancelled without a series")
    return {"cancelled": True}


def _times(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Start and end; an all-day event's end is exclusive at Google and inclusive here."""
    start, end = payload.get("start"), payload.get("end")
    first, last = _date(start), _date(end)
    if first is not None:
        if last is None or last < first:
            raise BadRecord("google_calendar/event: end is missing or before start")
        return {"first_day": first, "last_day": max(first, last - timedelta(days=1)), "recurrence": _rules(payload)}
    begun, ended = _instant(start), _instant(end)
    if begun is None or ended is None or ended < begun:
        raise BadRecord("google_calendar/event: start or end is no instant")
    return {"start": begun, "end": ended, "zone": _zone(start), "recurrence": _rules(payload)}


def _exception(payload: Mapping[str, Any], calendar: str) -> dict[str, Any]:
    """Which instance of which series this event replaces."""
    master = payload.get("recurringEventId")
    if not isinstance(master, str) or not master:
        return {}
    original = payload.get("originalStartTime")
    start, day = _instant(original), _date(original)
    if start is None and day is None:
        raise BadRecord("google_calendar/event: originalStartTime is unreadable")
    return {"master": f"{calendar}/{master}", "original_start": start, "original_day": day}


def _facts(payload: Mapping[str, Any]) -> dict[str, Any]:
    """What else is known. ``self`` is whose calendar it stands on: of somebody else's, what they declined does not take
    place there, and that they accepted or invite is no answer of mine.
    """
    attendees = [a for a in _listed(payload.get("attendees")) if isinstance(a, Mapping)]
    people = [a for a in attendees if a.get("resource") is not True]
    me = next((a for a in people if a.get("self") is True), None)
    answer, theirs = _response(me), payload.get(THEIRS) is True
    mine = _inner(payload, "organizer").get("self") is True or "organizer" not in payload
    others = sum(a.get("self") is not True for a in people)
    return {
        "series": _text(payload, "iCalUID"),
        "title": _text(payload, "summary"),
        "busy": payload.get("transparency") != "transparent",
        "kind": _kind(payload),
        "response": None if theirs else answer,
        "cancelled": theirs and answer is Response.DECLINED,
        "others": max(others, 1) if payload.get("attendeesOmitted") is True else others,
        "organised_by_me": mine and not (theirs and others),
        "conference": bool(_inner(payload, "conferenceData")) or _text(payload, "hangoutLink") is not None,
        "private": payload.get("visibility") in ("private", "confidential"),
    }


def _response(me: Mapping[str, Any] | None) -> Response | None:
    answer = None if me is None else me.get("responseStatus")
    return RESPONSES.get(answer) if isinstance(answer, str) else None


def _kind(payload: Mapping[str, Any]) -> str:
    """The event type; a task with a time of day comes disguised as focus time, with a link to it."""
    ours = _inner(_inner(payload, "extendedProperties"), "private").get(OURS)
    if isinstance(ours, str):
        return f"advice:{ours.rpartition('/')[2]}"
    kind, description = payload.get("eventType"), payload.get("description")
    if kind == "focusTime" and isinstance(description, str) and TASK_LINK in description:
        return "task"
    return kind if isinstance(kind, str) and kind in KINDS else "default"


def _rules(payload: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(line for line in _listed(payload.get("recurrence")) if isinstance(line, str))


def _instant(when: Any) -> datetime | None:
    """``dateTime`` in UTC; one without an offset is read in its ``timeZone``."""
    text = when.get("dateTime") if isinstance(when, Mapping) else None
    if not isinstance(text, str):
        return None
    try:
        at = datetime.fromisoformat(text)
        if at.tzinfo is None:
            zone = _zone(when)
            if zone is None:
                return None
            at = at.replace(tzinfo=ZoneInfo(zone))
        at = at.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return at if 1900 <= at.year < 2200 else None


def _date(when: Any) -> date | None:
    text = when.get("date") if isinstance(when, Mapping) else None
    if not isinstance(text, str):
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if 1900 <= day.year < 2200 else None


def _zone(when: Any) -> str | None:
    """The IANA name, if it is one this machine knows."""
    name = when.get("timeZone") if isinstance(when, Mapping) else None
    if not isinstance(name, str) or not name:
        return None
    try:
        return ZoneInfo(name).key
    except (KeyError, ValueError, OSError):
        return None


def _text(payload: Mapping[str, Any], field: str) -> str | None:
    value = payload.get(field)
    return value if isinstance(value, str) and value.strip() else None


def _inner(payload: Mapping[str, Any], field: str) -> Mapping[str, Any]:
    inner = payload.get(field)
    return inner if isinstance(inner, Mapping) else {}


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
