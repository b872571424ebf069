"""Items and records as the bytes and texts that are stored; reading back gives equal values."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import date, datetime
from typing import Any

from bridge.metrics import Metric
from bridge.types import Episode, EpisodeKind, Event, Item, RawRecord, Response, Sample, Task

KINDS: dict[type, str] = {Sample: "sample", Episode: "episode", Event: "event", Task: "task"}
CLASSES: dict[str, Callable[..., Item]] = {"sample": Sample, "episode": Episode, "event": Event, "task": Task}

_instant = datetime.fromisoformat
_day = date.fromisoformat
_DECODERS: dict[str, dict[str, Callable[[Any], Any]]] = {
    "sample": {"metric": Metric, "start": _instant, "end": _instant, "day": _day},
    "episode": {
        "kind": EpisodeKind,
        "start": _instant,
        "end": _instant,
        "day": _day,
        "values": lambda values: {Metric(metric): value for metric, value in values.items()},
    },
    "event": {
        "start": _instant,
        "end": _instant,
        "first_day": _day,
        "last_day": _day,
        "original_start": _instant,
        "original_day": _day,
        "recurrence": tuple,
        "response": Response,
    },
    "task": {"due": _day, "completed": _instant},
}


def kind_of(item: Item) -> str:
    return KINDS[type(item)]


def encode(item: Item) -> str:
    """An item as JSON; fields that hold nothing are left out.

    Pure ASCII: titles may hold NUL, which PostgreSQL refuses, and lone surrogates, which no database takes.
    """
    body = {field.name: getattr(item, field.name) for field in fields(item)}
    return json.dumps({k: v for k, v in body.items() if v is not None}, default=_plain)


def decode(kind: str, body: str) -> Item:
    """The item ``encode`` was given."""
    decoders = _DECODERS[kind]
    values = json.loads(body)
    return CLASSES[kind](**{k: decoders[k](v) if k in decoders else v for k, v in values.items()})


def _plain(value: Any) -> Any:
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} cannot be stored")


def packed(payload: Mapping[str, object]) -> bytes:
    """Compressed canonical JSON."""
    return zlib.compress(canonical(payload))


def unpack(payload: bytes) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(zlib.decompress(payload))
    return body


def canonical(payload: Mapping[str, object]) -> bytes:
    """Equal payloads give equal bytes, whatever the order of their keys."""
    return json.dumps(payload, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode(
        "utf-8", "surrogatepass"
    )


def fingerprint(record: RawRecord) -> bytes:
    """What tells one delivery of a record from the next."""
    return mark_of(canonical(record.payload), record)


def mark_of(payload: bytes, record: RawRecord) -> bytes:
    """The fingerprint of a record whose payload is written already."""
    text = payload + repr((record.parent, record.deleted)).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=16).digest()
