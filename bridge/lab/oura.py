"""An Oura server for one ring: API v2's paging and date filters, a registered redirect, refresh tokens for one use.

``account`` holds a list per collection, each row in Oura's own shape, and ``heartrate``.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from bridge.lab.server import Answer, Request

PATH = "/v2/usercollection/"
AT_ONCE = 25  # rows per page
LIFE = 86_400
LONGEST = timedelta(days=30)  # of heart rate per request
CLIENT = {"client_id": "lab-client", "client_secret": "lab-secret"}
SCOPE = "daily heartrate workout session spo2Daily"
COLLECTIONS = frozenset(
    ("sleep", "daily_sleep", "daily_readiness", "daily_activity", "daily_spo2", "daily_stress", "workout", "session")
)


class Vendor:
    """Serves ``account``; rows may be changed, added or taken away at any time."""

    def __init__(self, account: dict[str, Any]) -> None:
        self.account = account
        self._access: dict[str, float] = {}
        self._refresh: set[str] = set()
        self._codes: set[str] = set()

    def settings(self, url: str) -> dict[str, str]:
        """The connector's settings for this server; any free port may be redirected to."""
        return {"base_url": url, "consent_url": url, "port": "0", "days": "60", **CLIENT}

    def grant(self) -> dict[str, Any]:
        """A pair of tokens that is valid now."""
        access, refresh = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
        self._access[access] = time.time() + LIFE
        self._refresh.add(refresh)
        lasts = {"expires_in": LIFE, "expires_at": time.time() + LIFE}
        return {"access_token": access, "refresh_token": refresh, "token_type": "bearer", "scope": SCOPE, **lasts}

    def tokens_expire(self) -> None:
        self._access.clear()

    def revoke(self) -> None:
        """The person withdraws every consent."""
        self._access.clear()
        self._refresh.clear()

    def application(self, request: Request) -> Answer:
        match request.method, request.path:
            case "GET", "/oauth/authorize":
                return self._agree(request.query)
            case "POST", "/oauth/token":
                return self._token(request.form)
            case "POST", "/oauth/revoke":
                return self._withdraw(request.query.get("access_token", ""))
        if not self._knows(request.headers.get("authorization", "").removeprefix("Bearer ")):
            return Answer(status=401, body={"status": 401, "title": "Unauthorized", "detail": "invalid token"})
        return self._collection(request.path.removeprefix(PATH), request.query)

    def _knows(self, token: str) -> bool:
        return self._access.get(token, 0.0) >= time.time()

    def _collection(self, name: str, query: Mapping[str, str]) -> Answer:
        try:
            rows = self._heart_rates(query) if name == "heartrate" else self._dated(name, query)
        except (KeyError, ValueError):
            return Answer(status=422, body={"detail": [{"msg": "invalid request"}]})
        begin = int(query.get("next_token", "page-0").removeprefix("page-"))
        more = begin + AT_ONCE < len(rows)
        token = f"page-{begin + AT_ONCE}" if more else None
        return Answer(body={"data": rows[begin : begin + AT_ONCE], "next_token": token})

    def _dated(self, name: str, query: Mapping[str, str]) -> list[Mapping[str, Any]]:
        """Both dates are included, but for sleeps the last is not."""
        if name not in COLLECTIONS:
            raise KeyError(name)
        first, last = (date.fromisoformat(query[field]) for field in ("start_date", "end_date"))
        last -= timedelta(days=name == "sleep")
        rows = self.account.get(name, [])
        return [row for row in rows if "day" not in row or str(first) <= str(row["day"]) <= str(last)]

    def _heart_rates(self, query: Mapping[str, str]) -> list[Mapping[str, Any]]:
        first, last = (datetime.fromisoformat(query[field]) for field in ("start_datetime", "end_datetime"))
        if not timedelta(0) <= last - first <= LONGEST:
            raise ValueError("too long")
        rows = self.account.get("heartrate", [])
        return [row for row in rows if first <= datetime.fromisoformat(row["timestamp"]) < last]

    def _agree(self, query: Mapping[str, str]) -> Answer:
        """The person agrees at once; an unknown client gets no further."""
        if (query.get("client_id"), query.get("scope")) != (CLIENT["client_id"], SCOPE) or not query.get("state"):
            return Answer(status=400, body={"error": "invalid_request"})
        code = secrets.token_urlsafe(16)
        self._codes.add(code)
        back = urlencode({"code": code, "scope": SCOPE, "state": query["state"]})
        return Answer(status=302, headers={"Location": f"{query['redirect_uri']}?{back}"})

    def _token(self, form: Mapping[str, str]) -> Answer:
        """Exchange a code, or rotate: a refresh token is good for one use."""
        if any(form.get(name) != value for name, value in CLIENT.items()):
            return Answer(status=401, body={"error": "invalid_client"})
        first = form.get("grant_type") == "authorization_code"
        spent, name = (self._codes, "code") if first else (self._refresh, "refresh_token")
        if form.get(name) not in spent:
            return Answer(status=400, body={"error": "invalid_grant"})
        spent.remove(form[name])
        granted = self.grant()
        del granted["expires_at"]
        return Answer(body=granted)

    def _withdraw(self, token: str) -> Answer:
        if not self._knows(token):
            return Answer(status=401, body={"error": "invalid_token"})
        self.revoke()
        return Answer(status=200, body={})
