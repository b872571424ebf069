"""Split a record into pieces by date of export, so that exports can be imported in any order.

Each value is kept only in the newest piece that has it. A record of a single export needs no pieces.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from bridge.domain.types import RawRecord, union
from bridge.store import codec


class Piece(NamedTuple):
    """The values of a record that come from the exports of one date."""

    as_of: datetime
    payload: Mapping[str, Any]


Pieces = tuple[Piece, ...]  # ascending


def deliver(pieces: Pieces, record: RawRecord, as_of: datetime) -> Pieces:
    """Return a record's pieces after a delivery of an export dated ``as_of``.

    Unless the record ``adds``, it replaces all pieces that are not newer.
    """
    kept = {piece.as_of: piece.payload for piece in pieces if record.adds or piece.as_of > as_of}
    if not record.deleted:
        kept[as_of] = union(kept.get(as_of, {}), record.payload)
    return _newest_values([Piece(at, kept[at]) for at in sorted(kept)])


def united(pieces: Pieces) -> dict[str, Any]:
    """Return the payload that pieces, oldest first, make together. Newer values win."""
    payload: dict[str, Any] = {}
    for piece in pieces:
        payload = union(payload, piece.payload)
    return payload


def packed(pieces: Pieces) -> bytes | None:
    """Return pieces as compressed JSON, or None for fewer than two, which need not be stored."""
    if len(pieces) < 2:
        return None
    return codec.packed({piece.as_of.isoformat(): piece.payload for piece in pieces})


def unpacked(stored: bytes | None) -> Pieces:
    """Return the pieces that ``packed`` compressed, or () for None."""
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
