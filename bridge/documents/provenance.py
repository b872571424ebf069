"""JSON documents of where a row came from: its record, its version and its connection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from bridge import registry
from bridge.domain.metrics import METRICS
from bridge.domain.types import Sample

if TYPE_CHECKING:
    from bridge.documents.preference import CountedDocument
    from bridge.domain.records import Provenance
    from bridge.domain.types import Item


def sample_document(number: int, source: str, sample: Sample) -> dict[str, Any]:
    """Return a measured value as a JSON document. ``number`` is the row's for ``bridge trace --sample``."""
    return {
        "sample": number,
        "metric": str(sample.metric),
        "value": sample.value,
        "unit": METRICS[sample.metric].unit,
        "start": sample.start.isoformat(timespec="minutes"),
        "source": source,
        "device": sample.device,
    }


def provenance_document(found: Provenance, counted: CountedDocument | None) -> dict[str, Any]:
    """Return a stored row (sample, episode, event or task) and its origin as a JSON document.

    ``payload`` is null where it is not kept, and ``counted`` (the series that counts) if it is None.
    """
    connection, spec = found.connection, registry.spec(found.connection.source)
    return {
        "kind": found.kind,
        "id": found.id,
        **_row(found.item),
        "known_at": found.known_at.isoformat(),
        "source": connection.source,
        "device": getattr(found.item, "device", None),
        "stream": found.stream,
        "record": {
            "key": found.record,
            "parent": found.parent,
            "arrivals": [at.isoformat() for at in found.arrivals],
            "set_aside": found.reason and found.reason.replace("\n", "; "),
            "payload": found.payload,
        },
        "normaliser": {"name": spec.normaliser, "version": found.version, "newest": spec.normaliser_version},
        "connection": {"id": connection.id, "name": connection.name, "created_at": connection.created_at.isoformat()},
        "user": found.user,
        "before": [
            {
                "row": _row(one.item),
                "known_at": one.known_at.isoformat(),
                "superseded_at": one.superseded_at.isoformat(),
            }
            for one in found.past
        ],
        "also_from": [{"source": source, found.kind: number} for source, number in found.twins],
        "counted": counted,
    }


def _row(item: Item) -> dict[str, Any]:
    unit = {"unit": METRICS[item.metric].unit} if isinstance(item, Sample) else {}
    kind = {"of": str(item.kind)} if hasattr(item, "kind") else {}
    body = {name: _plain(value) for name, value in asdict(item).items() if name not in ("kind", "device")}
    return body | unit | kind


def _plain(value: Any) -> Any:
    if isinstance(value, datetime | date):
        return value.isoformat()
    return {str(key): inner for key, inner in value.items()} if isinstance(value, Mapping) else value
