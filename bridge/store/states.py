"""Load the stored records that delivered records are compared with, and those needed to read them (parents)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import sqlalchemy as sa

from bridge.domain.records import Connection
from bridge.domain.samples import only_outside
from bridge.domain.types import RawRecord
from bridge.store import codec, inserts, rows, tables
from bridge.store.pieces import Piece, Pieces, unpacked

LONG_AGO = datetime(1, 1, 1, tzinfo=UTC)  # the date of values without one


@dataclass(slots=True, kw_only=True)
class State:
    """A stored record with its digest, its dates of export and the reasons why values of it are left out.

    It changes as newly delivered versions are taken in.
    """

    id: int
    record: RawRecord
    stored: bool = True  # there is a row with its id
    parent: str | None = None  # in the record's row, while ``record`` may hold another
    hash: bytes | None = None  # None until the record has landed once
    reason: str | None = None
    outside: tuple[str, ...] = ()  # reasons why single values are set aside
    version: int = 0
    arrived_at: datetime | None = None
    items: dict[str, int] = field(default_factory=dict)  # kind -> number last derived
    waits: bool = False  # for its parent, which has not come
    pieces: Pieces = ()  # empty where all values are of one date
    as_of: datetime | None = None  # date of the newest export with the record
    whole_as_of: datetime | None = None  # date of the newest export with the whole record

    def date(self, record: RawRecord) -> bool:
        """Take the export date of a delivered record. Return True if ``as_of`` or ``whole_as_of`` changed."""
        if record.as_of is None:
            return False
        before = self.as_of, self.whole_as_of
        self.as_of = max(self.as_of or record.as_of, record.as_of)
        self.whole_as_of = self.whole_as_of if record.adds else record.as_of
        return before != (self.as_of, self.whole_as_of)

    def all_pieces(self) -> Pieces:
        """Return the pieces of the payload by date of export. An undated payload counts as the oldest."""
        return self.pieces or (Piece(self.as_of or LONG_AGO, self.record.payload),)


def register(db: sa.Connection, connection: Connection, records: Sequence[RawRecord]) -> dict[str, State]:
    """Return path -> stored record for delivered records. New records get an id and an empty state.

    Deletions of records that are not stored are left out.
    """
    paths = [record.path for record in records]
    states = _load(db, connection, {*paths})
    fresh = {p: r for p, r in zip(paths, records, strict=True) if not r.deleted and p not in states}
    for number, (path, record) in zip(inserts.next_ids(db, tables.records, len(fresh)), fresh.items(), strict=True):
        states[path] = State(id=number, record=record, stored=False)
    return states


_STATE = ("id", "stream", "key", "parent", "hash", "deleted", "reason", "version", "arrived_at", "as_of", "whole_as_of")


def _load(db: sa.Connection, connection: Connection, paths: Collection[str]) -> dict[str, State]:
    keys: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        stream, _, key = path.partition("/")
        keys[stream].append(key)
    return {
        state.record.path: state
        for stream, wanted in keys.items()
        for state in load_states(db, "key", wanted, connection_id=connection.id, stream=stream)
    }


def load_states(db: sa.Connection, name: str, values: Collection[Any], **equal: Any) -> Iterator[State]:
    """Yield stored records, without payloads, that have one of ``values`` in the column ``name``.

    ``equal`` gives further columns and the value of each.
    """
    for row in inserts.select_many(db, tables.records, _STATE, name, values, **equal):
        yield state_of(row)


def state_of(row: Sequence[Any]) -> State:
    """Return a stored record, without payload, from a row with the columns ``_STATE``."""
    number, stream, key, parent, mark, deleted, reason, version, arrived_at, as_of, whole_as_of = row
    outside = tuple(reason.splitlines()) if reason and only_outside(reason) else ()
    return State(
        id=number,
        record=RawRecord(stream=stream, key=key, payload={}, parent=parent, deleted=bool(deleted)),
        parent=parent,
        hash=mark,
        reason=None if outside else reason,
        outside=outside,
        version=version,
        arrived_at=None if arrived_at is None else tables.instant(arrived_at),
        as_of=None if as_of is None else tables.instant(as_of),
        whole_as_of=None if whole_as_of is None else tables.instant(whole_as_of),
    )


class StoredRecords:
    """The stored records that a page's records need or that need these, each kind read in one query when first used."""

    def __init__(self, db: sa.Connection, connection: Connection, records: Sequence[RawRecord]) -> None:
        self._db, self._connection, self._records = db, connection, records
        self._here: dict[str, State] = {}

    @cached_property
    def _stored(self) -> dict[str, State]:
        united = {r.path for r in self._records if r.is_compared}
        needed = {r.parent for r in self._records if r.parent} | united
        found = _load(self._db, self._connection, needed)
        return {state.record.path: state for state in with_payload(self._db, list(found.values()))}

    @cached_property
    def _children(self) -> dict[str, list[State]]:
        found: dict[str, list[State]] = defaultdict(list)
        paths = {record.path for record in self._records}
        children = load_states(self._db, "parent", paths, connection_id=self._connection.id, deleted=False)
        for state in with_payload(self._db, list(children)):
            found[state.record.parent or ""].append(state)
        return found

    def remember(self, state: State) -> None:
        self._here[state.record.path] = state
        if state.record.parent:
            self._children[state.record.parent].append(state)

    def latest(self, path: str) -> State | None:
        state = self._here.get(path) or self._stored.get(path)
        return None if state is None or state.record.deleted else state

    def children(self, path: str) -> list[State]:
        children = self._children.get(path)
        if not children:
            return []
        found = {child.record.path: self._here.get(child.record.path, child) for child in children}
        return [child for child in found.values() if child.record.parent == path and not child.record.deleted]


def with_payload(db: sa.Connection, states: Sequence[State]) -> Iterator[State]:
    """Yield the stored records that have a stored payload, with the last one."""
    a = tables.arrivals.c
    by_id = {state.id: state for state in states}
    for ids in rows.chunks(by_id):
        last = sa.select(sa.func.max(a.id)).where(a.record_id.in_(ids)).group_by(a.record_id)
        for row in db.execute(sa.select(tables.arrivals).where(a.id.in_(last))):
            state = by_id[row.record_id]
            state.record = record_in(row, state)
            state.pieces = unpacked(row.pieces)
            yield state


def record_in(row: Any, state: State) -> RawRecord:
    """Return the record ``state`` with payload, parent and deletion mark of a row of the table ``arrivals``."""
    return RawRecord(
        stream=state.record.stream,
        key=state.record.key,
        payload=codec.unpack(row.payload),
        parent=row.parent,
        deleted=row.deleted,
    )
