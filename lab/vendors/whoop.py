"""A server that plays WHOOP's API v2, with pages, token check, rate limit and tokens that rotate."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
import uuid
from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from math import ceil
from typing import Any

from bridge.auth import redirect_listener
from bridge.recordings.server import Answer, Request
from lab.vendors import CLIENT, OAuthServer, page_of

DAILY_LIMIT = (
    10_000,
    86_400.0,
)  # requests, seconds: what the API allows an app; a test may set that of a minute, (100, 60.0)
SCOPE = "read:recovery read:cycles read:workout read:sleep offline"
SCOPES = {"cycles": "read:cycles", "sleeps": "read:sleep", "recoveries": "read:recovery", "workouts": "read:workout"}
COLLECTIONS = {
    "/developer/v2/cycle": "cycles",
    "/developer/v2/activity/sleep": "sleeps",
    "/developer/v2/recovery": "recoveries",
    "/developer/v2/activity/workout": "workouts",
}
EVER = ("0001-01-01T00:00:00+00:00", "9999-01-01T00:00:00+00:00")


class Vendor(OAuthServer):
    consent_path, token_path = "/oauth/oauth2/auth", "/oauth/oauth2/token"
    paths: Mapping[str, str | None] = {
        "cycle": "/v2/cycle",
        "sleep": "/sleep",
        "recovery": "/recovery",
        "workout": "/workout",
        "history": None,
    }

    def __init__(self, account: dict[str, Any]) -> None:
        super().__init__(account)
        self.agreed = SCOPE  # to what the member agrees when asked
        self.allowed, self.window = DAILY_LIMIT
        self._asked: deque[float] = deque()  # when, within the window
        self.refused = 0

    def settings(self, url: str) -> dict[str, str]:
        return super().settings(url) | {"redirect_uri": self.redirect or redirect_listener.ANY_LOOPBACK_PORT}

    def usual_scope(self) -> str:
        return self.agreed

    def granted(self, asked: str) -> str:  # noqa: ARG002 - the member decides
        """Return the scope to which the member agrees, whatever is requested."""
        return self.agreed

    def accepts(self, query: Mapping[str, str]) -> bool:
        """Return True for the known client and scope, with a state of at least eight characters."""
        return super().accepts(query) and query.get("scope") == SCOPE and len(query["state"]) >= 8

    def unauthorised(self) -> Answer:
        return Answer(status=401, body={"error": "Authorization was not valid"})

    def api(self, request: Request, scopes: frozenset[str]) -> Answer:
        """Answer a request within the rate limit, whose state is in every answer's headers, else with status 429."""
        limits = self._counted()
        if limits is None:
            self.refused += 1
            return Answer(status=429, headers=self._limits(left=0))
        answer = self._signed(request, scopes)
        return replace(answer, headers={**answer.headers, **limits})

    def _counted(self) -> dict[str, str] | None:
        """Count a request and return the headers of the rate limit, or None if the limit is exceeded."""
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

    def _signed(self, request: Request, scopes: frozenset[str]) -> Answer:
        """Answer a request with a valid token, with status 403 for a collection outside its scopes."""
        if (request.method, request.path) == ("DELETE", "/developer/v2/user/access"):
            self.revoke()
            return Answer(status=204)
        if any(request.path.startswith(path) and SCOPES[name] not in scopes for path, name in COLLECTIONS.items()):
            return Answer(status=403, body={})
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
        """Return headers and body of a webhook message of a kind such as ``sleep.updated``, signed as WHOOP does.

        ``key`` is the record's id, and ``trace`` the message's own id, by default random.
        """
        member = self.account["cycles"][0]["user_id"]
        body = json.dumps({"user_id": member, "id": key, "type": kind, "trace_id": trace or str(uuid.uuid4())}).encode()
        stamp = str(int(at.timestamp() * 1000))
        digest = hmac.new(CLIENT["client_secret"].encode(), stamp.encode() + body, hashlib.sha256).digest()
        signature = base64.b64encode(digest).decode()
        return {"x-whoop-signature": signature, "x-whoop-signature-timestamp": stamp}, body

    def _collection(self, name: str, query: Mapping[str, str]) -> Answer:
        """Answer with a page, newest first, of the records that overlap ``start`` to ``end``."""
        limit = int(query.get("limit", "10"))
        if not 1 <= limit <= 25:
            return Answer(status=400, body={"error": "limit must lie in 1..25"})
        since, until = (datetime.fromisoformat(query.get(k, d)) for k, d in zip(("start", "end"), EVER, strict=True))
        sleeps = {sleep.get("id"): sleep for sleep in self.account.get("sleeps", [])}
        spans = [(_span(record, sleeps), record) for record in self.account.get(name, [])]
        overlapping = [(span, record) for span, record in spans if span[0] < until and span[1] >= since]
        chosen = [record for _, record in sorted(overlapping, key=lambda pair: pair[0], reverse=True)]
        page, token = page_of(chosen, query.get("nextToken"), limit)
        return Answer(body={"records": page} | ({"next_token": token} if token else {}))  # absent on the last page


def _span(record: Mapping[str, Any], sleeps: Mapping[Any, Mapping[str, Any]]) -> tuple[datetime, datetime]:
    """Return start and end of a record. Those of a recovery are its sleep's."""
    if "start" in record:
        return _at(record["start"]), _at(record.get("end") or EVER[1])
    sleep = sleeps.get(record.get("sleep_id"))
    return _span(sleep, {}) if sleep else (_at(record["created_at"]), _at(record["created_at"]))


def _at(text: str) -> datetime:
    return datetime.fromisoformat(text)
