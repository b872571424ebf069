"""A server that plays Google Calendar, with pages, sync tokens, and writing to calendars that the app made.

Every change has a number. A sync token is the number of the last change that its holder has seen. All pages of a list
are as of the request of its first page.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from itertools import count, islice
from typing import Any
from urllib.parse import unquote

from bridge.recordings.server import Answer, Request
from lab.vendors.google import GoogleServer, refusal
from lab.vendors.google_channels import Channels

API = "/calendar/v3"
WRITE_SCOPE = "https://www.googleapis.com/auth/calendar.app.created"
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
LISTINGS = 16  # under way, whose pages are kept
LIST = "/users/me/calendarList"


class Vendor(GoogleServer):
    """A server of ``account``. Changes must be made by the methods, so that sync tokens work."""

    scope = "https://www.googleapis.com/auth/calendar.readonly"

    def __init__(self, account: dict[str, Any]) -> None:
        super().__init__(account)
        self.page_size = 2500
        self.empty_first_page = False
        self.clock: Callable[[], datetime] = wall_clock
        self.channels = Channels(lambda: self.clock())
        self.tells_exceptions = True  # of a deleted series, as cancelled; else only that the series is gone
        self._changes: dict[str, dict[str, int]] = {
            c: dict.fromkeys((e["id"] for e in es), 1) for c, es in account["events"].items()
        }
        self._changes[LIST] = dict.fromkeys((c["id"] for c in account["calendars"]), 1)
        self._tombs: dict[tuple[str, str], dict[str, Any]] = {}  # of what was deleted, as it is told
        self._number = 1
        self._oldest_token = 0
        self._listings: dict[str, tuple[list[dict[str, Any]], dict[str, str]]] = {}
        self._names = count(1)

    def events(self, calendar: str) -> list[dict[str, Any]]:
        """Return the events of a calendar, which must be replaced by ``put`` and not be changed in place."""
        events: list[dict[str, Any]] = self.account["events"].setdefault(calendar, [])
        return events

    def put(self, calendar: str, event: dict[str, Any]) -> None:
        events = self.events(calendar)
        place = next((i for i, e in enumerate(events) if e["id"] == event["id"]), len(events))
        events[place : place + 1] = [event]
        self._touch(calendar, event["id"])

    def delete(self, calendar: str, event_id: str) -> list[dict[str, Any]]:
        """Cancel an event, or a series with its exceptions. Returns the removed events.

        A cancelled instance of a remaining series stays as an exception.
        """
        at = stamp(self.clock())
        events = self.events(calendar)
        gone = [e for e in events if event_id in (e["id"], e.get("recurringEventId"))]
        events[:] = [e for e in events if e not in gone]
        alive = {e["id"] for e in events}
        for one in gone:
            self._tombs[calendar, one["id"]] = _tomb(one) | {"updated": at}
            if one.get("recurringEventId") in alive:
                events.append(_tomb(one))
            if one["id"] == event_id or self.tells_exceptions:
                self._touch(calendar, one["id"])
        return gone

    def drop(self, calendar: str, event_id: str) -> None:
        """Remove an event so that later lists tell its id alone, as Google does for exceptions of a moved series."""
        events = self.events(calendar)
        events[:] = [e for e in events if e["id"] != event_id]
        self._tombs[calendar, event_id] = {"id": event_id, "status": "cancelled"}
        self._touch(calendar, event_id)

    def account_changed(self, before: dict[str, Any], at: datetime) -> None:  # noqa: ARG002 - numbers, not times
        """Record every difference to the account ``before`` as a change. Removed events are later listed by id only."""
        for calendar in {*before["events"], *self.account["events"]}:
            old = {e["id"]: e for e in before["events"].get(calendar, ())}
            new = {e["id"]: e for e in self.events(calendar)}
            for key in (key for key in {**old, **new} if old.get(key) != new.get(key)):
                if key not in new:
                    self._tombs[calendar, key] = {"id": key, "status": "cancelled"}
                self._touch(calendar, key)
        entries = [{c["id"]: c for c in calendars} for calendars in (before["calendars"], self.account["calendars"])]
        for key in (key for key in {**entries[0], **entries[1]} if entries[0].get(key) != entries[1].get(key)):
            self._touch(LIST, key)

    def ever(self, calendar: str) -> set[str]:
        """Return the ids of all events that a calendar holds or held. An id is never used again."""
        return set(self._changes.get(calendar, ())) | {e["id"] for e in self.events(calendar)}

    def put_calendar(self, entry: dict[str, Any]) -> None:
        """Add or replace an entry of the calendar list."""
        self.account["calendars"] = [c for c in self.account["calendars"] if c["id"] != entry["id"]] + [entry]
        self._touch(LIST, entry["id"])

    def remove_calendar(self, calendar: str) -> None:
        self.account["calendars"] = [c for c in self.account["calendars"] if c["id"] != calendar]
        self._touch(LIST, calendar)

    def expire_sync_tokens(self) -> None:
        """Refuse all sync tokens given out so far with status 410."""
        self._number += 1
        self._oldest_token = self._number

    def _touch(self, place: str, key: str) -> None:
        self._number += 1
        self._changes.setdefault(place, {})[key] = self._number
        self.channels.changed(place)

    def answer_for(self, request: Request, query: Mapping[str, str]) -> Answer:
        path = request.path.removeprefix(API)
        if path == LIST:
            entries = {c["id"]: c for c in self.account["calendars"]}
            return self._list(LIST, entries, {"deleted": True}, query, 250)
        if path == "/users/me/settings/timezone":
            return Answer(body={"id": "timezone", "value": self.account.get("zone", "UTC")})
        if request.method == "POST" and path == "/channels/stop":
            return self.channels.stop(request)
        if request.method == "POST" and path.endswith("/events/watch"):
            return self._watch(unquote(path.split("/")[2]), request)
        if request.method != "GET":
            return Writing(self, request).answer(path)
        parts = path.strip("/").split("/")
        known = {c["id"]: c for c in self.account["calendars"]}
        calendar = known.get(unquote(parts[1])) if len(parts) > 1 and parts[0] == "calendars" else None
        if calendar is None:
            return refusal(404, "notFound")
        match parts[2:]:
            case ["events"]:
                return self._events(calendar, query)
            case ["events", key]:
                return self._event(calendar["id"], key)
        return Answer(body=calendar)

    def _watch(self, calendar: str, request: Request) -> Answer:
        known = {c["id"] for c in self.account["calendars"]}
        return self.channels.watch(calendar, request) if calendar in known else refusal(404, "notFound")

    def _event(self, calendar: str, key: str) -> Answer:
        alive = next((e for e in self.events(calendar) if e["id"] == key), None)
        found = alive or self._tombs.get((calendar, key))
        return refusal(404, "notFound") if found is None else Answer(body=found)

    def _events(self, calendar: Mapping[str, Any], query: Mapping[str, str]) -> Answer:
        """Answer with series and exceptions, or for a sync token with the changes since, removed events cancelled."""
        if "syncToken" in query and (FORBIDDEN & set(query) or query.get("showDeleted") == "false"):
            return refusal(400, "invalid")
        name = calendar["id"]
        found = {e["id"]: e for e in self.events(name)}
        if query.get("showDeleted") == "true":
            found = {key: tomb for (place, key), tomb in self._tombs.items() if place == name} | found
        return self._list(name, found, {"status": "cancelled"}, query, self.page_size)

    def _list(
        self, place: str, alive: Mapping[str, dict[str, Any]], gone: dict[str, Any], query: Mapping[str, str], most: int
    ) -> Answer:
        """Answer with a page of everything, or of the changes since the sync token."""
        if "pageToken" in query:
            return self._page(query["pageToken"], query, most)
        found = list(alive.values())
        if "syncToken" in query:
            since = int(query["syncToken"].removeprefix("sync-"))
            if since < self._oldest_token:
                return refusal(410, "fullSyncRequired")
            changed = [key for key, number in self._changes.get(place, {}).items() if number > since]
            found = [alive.get(k) or self._tombs.get((place, k)) or {"id": k} | gone for k in changed]
        name = str(next(self._names))
        zone = {"timeZone": self.account.get("zone", "UTC")} if place != LIST else {}
        self._listings[name] = found, {"nextSyncToken": f"sync-{self._number}"} | zone
        for old in list(islice(self._listings, max(len(self._listings) - LISTINGS, 0))):
            del self._listings[old]
        if self.empty_first_page:
            return Answer(body={"items": [], "nextPageToken": f"page-{name}-0"})
        return self._page(f"page-{name}-0", query, most)

    def _page(self, token: str, query: Mapping[str, str], most: int) -> Answer:
        """Return a page. The sync token is on the last page only."""
        _, name, begin = token.split("-")
        if name not in self._listings:
            return refusal(400, "invalid")
        found, last = self._listings[name]
        end = int(begin) + min(int(query.get("maxResults", "250")), most)
        more = {"nextPageToken": f"page-{name}-{end}"} if end < len(found) else last
        return Answer(body={"items": found[int(begin) : end]} | more)


def _tomb(event: Mapping[str, Any]) -> dict[str, Any]:
    """Return a deleted event as lists show it, with its id, and the series and instance of an exception."""
    kept = {n: event[n] for n in ("id", "recurringEventId", "originalStartTime") if n in event}
    return kept | {"status": "cancelled"}


class Writing:
    """A writing request of an app, which is allowed on calendars that the app made."""

    def __init__(self, vendor: Vendor, request: Request) -> None:
        self._vendor = vendor
        self._request = request
        self._body: dict[str, Any] = json.loads(request.body) if request.body else {}

    def answer(self, path: str) -> Answer:
        if WRITE_SCOPE not in self._vendor.scopes(self._request):
            return refusal(403, "insufficientPermissions")
        parts = [unquote(part) for part in path.strip("/").split("/")]
        match self._request.method, parts:
            case "POST", ["calendars"]:
                return self._calendar()
            case _, ["calendars", calendar, "events", *_] if calendar not in self._made:
                return refusal(403 if calendar in self._known else 404, "requiredAccessLevel")
            case "POST", ["calendars", calendar, "events"]:
                return self._insert(calendar)
            case (("PUT" | "PATCH" | "DELETE"), ["calendars", calendar, "events", event]):
                return self._change(calendar, event)
        return refusal(404, "notFound")

    @property
    def _made(self) -> list[str]:
        made: list[str] = self._vendor.account.setdefault("made", [])
        return [calendar for calendar in made if calendar in self._known]

    @property
    def _known(self) -> set[str]:
        return {c["id"] for c in self._vendor.account["calendars"]}

    def _calendar(self) -> Answer:
        number = len(self._vendor.account.setdefault("made", [])) + 1
        calendar = {"id": f"made{number}@group.calendar.google.com", "timeZone": "UTC"} | self._body
        self._vendor.account["made"].append(calendar["id"])
        self._vendor.put_calendar(calendar | {"accessRole": "owner", "selected": True})
        return Answer(body=calendar)

    def _insert(self, calendar: str) -> Answer:
        event = self._stamped({"id": f"event{len(self._vendor.events(calendar)):05}", "status": "confirmed"})
        if event["id"] in self._vendor.ever(calendar):
            return refusal(409, "duplicate")
        self._vendor.put(calendar, event)
        return Answer(body=event)

    def _change(self, calendar: str, key: str) -> Answer:
        before = next((e for e in self._vendor.events(calendar) if e["id"] == key), None)
        if self._request.method == "DELETE":
            if before is None:
                return refusal(410 if key in self._vendor.ever(calendar) else 404, "deleted")
            self._vendor.delete(calendar, key)
            return Answer(status=204)
        if key not in self._vendor.ever(calendar):
            return refusal(404, "notFound")
        partly = (before or {}) if self._request.method == "PATCH" else {}
        event = self._stamped({"status": "confirmed"} | partly | {"id": key})
        self._vendor.put(calendar, event)
        return Answer(body=event)

    def _stamped(self, event: dict[str, Any]) -> dict[str, Any]:
        now = stamp(self._vendor.clock())
        key = event["id"]
        return {"iCalUID": f"{key}@google.com", "organizer": {"self": True}} | event | self._body | {"updated": now}


def stamp(at: datetime) -> str:
    """Return an instant in Google's format."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def wall_clock() -> datetime:
    return datetime.now(UTC)
