"""Polar's webhook as AccessLink's server plays it: one for an application, tried by a ping, its messages signed."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import requests

from bridge.recordings.server import Answer, Request

PATH = "/v3/webhooks"
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
    """An application's webhook. Its key is told once."""

    url: str
    events: list[str]
    name: str = field(default_factory=lambda: uuid.uuid4().hex[:6])
    key: str = field(default_factory=lambda: str(uuid.uuid4()))
    active: bool = True

    def signed(self, said: Mapping[str, Any], *, key: str | None = None) -> tuple[dict[str, str], bytes]:
        """Return headers and body of a message, signed with another key where one is given."""
        body = json.dumps(said).encode()
        signature = hmac.new((key or self.key).encode(), body, hashlib.sha256).hexdigest()
        named = {"Polar-Webhook-Event": str(said.get("event")), "Polar-Webhook-Signature": signature}
        return {"Content-Type": "application/json", **named}, body

    def send(self, said: Mapping[str, Any], *, key: str | None = None) -> int:
        """Send a message, and return the status of the answer. 0 stands for none."""
        headers, body = self.signed(said, key=key)
        try:
            return requests.post(self.url, data=body, headers=headers, timeout=WAIT_SECONDS).status_code
        except requests.RequestException:
            return 0

    def ping(self) -> bool:
        """Say if the address answers a ping with 200."""
        return self.send({"event": "PING", "timestamp": SENT_AT}) == 200


class Webhooks:
    """The webhook of the application ``client``, if there is one."""

    def __init__(self, client: Mapping[str, str]) -> None:
        self.open: Webhook | None = None
        self._basic = "Basic " + base64.b64encode(":".join(client.values()).encode()).decode()

    def answer(self, request: Request) -> Answer:
        """Answer a request of an application that names itself by HTTP Basic."""
        if request.headers.get("authorization") != self._basic:
            return Answer(status=401)
        if (request.method, request.path) == ("GET", PATH):
            return Answer(body={"data": [_told(self.open)] if self.open else []})
        if (request.method, request.path) == ("POST", PATH):
            return self._create(json.loads(request.body))
        if (request.method, request.path) == ("POST", f"{PATH}/activate"):
            return self._activate()
        if request.method == "DELETE" and self.open and request.path == f"{PATH}/{self.open.name}":
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
