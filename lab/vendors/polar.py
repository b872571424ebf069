"""A Polar server for a watch, with AccessLink v3's lists and tokens that neither end nor can be refreshed.

``account`` holds a list of rows per stream, in Polar's own shape. Nights, recharges and exercises are sent as far
back as their last weeks reach from the newest row. Activity is sent between two dates.
"""

from __future__ import annotations

import base64
from datetime import date, timedelta
from typing import Any

from bridge.recordings.server import Answer, Request
from lab.vendors import OAuthServer, rows_between

POLAR_TOKEN_LIFE_SECONDS = 10 * 365 * 86_400
ASKED_MAX = timedelta(days=28)  # of activity
HELD = {  # path -> stream, the field that dates a row, the days held, and the name of the list
    "/v3/users/sleep": ("sleep", "date", 28, "nights"),
    "/v3/users/nightly-recharge": ("nightly_recharge", "date", 28, "recharges"),
    "/v3/exercises": ("exercises", "start_time", 30, None),
}
ACTIVITIES = "/v3/users/activities"
NO_DATA = Answer(status=204)


class Vendor(OAuthServer):
    """A server of ``account``. Rows may be changed, added or taken away at any time."""

    consent_path = "/oauth2/authorization"
    token_path = "/v2/oauth2/token"
    default_scope = "accesslink.read_all"
    tokens_expire = None  # type: ignore[assignment]  # a token lasts until it is withdrawn

    def __init__(self, account: dict[str, Any]) -> None:
        super().__init__(account)
        self.life = POLAR_TOKEN_LIFE_SECONDS

    def settings(self, url: str) -> dict[str, str]:
        """Return the connector's settings for this server. Any free port may be redirected to."""
        return super().settings(url) | {"consent_url": url, "token_url": url, "port": "0", "days": "60"}

    def issue(self, scope: str, *, refresh: bool = True) -> dict[str, Any]:  # noqa: ARG002 - there is never one
        """Return a new access token, which is not refreshed, and the member's id."""
        return super().issue(scope, refresh=False) | {"x_user_id": 10_579}

    def application(self, request: Request) -> Answer:
        """Answer any request. A client that does not name itself by HTTP Basic, and so alone, gets no token."""
        if (request.method, request.path) == ("POST", self.token_path):
            basic = "Basic " + base64.b64encode(":".join(self.client.values()).encode()).decode()
            if request.headers.get("authorization") != basic or "client_secret" in request.form:
                return Answer(status=401, body={"error": "invalid_client"})
        return super().application(request)

    def api(self, request: Request, scopes: frozenset[str]) -> Answer:
        """Answer a list. A list without rows has no body."""
        if self.default_scope not in scopes:
            return Answer(status=403, body={"status": 403, "message": "Forbidden"})
        if request.path == ACTIVITIES:
            return self._activities(request)
        if request.path in HELD:
            return self._held(*HELD[request.path])
        return Answer(status=404, body={"status": 404, "message": "Not Found"})

    def _activities(self, request: Request) -> Answer:
        try:
            first, last = (date.fromisoformat(request.query[name]) for name in ("from", "to"))
        except (KeyError, ValueError):
            return Answer(status=400, body={"status": 400, "message": "Bad Request"})
        if not timedelta(0) <= last - first <= ASKED_MAX:
            return Answer(status=400, body={"status": 400, "message": "Bad Request"})
        rows = rows_between(self.account.get("activities", []), "start_time", str(first), str(last))
        return Answer(body=rows) if rows else NO_DATA

    def _held(self, stream: str, dated: str, days: int, name: str | None) -> Answer:
        rows = self.account.get(stream, [])
        newest = max((str(row[dated])[:10] for row in rows if _is_date(row.get(dated))), default="1970-01-01")
        oldest = date.fromisoformat(newest) - timedelta(days=days - 1)
        rows = rows_between(rows, dated, str(oldest), newest)
        return Answer(body={name: rows} if name else rows) if rows else NO_DATA


def _is_date(value: Any) -> bool:
    try:
        return bool(date.fromisoformat(str(value)[:10]))
    except ValueError:
        return False
