"""The way back: from a row to the record it was derived from, and through which connection that came."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import sqlalchemy as sa

from bridge.metrics import Metric
from bridge.ports import Connection, Earlier, Origin
from bridge.store import codec, people, rows, tables
from bridge.types import Episode, Item, Sample


def rows_named(db: sa.Connection, kind: str, name: str) -> list[int]:
    """The numbers of a kind's rows: the one with that number, or all with that key."""
    table = rows.TABLES[kind]
    # A number of 19 digits or more is no row's, and PostgreSQL refuses it.
    wanted = table.c.id == int(name) if name.isdecimal() and len(name) < 19 else table.c.key == name
    return list(db.execute(sa.select(table.c.id).where(wanted).order_by(table.c.id)).scalars())


def samples_of_day(db: sa.Connection, user_id: int, day: date) -> list[tuple[int, str, Sample]]:
    """(number, source, sample) of a person's local day, by metric and source."""
    t = tables.samples
    query = _with_source(t).where(t.c.user_id == user_id, t.c.day == day)
    read = [(row.id, row.source, rows.item_of("sample", row, db)) for row in db.execute(query).all()]
    found = [(number, source, item) for number, source, item in read if isinstance(item, Sample)]
    return sorted(found, key=lambda one: (one[2].metric, one[1], one[2].start, one[0]))


def origin(db: sa.Connection, kind: str, number: int) -> Origin:
    """A row's origin; the row is there."""
    table = rows.TABLES[kind]
    row = db.execute(sa.select(table).where(table.c.id == number)).one()
    record = db.execute(sa.select(tables.records).where(tables.records.c.id == row.record_id)).one()
    a = tables.arrivals.c
    arrived = db.execute(sa.select(a.arrived_at, a.payload).where(a.record_id == record.id).order_by(a.id)).all()
    item = rows.item_of(kind, row, db)
    return Origin(
        kind=kind,
        id=row.id,
        item=item,
        known_at=row.known_at,
        user=db.execute(sa.select(tables.users.c.name).where(tables.users.c.id == row.user_id)).scalar_one(),
        connection=_connection(db, row),
        stream=record.stream,
        record=record.key,
        parent=record.parent,
        version=record.version,
        reason=record.reason,
        arrivals=tuple(one.arrived_at for one in arrived),
        payload=codec.unpack(arrived[-1].payload) if arrived else None,
        past=_past(db, kind, row),
        twins=_twins(db, row, item),
    )


def newest(db: sa.Connection, connection_id: int, at: datetime) -> datetime | None:
    """The end of the newest thing measured through a connection that had ended by ``at``; None: it measures nothing."""
    t, e = tables.samples.c, tables.episodes.c
    ended = sa.func.coalesce(t.end, t.start)
    measured = db.execute(sa.select(sa.func.max(ended)).where(t.connection_id == connection_id, ended <= at)).scalar()
    last = sa.select(e.body).where(e.connection_id == connection_id).order_by(e.day.desc()).limit(5)
    episodes = [codec.decode("episode", body) for body in db.execute(last).scalars()]
    ends = [one.end for one in episodes if isinstance(one, Episode) and one.end <= at]
    return max([*ends, *([measured] if measured is not None else [])], default=None)


def changed(db: sa.Connection, connection_id: int) -> datetime | None:
    """When a record last arrived through a connection, new or changed."""
    r = tables.records.c
    query = sa.select(sa.func.max(r.arrived_at)).where(r.connection_id == connection_id)
    found: datetime | None = db.execute(query).scalar()
    return found


def _connection(db: sa.Connection, row: Any) -> Connection:
    return next(one for one in people.connections(db, row.user_id) if one.id == row.connection_id)


def _past(db: sa.Connection, kind: str, row: Any) -> tuple[Earlier, ...]:
    t = tables.revisions.c
    mine = sa.and_(t.record_id == row.record_id, t.kind == kind, t.key == row.key)
    found = db.execute(sa.select(tables.revisions).where(mine).order_by(t.superseded_at))
    return tuple(
        Earlier(item=codec.decode(kind, one.body), known_at=one.known_at, superseded_at=one.superseded_at)
        for one in found
    )


def _twins(db: sa.Connection, row: Any, item: Item) -> tuple[tuple[str, int], ...]:
    """Rows of the same person, day and metric (or kind of episode) that came through other connections."""
    if not isinstance(item, Sample | Episode):
        return ()
    table = tables.samples if isinstance(item, Sample) else tables.episodes
    others = sa.and_(table.c.user_id == row.user_id, table.c.day == row.day, table.c.connection_id != row.connection_id)
    query = _with_source(table).where(others).order_by(table.c.id)
    kind = "sample" if isinstance(item, Sample) else "episode"
    found = [(one.source, one.id, rows.item_of(kind, one, db)) for one in db.execute(query).all()]
    return tuple((source, number) for source, number, other in found if _measures(other) == _measures(item))


def _measures(item: Item) -> Metric | str | None:
    return item.metric if isinstance(item, Sample) else getattr(item, "kind", None)


def _with_source(table: sa.Table) -> sa.Select[Any]:
    joined = table.join(tables.connections, tables.connections.c.id == table.c.connection_id).join(tables.sources)
    return sa.select(table, tables.sources.c.name.label("source")).select_from(joined)
