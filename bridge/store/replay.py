"""A rebuild: forget what the kept records meant, and let them arrive again in their order, at their times."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from itertools import groupby
from typing import Any

import sqlalchemy as sa

from bridge.ports import Connection, Landing, Normaliser
from bridge.store import codec, rows, tables
from bridge.store.landing import Batch, State, state_of
from bridge.types import RawRecord


def rebuild(
    db: sa.Connection,
    connection: Connection,
    normalise: Normaliser,
    *,
    version: int,
    progress: Callable[[int, int], None] | None,
) -> list[Landing]:
    """See ``Store.rebuild``."""
    r, a = tables.records.c, tables.arrivals.c
    kept = sa.select(a.record_id).join(tables.records).where(r.connection_id == connection.id)
    for table in (*rows.TABLES.values(), tables.revisions):
        db.execute(sa.delete(table).where(table.c.record_id.in_(kept)))
    states = {row.id: state_of(row) for row in db.execute(sa.select(tables.records).where(r.id.in_(kept)))}
    order = sa.select(a.id, a.arrived_at).join(tables.records).where(r.connection_id == connection.id)
    arrived = db.execute(order.order_by(a.id)).all()
    memory, done = _Replayed(), 0
    for at, group in groupby(arrived, key=lambda row: row.arrived_at):
        batch = Batch(db=db, connection=connection, normalise=normalise, version=version, now=at, memory=memory)
        for ids in rows.chunks([row.id for row in group]):
            for row in db.execute(sa.select(tables.arrivals).where(a.id.in_(ids)).order_by(a.id)):
                batch.take(_arrive_again(states[row.record_id], row))
            batch.write()
            done += len(ids)
            if progress is not None:
                progress(done, len(arrived))
    return [Landing(outcome="unchanged", set_aside=state.reason) for state in states.values()]


def _arrive_again(state: State, row: Any) -> State:
    state.record = RawRecord(
        stream=state.record.stream,
        key=state.record.key,
        payload=codec.unpack(row.payload),
        parent=row.parent,
        deleted=row.deleted,
    )
    state.hash, state.arrived_at = codec.fingerprint(state.record), row.arrived_at
    return state


class _Replayed:
    """The records of a rebuild as far as it has come."""

    def __init__(self) -> None:
        self._states: dict[str, State] = {}
        self._children: dict[str, dict[int, State]] = defaultdict(dict)

    def remember(self, state: State) -> None:
        self._states[state.record.path] = state
        if state.record.parent:
            self._children[state.record.parent][state.id] = state

    def latest(self, path: str) -> RawRecord | None:
        state = self._states.get(path)
        return None if state is None or state.record.deleted else state.record

    def children(self, path: str) -> list[State]:
        return [s for s in self._children[path].values() if s.record.parent == path and not s.record.deleted]
