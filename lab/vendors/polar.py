"""A server that plays Polar AccessLink v3, with lists, registration of users, and tokens that never end.

``account`` holds a list of rows per stream, in Polar's own format. Nights, recharges and exercises of the last weeks
before ``now`` are sent. Activity is sent between two dates.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

import requests

from bridge.recordings.server import Answer, Request
from lab.vendors import OAuthServer, rows_between

ASKED_MAX = timedelta(days=28)  # of activity
HELD = {  # path -> stream, the field that dates a row, the days held, and the name of the list
    "/v3/users/sleep": ("sleep", "date", 28, "nights"),
    "/v3/users/nightly-recharge": ("nightly_recharge", "date", 28, "recharges"),
    "/v3/exercises": ("exercises", "start_time", 30, None),
}
ACTIVITIES = "/v3/users/activities"
MEMBER = 10_579  # the person's number
NO_DATA = Answer(status=204)


class Vendor(OAuthServer):
    consent_path = "/oauth2/authorization"
    token_path = "/v2/oauth2/token"
    default_scope = "accesslink.read_all"
    tokens_end = False
    basic = True
    paths: Mapping[str, str | None] = {stream: path for path, (stream, *_) in HELD.items()} | {"activities": ACTIVITIES}
    pages = None
    no_data = (204,)

    def __init__(self, account: dict[str, Any]) -> None:
        super().__init__(account)
        self.member: str | None = None  # the name under which the application registered the person
        self.webhooks = Webhooks(self.client)

    def settings(self, url: str) -> dict[str, str]:
        return super().settings(url) | {"consent_url": url, "token_url": url, "port": "0", "days": "60"}

    def grant(self, *more: str) -> dict[str, Any]:
        """Return a valid token of a user who is registered."""
        self.member = self.member or "lab-member"
        return super().grant(*more)

    def revoke(self) -> None:
        super().revoke()
        self.member = None

    def issue(self, scope: str, *, refresh: bool = True) -> dict[str, Any]:
        """Return a new token with the user's number, as the body of the token server's answer."""
        return super().issue(scope, refresh=refresh) | {"x_user_id": MEMBER}

    def _answer(self, request: Request) -> Answer:
        """Answer a request about the webhook, or any other request by its token."""
        return self.webhooks.answer(request) if request.path.startswith(WEBHOOKS) else super()._answer(request)

    def api(self, request: Request, scopes: frozenset[str]) -> Answer:
        """Answer with a list, with status 204 if it is empty, and 403 for a user who is not registered."""
        if (request.method, request.path) == ("POST", "/v3/users"):
            return self._register(request)
        if (request.method, request.path) == ("DELETE", f"/v3/users/{MEMBER}"):
            self.revoke()
            return NO_DATA
        if self.default_scope not in scopes or self.member is None:
            return Answer(status=403, body={"status": 403, "message": "Forbidden"})
        if request.path == ACTIVITIES:
            return self._activities(request)
        if request.path in HELD:
            return self._held(*HELD[request.path])
        return Answer(status=404, body={"status": 404, "message": "Not Found"})

    def _register(self, request: Request) -> Answer:
        if self.member is not None:
            return Answer(status=409, body={"status": 409, "message": "Conflict"})
        self.member = json.loads(request.body)["member-id"]
        return Answer(body={"polar-user-id": MEMBER, "member-id": self.member, "first-name": "Ana"})

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
        oldest, newest = (str((self.now + timedelta(days=ago)).date()) for ago in (1 - days, 1))
        rows = rows_between(self.account.get(stream, []), dated, oldest, newest)
        return Answer(body={name: rows} if name else rows) if rows else NO_DATA


WEBHOOKS = "/v3/webhooks"
EVENTS = frozenset(
    {
        "EXERCISE",
        "SLEEP",
        "CONTINUOUS_HEART_RATE",
        "SLEEP_WISE_CIRCADIAN_BEDTIME",
        "SLEEP_WISE_ALERTNESS",
        "ACTIVITY_SUMMARY",
        "PHYSICAL_INFORMATION",
    }
)
WAIT_SECONDS = 5
SENT_AT = "2026-11-20T09:10:00Z"


@dataclass(slots=True, kw_only=True)
class Webhook:
    """An application's webhook with the ``key`` that signs its messages."""

    url: str
    events: list[str]
    name: str = field(default_factory=lambda: uuid.uuid4().hex[:6])
    key: str = field(default_factory=lambda: str(uuid.uuid4()))
    active: bool = True

    def signed(self, said: Mapping[str, Any], *, key: str | None = None) -> tuple[dict[str, str], bytes]:
        """Return headers and body of a message, signed with ``key``, by default the webhook's own."""
        body = json.dumps(said).encode()
        signature = hmac.new((key or self.key).encode(), body, hashlib.sha256).hexdigest()
        named = {"Polar-Webhook-Event": str(said.get("event")), "Polar-Webhook-Signature": signature}
        return {"Content-Type": "application/json", **named}, body

    def send(self, said: Mapping[str, Any], *, key: str | None = None) -> int:
        """Send a signed message and return the HTTP status of the answer, 0 without an answer."""
        headers, body = self.signed(said, key=key)
        try:
            return requests.post(self.url, data=body, headers=headers, timeout=WAIT_SECONDS).status_code
        except requests.RequestException:
            return 0

    def ping(self) -> bool:
        """Return True if the address answers a test message with status 200."""
        return self.send({"event": "PING", "timestamp": SENT_AT}) == 200


class Webhooks:
    """The application's webhook (``open``), if there is one, and the requests that manage it."""

    def __init__(self, client: Mapping[str, str]) -> None:
        self.open: Webhook | None = None
        self._basic = "Basic " + base64.b64encode(":".join(client.values()).encode()).decode()

    def answer(self, request: Request) -> Answer:
        """Answer a request about the webhook, with status 401 without the application's HTTP Basic name and secret."""
        if request.headers.get("authorization") != self._basic:
            return Answer(status=401)
        if (request.method, request.path) == ("GET", WEBHOOKS):
            return Answer(body={"data": [_told(self.open)] if self.open else []})
        if (request.method, request.path) == ("POST", WEBHOOKS):
            return self._create(json.loads(request.body))
        if (request.method, request.path) == ("POST", f"{WEBHOOKS}/activate"):
            return self._activate()
        if request.method == "DELETE" and self.open and request.path == f"{WEBHOOKS}/{self.open.name}":
            self.open = None
            return Answer(status=204)
        return Answer(status=404)

    def _create(self, asked: Mapping[str, Any]) -> Answer:
        if self.open is not None:
            return Answer(status=409)
        made = Webhook(url=asked["url"], events=asked["events"])
        if not made.events or not EVENTS.issuperset(made.events) or not made.ping():
            return Answer(status=400)
        self.open = made
        told = {name: value for name, value in _told(made).items() if name != "active"}
        return Answer(status=201, body={"data": told | {"signature_secret_key": made.key}})

    def _activate(self) -> Answer:
        if self.open is None:
            return Answer(status=204)
        self.open.active = self.open.ping()
        return Answer(status=200 if self.open.active else 400)


def _told(webhook: Webhook) -> dict[str, Any]:
    return {"id": webhook.name, "events": webhook.events, "url": webhook.url, "active": webhook.active}
