"""What webhooks have said of connections, and whether it was followed."""

from __future__ import annotations

from datetime import datetime, timedelta

import sqlalchemy as sa

from bridge.ports import Connection
from bridge.store import names, people, tables
from bridge.types import Notice

REMEMBERED = timedelta(days=7)  # after it was followed: vendors send again for hours, not weeks


def meet(db: sa.Connection, connection_id: int, member: str) -> None:
    c = tables.connections.c
    db.execute(sa.update(tables.connections).where(c.id == connection_id).values(member=member))


def met(db: sa.Connection, source: str, member: str) -> list[Connection]:
    c = tables.connections.c
    return people.found(db, sa.and_(tables.sources.c.name == source, c.member == member))


def note(db: sa.Connection, connection_id: int, notice: Notice, *, now: datetime) -> bool:
    n, c = tables.notices.c, tables.connections.c
    db.execute(sa.delete(tables.notices).where(n.connection_id == connection_id, n.followed_at < now - REMEMBERED))
    values = {
        "connection_id": connection_id,
        "trace": notice.trace,
        "stream": notice.stream,
        "key": notice.key,
        "deleted": notice.deleted,
        "arrived_at": now,
    }
    if not names.insert_new(db, tables.notices, values):
        return False
    later = sa.or_(c.due_at.is_(None), c.due_at > now)
    db.execute(sa.update(tables.connections).where(c.id == connection_id, later).values(due_at=now))
    return True


def notices(db: sa.Connection, connection_id: int) -> list[Notice]:
    n = tables.notices.c
    joined = sa.select(tables.notices, tables.connections.c.member).join(tables.connections)
    query = joined.where(n.connection_id == connection_id, n.followed_at.is_(None)).order_by(n.id)
    return [
        Notice(member=row.member, stream=row.stream, key=row.key, deleted=row.deleted, trace=row.trace)
        for row in db.execute(query)
    ]


def followed(db: sa.Connection, connection_id: int, trace: str, *, now: datetime) -> None:
    n = tables.notices.c
    one = sa.update(tables.notices).where(n.connection_id == connection_id, n.trace == trace)
    db.execute(one.values(followed_at=now))
