"""Encode items (samples, episodes, events, tasks) and raw records for the database, and decode them to equal values."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import date, datetime
from operator import attrgetter
from typing import Any, TypeVar, cast

from bridge.domain.metrics import Metric
from bridge.domain.types import Episode, EpisodeKind, Event, Item, RawRecord, Response, Sample, Task

KIND_OF_CLASS: dict[type, str] = {Sample: "sample", Episode: "episode", Event: "event", Task: "task"}
CLASS_OF_KIND: dict[str, Callable[..., Item]] = {"sample": Sample, "episode": Episode, "event": Event, "task": Task}

Made = TypeVar("Made")
_instant = datetime.fromisoformat
_day = date.fromisoformat
_METRICS = {str(metric): metric for metric in Metric}  # looking up takes a third of calling the class
_DECODERS: dict[str, dict[str, Callable[[Any], Any]]] = {
    "sample": {"metric": Metric, "start": _instant, "end": _instant, "day": _day},
    "episode": {
        "kind": {str(kind): kind for kind in EpisodeKind}.__getitem__,
        "start": _instant,
        "end": _instant,
        "day": _day,
        "values": lambda values: {_METRICS[metric]: value for metric, value in values.items()},
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


def encode(item: Item) -> str:
    """Return an item as JSON text without None fields, in ASCII, because PostgreSQL refuses a NUL in titles."""
    if type(item) is Sample and (text := _sample_text(item)) is not None:
        return text
    body = zip(_FIELDS[type(item)], _OF_FIELDS[type(item)](item), strict=True)
    return _JSON(
        {name: value.isoformat() if isinstance(value, date) else value for name, value in body if value is not None}
    )


def _sample_text(item: Sample) -> str | None:
    """Return a sample as JSON text, or None if its value, lowest or highest reading is not finite."""
    # It is written by hand, because most revisions are samples, and ``json`` takes four times as long.
    value = repr(item.value)
    more = "" if (item.device, item.count, item.low, item.high) == NOTHING_MORE else _more_text(item)
    if more is None or value[-1] not in DIGITS:
        return None
    end = "" if item.end is None else f', "end": "{item.end.isoformat()}"'
    offset = "" if item.offset is None else f', "offset": {item.offset!r}'
    return (
        f'{{"key": {_quoted(item.key)}, "metric": {_quoted(item.metric)}, "start": "{item.start.isoformat()}"'
        f'{end}{offset}, "day": "{item.day.isoformat()}", "value": {value}{more}}}'
    )


def _more_text(item: Sample) -> str | None:
    """Return a sample's device, count, lowest and highest reading as the rest of a JSON object, after a comma."""
    low, high = repr(item.low), repr(item.high)
    if not ((item.low is None or low[-1] in DIGITS) and (item.high is None or high[-1] in DIGITS)):
        return None
    device = "" if item.device is None else f', "device": {_quoted(item.device)}'
    count = "" if item.count is None else f', "count": {item.count!r}'
    lowest = "" if item.low is None else f', "low": {low}'
    highest = "" if item.high is None else f', "high": {high}'
    return f"{device}{count}{lowest}{highest}"


def decode(kind: str, body: str) -> Item:
    """Return the item that ``encode`` wrote as JSON text. ``kind`` is sample, episode, event or task."""
    return of_fields(kind, json.loads(body))


def of_fields(kind: str, values: Mapping[str, Any]) -> Item:
    """Return the item of a kind whose fields ``encode`` wrote."""
    decoders = _DECODERS[kind]
    return CLASS_OF_KIND[kind](**{k: decoders[k](v) if k in decoders else v for k, v in values.items()})


_quoted = json.encoder.encode_basestring_ascii
DIGITS = frozenset("0123456789")  # the last letter of a finite number
NOTHING_MORE = (None, None, None, None)
_FIELDS: dict[type, tuple[str, ...]] = {
    kind: tuple(field.name for field in fields(kind)) for kind in (Sample, Episode, Event, Task)
}
_OF_FIELDS = {kind: attrgetter(*names) for kind, names in _FIELDS.items()}


def _encoder(**options: Any) -> Callable[[Any], str]:
    """Return ``json.JSONEncoder(**options).encode``, which would prepare itself anew for every text."""
    made = json.JSONEncoder(**options)
    prepare = getattr(json.encoder, "c_make_encoder", None)  # CPython's own
    if prepare is None:
        return made.encode
    quoted = json.encoder.encode_basestring_ascii if made.ensure_ascii else json.encoder.encode_basestring
    write = prepare(
        None, made.default, quoted, None, made.key_separator, made.item_separator, made.sort_keys, False, True
    )
    return lambda value: "".join(write(value, 0))


_JSON = _encoder(default=dict)  # of mappings that are no dict


def columns_of(record: Any, **more: Any) -> dict[str, Any]:
    """Return field -> value of a dataclass, with the values in ``more``."""
    return {f.name: more[f.name] if f.name in more else getattr(record, f.name) for f in fields(record)}


def record_of(made: type[Made], row: Any, **more: Any) -> Made:
    """Return a dataclass from a row whose columns are called as its fields, with the values in ``more``."""
    named = (field.name for field in fields(cast("Any", made)))
    return made(**{name: more[name] if name in more else getattr(row, name) for name in named})


def compressed(text: bytes) -> bytes:
    """Return the text compressed like ``zlib.compress``, with a window no larger than the text, to save time."""
    bits = min(max((len(text) + _LOOKAHEAD).bit_length(), 10), zlib.MAX_WBITS)
    made = zlib.compressobj(wbits=bits, memLevel=6 if bits <= 12 else zlib.DEF_MEM_LEVEL)
    return made.compress(text) + made.flush()


_LOOKAHEAD = 262  # bytes of a window in which deflate finds nothing


def packed(payload: Mapping[str, object]) -> bytes:
    """Return a raw record's payload as compressed JSON with sorted keys."""
    return compressed(canonical(payload))


def unpack(payload: bytes) -> dict[str, Any]:
    """Return the raw record's payload that ``packed`` compressed."""
    body: dict[str, Any] = json.loads(zlib.decompress(payload))
    return body


def canonical(payload: Mapping[str, object]) -> bytes:
    """Return a payload as JSON with sorted keys, so that equal payloads give equal bytes."""
    return _CANONICAL(payload).encode("utf-8", "surrogatepass")


_CANONICAL = _encoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def fingerprint(record: RawRecord) -> bytes:
    """Return 16 bytes that differ if a record's payload, parent or deletion mark does."""
    return mark_of(canonical(record.payload), record)


def mark_of(payload: bytes, record: RawRecord) -> bytes:
    """Return the same digest as ``fingerprint``, for a payload already written as ``canonical`` JSON."""
    text = payload + repr((record.parent, record.deleted)).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=16).digest()
