"""A server that plays the calendar of Microsoft 365, with ``calendars``, and ``events`` by calendar.

A series is an event of type seriesMaster, with another event for each occurrence and exception. A list of changes gives
only the times and the series of an occurrence, as Graph does.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote, urlencode

from bridge.recordings.server import Answer, Request
from lab.vendors.microsoft import API, Changes, MicrosoftServer, Thing, refusal

WRITE_SCOPE = "Calendars.ReadWrite"
BARE = ("@odata.type", "@odata.etag", "id", "seriesMasterId", "type", "start", "end")
PREVIEW = 255  # characters of a text


class Vendor(MicrosoftServer):
    """A server of ``account``. Changes must be made by ``put`` and ``delete``, so that links to changes work."""

    default_scope = "Calendars.Read"

    def __init__(self, account: dict[str, Any]) -> None:
        super().__init__(account)
        self.tells_masters = True  # in a listing of changes; some accounts' listings lack the series
        self.changes = {name: Changes(events) for name, events in account["events"].items()}
        self._windows_of: list[tuple[str, str]] = []

    def events(self, calendar: str) -> list[Thing]:
        """Return the events of a calendar. To change one, give a changed copy to ``put``."""
        events: list[Thing] = self.account["events"].setdefault(calendar, [])
        return events

    def put(self, calendar: str, event: Thing) -> None:
        events = self.events(calendar)
        events[:] = [one for one in events if one["id"] != event["id"]] + [event]
        self.changes_of(calendar).touch(event["id"])

    def delete(self, calendar: str, event_id: str, *, tells_occurrences: bool = True) -> None:
        """Delete an event, or a series with its occurrences.

        Without ``tells_occurrences``, later lists of changes show the removal of the series only.
        """
        events = self.events(calendar)
        gone = [event["id"] for event in events if event_id in (event["id"], event.get("seriesMasterId"))]
        events[:] = [event for event in events if event["id"] not in gone]
        for key in gone if tells_occurrences else [event_id]:
            self.changes_of(calendar).touch(key)

    def remove_calendar(self, calendar: str) -> None:
        self.account["calendars"] = [one for one in self.account["calendars"] if one["id"] != calendar]

    def account_changed(self, before: dict[str, Any], at: datetime) -> None:  # noqa: ARG002 - numbers, not times
        """Record every difference to the account ``before`` as a change, which later lists of changes contain."""
        for name in {*before["events"], *self.account["events"]}:
            self.changes_of(name).differ(before["events"].get(name, []), self.account["events"].get(name, []))

    def expire_links(self) -> None:
        """Refuse all links to changes given out so far with status 410."""
        for changes in self.changes.values():
            changes.expire()

    def changes_of(self, calendar: str) -> Changes:
        return self.changes.setdefault(calendar, Changes([]))

    def answer_for(self, request: Request, url: str) -> Answer:
        path = [unquote(part) for part in request.path.removeprefix(API).strip("/").split("/")]
        if request.method != "GET":
            return Writing(self, request).answer(path)
        match path:
            case ["pages"]:
                return self.page(request.query["$skiptoken"], url)
            case ["me", "calendars"]:
                return self.listed(self.account["calendars"], url)
            case ["me", "calendars", calendar, *rest]:
                return self._calendar(calendar, rest, request, url)
            case ["me", "events", key]:
                found = self.event(key)
                return refusal(404, "ErrorItemNotFound") if found is None else Answer(body=found)
            case ["me", "events", key, "instances"]:
                return self._instances(key, request.query, url)
        return refusal(404, "ResourceNotFound")

    def _calendar(self, calendar: str, rest: list[str], request: Request, url: str) -> Answer:
        known = {one["id"]: one for one in self.account["calendars"]}
        if calendar not in known:
            return refusal(404, "ErrorItemNotFound")
        window = request.query.get("startDateTime", ""), request.query.get("endDateTime", "9")
        match rest:
            case []:
                return Answer(body=known[calendar])
            case ["calendarView"]:
                held = [event for event in self.events(calendar) if event.get("type") != "seriesMaster"]
                return self.listed([one for one in held if _within(one, window)], url)
            case ["calendarView", "delta"]:
                return self._delta(calendar, request, url)
        return refusal(404, "ResourceNotFound")

    def event(self, key: str) -> Thing | None:
        return next(
            (event for events in self.account["events"].values() for event in events if event["id"] == key), None
        )

    def _instances(self, key: str, window: Mapping[str, str], url: str) -> Answer:
        if self.event(key) is None:
            return refusal(404, "ErrorItemNotFound")
        of = [
            event
            for events in self.account["events"].values()
            for event in events
            if event.get("seriesMasterId") == key
        ]
        return self.listed([one for one in of if _within(one, (window["startDateTime"], window["endDateTime"]))], url)

    def _delta(self, calendar: str, request: Request, url: str) -> Answer:
        token, events, changes = request.query.get("$deltatoken"), self.events(calendar), self.changes_of(calendar)
        if token is None:
            self._windows_of.append((request.query["startDateTime"], request.query["endDateTime"]))
            number, window = None, len(self._windows_of) - 1
        else:
            number, window = (int(part) for part in token.split("-"))
        shown = self._windows_of[window]
        masters = {event["seriesMasterId"] for event in events if event.get("seriesMasterId") and _within(event, shown)}
        if number is None:
            found = [event for event in events if self._shows(event, shown, masters)]
        else:
            since = changes.since(number, events, lambda one: self._shows(one, shown, masters))
            if since is None:
                return refusal(410, "SyncStateNotFound")
            found = since
        link = f"{url}{API}{request.path.removeprefix(API)}?{urlencode({'$deltatoken': f'{changes.now}-{window}'})}"
        return self.listed([_told(one) for one in found], url, {"@odata.deltaLink": link})

    def _shows(self, event: Thing, window: tuple[str, str], masters: set[str]) -> bool:
        if event.get("type") == "seriesMaster":
            return self.tells_masters and event["id"] in masters
        return _within(event, window)


def _within(event: Thing, window: tuple[str, str]) -> bool:
    start, end = (str((event.get(name) or {}).get("dateTime", "")) for name in ("start", "end"))
    return start[:19] < window[1] and end[:19] >= window[0][:19]


def _told(event: Thing) -> Thing:
    bare = event.get("type") == "occurrence" and "@removed" not in event
    return {name: event[name] for name in BARE if name in event} if bare else event


class Writing:
    def __init__(self, vendor: Vendor, request: Request) -> None:
        self._vendor, self._request = vendor, request
        self._body: Thing = json.loads(request.body) if request.body else {}

    def answer(self, path: list[str]) -> Answer:
        if WRITE_SCOPE not in self._vendor.scopes(self._request):
            return refusal(403, "ErrorAccessDenied")
        match self._request.method, path:
            case "POST", ["me", "calendars"]:
                return self._calendar()
            case "POST", ["me", "calendars", calendar, "events"]:
                return self._create(calendar)
            case (("PATCH" | "DELETE"), ["me", "events", key]):
                return self._change(key)
        return refusal(404, "ResourceNotFound")

    def _calendar(self) -> Answer:
        calendars = self._vendor.account["calendars"]
        made = {"id": f"made{len(calendars)}", "canEdit": True, "isDefaultCalendar": False, **self._body}
        calendars.append(made)
        return Answer(status=201, body=made)

    def _create(self, calendar: str) -> Answer:
        if calendar not in {one["id"] for one in self._vendor.account["calendars"]}:
            return refusal(404, "ErrorItemNotFound")
        held = self._vendor.events(calendar)
        same = next((one for one in held if one.get("transactionId") == self._body.get("transactionId")), None)
        if same is not None:
            return Answer(status=201, body=same)
        event = self._stamped({"id": f"AAMk{self._vendor.changes_of(calendar).now:06}=", "type": "singleInstance"})
        self._vendor.put(calendar, event)
        return Answer(status=201, body=event)

    def _change(self, key: str) -> Answer:
        before = self._vendor.event(key)
        if before is None:
            return refusal(404, "ErrorItemNotFound")
        if self._request.headers.get("if-match", "*") not in ("*", before["@odata.etag"]):
            return refusal(412, "ErrorIrresolvableConflict")
        calendar = next(name for name, events in self._vendor.account["events"].items() if before in events)
        if self._request.method == "DELETE":
            self._vendor.delete(calendar, key)
            return Answer(status=204)
        event = self._stamped(before)
        self._vendor.put(calendar, event)
        return Answer(body=event)

    def _stamped(self, event: Thing) -> Thing:
        now = datetime.now(UTC).isoformat()
        found: Thing = {"isOrganizer": True, "isAllDay": False, "showAs": "busy"} | event | self._body
        preview = str((found.get("body") or {}).get("content", ""))[:PREVIEW]
        return found | {"bodyPreview": preview, "@odata.etag": f'W/"{now}"', "lastModifiedDateTime": now}
