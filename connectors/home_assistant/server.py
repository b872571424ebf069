"""Ask Home Assistant for its sensors and their history.

Source: developers.home-assistant.io, "REST API", and Home Assistant's ``components/history``.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote

from bridge import http
from bridge.domain.errors import NeedsLogin, Refused, SourceChanged
from bridge.domain.languages import say

AGAIN = "bridge connect home_assistant --user NAME --url http://homeassistant.local:8123"
UNKNOWN = "home_assistant answered in an unknown shape; look for a newer release of the bridge"


class Server:
    """A Home Assistant at an address that a user typed. Requests may reach ``hosts`` inside the operator's network."""

    def __init__(self, address: str, token: str, hosts: Collection[str]) -> None:
        self._base = address
        self._session: Any = http.open_typed_session(hosts)
        self._session.headers["Authorization"] = f"Bearer {token}"

    def close(self) -> None:
        self._session.close()

    def states(self, *, now: datetime) -> list[dict[str, Any]]:
        """Return the state of every ``sensor.``. Raises NeedsLogin, SourceChanged, or as ``bridge.http``."""
        body = self._asked("/api/states", now)
        if not _is_states(body):
            raise SourceChanged(UNKNOWN)
        return [state for state in body if str(state["entity_id"]).startswith("sensor.")]

    def history(
        self, entities: Sequence[str], start: datetime, end: datetime, *, now: datetime
    ) -> list[list[dict[str, Any]]]:
        """Return each entity's states between two instants, by time, one from before at most. Raises as ``states``."""
        asked = {
            "filter_entity_id": ",".join(entities),
            "end_time": end.isoformat(),
            "significant_changes_only": "0",
        }
        body = self._asked(f"/api/history/period/{quote(start.isoformat(), safe='')}", now, asked)
        if not isinstance(body, list) or not all(_is_states(rows) for rows in body):
            raise SourceChanged(UNKNOWN)
        return body

    def _asked(self, path: str, now: datetime, params: dict[str, str] | None = None) -> Any:
        try:
            return http.get_json(self._session, f"{self._base}{path}", now=now, params=params)
        except NeedsLogin as error:
            if isinstance(error, Refused):
                raise
            raise NeedsLogin(
                say("home_assistant refused the access token; make another, then: {command}", command=AGAIN)
            ) from None


def _is_states(body: Any) -> bool:
    return isinstance(body, list) and all(isinstance(row, dict) and "entity_id" in row for row in body)
