"""Split a record into pieces by the dates of its exports, so that the order of imports does not matter.

Each value is kept only in the newest piece that has it. A record whose values are all of one date needs no pieces.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from bridge.domain.types import RawRecord, union
from bridge.store import codec


class Piece(NamedTuple):
    """The values of a record that the exports of a date hold."""

    as_of: datetime
    payload: Mapping[str, Any]


Pieces = tuple[Piece, ...]  # ascending


def deliver(pieces: Pieces, record: RawRecord, as_of: datetime) -> Pieces:
    """Return a record's pieces after a delivery dated ``as_of``. A whole one replaces all not newer."""
    kept = {piece.as_of: piece.payload for piece in pieces if record.adds or piece.as_of > as_of}
    if not record.deleted:
        kept[as_of] = union(kept.get(as_of, {}), record.payload)
    return _newest_values([Piece(at, kept[at]) for at in sorted(kept)])


def united(pieces: Pieces) -> dict[str, Any]:
    """Return the payload that a record's pieces (oldest first) make together. Newer values replace older ones."""
    payload: dict[str, Any] = {}
    for piece in pieces:
        payload = union(payload, piece.payload)
    return payload


def packed(pieces: Pieces) -> bytes | None:
    """Return a record's pieces as compressed JSON. Return None for fewer than two, which need not be stored."""
    if len(pieces) < 2:
        return None
    return codec.packed({piece.as_of.isoformat(): piece.payload for piece in pieces})


def unpacked(stored: bytes | None) -> Pieces:
    """Return a record's pieces from their compressed JSON, or none for None."""
    found = {} if stored is None else codec.unpack(stored)
    return tuple(sorted(Piece(datetime.fromisoformat(at), payload) for at, payload in found.items()))


def _newest_values(pieces: list[Piece]) -> Pieces:
    found: list[Piece] = []
    newer: dict[str, Any] = {}
    for piece in reversed(pieces):
        if rest := _without(piece.payload, newer):
            found.append(Piece(piece.as_of, rest))
            newer = union(rest, newer)
    return tuple(reversed(found))


def _without(payload: Mapping[str, Any], newer: Mapping[str, Any]) -> dict[str, Any]:
    rest = {}
    for key, value in payload.items():
        if key not in newer:
            rest[key] = value
        elif isinstance(value, Mapping) and isinstance(newer[key], Mapping) and (deeper := _without(value, newer[key])):
            rest[key] = deeper
    return rest
