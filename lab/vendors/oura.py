"""An Oura server for a ring, with API v2's paging and date filters, and a registered redirect.

Scopes are as live accounts show them (github.com/oomol-lab/open-connector/pull/393). Names that Oura does not know are
dropped in silence at consent. Those granted come back as ``extapi:daily``. A collection whose scope was not granted
answers 401 and names it.
``account`` holds a list per collection, each row in Oura's own shape, and ``heartrate``.
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
    """A server of ``account``. Rows may be changed, added or taken away at any time."""

    paths: Mapping[str, str | None] = {name: f"/usercollection/{name}" for name in COLLECTIONS}
    revocation = Revocation(address="/oauth/revoke?access_token={access_token}")

    def __init__(self, account: dict[str, Any]) -> None:
        super().__init__(account)
        self.life = OURA_TOKEN_LIFE_SECONDS
        self.ticked: Set[str] = SCOPES  # the boxes of the consent page that the person leaves on

    def settings(self, url: str) -> dict[str, str]:
        """Return the connector's settings for this server. Any free port may be redirected to."""
        return super().settings(url) | {"consent_url": url, "port": "0", "days": "60"}

    def usual_scope(self) -> str:
        """Return the ticked scopes."""
        return " ".join(sorted(SCOPES & self.ticked))

    def granted(self, asked: str) -> str:
        """Return the scopes asked for that are ticked. Unknown names are dropped in silence."""
        return " ".join(sorted(frozenset(asked.split()) & self.ticked))

    def told_scope(self, scope: str) -> str:
        """Return the scopes under the names that token answers give them."""
        return " ".join(f"extapi:{name}" for name in scope.split())

    def unauthorised(self) -> Answer:
        """Return the answer to a request without a good token."""
        return Answer(status=401, body={"status": 401, "title": "Unauthorized", "detail": "invalid token"})

    def api(self, request: Request, scopes: frozenset[str]) -> Answer:
        """Answer a collection. A scope that was not granted is named in the refusal."""
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
