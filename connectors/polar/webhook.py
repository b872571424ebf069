"""Open Polar's webhook, and read what it sends. An application has a single webhook for all its users.

Source: www.polar.com/accesslink-api, section Webhooks. The body is signed (HMAC-SHA256).
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote

from bridge import http
from bridge.auth import oauth
from bridge.auth.token_transport import plain_loopback
from bridge.domain.errors import Forged, SetupError, SourceChanged, TryLater
from bridge.domain.types import Notice
from connectors.instants import calendar_date, utc
from connectors.payload import mapping, rows, words

EVENT_STREAMS = {"SLEEP": "sleep", "EXERCISE": "exercises", "ACTIVITY_SUMMARY": "activities"}  # by event
PING = "PING"  # by which Polar tries the address, before it tells the key
OLD = timedelta(days=7)  # for so long Polar sends again, and handled notices are known
CLOCK_AHEAD_MAX = timedelta(hours=1)  # of this machine's clock
LOOKED = timedelta(days=1)  # between two looks at the webhook, which Polar switches off after a week of failures
NO_ROWS_STATUSES = (204, 404)  # there is no such webhook
PATH = "{base_url}/v3/webhooks"


def notice(
    headers: Mapping[str, str],
    body: bytes,
    *,
    settings: Mapping[str, str],  # noqa: ARG001 - the port's shape
    now: datetime,
    kept: Mapping[str, str],
) -> Notice | None:
    """Return the notice in a signed message, or None for a ping or a kind of data that is not used.

    ``kept`` is the result of ``register``, with the key for signatures. Raises Forged for a wrong signature or a
    message that is old or dated ahead.
    """
    said = _parsed(body)
    if said.get("event") == PING:
        return None
    _check_signature(headers.get("polar-webhook-signature", ""), body, kept.get("key", ""))
    sent = utc(said.get("timestamp"))
    if sent is None or not -CLOCK_AHEAD_MAX <= now - sent <= OLD:
        raise Forged("a webhook is older than a week or dated ahead; check this machine's clock")
    stream, member = EVENT_STREAMS.get(str(said.get("event"))), said.get("user_id")
    if stream is None or type(member) is not int:
        return None
    day = calendar_date(said.get("date"))
    key = str(day or now.date()) if stream == "activities" else ""
    trace = hashlib.sha256(body).hexdigest()
    return Notice(member=str(member), stream=stream, key=key, deleted=False, trace=trace)


def _parsed(body: bytes) -> Mapping[str, Any]:
    try:
        return mapping(json.loads(body))
    except (ValueError, RecursionError):
        return {}


def _check_signature(given: str, body: bytes, key: str) -> None:
    right = hmac.new(key.encode(), body, hashlib.sha256).hexdigest()
    if not key or not hmac.compare_digest(right.encode(), given.lower().encode()):
        raise Forged(
            "a webhook is not signed with the key that Polar told when its webhook was created; it was refused. If "
            "this goes on: bridge connect polar --user NAME"
        )


def register(
    settings: Mapping[str, str], address: str | None, kept: Mapping[str, str], *, now: datetime
) -> dict[str, str]:
    """Have Polar send the application's messages to ``address``, or delete its webhook if that is None.

    Returns what to store and pass as ``kept`` next time. Raises SetupError if a webhook to another address exists, and
    TryLater if Polar does not answer.
    """
    webhook = _Webhook(settings, now)
    if address is None:
        webhook.delete(kept["id"])
        return {}
    if kept.get("url") == address and abs(now - datetime.fromisoformat(kept["looked_at"])) < LOOKED:
        return dict(kept)
    found = webhook.existing()
    if found is None:
        return webhook.created(address)
    name = str(found.get("id"))
    if found.get("url") != address and name != kept.get("id"):
        raise SetupError(
            "the only webhook of your Polar application sends to another address; "
            "make an application for this bridge alone: bridge connect polar --user NAME"
        )
    if found.get("url") != address or name != kept.get("id") or not {*EVENT_STREAMS} <= {*rows(found.get("events"))}:
        webhook.delete(name)
        return webhook.created(address)
    if found.get("active") is False:
        webhook.activate()
    return {**kept, "looked_at": now.isoformat()}


class _Webhook:
    def __init__(self, settings: Mapping[str, str], now: datetime) -> None:
        self._address, self._now = oauth.filled(PATH, settings), now
        self._client = settings["client_id"], settings["client_secret"]

    def existing(self) -> Mapping[str, Any] | None:
        found = [mapping(row) for row in rows(mapping(self._ask("GET")).get("data"))]
        return found[0] if found else None

    def created(self, address: str) -> dict[str, str]:
        given = mapping(mapping(self._ask("POST", body={"events": [*EVENT_STREAMS], "url": address})).get("data"))
        name, key = words(given.get("id")), words(given.get("signature_secret_key"))
        if name is None or key is None:
            raise SourceChanged("polar created a webhook and told no key; look for a newer release of the bridge")
        return {"id": name, "url": address, "key": key, "looked_at": self._now.isoformat()}

    def delete(self, name: str) -> None:
        self._ask("DELETE", "/" + quote(name, safe=""))

    def activate(self) -> None:
        self._ask("POST", "/activate")

    def _ask(self, method: str, path: str = "", *, body: Mapping[str, Any] | None = None) -> Any:
        """Return Polar's answer as JSON, or None if it is empty or says that there is no webhook (HTTP 204 or 404)."""
        import requests

        plain_loopback(self._address)  # raises where the secret would be readable on its way
        with http.open_session() as session:
            try:
                answer = session.request(
                    method, self._address + path, json=body, auth=self._client, timeout=http.TIMEOUT
                )
            except requests.RequestException as error:
                raise TryLater(f"no answer from polar ({type(error).__name__})") from error
        if answer.status_code in NO_ROWS_STATUSES:
            return None
        http.raise_for_status(answer, now=self._now)
        return http.parse_json(answer.content) if answer.content else None
