"""Encode items (samples, episodes, events, tasks) and raw records as JSON for the database, and decode them."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Mapping, Sequence
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
    "task": {"due": _day, "completed": _instant, "due_at": _instant},
}


def encode(item: Item) -> str:
    """Return an item as ASCII JSON text, without fields that are None."""
    if type(item) is Sample:
        start, end = item.start.isoformat(), None if item.end is None else item.end.isoformat()
        more = (item.offset, item.day.isoformat(), item.value, item.device, item.count, item.low, item.high)
        return sample_text((item.key, item.metric, start, end, *more))
    body = zip(_FIELDS[type(item)], _OF_FIELDS[type(item)](item), strict=True)
    return _JSON(
        {name: value.isoformat() if isinstance(value, date) else value for name, value in body if value is not None}
    )


def sample_text(values: Sequence[Any]) -> str:
    """Return a sample as ``encode`` does, from the values of its fields in order, with times in ISO 8601."""
    key, metric, start, end, offset, day, value, device, count, low, high = values
    # It is written by hand, because most revisions are samples, and ``json`` takes four times as long.
    text = f'{{"key": {_quoted(key)}, "metric": {_quoted(metric)}, "start": "{start}"'
    if end is not None:
        text += f', "end": "{end}"'
    if offset is not None:
        text += f', "offset": {offset}'
    text += f', "day": "{day}", "value": {_number(value)}'
    if device is not None:
        text += f', "device": {_quoted(device)}'
    if count is not None:
        text += f', "count": {count}'
    if low is not None:
        text += f', "low": {_number(low)}'
    if high is not None:
        text += f', "high": {_number(high)}'
    return text + "}"


def _number(value: float) -> str:
    text = repr(value)
    return text if text[-1] in DIGITS else json.dumps(value)


def decode(kind: str, body: str) -> Item:
    """Return an item from the JSON text that ``encode`` made. ``kind`` is sample, episode, event or task."""
    return of_fields(kind, json.loads(body))


def of_fields(kind: str, values: Mapping[str, Any]) -> Item:
    """Return an item from its decoded JSON object. ``kind`` is sample, episode, event or task."""
    decoders = _DECODERS[kind]
    return CLASS_OF_KIND[kind](**{k: decoders[k](v) if k in decoders else v for k, v in values.items()})


_quoted = json.encoder.encode_basestring_ascii
DIGITS = frozenset("0123456789")  # the last letter of a finite number
_FIELDS: dict[type, tuple[str, ...]] = {
    kind: tuple(field.name for field in fields(kind)) for kind in (Sample, Episode, Event, Task)
}
_OF_FIELDS = {kind: attrgetter(*names) for kind, names in _FIELDS.items()}


def _encoder(**options: Any) -> Callable[[Any], str]:
    """Return the ``encode`` of a JSONEncoder with its C encoder prepared once, not for every text."""
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
    """Return column -> value of a dataclass, in which ``more`` gives the values of some fields."""
    return {f.name: more[f.name] if f.name in more else getattr(record, f.name) for f in fields(record)}


def record_of(made: type[Made], row: Any, **more: Any) -> Made:
    """Return a dataclass made of a row's columns of the same names. ``more`` gives the values of some fields."""
    named = (field.name for field in fields(cast("Any", made)))
    return made(**{name: more[name] if name in more else getattr(row, name) for name in named})


def compressed(text: bytes) -> bytes:
    """Return the text compressed like ``zlib.compress``, but faster for short texts."""
    bits = min(max((len(text) + _LOOKAHEAD).bit_length(), 10), zlib.MAX_WBITS)
    made = zlib.compressobj(wbits=bits, memLevel=6 if bits <= 12 else zlib.DEF_MEM_LEVEL)
    return made.compress(text) + made.flush()


_LOOKAHEAD = 262  # bytes of a window in which deflate finds nothing


def packed(payload: Mapping[str, object]) -> bytes:
    """Return a raw record's payload as compressed JSON with sorted keys."""
    return compressed(canonical(payload))


def unpack(payload: bytes) -> dict[str, Any]:
    """Return the payload that ``packed`` compressed."""
    body: dict[str, Any] = json.loads(zlib.decompress(payload))
    return body


def canonical(payload: Mapping[str, object]) -> bytes:
    """Return a payload as JSON with sorted keys, so that equal payloads give equal bytes."""
    return _CANONICAL(payload).encode("utf-8", "surrogatepass")


_CANONICAL = _encoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def fingerprint(record: RawRecord) -> bytes:
    """Return 16 bytes that differ if a record's payload, deletion mark or ``parent`` differs."""
    return mark_of(canonical(record.payload), record)


def mark_of(payload: bytes, record: RawRecord) -> bytes:
    """Return the ``fingerprint`` of a record, given its payload as ``canonical`` JSON."""
    text = payload + repr((record.parent, record.deleted)).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=16).digest()
