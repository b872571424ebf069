"""The app's documents, written in a test and read as the connector reads them."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

from bridge.domain.types import Episode, Item, RawRecord, Sample, union
from connectors.apple.auto_export import files
from connectors.apple.auto_export.normalise import normalise


@dataclass(frozen=True)
class Body:
    """A file that exists in memory only."""

    content: bytes
    name: str = "export.json"
    path: str = "export.json"

    @property
    def size(self) -> int:
        return len(self.content)

    @property
    def head(self) -> bytes:
        return self.content[:4096]

    def open(self) -> BinaryIO:
        return io.BytesIO(self.content)


def body(*metrics: Any, workouts: Iterable[Any] = ()) -> Body:
    """What the app sends of these metrics and workouts."""
    return Body(json.dumps({"data": {"metrics": list(metrics), "workouts": list(workouts)}}).encode())


def metric(name: str, units: str | None, *points: Any) -> dict[str, Any]:
    return {"name": name, "units": units, "data": list(points)}


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


def episodes(items: Iterable[Item]) -> list[Episode]:
    return [item for item in items if isinstance(item, Episode)]
