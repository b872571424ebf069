"""A server that plays Oura, with pages, filters by date, and a registered redirect address.

Scopes are as live accounts show them (github.com/oomol-lab/open-connector/pull/393). Unknown scopes are ignored at
consent, granted scopes are named ``extapi:daily``, and a collection outside the scopes answers 401 with its scope's
name. ``account`` holds a list per collection, each row in Oura's own format.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from datetime import date, datetime, timedelta
from typing import Any

from bridge.domain.ports import Revocation
from bridge.recordings.server import Answer, Request
from lab.vendors import OAuthServer, page_of

PATH = "/v2/usercollection/"
PAGE_ROWS = 25  # rows per page
OURA_TOKEN_LIFE_SECONDS = 86_400
HEART_RATE_MAX = timedelta(days=30)  # of heart rate per request
SCOPES = frozenset(
    ("email", "personal", "daily", "heartrate", "workout", "tag", "session", "spo2", "stress", "heart_health")
)
COLLECTIONS = {  # and the scope of each
    **dict.fromkeys(("sleep", "daily_sleep", "daily_readiness", "daily_activity", "daily_stress"), "daily"),
    "daily_spo2": "spo2",
    "heartrate": "heartrate",
    "workout": "workout",
    "session": "session",
}


class Vendor(OAuthServer):
    paths: Mapping[str, str | None] = {name: f"/usercollection/{name}" for name in COLLECTIONS}
    revocation = Revocation(address="/oauth/revoke?access_token={access_token}")

    def __init__(self, account: dict[str, Any]) -> None:
        super().__init__(account)
        self.life = OURA_TOKEN_LIFE_SECONDS
        self.ticked: Set[str] = SCOPES  # the boxes of the consent page that the person leaves on

    def settings(self, url: str) -> dict[str, str]:
        return super().settings(url) | {"consent_url": url, "port": "0", "days": "60"}

    def usual_scope(self) -> str:
        """Return all scopes that the user left ticked."""
        return " ".join(sorted(SCOPES & self.ticked))

    def granted(self, asked: str) -> str:
        """Return the requested scopes that the user left ticked, without unknown names."""
        return " ".join(sorted(frozenset(asked.split()) & self.ticked))

    def told_scope(self, scope: str) -> str:
        """Return the scopes under the names of the token server's answers."""
        return " ".join(f"extapi:{name}" for name in scope.split())

    def unauthorised(self) -> Answer:
        return Answer(status=401, body={"status": 401, "title": "Unauthorized", "detail": "invalid token"})

    def api(self, request: Request, scopes: frozenset[str]) -> Answer:
        """Answer with a collection, or with status 401 and the name of the scope that is missing."""
        name = request.path.removeprefix(PATH)
        scope = COLLECTIONS.get(name)
        if scope is not None and scope not in scopes:
            return Answer(status=401, body={"detail": f"Token is not authorized access {scope} scope."})
        return self._collection(name, request.query)

    def _collection(self, name: str, query: Mapping[str, str]) -> Answer:
        try:
            rows = self._heart_rates(query) if name == "heartrate" else self._dated(name, query)
        except (KeyError, ValueError):
            return Answer(status=422, body={"detail": [{"msg": "invalid request"}]})
        page, token = page_of(rows, query.get("next_token"), PAGE_ROWS)
        return Answer(body={"data": page, "next_token": token})

    def _dated(self, name: str, query: Mapping[str, str]) -> list[dict[str, Any]]:
        if name not in COLLECTIONS:
            raise KeyError(name)
        first, last = (date.fromisoformat(query[field]) for field in ("start_date", "end_date"))
        last -= timedelta(days=name == "sleep")
        rows = self.account.get(name, [])
        return [row for row in rows if "day" not in row or str(first) <= str(row["day"]) <= str(last)]

    def _heart_rates(self, query: Mapping[str, str]) -> list[dict[str, Any]]:
        first, last = (datetime.fromisoformat(query[field]) for field in ("start_datetime", "end_datetime"))
        if not timedelta(0) <= last - first <= HEART_RATE_MAX:
            raise ValueError("too long")
        rows = self.account.get("heartrate", [])
        return [row for row in rows if first <= datetime.fromisoformat(row["timestamp"]) < last]
