"""Writing to the Google Calendar server, which is allowed only on calendars that the app made."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from bridge.recordings.server import Answer, Request
from lab.vendors.google import refusal

if TYPE_CHECKING:
    from lab.vendors.google_calendar import Vendor

SCOPE = "https://www.googleapis.com/auth/calendar.app.created"


class Writing:
    """A request that changes something, of an app that may write on the calendars it made itself."""

    def __init__(self, vendor: Vendor, request: Request) -> None:
        self._vendor = vendor
        self._request = request
        self._body: dict[str, Any] = json.loads(request.body) if request.body else {}

    def answer(self, path: str) -> Answer:
        if SCOPE not in self._vendor.scopes(self._request):
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
        """The calendars this app made and that are still there."""
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
        """With what the request says, and when."""
        now = stamp(self._vendor.clock())
        key = event["id"]
        return {"iCalUID": f"{key}@google.com", "organizer": {"self": True}} | event | self._body | {"updated": now}


def stamp(at: datetime) -> str:
    """An instant as Google writes it."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def wall_clock() -> datetime:
    return datetime.now(UTC)
