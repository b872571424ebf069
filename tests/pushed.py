"""Documents of pushing apps, kept in memory and read as a connector reads them."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

from bridge.domain.types import Item, RawRecord, Sample, union


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


def landed(read: Callable[..., Any], normalise: Callable[..., Iterable[Item]], *bodies: Body, zone: str) -> list[Item]:
    """Return the items that several deliveries leave, one delivery after the other."""
    kept: dict[str, RawRecord] = {}
    for one in bodies:
        for page in read(one, zone=zone):
            for record in page.records:
                before = kept.get(record.path)
                if before is not None and record.adds:
                    record = replace(record, payload=union(before.payload, record.payload))
                kept[record.path] = record
    return [item for record in kept.values() if record.stream != "unreadable" for item in normalise(record, None)]


def values(items: Iterable[Item], name: str) -> dict[str, float]:
    """Return a metric's samples by date."""
    return {item.day.isoformat(): item.value for item in items if isinstance(item, Sample) and item.metric == name}
