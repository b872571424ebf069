"""A server that plays ActivityWatch, with ``buckets`` that hold metadata and events, newest first."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import unquote

from bridge.recordings.server import Answer, Request
from lab.vendors import PlainServer

API = "/api/0"


class Vendor(PlainServer):
    """A server of ``account``. It needs no consent, but a proxy in front of it may ask for a password."""

    _shut = False

    def settings(self, url: str) -> dict[str, str]:
        self._url = url
        return {"url": url, "work_apps": "Ableton Live, Mein Werkzeug", "days": "60"}

    def grant(self) -> dict[str, Any]:
        self._shut = False
        return {"url": self._url}

    def revoke(self) -> None:
        """Ask for a password from now on."""
        self._shut = True

    def application(self, request: Request) -> Answer:
        if self._shut:
            return Answer(status=401, body={"message": "unauthorized"})
        parts = [unquote(part) for part in request.path.removeprefix(API).strip("/").split("/")]
        buckets = self.account["buckets"]
        match parts:
            case ["buckets"]:
                known = {name: {n: v for n, v in one.items() if n != "events"} for name, one in buckets.items()}
                return Answer(body=known)
            case ["buckets", name, "events"] if name in buckets:
                return Answer(body=_events(buckets[name]["events"], request.query))
        return Answer(status=404, body={"message": "not found"})


def _events(events: list[dict[str, Any]], query: Mapping[str, str]) -> list[dict[str, Any]]:
    start, end = (datetime.fromisoformat(query[name]) for name in ("start", "end"))
    found = [event for event in events if _touches(event, start, end)]
    found.sort(key=lambda one: str(one.get("timestamp")), reverse=True)
    limit = int(query.get("limit", "100"))
    return found if limit < 0 else found[:limit]


def _touches(event: dict[str, Any], start: datetime, end: datetime) -> bool:
    try:
        at = datetime.fromisoformat(str(event["timestamp"]))
        return at < end and at + timedelta(seconds=float(event["duration"] or 0)) >= start
    except (ValueError, TypeError, KeyError):
        return True
