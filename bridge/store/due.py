"""What is due, for those who work it off: how much of it, and whose leases there are."""

from __future__ import annotations

from datetime import datetime, timedelta

import sqlalchemy as sa

from bridge.store import tables


def waiting(now: datetime) -> sa.ColumnElement[bool]:
    """The connections that are to be synced, whether or not somebody is at it."""
    c = tables.connections.c
    return sa.and_(c.secret.is_not(None), c.paused.is_(None), sa.or_(c.due_at.is_(None), c.due_at <= now))


def resting(now: datetime) -> sa.Select[tuple[int]]:
    """The numbers of the sources that rest."""
    return sa.select(tables.sources.c.id).where(tables.sources.c.rests_until > now)


def free(now: datetime) -> sa.ColumnElement[bool]:
    c = tables.connections.c
    return sa.or_(c.lease_holder.is_(None), c.lease_until <= now)


def due(db: sa.Connection, *, now: datetime) -> dict[str, tuple[int, datetime | None]]:
    """Source -> (how many connections wait, since when the longest does; None: all of them never were synced)."""
    c, s = tables.connections.c, tables.sources.c
    query = (
        sa.select(s.name, sa.func.count(), sa.func.min(c.due_at))
        .select_from(tables.connections.join(tables.sources))
        .where(waiting(now), free(now), c.source_id.not_in(resting(now)))
        .group_by(s.name)
    )
    return {name: (count, since) for name, count, since in db.execute(query)}


def holders(db: sa.Connection) -> list[str]:
    c = tables.connections.c
    return list(db.execute(sa.select(c.lease_holder).where(c.lease_holder.is_not(None)).distinct()).scalars())


def free_all(db: sa.Connection, holder: str) -> None:
    mine = sa.update(tables.connections).where(tables.connections.c.lease_holder == holder)
    db.execute(mine.values(lease_holder=None, lease_until=None))


def spread(db: sa.Connection, *, now: datetime, step: timedelta, within: timedelta) -> int:
    """Let what is overdue become due one after the other, the longest due first; returns how much it is."""
    c = tables.connections.c
    late = sa.and_(waiting(now), c.due_at.is_not(None))
    found = list(db.execute(sa.select(c.id).where(late).order_by(c.due_at, c.id)).scalars())
    step = min(step, within / max(1, len(found)))
    one = sa.update(tables.connections).where(c.id == sa.bindparam("row")).values(due_at=sa.bindparam("new"))
    if found:
        db.execute(one, [{"row": row, "new": now + place * step} for place, row in enumerate(found)])
    return len(found)
