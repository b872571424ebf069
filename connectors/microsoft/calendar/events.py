"""Choose the parts of a Microsoft event to store: no addresses, no places, and of its texts only the title."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from connectors.payload import mapping, rows, words

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
    """Return the part of an event of Microsoft Graph that is stored, with people only counted.

    Of an occurrence only its id, type, series and times are stored.
    """
    if event.get("type") == OCCURRENCE:
        return {name: event[name] for name in OF_OCCURRENCE if name in event}
    found = {name: event[name] for name in PLAIN if event.get(name) is not None}
    attendees = [mapping(one) for one in rows(event.get("attendees"))]
    people = [attendee for attendee in attendees if attendee.get("type") != "resource"]
    mark = mark_of(event)
    return found | {
        "response": words(mapping(event.get("responseStatus")).get("response")),
        "attendees": len(people),
        "organizerAttends": _address(event.get("organizer")) in {_address(one) for one in people} - {None},
        "located": "://" not in (words(mapping(event.get("location")).get("displayName")) or "://"),
        **({} if mark is None else {"rhythm": mark[1]}),
    }


def mark_of(event: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return (digest of the plan's key, SLOT/ACTION) from the bridge's mark in an event's text, or None."""
    text = event.get("bodyPreview")
    found = MARKED.search(text) if isinstance(text, str) else None
    return None if found is None else (found[1], found[2])


def _address(person: Any) -> str | None:
    address = mapping(mapping(person).get("emailAddress")).get("address")
    return address.lower() if isinstance(address, str) else None
