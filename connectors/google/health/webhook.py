"""Read Google Health's webhooks, which name a person, a data type and the times that changed, and carry no data.

Source: developers.google.com/health/webhooks. Google proves itself by the ``Authorization`` header.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from typing import Any

from bridge.domain.errors import Forged
from bridge.domain.types import Notice
from connectors.google.health.client import STREAM_OF_KIND
from connectors.instants import calendar_date
from connectors.payload import mapping, rows, words

NOTICES_MAX = 100  # of a body; the sync reads the last days anyway
DAY = timedelta(days=1)
REPEATED = 600  # seconds within which the same notice is the same message, sent again


def notice(
    headers: Mapping[str, str], body: bytes, *, settings: Mapping[str, str], now: datetime
) -> list[Notice] | None:
    """Return the notices in a request, or None if it holds none. Raises Forged without the registered secret."""
    secret = settings["webhook_secret"]
    given = headers.get("authorization", "").removeprefix("Bearer ")
    if not secret or not hmac.compare_digest(given.encode(), secret.encode()):
        raise Forged("a webhook lacks the secret; register it with the value of BRIDGE_GOOGLE_HEALTH_WEBHOOK_SECRET")
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return None
    told = [mapping(one) for one in (said if isinstance(said, list) else [said])][:NOTICES_MAX]
    return [found for one in told for found in _notices(mapping(one.get("data")), now)] or None


def _notices(data: Mapping[str, Any], now: datetime) -> Iterator[Notice]:
    member, stream = words(data.get("healthUserId")), STREAM_OF_KIND.get(str(data.get("dataType")))
    dates = sorted(_dates(data))
    if member is None or stream is None or not dates:
        return
    key = f"{dates[0] - DAY}/{dates[-1] + DAY}"  # the times may be in UTC
    seal = f"{member} {stream} {key} {data.get('operation')} {int(now.timestamp()) // REPEATED}"
    trace = hashlib.sha256(seal.encode()).hexdigest()
    yield Notice(member=member, stream=stream, key=key, deleted=False, trace=trace)


def _dates(data: Mapping[str, Any]) -> Iterator[date]:
    told = [data, *map(mapping, rows(data.get("intervals"))[:NOTICES_MAX])]
    for one in told:
        for name in ("physicalTimeInterval", "civilIso8601TimeInterval"):
            for edge in ("startTime", "endTime"):
                day = calendar_date(str(mapping(one.get(name)).get(edge))[:10])
                if day is not None:
                    yield day
