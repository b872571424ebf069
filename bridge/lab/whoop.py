"""A WHOOP server for one member: API v2's paging, bearer check, rate-limit headers and rotating OAuth tokens."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import secrets
import time
import uuid
from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from math import ceil
from typing import Any
from urllib.parse import urlencode

from bridge import redirect
from bridge.lab.server import Answer, Request

DAY = (10_000, 86_400.0)  # requests, seconds: what the API allows an app; a test may set that of a minute, (100, 60.0)
LIFE = 3600  # seconds an access token lives
CLIENT = {"client_id": "lab-client", "client_secret": "lab-secret"}
SCOPE = "read:recovery read:cycles read:workout read:sleep offline"
COLLECTIONS = {
    "/developer/v2/cycle": "cycles",
    "/developer/v2/activity/sleep": "sleeps",
    "/developer/v2/recovery": "recoveries",
    "/developer/v2/activity/workout": "workouts",
}
EVER = ("0001-01-01T00:00:00+00:00", "9999-01-01T00:00:00+00:00")


class Vendor:
    """Serves ``account`` live: what a test changes in it is what the next request gets."""

    def __init__(self, account: dict[str, Any]) -> None:
        self.account = account
        self.life = LIFE
        self.redirect: str | None = None  # the one that is registered; None: any port of this machine
        self._access: dict[str, float] = {}  # token -> when it ends
        self._refresh: set[str] = set()
        self._codes: set[str] = set()
        self.allowed, self.window = DAY
        self._asked: deque[float] = deque()  # when, within the window
        self.refused = 0

    def settings(self, url: str) -> dict[str, str]:
        """The connector's settings for this server."""
        return {"base_url": url, "redirect_uri": self.redirect or redirect.HERE, **CLIENT}

    def grant(self) -> dict[str, Any]:
        """A pair of tokens that is valid now."""
        access, refresh = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
        self._access[access] = time.time() + self.life
        self._refresh.add(refresh)
        return {
            "access_token": access,
            "refresh_token": refresh,
            "expires_in": self.life,
            "expires_at": time.time() + self.life,
            "token_type": "bearer",
            "scope": SCOPE,
        }

    def tokens_expire(self) -> None:
        """Every access token ends now; refresh tokens live on."""
        self._access.clear()

    def knows(self, token: Mapping[str, Any]) -> bool:
        """Whether the pair could still be refreshed."""
        return token.get("refresh_token") in self._refresh

    def revoke(self) -> None:
        """The member withdraws every consent."""
        self._access.clear()
        self._refresh.clear()

    def application(self, request: Request) -> Answer:
        match request.method, request.path:
            case "GET", "/oauth/oauth2/auth":
                return self._agree(request)
            case "POST", "/oauth/oauth2/token":
                return self._token(request.form)
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        if self._access.get(token, 0.0) < time.time():
            return Answer(status=401, body={"error": "Authorization was not valid"})
        limits = self._counted()
        if limits is None:
            self.refused += 1
            return Answer(status=429, headers=self._limits(left=0))
        answer = self._signed(request)
        return replace(answer, headers={**answer.headers, **limits})

    def _counted(self) -> dict[str, str] | None:
        """The headers of one request more; None when it is one too many."""
        now = time.monotonic()
        while self._asked and self._asked[0] <= now - self.window:
            self._asked.popleft()
        if len(self._asked) >= self.allowed:
            return None
        self._asked.append(now)
        return self._limits(left=self.allowed - len(self._asked))

    def _limits(self, *, left: int) -> dict[str, str]:
        reset = self._asked[0] + self.window - time.monotonic() if self._asked else 0.0
        return {
            "X-RateLimit-Limit": f"{self.allowed}, {self.allowed};window={self.window:.0f}, 10000;window=86400",
            "X-RateLimit-Remaining": str(left),
            "X-RateLimit-Reset": str(ceil(reset)),
        }

    def _signed(self, request: Request) -> Answer:
        if (request.method, request.path) == ("DELETE", "/developer/v2/user/access"):
            self.revoke()
            return Answer(status=204)
        if request.path in COLLECTIONS:
            return self._collection(COLLECTIONS[request.path], request.query)
        if request.path == "/developer/v2/user/profile/basic":
            return Answer(body=self.account.get("profile", {}))
        folder, _, key = request.path.rpartition("/")
        if key == "recovery":
            return self._recovery_of(folder.rpartition("/")[2])
        found = [r for r in self.account.get(COLLECTIONS.get(folder, ""), []) if str(r.get("id")) == key]
        return Answer(body=found[0]) if found else Answer(status=404, body={"error": "not found"})

    def _recovery_of(self, cycle: str) -> Answer:
        found = [r for r in self.account.get("recoveries", []) if str(r.get("cycle_id")) == cycle]
        return Answer(body=found[0]) if found else Answer(status=404, body={"error": "not found"})

    def webhook(self, kind: str, key: str, *, at: datetime, trace: str | None = None) -> tuple[dict[str, str], bytes]:
        """Headers and body of a notice such as ``sleep.updated``, signed as WHOOP signs it."""
        member = self.account["cycles"][0]["user_id"]
        body = json.dumps({"user_id": member, "id": key, "type": kind, "trace_id": trace or str(uuid.uuid4())}).encode()
        stamp = str(int(at.timestamp() * 1000))
        digest = hmac.new(CLIENT["client_secret"].encode(), stamp.encode() + body, hashlib.sha256).digest()
        signature = base64.b64encode(digest).decode()
        return {"x-whoop-signature": signature, "x-whoop-signature-timestamp": stamp}, body

    def _collection(self, name: str, query: Mapping[str, str]) -> Answer:
        """Newest first; ``start`` and ``end`` select by overlap; the token of the next page is opaque."""
        limit = int(query.get("limit", "10"))
        if not 1 <= limit <= 25:
            return Answer(status=400, body={"error": "limit must lie in 1..25"})
        since, until = (datetime.fromisoformat(query.get(k, d)) for k, d in zip(("start", "end"), EVER, strict=True))
        sleeps = {sleep.get("id"): sleep for sleep in self.account.get("sleeps", [])}
        spans = [(_span(record, sleeps), record) for record in self.account.get(name, [])]
        overlapping = [(span, record) for span, record in spans if span[0] < until and span[1] >= since]
        chosen = [record for _, record in sorted(overlapping, key=lambda pair: pair[0], reverse=True)]
        begin = int(query["nextToken"].removeprefix("page-")) if "nextToken" in query else 0
        more = begin + limit < len(chosen)
        body = {"records": chosen[begin : begin + limit], "next_token": f"page-{begin + limit}" if more else None}
        return Answer(body=body)

    def _agree(self, request: Request) -> Answer:
        """The member agrees at once; an unknown client, or one that leads elsewhere, gets no further."""
        query = request.query
        known = query.get("client_id") == CLIENT["client_id"] and query.get("scope") == SCOPE
        if not known or len(query.get("state", "")) < 8 or not self._registered(query.get("redirect_uri", "")):
            return Answer(status=400, body={"error": "invalid_request"})
        code = secrets.token_urlsafe(16)
        self._codes.add(code)
        return Answer(
            status=302,
            headers={"Location": query["redirect_uri"] + "?" + urlencode({"code": code, "state": query["state"]})},
        )

    def _registered(self, address: str) -> bool:
        if self.redirect is None:
            return re.fullmatch(r"http://127\.0\.0\.1:\d+/", address) is not None
        return address == self.redirect

    def _token(self, form: Mapping[str, str]) -> Answer:
        """Exchange a code, or rotate: the old refresh token dies the moment a new one is issued."""
        if any(form.get(name) != value for name, value in CLIENT.items()):
            return Answer(status=401, body={"error": "invalid_client"})
        spent, name = (
            (self._codes, "code")
            if form.get("grant_type") == "authorization_code"
            else (self._refresh, "refresh_token")
        )
        if form.get(name) not in spent:
            return Answer(status=400, body={"error": "invalid_grant"})
        spent.remove(form[name])
        granted = self.grant()
        del granted["expires_at"]
        return Answer(body=granted)


def _span(record: Mapping[str, Any], sleeps: Mapping[Any, Mapping[str, Any]]) -> tuple[datetime, datetime]:
    """When a record happened; a recovery, which has no start, happened when its sleep did."""
    if "start" in record:
        return _at(record["start"]), _at(record.get("end") or EVER[1])
    sleep = sleeps.get(record.get("sleep_id"))
    return _span(sleep, {}) if sleep else (_at(record["created_at"]), _at(record["created_at"]))


def _at(text: str) -> datetime:
    return datetime.fromisoformat(text)
