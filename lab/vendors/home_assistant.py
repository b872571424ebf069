"""A server that plays Home Assistant, with ``phone`` and ``states``, which are all states that it recorded.

``GET /api/states`` gives the last state of each entity, and ``GET /api/history/period`` those of some entities between
two instants. Source: developers.home-assistant.io, "REST API", and Home Assistant's ``components/history``.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote

from bridge.recordings.server import Answer, Request
from lab.vendors import PlainServer

PERIOD = "/api/history/period/"
EARLIEST = datetime.min.replace(tzinfo=UTC)
SUN = {
    "entity_id": "sun.sun",
    "state": "below_horizon",
    "last_changed": "2026-11-19T15:12:00+00:00",
    "last_updated": "2026-11-19T15:12:00+00:00",
    "attributes": {"friendly_name": "Sun"},
}


class Vendor(PlainServer):
    def __init__(self, account: dict[str, Any]) -> None:
        super().__init__(account)
        self.tokens = {"lab-token"}

    def settings(self, url: str) -> dict[str, str]:
        self._url = url
        return {"url": url, "name": "", "password": "lab-token", "days": "60"}

    def grant(self) -> dict[str, Any]:
        self.tokens.add("lab-token")
        return {"address": self._url, "token": "lab-token", "phone": self.account["phone"]}

    def revoke(self) -> None:
        self.tokens.clear()

    def application(self, request: Request) -> Answer:
        if request.headers.get("authorization", "").removeprefix("Bearer ") not in self.tokens:
            return Answer(status=401, body=b"401: Unauthorized", headers={"Content-Type": "text/plain"})
        if request.path == "/api/states":
            return Answer(body=[SUN, *self._last().values()])
        if request.path.startswith(PERIOD):
            return self._history(unquote(request.path.removeprefix(PERIOD)), request.query)
        return Answer(status=404, body=b"404: Not Found", headers={"Content-Type": "text/plain"})

    def _last(self) -> dict[str, dict[str, Any]]:
        found: dict[str, dict[str, Any]] = {}
        for row in sorted(self.account["states"], key=_updated):
            found[str(row.get("entity_id"))] = row
        return found

    def _history(self, since: str, query: Mapping[str, str]) -> Answer:
        """Answer with the states of each entity, beginning with the state that was current at the start."""
        start, end = datetime.fromisoformat(since), datetime.fromisoformat(query["end_time"])
        if "filter_entity_id" not in query:
            return Answer(status=400, body={"message": "filter_entity_id is missing"})
        lists = []
        for entity in query["filter_entity_id"].split(","):
            rows = sorted((row for row in self.account["states"] if row.get("entity_id") == entity), key=_updated)
            inside = [row for row in rows if start < _updated(row) <= end or _updated(row) == EARLIEST]
            before = [row for row in rows if EARLIEST < _updated(row) <= start][-1:]
            lists.append([*before, *inside])
        return Answer(body=[rows for rows in lists if rows])


def _updated(row: Mapping[str, Any]) -> datetime:
    """Return when a state was last updated, or EARLIEST for a time that cannot be read."""
    try:
        return datetime.fromisoformat(str(row.get("last_updated"))).astimezone(UTC)
    except ValueError:
        return EARLIEST
