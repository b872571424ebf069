"""Records arrive, are kept as they came, and are turned into rows."""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any, Protocol

import sqlalchemy as sa

from bridge.errors import BadRecord
from bridge.ports import Connection, Landing, Normaliser
from bridge.store import codec, rows, tables
from bridge.types import Item, RawRecord, union


@dataclass(slots=True, kw_only=True)
class State:
    """A record as it is stored; ``hash`` is None until it has landed once. ``items`` counts what it last yielded."""

    id: int
    record: RawRecord
    hash: bytes | None = None
    reason: str | None = None
    version: int = 0
    arrived_at: datetime | None = None
    items: Counter[str] = field(default_factory=Counter)
    waits: bool = False  # for its parent, which has not come


class Memory(Protocol):
    """Where the latest delivery of records is found."""

    def remember(self, state: State) -> None: ...
    def latest(self, path: str) -> RawRecord | None:
        """The record at ``stream/key``; None when it never came or is deleted."""
        ...

    def children(self, path: str) -> list[State]:
        """Live records that name this one as their parent."""
        ...


@dataclass(slots=True, kw_only=True)
class Batch:
    """A run of deliveries, written together where that gives the same rows as writing them one by one."""

    db: sa.Connection
    connection: Connection
    normalise: Normaliser
    version: int
    now: datetime
    memory: Memory
    desired: dict[int, Sequence[Item]] = field(default_factory=dict)
    states: dict[int, State] = field(default_factory=dict)
    fresh: set[int] = field(default_factory=set)  # the records that have no rows yet, for they never landed
    changed: set[int] = field(default_factory=set)  # the records whose rows changed, once written

    def take(self, state: State) -> None:
        """Derive one record, then those that cannot be understood without it."""
        self.memory.remember(state)
        self._derive(state)
        for child in self.memory.children(state.record.path):
            self._derive(self.states.get(child.id, child))

    def _derive(self, state: State) -> None:
        """A deleted record means nothing; an unreadable one keeps what it meant."""
        try:
            items = self._items(state)
        except BadRecord as error:
            state.reason = str(error)
        else:
            if self.desired.get(state.id, items) != items:  # it changes twice: the steps must not depend on paging
                self.write()
            self.desired[state.id], state.reason = items, None
            state.items = Counter(codec.kind_of(item) for item in items)
        state.version = self.version
        self.states[state.id] = state

    def _items(self, state: State) -> Sequence[Item]:
        record = state.record
        if record.deleted:
            return ()
        parent = self.memory.latest(record.parent) if record.parent else None
        state.waits = record.parent is not None and parent is None
        return self.normalise(record, parent)

    def write(self) -> None:
        """Write the rows and the state of every record touched so far."""
        if self.states:
            self.db.execute(_UPDATE, [_bound(state) for state in self.states.values()])
        fresh = frozenset(self.desired.keys() & self.fresh)
        self.changed |= rows.write(self.db, self.connection, self.desired, now=self.now, fresh=fresh)
        self.fresh -= fresh
        self.desired, self.states = {}, {}


_KEPT = ("parent", "hash", "deleted", "reason", "version", "arrived_at")
_UPDATE = (
    sa.update(tables.records)
    .where(tables.records.c.id == sa.bindparam("record"))
    .values({name: sa.bindparam(f"new_{name}") for name in _KEPT})
)


def _bound(state: State) -> dict[str, Any]:
    return {
        "record": state.id,
        "new_parent": state.record.parent,
        "new_hash": state.hash,
        "new_deleted": state.record.deleted,
        "new_reason": state.reason,
        "new_version": state.version,
        "new_arrived_at": state.arrived_at,
    }


def land(
    db: sa.Connection,
    connection: Connection,
    records: Sequence[RawRecord],
    normalise: Normaliser,
    *,
    version: int,
    now: datetime,
    keep_raw: bool,
) -> list[Landing]:
    """See ``Store.land``."""
    states = _register(db, connection, records, now=now)
    memory = _Stored(db, connection, records)
    batch = Batch(db=db, connection=connection, normalise=normalise, version=version, now=now, memory=memory)
    taken = [_take(batch, states.get(record.path), record) for record in records]
    batch.write()
    if keep_raw:
        arrived = zip(taken, records, strict=True)
        kept = [(s, s.record if r.adds else r, text) for (outcome, s, text), r in arrived if s and outcome != "reread"]
        _keep(db, kept, now=now)
    return [_landing(outcome, state, batch.changed) for outcome, state, _ in taken]


def _take(batch: Batch, state: State | None, record: RawRecord) -> tuple[str, State | None, bytes]:
    """Decide what a delivery is, with its payload as written; ``reread``: as before, but by a newer normaliser."""
    if state is None or (record.deleted and (state.hash is None or state.record.deleted)):
        return "unchanged", None, b""  # a deletion of what is not here
    if record.adds and (before := batch.memory.latest(record.path)) is not None:
        record = replace(record, payload=union(before.payload, record.payload))
    text = codec.canonical(record.payload)
    mark = codec.mark_of(text, record)
    same = state.hash == mark
    if same and state.version == batch.version:
        return "unchanged", None, b""
    if state.hash is None:
        batch.fresh.add(state.id)
    outcome = "reread" if same else "deleted" if record.deleted else "new" if state.hash is None else "updated"
    state.record, state.hash = record, mark
    if not same:
        state.arrived_at = batch.now
    batch.take(state)
    return outcome, state, text


def _landing(outcome: str, state: State | None, changed: set[int]) -> Landing:
    if outcome == "reread":
        outcome = "updated" if state and state.id in changed else "unchanged"
    if state is None:
        return Landing(outcome=outcome)
    return Landing(outcome=outcome, set_aside=state.reason, waits=state.waits, items=dict(state.items))


def _register(
    db: sa.Connection, connection: Connection, records: Sequence[RawRecord], *, now: datetime
) -> dict[str, State]:
    """The state of every record, by path; those never seen before (and not deletions) get a row."""
    wanted = {record.path: record for record in records}
    states = _load(db, connection, list(wanted))
    fresh = [record for path, record in wanted.items() if path not in states]
    alive = {record.path for record in records if not record.deleted}
    values = [
        {
            "connection_id": connection.id,
            "stream": record.stream,
            "key": record.key,
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
            states[path] = State(id=row.id, record=wanted[path])
    return states


_OF_KEYS = sa.select(tables.records).where(  # built once: that would take longer than asking
    tables.records.c.connection_id == sa.bindparam("connection"),
    tables.records.c.stream == sa.bindparam("stream"),
    tables.records.c.key.in_(sa.bindparam("keys", expanding=True)),
)


def _load(db: sa.Connection, connection: Connection, paths: Sequence[str]) -> dict[str, State]:
    """What is stored of these records; the payload is not read."""
    keys: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        stream, _, key = path.partition("/")
        keys[stream].append(key)
    found: dict[str, State] = {}
    for stream, wanted in keys.items():
        for some in rows.chunks(wanted):
            bound = {"connection": connection.id, "stream": stream, "keys": some}
            found |= {(state := state_of(row)).record.path: state for row in db.execute(_OF_KEYS, bound)}
    return found


def state_of(row: Any, payload: dict[str, Any] | None = None) -> State:
    record = RawRecord(stream=row.stream, key=row.key, payload=payload or {}, parent=row.parent, deleted=row.deleted)
    return State(
        id=row.id, record=record, hash=row.hash, reason=row.reason, version=row.version, arrived_at=row.arrived_at
    )


def _keep(db: sa.Connection, arrived: Sequence[tuple[State, RawRecord, bytes]], *, now: datetime) -> None:
    values = [
        {
            "record_id": state.id,
            "arrived_at": now,
            "deleted": record.deleted,
            "parent": record.parent,
            "payload": zlib.compress(text),
        }
        for state, record, text in arrived
    ]
    if values:
        db.execute(sa.insert(tables.arrivals), values)


class _Stored:
    """Parents and children from the database, under what the page itself brings.

    Fetched once for a whole page, and only where something on it is to be derived: of most pages nothing is.
    """

    def __init__(self, db: sa.Connection, connection: Connection, records: Sequence[RawRecord]) -> None:
        self._db, self._connection, self._records = db, connection, records
        self._here: dict[str, State] = {}

    @cached_property
    def _stored(self) -> dict[str, RawRecord]:
        needed = {r.parent for r in self._records if r.parent} | {r.path for r in self._records if r.adds}
        found = _load(self._db, self._connection, list(needed))
        return {s.record.path: s.record for s in with_payload(self._db, list(found.values()))}

    @cached_property
    def _children(self) -> dict[str, list[State]]:
        found: dict[str, list[State]] = defaultdict(list)
        r = tables.records.c
        for some in rows.chunks({record.path for record in self._records}):
            query = sa.select(tables.records).where(
                r.connection_id == self._connection.id, r.parent.in_(some), r.deleted.is_(False)
            )
            for state in with_payload(self._db, [state_of(row) for row in self._db.execute(query)]):
                found[state.record.parent or ""].append(state)
        return found

    def remember(self, state: State) -> None:
        self._here[state.record.path] = state
        if state.record.parent:
            self._children[state.record.parent].append(state)

    def latest(self, path: str) -> RawRecord | None:
        here = self._here.get(path)
        record = here.record if here else self._stored.get(path)
        return None if record is None or record.deleted else record

    def children(self, path: str) -> list[State]:
        found = {child.record.path: self._here.get(child.record.path, child) for child in self._children.get(path, [])}
        return [child for child in found.values() if child.record.parent == path and not child.record.deleted]


def with_payload(db: sa.Connection, states: Sequence[State]) -> Iterator[State]:
    """These records as they last arrived; those whose payload was not kept are left out."""
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
            yield state
