"""Ask aw-server for its buckets and their events.

Source: docs.activitywatch.net, "REST API", and the OpenAPI document of aw-server at ``/api/swagger.json``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import quote

from bridge import http
from bridge.domain.errors import NeedsLogin, SourceChanged
from bridge.domain.languages import say

CONNECT_AGAIN = "bridge connect activitywatch --user NAME --url http://localhost:5600"
WINDOW, PRESENCE = "currentwindow", "afkstatus"  # types of buckets
EVENT_KEYS = frozenset({"timestamp", "duration", "data"})
UNKNOWN = "activitywatch answered in an unknown shape; look for a newer release of the bridge"
PREFIXES = {"aw-watcher-window": WINDOW, "aw-watcher-afk": PRESENCE}


class Server:
    """An aw-server at an address that a user typed. Requests may reach ``hosts`` inside the operator's network."""

    def __init__(self, address: str, hosts: Collection[str]) -> None:
        self._base = address
        self._session: Any = http.open_typed_session(hosts)

    def close(self) -> None:
        self._session.close()

    def buckets(self, *, now: datetime) -> dict[str, str]:
        """Return id -> type of the buckets of window and presence. Raises SourceChanged, or as ``bridge.http``."""
        body = self._asked("/buckets/", now)
        buckets = body.values() if isinstance(body, dict) else [None]
        if not all(isinstance(bucket, dict) and isinstance(bucket.get("type"), str) for bucket in buckets):
            raise SourceChanged(UNKNOWN)
        kinds = {key: kind_of(key, bucket) for key, bucket in body.items()}
        return {key: kind for key, kind in sorted(kinds.items()) if kind is not None}

    def events(self, bucket: str, start: datetime, end: datetime, *, now: datetime) -> list[Any]:
        """Return a bucket's events between two instants. Raises SourceChanged, or as ``bridge.http``."""
        asked = {"start": start.isoformat(), "end": end.isoformat(), "limit": "-1"}
        body = self._asked(f"/buckets/{quote(bucket, safe='')}/events", now, asked)
        if not isinstance(body, list) or not all(
            isinstance(event, dict) and event.keys() >= EVENT_KEYS for event in body
        ):
            raise SourceChanged(UNKNOWN)
        return body

    def _asked(self, path: str, now: datetime, params: dict[str, str] | None = None) -> Any:
        try:
            return http.get_json(self._session, f"{self._base}/api/0{path}", now=now, params=params)
        except NeedsLogin:
            raise NeedsLogin(
                say(
                    "activitywatch asks for a login, which the bridge cannot give; "
                    "name a server that asks for none: {command}",
                    command=CONNECT_AGAIN,
                )
            ) from None


def kind_of(name: str, bucket: Mapping[str, Any]) -> str | None:
    """Return "currentwindow" or "afkstatus" for a bucket, by its name if it states no type, or None."""
    told = bucket.get("type")
    if told in (WINDOW, PRESENCE):
        return str(told)
    return next((kind for prefix, kind in PREFIXES.items() if name.startswith(prefix)), None) if told is None else None


def host_of(bucket: str) -> str:
    """Return the computer that a bucket names after the first underscore, the same for its two watchers, else ""."""
    return bucket.partition("_")[2]
