"""Compare delivered records with stored ones, and write what has changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple, Protocol

import sqlalchemy as sa

from bridge.domain.errors import BadRecord
from bridge.domain.ports import Normaliser
from bridge.domain.records import Connection, RecordResult
from bridge.domain.samples import set_apart
from bridge.domain.types import FILE_PARENT_PREFIX, Item, RawRecord, union
from bridge.store import codec, inserts, rows, tables
from bridge.store.pieces import Pieces, deliver, packed, united
from bridge.store.states import State


class Memory(Protocol):
    """The stored records that delivered records are compared with.

    A record may need another record, its parent, to be read. It is then a child of that record.
    """

    def remember(self, state: State) -> None: ...
    def latest(self, path: str) -> State | None:
        """Return the stored record at the path ``stream/key``, or None if there is none or it was deleted."""
        ...

    def children(self, path: str) -> list[State]:
        """Return the stored records that need the record at ``path`` (``stream/key``), without deleted ones."""
        ...


@dataclass(slots=True, kw_only=True)
class Batch:
    """Delivered records of a connection that are written together, after all of them were added by ``take``."""

    db: sa.Connection
    connection: Connection
    normalise: Normaliser
    version: int
    now: datetime
    memory: Memory
    desired: dict[int, Sequence[Item]] = field(default_factory=dict)
    states: dict[int, State] = field(default_factory=dict)
    fresh: set[int] = field(default_factory=set)  # ids of records that never landed and have no rows
    changed: set[int] = field(default_factory=set)  # ids of records whose rows were changed
    dated: dict[int, State] = field(default_factory=dict)  # records with changed dates
    pieced: dict[int, State] = field(default_factory=dict)  # records with changed pieces

    def take(self, state: State) -> None:
        """Add a record, and derive the items (samples, episodes, events, tasks) of it and of records that need it."""
        self.memory.remember(state)
        self._derive(state)
        for child in self.memory.children(state.record.path):
            self._derive(self.states.get(child.id, child), orphaned=state.record.deleted)

    def _derive(self, state: State, *, orphaned: bool = False) -> None:
        try:
            items, outside = set_apart(self._items(state))
        except BadRecord as error:
            state.reason = str(error)
            if orphaned:
                self.desired[state.id] = ()
        else:
            if self.desired.get(state.id, items) != items:  # a second change, whose revision must not depend on paging
                self.write()
            self.desired[state.id], state.reason = items, None
            if outside or state.outside:
                state.outside = tuple(f"{self.connection.source}/{state.record.stream}: {why}" for why in outside)
            state.items = {}
            for item in items:
                kind = codec.KIND_OF_CLASS[type(item)]
                state.items[kind] = state.items.get(kind, 0) + 1
        state.version = self.version
        self.states[state.id] = state

    def _items(self, state: State) -> Sequence[Item]:
        record = state.record
        if record.deleted:
            return ()
        parent = self.memory.latest(record.parent) if record.parent else None
        state.waits = parent is None and not (record.parent or FILE_PARENT_PREFIX).startswith(FILE_PARENT_PREFIX)
        return self.normalise(record, None if parent is None else parent.record)

    def write(self) -> None:
        self._write_states()
        if self.dated:
            self.db.execute(_DATE, [_dates(state) for state in self.dated.values()])
        if self.desired:
            fresh = frozenset(self.desired.keys() & self.fresh)
            self.changed |= rows.write(self.db, self.connection, self.desired, now=self.now, fresh=fresh)
            self.fresh -= fresh
        self.desired, self.states, self.dated = {}, {}, {}

    def _write_states(self) -> None:
        fresh = [state for state in self.states.values() if not state.stored]
        values = [
            (*_bound(one), self.connection.id, one.record.stream, one.record.key, one.record.parent) for one in fresh
        ]
        named = (*_KEPT, "id", "connection_id", "stream", "key", "parent")
        inserts.insert_many(self.db, tables.records, named, values)
        known = [state for state in self.states.values() if state.stored]
        # A parent is written only if it changed, because its index is slow to write.
        moved = [(one.record.parent, one.id) for one in known if one.parent != one.record.parent]
        inserts.update_many(self.db, tables.records, ("parent",), moved)
        inserts.update_many(self.db, tables.records, _KEPT, [_bound(state) for state in known])
        for state in self.states.values():
            state.stored, state.parent = True, state.record.parent


_KEPT = ("hash", "deleted", "reason", "version", "arrived_at")


_DATE = (
    sa.update(tables.records)
    .where(tables.records.c.id == sa.bindparam("record"))
    .values(as_of=sa.bindparam("new_as_of"), whole_as_of=sa.bindparam("new_whole_as_of"))
)


def _dates(state: State) -> dict[str, Any]:
    return {"record": state.id, "new_as_of": state.as_of, "new_whole_as_of": state.whole_as_of}


def _bound(state: State) -> tuple[Any, ...]:
    return (
        state.hash,
        state.record.deleted,
        state.reason or "\n".join(state.outside) or None,
        state.version,
        None if state.arrived_at is None else tables.microseconds(state.arrived_at),
        state.id,
    )


class Delivery(NamedTuple):
    """The result of storing a delivered record. ``outcome`` is unchanged, new, updated, deleted or reread.

    An unchanged record is ``reread`` if a newer normaliser read it. If ``unchanged``, ``state`` and ``record`` are
    None.
    """

    outcome: str
    state: State | None = None
    record: RawRecord | None = None
    payload: bytes = b""
    aside_before: str | None = None


UNCHANGED = Delivery("unchanged")
_UNCHANGED_RESULT = RecordResult(outcome="unchanged")


def _unchanged(state: State) -> Delivery:
    return UNCHANGED if state.reason is None else UNCHANGED._replace(aside_before=state.reason)


def take(batch: Batch, state: State | None, record: RawRecord) -> Delivery:
    """Compare a delivered record with the stored one (``state``), add it to the batch if needed, and return the result.

    ``state`` is None for a record of an outdated export and for the deletion of an unknown record.
    """
    if state is None or (record.deleted and (state.hash is None or state.record.deleted)):
        return UNCHANGED  # outdated, or the deletion of an unknown record
    if _is_outranked(batch, state, record):
        return _unchanged(state)
    before = batch.memory.latest(record.path) if record.is_compared else None
    if before is None and _is_older(state.as_of, record):  # the newer piece is not stored, and its rows stay
        return UNCHANGED
    delivered, (record, pieces) = record, _merged(before, record)
    if state.date(delivered):
        batch.dated[state.id] = state
    if pieces != (before.pieces if before is not None else ()):
        batch.pieced[state.id] = state
    state.pieces = pieces
    text = codec.canonical(record.payload)
    mark = codec.mark_of(text, record)
    same = state.hash == mark
    if same and state.version == batch.version:
        return _unchanged(state)
    if state.hash is None:
        batch.fresh.add(state.id)
    outcome = "reread" if same else "deleted" if record.deleted else "new" if state.hash is None else "updated"
    state.record, state.hash = record, mark
    if not same:
        state.arrived_at = batch.now
        if pieces:
            batch.pieced[state.id] = state
    batch.take(state)
    return Delivery(outcome, state, record, text)


def _is_only_dated(batch: Batch, state: State, record: RawRecord) -> bool:
    if record.adds or record.deleted or record.as_of is None or state.as_of is None or state.version != batch.version:
        return False
    newest_is_whole = state.as_of == state.whole_as_of and record.as_of >= state.as_of
    if not newest_is_whole or state.hash != codec.fingerprint(record):
        return False
    if state.date(record):
        batch.dated[state.id] = state
    return True


def _merged(before: State | None, record: RawRecord) -> tuple[RawRecord, Pieces]:
    if before is None:
        return record, ()
    if record.as_of is None:
        return (replace(record, payload=union(before.record.payload, record.payload)) if record.adds else record), ()
    pieces = deliver(before.all_pieces(), record, record.as_of)
    if not pieces:
        return record, ()
    parent = before.record.parent if record.deleted else record.parent
    record = replace(record, payload=united(pieces), parent=parent, deleted=False)
    return record, pieces if len(pieces) > 1 else ()


def _is_outranked(batch: Batch, state: State, record: RawRecord) -> bool:
    if _is_only_dated(batch, state, record) or (not record.sequence and _replaced(state, record)):
        return True
    before = batch.memory.latest(record.path) if record.is_compared else None
    if before is not None and not record.deleted and record.sequence != before.record.sequence:
        return record.sequence < before.record.sequence
    return _replaced(state, record)


def _replaced(state: State, record: RawRecord) -> bool:
    if record.adds and record.as_of is not None and record.as_of == state.whole_as_of:
        return True
    return _is_older(state.whole_as_of, record)


def _is_older(known: datetime | None, record: RawRecord) -> bool:
    return known is not None and record.as_of is not None and record.as_of < known


def result_of(delivery: Delivery, changed: set[int]) -> RecordResult:
    """Return the outcome and the reasons for a delivered record. ``changed`` holds the ids of records with new rows.

    A ``reread`` record becomes updated if its rows changed, otherwise unchanged.
    """
    outcome, state = delivery.outcome, delivery.state
    if state is None:
        if delivery.aside_before is None:
            return _UNCHANGED_RESULT
        return RecordResult(outcome="unchanged", aside_before=delivery.aside_before)
    if outcome == "reread":
        outcome = "updated" if state.id in changed else "unchanged"
    return RecordResult(
        outcome=outcome,
        set_aside=state.reason,
        outside=state.outside,
        waits=state.waits,
        items=state.items,
    )


def keep_raw(db: sa.Connection, batch: Batch, deliveries: Sequence[Delivery]) -> None:
    """Store the payloads of those ``deliveries`` that changed a record, and the pieces changed in ``batch``."""
    now = tables.microseconds(batch.now)
    values = [
        (state.id, now, record.deleted, record.parent, codec.compressed(payload))
        for outcome, state, record, payload, _ in deliveries
        if state is not None and record is not None and outcome != "reread"
    ]
    inserts.insert_many(db, tables.arrivals, ("record_id", "arrived_at", "deleted", "parent", "payload"), values)
    if batch.pieced:
        db.execute(_PIECES, [{"record": s.id, "new_pieces": packed(s.pieces)} for s in batch.pieced.values()])


_LAST = sa.select(sa.func.max(tables.arrivals.c.id)).where(tables.arrivals.c.record_id == sa.bindparam("record"))
_PIECES = (
    sa.update(tables.arrivals)
    .where(tables.arrivals.c.id == _LAST.scalar_subquery())
    .values(pieces=sa.bindparam("new_pieces"))
)
