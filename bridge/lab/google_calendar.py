"""A Google Calendar server for one account: calendar list, events with page and sync tokens.

Every change to an event has a number; a sync token is the number up to which its holder has seen everything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from bridge.lab.google import GoogleServer, page, refusal
from bridge.lab.server import Answer, Request

API = "/calendar/v3"
FORBIDDEN = {
    "iCalUID",
    "orderBy",
    "privateExtendedProperty",
    "q",
    "sharedExtendedProperty",
    "timeMin",
    "timeMax",
    "updatedMin",
}


class Vendor(GoogleServer):
    """Serves ``account``; change it through ``put``, ``delete`` and ``remove_calendar`` so that sync tokens work."""

    scope = "https://www.googleapis.com/auth/calendar.readonly"

    def __init__(self, account: dict[str, Any]) -> None:
        super().__init__(account)
        self.page_size = 2500
        self.empty_first_page = False
        self._changes: dict[str, dict[str, int]] = {
            c: dict.fromkeys((e["id"] for e in es), 1) for c, es in account["events"].items()
        }
        self._number = 1
        self._oldest_token = 0

    def put(self, calendar: str, event: dict[str, Any]) -> None:
        """Add or replace an event."""
        events = self.account["events"].setdefault(calendar, [])
        events[:] = [e for e in events if e["id"] != event["id"]] + [event]
        self._touch(calendar, event["id"])

    def delete(self, calendar: str, event_id: str) -> None:
        """Cancel a single event or a whole series with its exceptions."""
        events = self.account["events"][calendar]
        gone = [e["id"] for e in events if event_id in (e["id"], e.get("recurringEventId"))]
        events[:] = [e for e in events if e["id"] not in gone]
        for one in gone:
            self._touch(calendar, one)

    def remove_calendar(self, calendar: str) -> None:
        self.account["calendars"] = [c for c in self.account["calendars"] if c["id"] != calendar]

    def expire_sync_tokens(self) -> None:
        """Tokens given out so far answer 410 from now on."""
        self._number += 1
        self._oldest_token = self._number

    def _touch(self, calendar: str, event_id: str) -> None:
        self._number += 1
        self._changes.setdefault(calendar, {})[event_id] = self._number

    def api(self, request: Request, query: Mapping[str, str]) -> Answer:
        path = request.path.removeprefix(API)
        if path == "/users/me/calendarList":
            return self._page(self.account["calendars"], query, {"nextSyncToken": "calendar-list"})
        if path == "/users/me/settings/timezone":
            return Answer(body={"id": "timezone", "value": self.account.get("zone", "UTC")})
        parts = path.strip("/").split("/")
        known = {c["id"]: c for c in self.account["calendars"]}
        calendar = known.get(unquote(parts[1])) if len(parts) > 1 and parts[0] == "calendars" else None
        if calendar is None:
            return refusal(404, "notFound")
        return self._events(calendar, query) if parts[2:] == ["events"] else Answer(body=calendar)

    def _events(self, calendar: Mapping[str, Any], query: Mapping[str, str]) -> Answer:
        """Masters and exceptions; with a sync token only what changed since, deleted ones as cancelled."""
        events = {e["id"]: e for e in self.account["events"].get(calendar["id"], [])}
        found = list(events.values())
        if "syncToken" in query:
            if FORBIDDEN & set(query) or query.get("showDeleted") == "false":
                return refusal(400, "invalid")
            since = int(query["syncToken"].removeprefix("sync-"))
            if since < self._oldest_token:
                return refusal(410, "fullSyncRequired")
            changed = [i for i, number in self._changes.get(calendar["id"], {}).items() if number > since]
            found = [events.get(i, {"id": i, "status": "cancelled"}) for i in changed]
        last = {"nextSyncToken": f"sync-{self._number}", "timeZone": calendar.get("timeZone", "UTC")}
        return self._page(found, query, last)

    def _page(self, items: list[dict[str, Any]], query: Mapping[str, str], last: Mapping[str, str]) -> Answer:
        """Short and even empty pages are normal; the sync token stands on the last one only."""
        if self.empty_first_page and "pageToken" not in query:
            return Answer(body={"items": [], "nextPageToken": "page-0"})
        return page(items, query, min(int(query.get("maxResults", "250")), self.page_size), last)
