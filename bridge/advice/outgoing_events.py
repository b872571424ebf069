"""Send an event to an operator's program for each recommendation that is made or done, at least once.

Requests are signed as in Standard Webhooks (https://www.standardwebhooks.com).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import logging
import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from bridge.domain.errors import BridgeError, SetupError
from bridge.domain.records import Deed, Recommendation, User
from bridge.domain.rendering import Audience, reasons
from bridge.domain.slots import INSTANT
from bridge.http import egress, open_typed_session

if TYPE_CHECKING:
    from bridge.config import Settings
    from bridge.installation import Bridge

log = logging.getLogger(__name__)

SENT, TRIED = "webhook sent for user ", "webhook tried for user "  # chores: events up to then went out; last failure
KEPT_FOR = timedelta(days=1)  # after which an event that was not taken is dropped
WAIT_MIN, WAIT_MAX = timedelta(minutes=1), timedelta(hours=4)  # between two attempts
EVENTS_MAX = 50  # requests of one delivery
SEND_SECONDS = 10.0
SECRET_PREFIX, SECRET_MIN_CHARS = "whsec_", 16  # of a key in base64, as Standard Webhooks write it
YES = ("yes", "true", "1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The operator's address for events, with the key that signs them. Events hold titles only if ``titles``.

    ``allowed`` are hosts in the operator's network that may be reached.
    """

    address: str
    key: bytes = field(repr=False)
    titles: bool
    allowed: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A recommendation that was made or done at the instant ``at``."""

    kind: Literal["made", "done"]
    at: datetime
    advice: Recommendation

    @property
    def id(self) -> str:
        """Return the event's id, ``made-NUMBER`` or ``done-NUMBER``, which is the same for each attempt to send."""
        return f"{self.kind}-{self.advice.id}"


def target_of(settings: Settings) -> Target | None:
    """Return the operator's address for events with its key, or None if BRIDGE_WEBHOOK is empty.

    Raises SetupError for an address that neither is https nor an allowed host, and for a key that is too short.
    """
    if not settings.webhook:
        return None
    host = egress.host_of(settings.webhook)
    plain = settings.webhook.startswith("http://") and host in settings.allow_hosts
    if not host or not (plain or settings.webhook.startswith("https://")):
        raise SetupError(
            "BRIDGE_WEBHOOK must begin with https://, or with http:// and a host that BRIDGE_ALLOW_HOSTS names; "
            "correct it, then: bridge doctor"
        )
    return Target(
        address=settings.webhook,
        key=_key(settings.webhook_secret),
        titles=settings.webhook_titles.lower() in YES,
        allowed=settings.allow_hosts,
    )


def _key(secret: str) -> bytes:
    try:
        encoded = secret.startswith(SECRET_PREFIX)
        key = base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True) if encoded else secret.encode()
    except binascii.Error:
        key = b""
    if len(key) < SECRET_MIN_CHARS:
        raise SetupError(
            f"BRIDGE_WEBHOOK needs BRIDGE_WEBHOOK_SECRET, of at least {SECRET_MIN_CHARS} characters, "
            "with which the receiver checks who sends; make one with `bridge key new`, set it, then: bridge doctor"
        )
    return key


def users_waiting(bridge: Bridge, *, now: datetime) -> set[int]:
    if not bridge.settings.webhook:
        return set()
    waiting = bridge.store.waiting.users_with_events(SENT, TRIED, since=now - KEPT_FOR)
    return {number for number, at, tried in waiting if _is_due(at, tried, now)}


def _is_due(at: datetime, tried: datetime | None, now: datetime) -> bool:
    if tried is None or tried < at or tried > now:
        return True
    return now >= tried + min(max(tried - at, WAIT_MIN), WAIT_MAX)


def deliver(bridge: Bridge, user: User, *, now: datetime) -> None:
    """Send the user's events since the last delivery, oldest first, and stop at the first that is not taken.

    The first call sends no earlier events. Raises SetupError if the settings are invalid.
    """
    target, chores = target_of(bridge.settings), bridge.store.maintenance
    if target is None:
        return
    since = chores.last_done(f"{SENT}{user.id}")
    if since is None:
        since = now - INSTANT
        chores.mark_done(f"{SENT}{user.id}", bridge.holder, now=since)
    waiting = _events(bridge, user, since=max(min(since, now), now - KEPT_FOR))
    tried = chores.last_done(f"{TRIED}{user.id}")
    if not waiting or not _is_due(waiting[0].at, tried, now):
        return
    for number, event in enumerate(waiting[:EVENTS_MAX]):
        if not _send(target, user, event):
            chores.mark_done(f"{TRIED}{user.id}", bridge.holder, now=now)
            log.warning("an event of user %d was not taken; %d wait", user.id, len(waiting) - number)
            return
        later = [one for one in waiting[number + 1 :] if one.at == event.at]
        if not later:  # all events of this instant went out
            chores.mark_done(f"{SENT}{user.id}", bridge.holder, now=event.at)


def _events(bridge: Bridge, user: User, *, since: datetime) -> list[Event]:
    found: list[Event] = []
    for advice in bridge.store.recommendations.changed(user.id, since=since):
        if advice.created_at > since and advice.superseded_at is None:
            found.append(Event(kind="made", at=advice.created_at, advice=advice))
        if advice.outcome is Deed.DONE and advice.outcome_at is not None and advice.outcome_at > since:
            found.append(Event(kind="done", at=advice.outcome_at, advice=advice))
    return sorted(found, key=lambda event: (event.at, event.advice.id))


def _send(target: Target, user: User, event: Event) -> bool:
    import requests

    body, at = json.dumps(_body(target, user, event)).encode(), str(int(time.time()))
    headers = {
        "Content-Type": "application/json",
        "webhook-id": event.id,
        "webhook-timestamp": at,
        "webhook-signature": signature(target.key, event.id, at, body),
    }
    with open_typed_session(target.allowed) as session:
        try:
            answer = session.post(
                target.address, data=body, headers=headers, timeout=SEND_SECONDS, allow_redirects=False
            )
        except (requests.RequestException, BridgeError):  # BridgeError: an answer without end
            return False
    return 200 <= answer.status_code < 300


def signature(key: bytes, event_id: str, at: str, body: bytes) -> str:
    """Return the header ``webhook-signature``, an HMAC-SHA-256 of id, time (Unix seconds as text) and body."""
    signed = b".".join((event_id.encode(), at.encode(), body))
    return f"v1,{base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()}"


def _body(target: Target, user: User, event: Event) -> dict[str, Any]:
    advice = event.advice
    told = {
        "id": advice.id,
        "action": str(advice.action),
        "kind": advice.kind,
        "start": None if advice.start is None else advice.start.isoformat(),
        "end": None if advice.end is None else advice.end.isoformat(),
        "expires_at": advice.expires_at.isoformat(),
        "answer": None if advice.answer is None else str(advice.answer),
    }
    if target.titles:
        told |= {"what": advice.what, "reasons": reasons(advice.facts, Audience.WEB_HOOK_WITH_TITLES)}
    return {"type": f"recommendation.{event.kind}", "timestamp": event.at.isoformat(), "user": user.name, "data": told}
