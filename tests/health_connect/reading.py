"""Documents of the apps, written in a test and read as the connector reads them."""

from __future__ import annotations

import json
from typing import Any

from bridge.domain.types import Item
from connectors.health_connect import files
from connectors.health_connect.normalise import normalise
from tests import pushed
from tests.pushed import Body

SENT = "2026-11-18T20:00:00Z"
WATCH = {"data_origin": "com.fitbit.FitbitMobile", "device": {"type": 1}}
PHONE = {"data_origin": "com.google.android.apps.fitness", "device": {"type": 2}}


def document(**lists: Any) -> Body:
    """Return the body that an app sends for these lists."""
    return Body(json.dumps({"timestamp": SENT, "app_version": "1.9.13", **lists}).encode())


def steps(count: Any, start: str, end: str, metadata: Any = None, **more: Any) -> dict[str, Any]:
    """A row of steps on 2026-11-18, by UTC times of the day."""
    told = {"count": count, "start_time": f"2026-11-18T{start}:00Z", "end_time": f"2026-11-18T{end}:00Z", **more}
    return told if metadata is None else told | {"metadata": metadata}


def landed(*bodies: Body, zone: str = "Europe/Berlin") -> list[Item]:
    """Return the items that several deliveries leave."""
    return pushed.landed(files.read, normalise, *bodies, zone=zone)
