"""What a clock that was ahead has left behind: what it put off, and what it says to be known only later."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import sqlalchemy as sa

from bridge.store import rows, tables

TOLERANCE = timedelta(minutes=2)  # between the clocks of machines at one store; so much heals by itself
AT_MOST_REST = timedelta(days=1)  # vendors count requests by the day at most


def anything(db: sa.Connection, *, now: datetime, lease: timedelta) -> bool:
    """Whether there is anything to ``recall``; it costs next to nothing."""
    c, r, s = tables.connections.c, tables.sync_runs.c, tables.sources.c
    late = (
        sa.select(r.id).where(r.finished > now + TOLERANCE),
        sa.select(c.id).where(c.lease_until > now + lease + TOLERANCE),
        sa.select(s.id).where(s.rests_until > now + AT_MOST_REST + TOLERANCE),
    )
    return any(db.execute(query.limit(1)).first() is not None for query in late)


def recall(db: sa.Connection, *, now: datetime, lease: timedelta) -> int:
    """Undo what was put off by a clock that was ahead: syncs whose last ended later than now, leases, rests.

    What landed by it counts as known from now on. Returns how many connections are due again.
    """
    c, s = tables.connections.c, tables.sources.c
    late = sa.and_(c.due_at > now, c.paused.is_(None), c.id.in_(_ended_later(now)))
    count = db.execute(sa.update(tables.connections).where(late).values(due_at=now)).rowcount
    long = sa.update(tables.connections).where(c.lease_until > now + lease)
    db.execute(long.values(lease_until=now + lease))
    rests = sa.update(tables.sources).where(s.rests_until > now + AT_MOST_REST)
    db.execute(rests.values(rests_until=now + AT_MOST_REST))
    for some in rows.chunks(_leapt(db, now)):
        _know_now(db, some, now)
    return count


def _ended_later(now: datetime) -> sa.Select[int]:
    """The connections whose last sync ended later than now; the next one's end takes them out."""
    r, after = tables.sync_runs.c, tables.sync_runs.alias("after").c
    newer = sa.select(after.id).where(after.connection_id == r.connection_id, after.id > r.id).exists()
    return sa.select(r.connection_id).where(r.finished > now + TOLERANCE, ~newer)


def _leapt(db: sa.Connection, now: datetime) -> list[int]:
    """The connections whose syncs came to end later than now by a leap of at least half as much.

    Where there is no such leap, the clock was right and is behind now.
    """
    c, r = tables.connections.c, tables.sync_runs.c
    number = (r.connection_id + 0).label("number")  # by the bare column SQLite would group all syncs there are
    late = (
        sa.select(number, sa.func.min(r.id).label("first"), sa.func.max(r.finished).label("latest"))
        .where(r.finished > now + TOLERANCE)
        .group_by("number")
        .subquery()
    )
    earlier = tables.sync_runs.alias("earlier").c
    before = (
        sa.select(sa.func.max(earlier.finished))
        .where(earlier.connection_id == late.c.number, earlier.id < late.c.first)
        .scalar_subquery()
    )
    query = sa.select(c.id, r.finished, late.c.latest, sa.func.coalesce(before, c.created_at)).select_from(
        late.join(tables.sync_runs, r.id == late.c.first).join(tables.connections, c.id == late.c.number)
    )
    return [connection for connection, first, latest, last in db.execute(query) if 2 * (first - last) >= latest - now]


def _know_now(db: sa.Connection, connections: Sequence[int], now: datetime) -> None:
    """No row of theirs, nor what it is made of, says that it came later than now."""
    mine = sa.select(tables.records.c.id).where(tables.records.c.connection_id.in_(connections))
    a, r = tables.arrivals, tables.records
    _not_later(db, a, "arrived_at", a.c.record_id.in_(mine), now)
    _not_later(db, r, "arrived_at", r.c.connection_id.in_(connections), now)
    derived = [(table, "known_at") for table in (*rows.TABLES.values(), tables.revisions)]
    runs = [(tables.sync_runs, "started"), (tables.sync_runs, "finished")]
    _not_later(db, tables.connections, "last_success", tables.connections.c.id.in_(connections), now)
    for table, name in (*derived, (tables.revisions, "superseded_at"), *runs):
        _not_later(db, table, name, table.c.connection_id.in_(connections), now)


def _not_later(db: sa.Connection, table: sa.Table, name: str, which: sa.ColumnElement[bool], now: datetime) -> None:
    db.execute(sa.update(table).where(which, table.c[name] > now).values({name: now}))
