"""List the Google calendars to read, which are the primary and those that the user has selected and not hidden.

The list is read whole once. Later only its changes are read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Any

from bridge.domain.errors import CursorExpired, SourceChanged
from bridge.domain.types import Covers, Page, RawRecord
from connectors.google import auth
from connectors.google.answers import Gone, Service, answered

CALENDAR = Service(
    source="google_calendar",
    api="Google Calendar API",
    scope="https://www.googleapis.com/auth/calendar.readonly",
    reads="calendars",
    writes="https://www.googleapis.com/auth/calendar.app.created",  # calendars this app made, no others
)
authorise = partial(auth.authorise, service=CALENDAR)


IGNORED = (
    "#holiday@group.v.calendar.google.com",
    "#contacts@group.v.calendar.google.com",
    "#sports@group.v.calendar.google.com",
)
CALENDAR_FIELDS = "nextPageToken,nextSyncToken,items(id,summary,primary,selected,hidden,deleted,accessRole,timeZone)"
Entry = Mapping[str, Any]


def calendars(service: Any, cursor: str | None, now: datetime) -> tuple[dict[str, bool], Page]:
    """Return (calendar id -> True if it is another person's, page of the list's changes since ``cursor``).

    Without a cursor the whole list is read. Raises CursorExpired if Google refuses that with HTTP 410, and the errors
    of ``answered``.
    """
    known = json.loads(cursor) if cursor else {}
    token = known.get("token")
    try:
        entries, following = entries_since(service, token, now)
    except Gone:
        if token is None:
            raise CursorExpired(
                "google_calendar refused a full listing (HTTP 410), which the next sync tries again: "
                "bridge sync --user NAME"
            ) from None
        return calendars(service, None, now)
    changed = {str(entry.get("id")) for entry in entries}
    kept = known.get("calendars", {}) if token else {}
    followed = {calendar: theirs for calendar, theirs in kept.items() if calendar not in changed}
    followed |= {str(entry["id"]): _theirs(entry) for entry in entries if _wanted(entry)}
    followed = dict(sorted(followed.items()))
    records = tuple(_record(entry) for entry in entries if token or _wanted(entry))
    state = json.dumps({"token": following, "calendars": followed}, sort_keys=True)
    covers = None if token else Covers()
    return followed, Page(stream="calendar", records=records, cursor=state, covers=covers)


def entries_since(service: Any, token: str | None, now: datetime) -> tuple[list[Entry], str | None]:
    """Return the calendar list's entries since ``token`` (None: all entries) and the token for the next call.

    Raises Gone if Google no longer knows the token, and SourceChanged if Google sends no new token.
    """
    found: list[Entry] = []
    options: dict[str, Any] = {"fields": CALENDAR_FIELDS, "maxResults": 250} | ({"syncToken": token} if token else {})
    while True:
        body = answered(service.calendarList().list(**options), CALENDAR, now)
        found += items(body)
        if "nextPageToken" not in body:
            return found, next_token(body)
        options["pageToken"] = body["nextPageToken"]


def next_token(body: Mapping[str, Any]) -> str:
    """Return the sync token at the end of a listing. Raises SourceChanged if it is missing."""
    token = body.get("nextSyncToken")
    if not isinstance(token, str):
        raise SourceChanged(
            "google_calendar ended a listing without a sync token; look for a newer release of the bridge"
        )
    return token


def items(body: Any) -> list[Entry]:
    """Return the rows of a listing of calendars or events. Raises SourceChanged for an answer of another shape."""
    listed = body.get("items", []) if isinstance(body, dict) else None
    if not isinstance(listed, list) or not all(isinstance(item, dict) for item in listed):
        raise SourceChanged("google_calendar answered in an unknown shape; look for a newer release of the bridge")
    return listed


def _wanted(entry: Entry) -> bool:
    calendar = entry.get("id")
    if not isinstance(calendar, str) or calendar.endswith(IGNORED) or entry.get("deleted") is True:
        return False
    return entry.get("primary") is True or (entry.get("selected") is True and entry.get("hidden") is not True)


def _theirs(entry: Entry) -> bool:
    return entry.get("primary") is not True and entry.get("accessRole") != "owner"


def _record(entry: Entry) -> RawRecord:
    gone = not _wanted(entry)
    return RawRecord(stream="calendar", key=str(entry.get("id", "?")), payload={} if gone else entry, deleted=gone)
