"""Find a row by its id or key, and the raw record that it was made of."""

from __future__ import annotations

from datetime import date
from typing import Any

import sqlalchemy as sa

from bridge.domain.metrics import Metric
from bridge.domain.records import Connection, Provenance, Revision
from bridge.domain.types import Episode, Item, Sample
from bridge.store import codec, packed, rows, tables
from bridge.store.connections import joined_to_source, select_connections
from bridge.store.database import Part, reads
from bridge.store.packed import packs

ROW_ID_MAX_DIGITS = 18  # PostgreSQL refuses a larger number


class Tracing(Part):
    """The part of the store that finds out where a row comes from."""

    @reads
    def row_ids(self, db: sa.Connection, kind: str, name: str) -> list[int]:
        """Return the ids of the rows of a kind (sample, episode, event, task) that have this id or key."""
        table = rows.TABLE_OF_KIND[kind]
        is_id = name.isdecimal() and len(name) <= ROW_ID_MAX_DIGITS
        if kind == "sample" and is_id and int(name) >= packed.FIRST_NUMBER:
            return [int(name)] if packed.numbered(db, int(name)) else []
        wanted = table.c.id == int(name) if is_id else table.c.key == name
        found = list(db.execute(sa.select(table.c.id).where(wanted).order_by(table.c.id)).scalars())
        return found + (packed.with_key(db, name) if kind == "sample" and not is_id else [])

    @reads
    def samples_of_day(self, db: sa.Connection, user_id: int, day: date) -> list[tuple[int, str, Sample]]:
        """Return (row id, source, sample) of a user's samples of a local day, sorted by metric and source."""
        t = tables.samples
        query = _with_source(t).where(t.c.user_id == user_id, t.c.day == day)
        read = [(row.id, row.source, rows.item_of("sample", row, db)) for row in db.execute(query).all()]
        found = [(number, source, item) for number, source, item in read if isinstance(item, Sample)]
        p = tables.packed_samples.c
        found += [
            (place.id, place.source, place.item)
            for place in packed.places(db, sa.and_(p.user_id == user_id, p.day == day))
        ]
        return sorted(found, key=lambda row: (row[2].metric, row[1], row[2].start, row[0]))

    @reads
    def provenance(self, db: sa.Connection, kind: str, row_id: int) -> Provenance:
        """Return the origin of a row, its earlier versions, and rows about the same thing from other connections."""
        table = rows.TABLE_OF_KIND[kind]
        row: Any = packed.numbered(db, row_id) if kind == "sample" and row_id >= packed.FIRST_NUMBER else None
        row = row or db.execute(sa.select(table).where(table.c.id == row_id)).one()
        record = db.execute(sa.select(tables.records).where(tables.records.c.id == row.record_id)).one()
        a = tables.arrivals.c
        arrived = db.execute(sa.select(a.arrived_at, a.payload).where(a.record_id == record.id).order_by(a.id)).all()
        item = row.item if isinstance(row, packed.Place) else rows.item_of(kind, row, db)
        return Provenance(
            kind=kind,
            id=row.id,
            item=item,
            known_at=row.known_at,
            user=db.execute(sa.select(tables.users.c.name).where(tables.users.c.id == row.user_id)).scalar_one(),
            connection=_connection(db, row.connection_id),
            stream=record.stream,
            record=record.key,
            parent=record.parent,
            version=record.version,
            reason=record.reason,
            arrivals=tuple(arrival.arrived_at for arrival in arrived),
            payload=codec.unpack(arrived[-1].payload) if arrived else None,
            past=_past(db, kind, row.record_id, item.key),
            twins=_twins(db, row, item),
        )


def _with_source(table: sa.Table) -> sa.Select[Any]:
    return sa.select(table, tables.sources.c.name.label("source")).select_from(joined_to_source(table))


def _connection(db: sa.Connection, connection_id: int) -> Connection:
    return select_connections(db, tables.connections.c.id == connection_id)[0]


def _past(db: sa.Connection, kind: str, record_id: int, key: str) -> tuple[Revision, ...]:
    t = tables.revisions.c
    mine = sa.and_(t.record_id == record_id, t.kind == kind, t.key == key)
    found = db.execute(sa.select(tables.revisions).where(mine).order_by(t.superseded_at))
    return tuple(
        Revision(item=codec.decode(kind, one.body), known_at=one.known_at, superseded_at=one.superseded_at)
        for one in found
    )


def _twins(db: sa.Connection, row: Any, item: Item) -> tuple[tuple[str, int], ...]:
    if not isinstance(item, Sample | Episode):
        return ()
    table = tables.samples if isinstance(item, Sample) else tables.episodes
    table = tables.packed_samples if packs(item) else table
    others = sa.and_(
        table.c.user_id == row.user_id, table.c.day == item.day, table.c.connection_id != row.connection_id
    )
    if packs(item):
        return tuple(
            (place.source, place.id) for place in packed.places(db, others) if place.item.metric is item.metric
        )
    query = _with_source(table).where(others).order_by(table.c.id)
    kind = "sample" if isinstance(item, Sample) else "episode"
    found = [(one.source, one.id, rows.item_of(kind, one, db)) for one in db.execute(query).all()]
    return tuple((source, number) for source, number, other in found if _measures(other) == _measures(item))


def _measures(item: Item) -> Metric | str | None:
    return item.metric if isinstance(item, Sample) else getattr(item, "kind", None)
