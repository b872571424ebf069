"""Check WHOOP's webhooks (version 2), which are signed notices that a sleep, recovery or workout changed or is gone.

Source: developer.whoop.com/docs/developing/webhooks. Some notices are lost.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from bridge.domain.errors import Forged
from bridge.domain.types import Notice

SKEW = timedelta(minutes=5)
WEBHOOK_STREAMS = ("sleep", "recovery", "workout")  # of a recovery the id is that of its sleep
WHAT = {"updated": False, "deleted": True}


def notice(headers: Mapping[str, str], body: bytes, *, settings: Mapping[str, str], now: datetime) -> Notice | None:
    """Return the notice in a correctly signed request, or None for a notice that the bridge does not use.

    Raises Forged for a wrong signature (HMAC-SHA256 of timestamp and raw body) or an old request.
    """
    stamp = headers.get("x-whoop-signature-timestamp", "")
    _check_signature(stamp, headers.get("x-whoop-signature", ""), body, settings["client_secret"])
    if abs(now - _instant(stamp)) > SKEW:
        raise Forged("a webhook's time differs from this machine's clock by over five minutes; check the clock")
    try:
        said = json.loads(body)
    except ValueError:
        return None
    return _notice(said) if isinstance(said, dict) else None


def _check_signature(stamp: str, given: str, body: bytes, secret: str) -> None:
    right = base64.b64encode(hmac.new(secret.encode(), stamp.encode() + body, hashlib.sha256).digest())
    if not secret or not hmac.compare_digest(right, given.encode()):
        raise Forged("a webhook is not signed with this app's client secret; check the secret at WHOOP and here")


def _instant(stamp: str) -> datetime:
    try:
        return datetime.fromtimestamp(int(stamp) / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        raise Forged("a webhook does not say when it was sent; ignore it, for it is not WHOOP's") from None


def _notice(said: Mapping[str, Any]) -> Notice | None:
    stream, _, what = str(said.get("type", "")).partition(".")
    member, trace = said.get("user_id"), said.get("trace_id")
    if stream not in WEBHOOK_STREAMS or what not in WHAT or not isinstance(member, int) or not isinstance(trace, str):
        return None
    try:
        key = str(UUID(str(said.get("id"))))  # it becomes part of an address
    except ValueError:
        return None
    return Notice(member=str(member), stream=stream, key=key, deleted=WHAT[what], trace=trace[:100])
