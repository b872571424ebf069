"""Documents of the apps, written in a test and read as the connector reads them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from bridge.domain.types import Item, RawRecord, Sample, union
from connectors.health_connect import files
from connectors.health_connect.normalise import normalise
from tests.health_auto_export.reading import Body

SENT = "2026-11-18T20:00:00Z"
WATCH = {"data_origin": "com.fitbit.FitbitMobile", "device": {"type": 1}}
PHONE = {"data_origin": "com.google.android.apps.fitness", "device": {"type": 2}}


def document(**lists: Any) -> Body:
    """What an app sends of these lists."""
    return Body(json.dumps({"timestamp": SENT, "app_version": "1.9.13", **lists}).encode())


def steps(count: Any, start: str, end: str, metadata: Any = None, **more: Any) -> dict[str, Any]:
    """A row of steps on 2026-11-18, by UTC times of the day."""
    told = {"count": count, "start_time": f"2026-11-18T{start}:00Z", "end_time": f"2026-11-18T{end}:00Z", **more}
    return told if metadata is None else told | {"metadata": metadata}


def landed(*bodies: Body, zone: str = "Europe/Berlin") -> list[Item]:
    """What several deliveries come to, one after the other."""
    kept: dict[str, RawRecord] = {}
    for one in bodies:
        for page in files.read(one, zone=zone):
            for record in page.records:
                before = kept.get(record.path)
                if before is not None and record.adds:
                    record = replace(record, payload=union(before.payload, record.payload))
                kept[record.path] = record
    return [item for record in kept.values() if record.stream != "unreadable" for item in normalise(record, None)]


def values(items: Iterable[Item], name: str) -> dict[str, float]:
    """A metric's samples by date."""
    return {item.day.isoformat(): item.value for item in items if isinstance(item, Sample) and item.metric == name}
