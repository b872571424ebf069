"""Clock repair, which undoes what a clock that was ahead put off or dated later than now."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import sqlalchemy as sa

from bridge.store import rows, tables

CLOCK_TOLERANCE = timedelta(minutes=2)  # clocks of machines at the same store differ by so much; it heals by itself
RATE_LIMIT_MAX = timedelta(days=1)  # vendors count requests by the day at most


def is_needed(db: sa.Connection, *, now: datetime, lease: timedelta) -> bool:
    """Return True when there is anything to repair. Each of the three queries reads an index."""
    c, r, s = tables.connections.c, tables.sync_runs.c, tables.sources.c
    late = (
        sa.select(r.id).where(r.finished > now + CLOCK_TOLERANCE),
        sa.select(c.id).where(c.lease_until > now + lease + CLOCK_TOLERANCE),
        sa.select(s.id).where(s.rate_limited_until > now + RATE_LIMIT_MAX + CLOCK_TOLERANCE),
    )
    return any(db.execute(query.limit(1)).first() is not None for query in late)


def repair(db: sa.Connection, *, now: datetime, lease: timedelta) -> int:
    """Undo what a clock that was ahead put off. That is syncs whose last ended later than now, leases, rate limits.

    What landed by that clock counts as known from now on. Returns the number of connections that are due again.
    """
    c, s = tables.connections.c, tables.sources.c
    late = sa.and_(c.due_at > now, c.paused.is_(None), c.id.in_(_finished_later(now)))
    count = db.execute(sa.update(tables.connections).where(late).values(due_at=now)).rowcount
    long = sa.update(tables.connections).where(c.lease_until > now + lease)
    db.execute(long.values(lease_until=now + lease))
    limits = sa.update(tables.sources).where(s.rate_limited_until > now + RATE_LIMIT_MAX)
    db.execute(limits.values(rate_limited_until=now + RATE_LIMIT_MAX))
    for some in rows.chunks(_with_clock_leap(db, now)):
        _date_back(db, some, now)
    return count


def _finished_later(now: datetime) -> sa.Select[int]:
    """Select the connections whose last sync ended later than now."""
    r, after = tables.sync_runs.c, tables.sync_runs.alias("after").c
    newer = sa.select(after.id).where(after.connection_id == r.connection_id, after.id > r.id).exists()
    return sa.select(r.connection_id).where(r.finished > now + CLOCK_TOLERANCE, ~newer)


def _with_clock_leap(db: sa.Connection, now: datetime) -> list[int]:
    """Return the connections whose clock leapt ahead by at least half of what the last sync is later than now.

    Without such a leap the earlier clock was right, and the clock is behind now.
    """
    c, r = tables.connections.c, tables.sync_runs.c
    number = (r.connection_id + 0).label("number")  # by the bare column SQLite would group all syncs there are
    late = (
        sa.select(number, sa.func.min(r.id).label("first"), sa.func.max(r.finished).label("latest"))
        .where(r.finished > now + CLOCK_TOLERANCE)
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


def _date_back(db: sa.Connection, connections: Sequence[int], now: datetime) -> None:
    """Let no row of these connections, and no record or arrival, be dated later than now."""
    mine = sa.select(tables.records.c.id).where(tables.records.c.connection_id.in_(connections))
    a, r = tables.arrivals, tables.records
    _cap(db, a, "arrived_at", a.c.record_id.in_(mine), now)
    _cap(db, r, "arrived_at", r.c.connection_id.in_(connections), now)
    derived = [(table, "known_at") for table in (*rows.TABLE_OF_KIND.values(), tables.revisions)]
    runs = [(tables.sync_runs, "started"), (tables.sync_runs, "finished")]
    _cap(db, tables.connections, "last_success", tables.connections.c.id.in_(connections), now)
    for table, name in (*derived, (tables.revisions, "superseded_at"), *runs):
        _cap(db, table, name, table.c.connection_id.in_(connections), now)


def _cap(db: sa.Connection, table: sa.Table, name: str, which: sa.ColumnElement[bool], now: datetime) -> None:
    """Set an instant that is later than now to now."""
    db.execute(sa.update(table).where(which, table.c[name] > now).values({name: now}))
