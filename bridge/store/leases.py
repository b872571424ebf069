"""What is due, and who is at it: leases that are claimed with one statement and end by themselves."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import sqlalchemy as sa

from bridge.ports import Connection
from bridge.store import due as due_now
from bridge.store import people, tables

c = tables.connections.c


def claim(db: sa.Connection, connection_id: int, holder: str, *, now: datetime, lease: timedelta) -> bool:
    query = _one(connection_id).where(sa.or_(due_now.free(now), c.lease_holder == holder))
    return db.execute(query.values(lease_holder=holder, lease_until=now + lease)).rowcount == 1


def claim_due(
    db: sa.Connection, holder: str, *, now: datetime, lease: timedelta, limit: int, source: str | None = None
) -> list[Connection]:
    which = _pulled(now)
    if source is not None:
        which = which.where(c.source_id.in_(sa.select(tables.sources.c.id).where(tables.sources.c.name == source)))
    ids = _due(db, which.with_for_update(skip_locked=True), now, limit)
    if not ids:
        return []
    taken = sa.update(tables.connections).where(c.id.in_(ids))
    db.execute(taken.values(lease_holder=holder, lease_until=now + lease))
    return _in_order(db, ids)


def due(db: sa.Connection, *, now: datetime, limit: int) -> list[Connection]:
    return _in_order(db, _due(db, _pulled(now), now, limit))


def _in_order(db: sa.Connection, ids: Sequence[int]) -> list[Connection]:
    found = {connection.id: connection for connection in people.found(db, c.id.in_(ids))}
    return [found[number] for number in ids]


def _due(db: sa.Connection, which: sa.Select[tuple[int]], now: datetime, limit: int) -> list[int]:
    """What was never synced, then the longest due: two stretches of one index, which an OR would read to its end."""
    ids: list[int] = []
    for waiting in (c.due_at.is_(None), c.due_at <= now):
        if len(ids) < limit:
            query = which.where(waiting).order_by(c.due_at, c.id).limit(limit - len(ids))
            ids += [row.id for row in db.execute(query)]
    return ids


def _pulled(now: datetime) -> sa.Select[tuple[int]]:
    """The numbers of connections that could be synced now, were they due."""
    claimable = sa.and_(c.secret.is_not(None), c.paused.is_(None))
    return sa.select(c.id).where(claimable, due_now.free(now), c.source_id.not_in(due_now.resting(now)))


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
