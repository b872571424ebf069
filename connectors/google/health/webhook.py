"""Read Google Health's webhooks, which name a person, a data type and the times that changed, and carry no data.

Sources: developers.google.com/health/webhooks, and the handlers of Open Wearables and of google_health_api. Google
proves itself by the ``Authorization`` header that was set when the subscriber was registered. It also signs the body
(``GOOGLE-HEALTH-API-SIGNATURE``), which is not checked.
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
    """Return the notices in a request, or None if it holds none, as when Google tries the address.

    At most a hundred changes of a request are read. Raises Forged if the request lacks the registered secret, as Google
    expects when it tries the address without it.
    """
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
    """Yield the notice of a change. Its key holds the first and last date, widened by a day at both ends.

    A change that names no person, no known data type or no date gives none. A deletion is found by reading the dates
    again.
    """
    member, stream = words(data.get("healthUserId")), STREAM_OF_KIND.get(str(data.get("dataType")))
    dates = sorted(_dates(data))
    if member is None or stream is None or not dates:
        return
    key = f"{dates[0] - DAY}/{dates[-1] + DAY}"  # the times may be in UTC
    seal = f"{member} {stream} {key} {data.get('operation')} {int(now.timestamp()) // REPEATED}"
    trace = hashlib.sha256(seal.encode()).hexdigest()
    yield Notice(member=member, stream=stream, key=key, deleted=False, trace=trace)


def _dates(data: Mapping[str, Any]) -> Iterator[date]:
    """Yield the dates of the times that changed, whether these are stated as instants or in the person's clock."""
    told = [data, *map(mapping, rows(data.get("intervals"))[:NOTICES_MAX])]
    for one in told:
        for name in ("physicalTimeInterval", "civilIso8601TimeInterval"):
            for edge in ("startTime", "endTime"):
                day = calendar_date(str(mapping(one.get(name)).get(edge))[:10])
                if day is not None:
                    yield day
