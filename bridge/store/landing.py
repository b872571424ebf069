"""Compare each delivered record with the stored record, and derive and write again what has changed."""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import sqlalchemy as sa

from bridge.domain.errors import BadRecord
from bridge.domain.ports import Normaliser
from bridge.domain.records import Connection, RecordResult
from bridge.domain.samples import set_apart
from bridge.domain.types import Item, RawRecord, union
from bridge.store import codec, inserts, rows, tables
from bridge.store.pieces import Piece, Pieces, deliver, packed, united, unpacked

LONG_AGO = datetime(1, 1, 1, tzinfo=UTC)  # the date of values without one


@dataclass(slots=True, kw_only=True)
class State:
    """A record's state as it is stored, and as the deliveries of a batch change it.

    It holds the record itself, a digest, reasons for setting it aside, and the dates of its exports.
    """

    id: int
    record: RawRecord
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
        """Take over the export date of a delivery. Returns True if one of the record's dates changed.

        ``as_of`` takes a newer date only. ``whole_as_of`` takes any date, except that of a piece (``adds``). A delivery
        without an export date changes nothing.
        """
        if record.as_of is None:
            return False
        before = self.as_of, self.whole_as_of
        self.as_of = max(self.as_of or record.as_of, record.as_of)
        self.whole_as_of = self.whole_as_of if record.adds else record.as_of
        return before != (self.as_of, self.whole_as_of)

    def all_pieces(self) -> Pieces:
        """Return the parts of the record's payload, each with the date of the export it came from.

        A part without a date gets the oldest possible date.
        """
        return self.pieces or (Piece(self.as_of or LONG_AGO, self.record.payload),)


class Memory(Protocol):
    """Access to the latest state of records, by which a record's parent and children are found."""

    def remember(self, state: State) -> None: ...
    def latest(self, path: str) -> State | None:
        """Return the state of the record at the path ``stream/key``, or None if it never came or was deleted."""
        ...

    def children(self, path: str) -> list[State]:
        """Return the states of the records whose parent is at ``path``, without deleted records."""
        ...


@dataclass(slots=True, kw_only=True)
class Batch:
    """Deliveries of records to a connection whose rows and states are written together.

    ``take`` fills it and ``write`` empties it. If a record changes twice, the first change is written before the second
    is derived.
    """

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
        """Derive the items of a record and of its children, because a child is read together with its parent."""
        self.memory.remember(state)
        self._derive(state)
        for child in self.memory.children(state.record.path):
            self._derive(self.states.get(child.id, child), orphaned=state.record.deleted)

    def _derive(self, state: State, *, orphaned: bool = False) -> None:
        """Derive the items of a record, and note them for writing. A BadRecord sets the record aside, with its reason.

        A record that is set aside keeps its rows, unless its parent is deleted (``orphaned``). Then its rows are
        deleted.
        """
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
            kinds = [codec.kind_of(item) for item in items]
            state.items = {kind: kinds.count(kind) for kind in kinds}
        state.version = self.version
        self.states[state.id] = state

    def _items(self, state: State) -> Sequence[Item]:
        record = state.record
        if record.deleted:
            return ()
        parent = self.memory.latest(record.parent) if record.parent else None
        state.waits = record.parent is not None and parent is None
        return self.normalise(record, None if parent is None else parent.record)

    def write(self) -> None:
        """Write the rows and states that were noted so far, and begin the batch anew."""
        self._write_states()
        if self.dated:
            self.db.execute(_DATE, [_dates(state) for state in self.dated.values()])
        if self.desired:
            fresh = frozenset(self.desired.keys() & self.fresh)
            self.changed |= rows.write(self.db, self.connection, self.desired, now=self.now, fresh=fresh)
            self.fresh -= fresh
        self.desired, self.states, self.dated = {}, {}, {}

    def _write_states(self) -> None:
        """Write the noted states. A parent is written only if it changed, because its index is slow to write."""
        moved = [state for state in self.states.values() if state.parent != state.record.parent]
        inserts.update_many(self.db, tables.records, ("parent",), [(one.record.parent, one.id) for one in moved])
        for state in moved:
            state.parent = state.record.parent
        inserts.update_many(self.db, tables.records, _KEPT, [_bound(state) for state in self.states.values()])


_KEPT = ("hash", "deleted", "reason", "version", "arrived_at")


_DATE = (
    sa.update(tables.records)
    .where(tables.records.c.id == sa.bindparam("record"))
    .values(as_of=sa.bindparam("new_as_of"), whole_as_of=sa.bindparam("new_whole_as_of"))
)


def _dates(state: State) -> dict[str, Any]:
    return {"record": state.id, "new_as_of": state.as_of, "new_whole_as_of": state.whole_as_of}


def _bound(state: State) -> tuple[Any, ...]:
    """Return the plain values of the columns ``_KEPT``, and the record's id."""
    return (
        state.hash,
        state.record.deleted,
        state.reason or "\n".join(state.outside) or None,
        state.version,
        None if state.arrived_at is None else tables.microseconds(state.arrived_at),
        state.id,
    )


class Delivery(NamedTuple):
    """Result of landing a delivered record. ``outcome`` is unchanged, new, updated, deleted or reread.

    ``record`` is the merged record and ``payload`` its canonical JSON. For ``unchanged``, ``state`` and ``record`` are
    None and ``payload`` is empty. ``reread`` means that an unchanged record was derived again by a newer normaliser.
    """

    outcome: str
    state: State | None = None
    record: RawRecord | None = None
    payload: bytes = b""


UNCHANGED = Delivery("unchanged")
_UNCHANGED_RESULT = RecordResult(outcome="unchanged")


def take(batch: Batch, state: State | None, record: RawRecord) -> Delivery:
    """Compare a delivered record with its stored state, and return the Delivery that says what became of it.

    If something changed, the record's items are derived, and ``batch`` notes what to write. ``state`` is None for a
    record of an outdated export, and for the deletion of an unknown record. Both are unchanged.
    """
    if state is None or (record.deleted and (state.hash is None or state.record.deleted)):
        return UNCHANGED  # outdated, or the deletion of an unknown record
    if record.as_of is not None and (_replaced(state, record) or _is_only_dated(batch, state, record)):
        return UNCHANGED
    before = batch.memory.latest(record.path) if record.adds or record.as_of is not None else None
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
        return UNCHANGED
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
    """Return True if an export of the same or a newer date holds the whole of an unchanged record.

    Its date is noted in ``batch``, if newer. The newest export before must have held the record whole, too. Then there
    are no older pieces and no payload to read.
    """
    if record.adds or record.deleted or record.as_of is None or state.as_of is None or state.version != batch.version:
        return False
    newest_is_whole = state.as_of == state.whole_as_of and record.as_of >= state.as_of
    if not newest_is_whole or state.hash != codec.fingerprint(record):
        return False
    if state.date(record):
        batch.dated[state.id] = state
    return True


def _merged(before: State | None, record: RawRecord) -> tuple[RawRecord, Pieces]:
    """Return (merged record, its pieces by export date) of a delivered record and the stored record ``before``.

    The pieces are empty if all values have the same date, or none.
    """
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


def _replaced(state: State, record: RawRecord) -> bool:
    """Return True if an earlier delivery makes this record useless.

    That is so if a newer export held the whole record. For a part of a record (``adds``), a whole of the same date is
    enough.
    """
    if record.adds and record.as_of is not None and record.as_of == state.whole_as_of:
        return True
    return _is_older(state.whole_as_of, record)


def _is_older(known: datetime | None, record: RawRecord) -> bool:
    return known is not None and record.as_of is not None and record.as_of < known


def result_of(delivery: Delivery, changed: set[int]) -> RecordResult:
    """Return the RecordResult of a delivery. ``changed`` holds the ids of records whose rows changed.

    A record that was only derived again counts as updated if its rows changed, else as unchanged.
    """
    outcome, state = delivery.outcome, delivery.state
    if state is None:
        return _UNCHANGED_RESULT
    if outcome == "reread":
        outcome = "updated" if state.id in changed else "unchanged"
    return RecordResult(
        outcome=outcome,
        set_aside=state.reason,
        outside=state.outside,
        waits=state.waits,
        items=state.items,
    )


def register(
    db: sa.Connection, connection: Connection, records: Sequence[RawRecord], *, now: datetime
) -> dict[str, State]:
    """Return path -> stored state of the records. A record not stored yet gets a row, and a state without a digest.

    The deletion of a record that is not stored gets neither.
    """
    wanted = {record.path: record for record in records}
    states = _load(db, connection, list(wanted))
    fresh = [record for path, record in wanted.items() if path not in states]
    alive = {record.path for record in records if not record.deleted}
    values = [
        {
            "connection_id": connection.id,
            "stream": record.stream,
            "key": record.key,
            "parent": record.parent,
            "deleted": False,
            "version": 0,
            "arrived_at": now,
        }
        for record in fresh
        if record.path in alive
    ]
    if values:
        r = tables.records.c
        for row in db.execute(sa.insert(tables.records).returning(r.id, r.stream, r.key), values):
            path = f"{row.stream}/{row.key}"
            states[path] = State(id=row.id, record=wanted[path], parent=wanted[path].parent)
    return states


_STATE = ("id", "stream", "key", "parent", "hash", "deleted", "reason", "version", "arrived_at", "as_of", "whole_as_of")


def _load(db: sa.Connection, connection: Connection, paths: Sequence[str]) -> dict[str, State]:
    """Return path -> state of the stored records among ``paths``, with empty payloads."""
    keys: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        stream, _, key = path.partition("/")
        keys[stream].append(key)
    return {
        state.record.path: state
        for stream, wanted in keys.items()
        for state in states(db, "key", wanted, connection_id=connection.id, stream=stream)
    }


def states(db: sa.Connection, name: str, values: Collection[Any], **equal: Any) -> Iterator[State]:
    """Yield the states of stored records, with empty payloads.

    They are those whose column ``name`` has one of ``values``, and whose columns named in ``equal`` hold its values.
    """
    for row in inserts.select_many(db, tables.records, _STATE, name, values, **equal):
        yield state_of(row)


def state_of(row: Sequence[Any]) -> State:
    """Return the state of a record from plain values of the columns ``_STATE``, with an empty payload."""
    number, stream, key, parent, mark, deleted, reason, version, *instants = row
    arrived_at, as_of, whole_as_of = (None if at is None else tables.instant(at) for at in instants)
    return State(
        id=number,
        record=RawRecord(stream=stream, key=key, payload={}, parent=parent, deleted=bool(deleted)),
        parent=parent,
        hash=mark,
        reason=reason,
        version=version,
        arrived_at=arrived_at,
        as_of=as_of,
        whole_as_of=whole_as_of,
    )


def keep_raw(db: sa.Connection, batch: Batch, deliveries: Sequence[Delivery]) -> None:
    """Store the payloads of deliveries that changed their record, and the changed pieces by export date.

    The time of arrival is that of ``batch``. Without a change nothing is stored.
    """
    now = tables.microseconds(batch.now)
    values = [
        (state.id, now, record.deleted, record.parent, zlib.compress(payload))
        for outcome, state, record, payload in deliveries
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


class StoredRecords:
    """The parents and children of a page's records, found in the page itself or in the database.

    The database is asked only if something is to be derived. It is asked at most once each for parents and children.
    What it answered, and each record taken since, are remembered.
    """

    def __init__(self, db: sa.Connection, connection: Connection, records: Sequence[RawRecord]) -> None:
        self._db, self._connection, self._records = db, connection, records
        self._here: dict[str, State] = {}

    @cached_property
    def _stored(self) -> dict[str, State]:
        united = {r.path for r in self._records if r.adds or r.as_of is not None}
        needed = {r.parent for r in self._records if r.parent} | united
        found = _load(self._db, self._connection, list(needed))
        return {state.record.path: state for state in with_payload(self._db, list(found.values()))}

    @cached_property
    def _children(self) -> dict[str, list[State]]:
        found: dict[str, list[State]] = defaultdict(list)
        paths = {record.path for record in self._records}
        children = states(self._db, "parent", paths, connection_id=self._connection.id, deleted=False)
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
    """Yield the states with their last stored payload read in. States without a stored payload are left out."""
    a = tables.arrivals.c
    by_id = {state.id: state for state in states}
    for ids in rows.chunks(by_id):
        last = sa.select(sa.func.max(a.id)).where(a.record_id.in_(ids)).group_by(a.record_id)
        for row in db.execute(sa.select(tables.arrivals).where(a.id.in_(last))):
            state = by_id[row.record_id]
            state.record = RawRecord(
                stream=state.record.stream,
                key=state.record.key,
                payload=codec.unpack(row.payload),
                parent=row.parent,
                deleted=row.deleted,
            )
            state.pieces = unpacked(row.pieces)
            yield state
