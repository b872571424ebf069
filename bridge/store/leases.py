"""What is due, and who is at it: leases that are claimed with one statement and end by themselves."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from bridge.ports import Connection
from bridge.store import people, tables
from bridge.store.due import free, resting

Ids = Collection[int]
c = tables.connections.c


def claim(db: sa.Connection, connection_id: int, holder: str, *, now: datetime, lease: timedelta) -> bool:
    query = _one(connection_id).where(sa.or_(free(now), c.lease_holder == holder))
    return db.execute(query.values(lease_holder=holder, lease_until=now + lease)).rowcount == 1


def claim_due(
    db: sa.Connection,
    holder: str,
    *,
    now: datetime,
    lease: timedelta,
    limit: int,
    source: str | None = None,
    but: Ids = (),
) -> list[Connection]:
    ids = _due(db, now, limit, source, taking=True, but=but)
    if not ids:
        return []
    taken = sa.update(tables.connections).where(c.id.in_(ids))
    db.execute(taken.values(lease_holder=holder, lease_until=now + lease))
    return _in_order(db, ids)


def due(db: sa.Connection, *, now: datetime, limit: int) -> list[Connection]:
    return _in_order(db, _due(db, now, limit, None, taking=False))


def _in_order(db: sa.Connection, ids: Sequence[int]) -> list[Connection]:
    found = {connection.id: connection for connection in people.found(db, c.id.in_(ids))}
    return [found[number] for number in ids]


def _due(db: sa.Connection, now: datetime, limit: int, source: str | None, *, taking: bool, but: Ids = ()) -> list[int]:
    """What was never synced, then the longest due: two stretches of one index, which an OR would read to its end."""
    ids: list[int] = []
    for waiting in (c.due_at.is_(None), c.due_at <= now):
        query = _pulled(now, source).where(waiting).order_by(c.due_at, c.id).limit(limit - len(ids))
        query = query.where(c.id.not_in(but)) if but else query
        if len(ids) < limit:
            ids += db.execute(query.with_for_update(skip_locked=True) if taking else query).scalars()
    return ids


def _pulled(now: datetime, source: str | None) -> sa.Select[Any]:
    """Connections that could be synced now by whom they are due for."""
    query = sa.select(c.id).where(
        c.secret.is_not(None), c.paused.is_(None), free(now), c.source_id.not_in(resting(now))
    )
    if source is None:
        return query
    return query.where(
        c.source_id == sa.select(tables.sources.c.id).where(tables.sources.c.name == source).scalar_subquery()
    )


def busy(db: sa.Connection, source: str | None, *, now: datetime) -> int:
    joined = tables.connections.join(tables.sources)
    held = sa.select(sa.func.count()).select_from(joined).where(c.lease_until > now)
    if source is not None:
        held = held.where(tables.sources.c.name == source)
    return int(db.execute(held).scalar_one())


def holder(db: sa.Connection, connection_id: int) -> str | None:
    found: str | None = db.execute(sa.select(c.lease_holder).where(c.id == connection_id)).scalar()
    return found


def release(db: sa.Connection, connection_id: int, holder: str) -> None:
    mine = _one(connection_id).where(c.lease_holder == holder)
    db.execute(mine.values(lease_holder=None, lease_until=None))


def _one(connection_id: int) -> sa.Update:
    return sa.update(tables.connections).where(c.id == connection_id)
