"""Store raw records, the rows made of them, cursors, and webhook notices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache
from itertools import chain, compress, groupby
from typing import Any, NamedTuple

import sqlalchemy as sa

from bridge.domain.ports import Normaliser
from bridge.domain.records import Connection, RecordResult
from bridge.domain.types import Covers, Notice, RawRecord, Still
from bridge.store import codec, landing, rows, tables
from bridge.store.connections import update_connection
from bridge.store.database import Part, reads, writes
from bridge.store.inserts import insert_new, insert_of
from bridge.store.landing import Batch
from bridge.store.states import State, StoredRecords, load_states, record_in, register

HANDLED_NOTICES_KEPT_FOR = timedelta(days=7)  # vendors send a notice again for hours, not weeks
DAYS_AROUND_A_ZONE = timedelta(days=2)  # a local day may differ from the UTC day by one; one more for safety
NO_PARENT = ""  # of a covered stretch whose records have none


class Ingest(Part):
    """The part of the store for what sources deliver.

    Callers store a page, its rows and its cursor in a transaction.
    """

    @reads
    def cursor(self, db: sa.Connection, connection_id: int, stream: str, version: int) -> str | None:
        """Return the saved cursor of a stream, or None if there is none in this ``version`` of the cursor's format."""
        c = tables.cursors.c
        query = sa.select(c.cursor).where(c.connection_id == connection_id, c.stream == stream, c.version == version)
        found: str | None = db.execute(query).scalar()
        return found

    @reads
    def cursors(self, db: sa.Connection, connection_id: int, version: int) -> dict[str, str]:
        """Return stream -> saved cursor of a connection, for cursors in this ``version`` of their format."""
        found = db.execute(_CURSORS, {"connection": connection_id, "version": version})
        return {row.stream: row.cursor for row in found}

    @writes(durable=False)
    def save_cursor(self, db: sa.Connection, connection_id: int, stream: str, cursor: str, version: int) -> None:
        """Save the cursor of a stream, in the format ``version``, in place of the earlier one."""
        new = _save_cursor(db.dialect.name)
        db.execute(new, {"connection_id": connection_id, "stream": stream, "cursor": cursor, "version": version})

    @writes()
    def drop_cursors(self, db: sa.Connection, connection_id: int) -> None:
        """Delete all cursors of a connection, so that its next sync pulls every stream from the beginning."""
        db.execute(sa.delete(tables.cursors).where(tables.cursors.c.connection_id == connection_id))

    @writes()
    def add_notice(self, db: sa.Connection, connection_id: int, notice: Notice, *, now: datetime) -> bool:
        """Save a webhook notice and make the connection due at ``now``. Return False if it was saved before."""
        n, c = tables.notices.c, tables.connections.c
        expired = sa.and_(n.connection_id == connection_id, n.handled_at < now - HANDLED_NOTICES_KEPT_FOR)
        db.execute(sa.delete(tables.notices).where(expired))
        values = codec.columns_of(notice) | {"connection_id": connection_id, "arrived_at": now}
        del values["member"]
        if not insert_new(db, tables.notices, values):
            return False
        later = sa.or_(c.due_at.is_(None), c.due_at > now)
        db.execute(update_connection(connection_id).where(later).values(due_at=now))
        return True

    @reads
    def last_notice(self, db: sa.Connection, connection_id: int) -> datetime | None:
        """Return when a connection's newest stored notice arrived, or None."""
        found: datetime | None = db.execute(_LAST_NOTICE, {"connection": connection_id}).scalar()
        return found

    @reads
    def noticed_streams(self, db: sa.Connection, connection_id: int) -> set[str]:
        n = tables.notices.c
        return set(db.execute(sa.select(n.stream).where(n.connection_id == connection_id).distinct()).scalars())

    @reads
    def notices(self, db: sa.Connection, connection_id: int) -> list[Notice]:
        """Return a connection's webhook notices that are not handled yet, in the order of arrival."""
        return [codec.record_of(Notice, row) for row in db.execute(_NOTICES, {"connection": connection_id})]

    @writes()
    def mark_handled(self, db: sa.Connection, connection_id: int, trace: str, *, now: datetime) -> None:
        """Mark the notice ``trace`` as handled. It is not deleted yet, because vendors send notices again."""
        n = tables.notices.c
        mine = sa.update(tables.notices).where(n.connection_id == connection_id, n.trace == trace)
        db.execute(mine.values(handled_at=now))

    @writes(durable=False)
    def land(
        self,
        db: sa.Connection,
        connection: Connection,
        records: Sequence[RawRecord],
        normalise: Normaliser,
        *,
        version: int,
        now: datetime,
        keep_raw: bool = True,
    ) -> list[RecordResult]:
        """Store raw records and the rows that ``normalise`` makes of them. Return a result per record.

        An unchanged record is skipped unless ``version``, that of the normaliser, is new. For a ``BadRecord`` the
        reason is saved, and earlier rows stay. Payloads are stored if ``keep_raw``.
        """
        if not records:
            return []
        current = _not_outdated(db, connection, records)
        states = register(db, connection, [*compress(records, current)])
        memory = StoredRecords(db, connection, records)
        batch = Batch(db=db, connection=connection, normalise=normalise, version=version, now=now, memory=memory)
        deliveries = [
            landing.take(batch, states.get(record.path) if holds else None, record)
            for record, holds in zip(records, current, strict=True)
        ]
        batch.write()
        if any(one.state is not None and one.state.arrived_at == now for one in deliveries):
            db.execute(update_connection(connection.id).values(last_change=now))
        if keep_raw:
            landing.keep_raw(db, batch, deliveries)
        return [landing.result_of(delivery, batch.changed) for delivery in deliveries]

    @reads
    def months(
        self, db: sa.Connection, connection_id: int, version: int
    ) -> dict[tuple[str, str], tuple[int, datetime | None]]:
        """Return (stream, month ``YYYY-MM`` that begins the key) -> (number of records, date of their export).

        The date is None if the records come from several exports, in pieces, or were read by another ``version``.
        """
        found = db.execute(_MONTHS, {"connection": connection_id, "version": version})
        return {
            (row.stream, row.month): (
                row.records,
                row.first if row.first == row.last and row.whole == row.current == row.records else None,
            )
            for row in found
        }

    @writes(durable=False)
    def keep_still(self, db: sa.Connection, connection_id: int, stream: str, still: Still) -> None:
        """Give stored records the date of a newer export, ``still.as_of``, which holds them unchanged.

        These are the records whose keys begin with a prefix in ``still.records``.
        """
        for prefix in still.records:
            of = {"connection": connection_id, "of_stream": stream, "of_prefix": prefix, "new_as_of": still.as_of}
            db.execute(_DATE_STILL, of | {"length": len(prefix)})
            db.execute(_COVER_STILL, of)

    @reads
    def missing(
        self, db: sa.Connection, connection_id: int, stream: str, covers: Covers, delivered: frozenset[str]
    ) -> list[RawRecord]:
        """Return a deletion of each record that ``covers`` says was delivered, but whose key is not in ``delivered``.

        Records of a newer export than that of ``covers`` stay. The deletions are not stored yet.
        """
        bound = dict[str, Any](connection=connection_id, stream=stream)
        if covers.since is not None:  # reads only what may begin there, not ten years
            bound |= {"since": covers.since, "day": covers.since.date() - DAYS_AROUND_A_ZONE}
        bound |= {"prefix": covers.prefix, "length": len(covers.prefix)} if covers.prefix else {}
        bound |= {} if covers.as_of is None else {"as_of": covers.as_of}
        query = _stored(about="since" in bound, under="prefix" in bound, dated="as_of" in bound)
        parents = covers.parents
        parts = [query] if parents is None else [query.where(_r.parent.in_(some)) for some in rows.chunks(parents)]
        found = chain.from_iterable(db.execute(part, bound).all() for part in parts)
        absent = {number: key for number, key in found if key not in delivered}
        if covers.since is not None:
            began = rows.first_starts(db, list(absent)) if absent else {}
            absent = {r: key for r, key in absent.items() if (first := began.get(r)) and first >= covers.since}
        deletion = RawRecord(stream=stream, key="", payload={}, deleted=True, as_of=covers.as_of)
        return [replace(deletion, key=key) for key in sorted(absent.values())]

    @writes()
    def save_coverage(self, db: sa.Connection, connection_id: int, stream: str, covers: Covers) -> None:
        """Save that an export holds all records in the part ``covers`` of a stream.

        Older exports then add no records there. The date of a newer export stays if one is saved.
        """
        stretch = {"connection_id": connection_id, "stream": stream, "prefix": covers.prefix, "as_of": covers.as_of}
        parents = sorted(covers.parents if covers.parents is not None else {NO_PARENT})
        if parents:
            db.execute(_save_coverage(db.dialect.name), [{**stretch, "parent": parent} for parent in parents])

    @writes()
    def rebuild(
        self,
        db: sa.Connection,
        connection: Connection,
        normalise: Normaliser,
        *,
        version: int,
        progress: Callable[[int, int], None] | None = None,
    ) -> list[RecordResult]:
        """Make all rows of a connection again from its stored payloads. Return a result per record.

        ``version`` is that of the normaliser. ``progress``, if given, is called with (records done, all records).
        """
        r, a = tables.records.c, tables.arrivals.c
        kept = sa.select(a.record_id).join(tables.records).where(r.connection_id == connection.id)
        for table in (*rows.TABLE_OF_KIND.values(), tables.packed_samples, tables.revisions):
            db.execute(sa.delete(table).where(table.c.record_id.in_(kept)))
        order = sa.select(a.id, a.arrived_at, a.record_id).join(tables.records).where(r.connection_id == connection.id)
        arrived = db.execute(order.order_by(a.id)).all()
        replayed = {row.record_id for row in arrived}
        found = load_states(db, "connection_id", [connection.id])
        states = {state.id: state for state in found if state.id in replayed}
        memory, done = _ReplayedRecords(), 0
        for at, group in groupby(arrived, key=lambda row: row.arrived_at):
            batch = Batch(db=db, connection=connection, normalise=normalise, version=version, now=at, memory=memory)
            for ids in rows.chunks([row.id for row in group]):
                for row in db.execute(sa.select(tables.arrivals).where(a.id.in_(ids)).order_by(a.id)):
                    batch.take(_arrive_again(states[row.record_id], row))
                batch.write()
                done += len(ids)
                if progress is not None:
                    progress(done, len(arrived))
        return [
            RecordResult(outcome="unchanged", set_aside=state.reason, outside=state.outside)
            for state in states.values()
        ]

    @reads
    def set_aside(self, db: sa.Connection, connection_id: int) -> list[tuple[str, str]]:
        """Return (stream, reason) of each unreadable record and each value out of range, by stream and key."""
        found = db.execute(_SET_ASIDE, {"connection": connection_id})
        return [(row.stream, reason) for row in found for reason in row.reason.split("\n")]  # a line per metric


_SET_ASIDE = (
    sa.select(tables.records.c.stream, tables.records.c.reason)
    .where(tables.records.c.connection_id == sa.bindparam("connection"), tables.records.c.reason.is_not(None))
    .order_by(tables.records.c.stream, tables.records.c.key)
)
_CURSORS = sa.select(tables.cursors.c.stream, tables.cursors.c.cursor).where(
    tables.cursors.c.connection_id == sa.bindparam("connection"), tables.cursors.c.version == sa.bindparam("version")
)
_LAST_NOTICE = sa.select(sa.func.max(tables.notices.c.arrived_at)).where(
    tables.notices.c.connection_id == sa.bindparam("connection")
)
_NOTICES = (
    sa.select(tables.notices, tables.connections.c.member)
    .join(tables.connections)
    .where(tables.notices.c.connection_id == sa.bindparam("connection"), tables.notices.c.handled_at.is_(None))
    .order_by(tables.notices.c.id)
)


@cache
def _save_cursor(dialect: str) -> Any:
    """Return the statement that saves a cursor, without writing an equal one again."""
    c = tables.cursors.c
    new = insert_of(dialect, tables.cursors)
    return new.on_conflict_do_update(
        index_elements=[c.connection_id, c.stream],
        set_={"cursor": new.excluded.cursor, "version": new.excluded.version},
        where=sa.or_(c.cursor != new.excluded.cursor, c.version != new.excluded.version),
    )


@cache
def _save_coverage(dialect: str) -> Any:
    c = tables.covered.c
    new = insert_of(dialect, tables.covered)
    return new.on_conflict_do_update(
        index_elements=[c.connection_id, c.stream, c.prefix, c.parent],
        set_={"as_of": new.excluded.as_of},
        where=c.as_of < new.excluded.as_of,
    )


class _Stretch(NamedTuple):
    prefix: str
    parent: str
    as_of: datetime


def _not_outdated(db: sa.Connection, connection: Connection, records: Sequence[RawRecord]) -> list[bool]:
    dated = {record.stream for record in records if record.as_of is not None}
    if not dated:
        return [True] * len(records)
    covered = _covered_stretches(db, connection, dated)
    return [not any(_outdates(one, record) for one in covered.get(record.stream, ())) for record in records]


def _outdates(stretch: _Stretch, record: RawRecord) -> bool:
    prefix, parent, as_of = stretch
    if record.as_of is None or record.as_of >= as_of:
        return False
    return (record.parent or NO_PARENT) == parent and record.key.startswith(prefix)


def _covered_stretches(
    db: sa.Connection, connection: Connection, streams: Collection[str]
) -> dict[str, list[_Stretch]]:
    c = tables.covered.c
    found: dict[str, list[_Stretch]] = {}
    query = sa.select(tables.covered).where(c.connection_id == connection.id, c.stream.in_(streams))
    for row in db.execute(query):
        found.setdefault(row.stream, []).append(_Stretch(row.prefix, row.parent, row.as_of))
    return found


_CONNECTION = sa.bindparam("connection", type_=tables.ID)
_ITS_USER = sa.select(tables.connections.c.user_id).where(tables.connections.c.id == _CONNECTION).scalar_subquery()
_STORED = sa.select(tables.records.c.id, tables.records.c.key).where(
    tables.records.c.connection_id == _CONNECTION,
    tables.records.c.stream == sa.bindparam("stream", type_=sa.Text),
    tables.records.c.deleted.is_(False),
)
_r, _c = tables.records.c, tables.covered.c
_MONTHS = (
    sa.select(
        _r.stream,
        sa.func.substr(_r.key, 1, len("2026-01")).label("month"),
        sa.func.count().label("records"),
        sa.func.min(_r.as_of).label("first"),
        sa.func.max(_r.as_of).label("last"),
        sa.func.sum(sa.case((_r.as_of == _r.whole_as_of, 1), else_=0)).label("whole"),
        sa.func.sum(sa.case((_r.version == sa.bindparam("version", type_=sa.Integer), 1), else_=0)).label("current"),
    )
    .where(_r.connection_id == _CONNECTION, _r.deleted.is_(False))
    .group_by(_r.stream, sa.text("2"))
)
_NEWER = sa.bindparam("new_as_of", type_=tables.Instant)
_DATE_STILL = (
    sa.update(tables.records)
    .where(
        _r.connection_id == _CONNECTION,
        _r.stream == sa.bindparam("of_stream", type_=sa.Text),
        sa.func.substr(_r.key, 1, sa.bindparam("length", type_=sa.Integer)) == sa.bindparam("of_prefix", type_=sa.Text),
        _r.deleted.is_(False),
    )
    .values(as_of=_NEWER, whole_as_of=_NEWER)
)
_COVER_STILL = (
    sa.update(tables.covered)
    .where(
        _c.connection_id == _CONNECTION,
        _c.stream == sa.bindparam("of_stream", type_=sa.Text),
        _c.prefix == sa.bindparam("of_prefix", type_=sa.Text),
        _c.parent == NO_PARENT,
        _c.as_of < _NEWER,
    )
    .values(as_of=_NEWER)
)
_DAY, _SINCE = sa.bindparam("day", type_=sa.Date), sa.bindparam("since", type_=tables.Instant)
# Those with a row that may begin at or after an instant. Days are local, so that there may be a few too many.
_STORED_ABOUT = _STORED.where(
    tables.records.c.id.in_(
        sa.union(
            *(
                sa.select(table.c.record_id).where(
                    table.c.user_id == _ITS_USER, table.c.connection_id == _CONNECTION, begins
                )
                for table, begins in (
                    (tables.samples, sa.and_(tables.samples.c.day >= _DAY, tables.samples.c.start >= _SINCE)),
                    (tables.packed_samples, tables.packed_samples.c.day >= _DAY),
                    (tables.episodes, tables.episodes.c.day >= _DAY),
                    (tables.events, tables.events.c.start >= _SINCE),
                )
            )
        )
    )
)


@cache
def _stored(*, about: bool, under: bool, dated: bool) -> sa.Select[int, str]:
    query = _STORED_ABOUT if about else _STORED
    if under:
        start = sa.func.substr(_r.key, 1, sa.bindparam("length", type_=sa.Integer))
        query = query.where(start == sa.bindparam("prefix", type_=sa.Text))
    if dated:
        newest = sa.bindparam("as_of", type_=tables.Instant)
        query = query.where(sa.or_(*(date.is_(None) | (date <= newest) for date in (_r.as_of, _r.whole_as_of))))
    return query


def _arrive_again(state: State, row: Any) -> State:
    state.record = record_in(row, state)
    state.hash, state.arrived_at = codec.fingerprint(state.record), row.arrived_at
    return state


class _ReplayedRecords:
    def __init__(self) -> None:
        self._states: dict[str, State] = {}
        self._children: dict[str, dict[int, State]] = defaultdict(dict)

    def remember(self, state: State) -> None:
        self._states[state.record.path] = state
        if state.record.parent:
            self._children[state.record.parent][state.id] = state

    def latest(self, path: str) -> State | None:
        state = self._states.get(path)
        return None if state is None or state.record.deleted else state

    def children(self, path: str) -> list[State]:
        return [s for s in self._children[path].values() if s.record.parent == path and not s.record.deleted]
