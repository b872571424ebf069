"""Store which connections are due, which process syncs them, rate limits, and the outcomes of syncs."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import asdict, fields
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from bridge.domain.errors import SetupError
from bridge.domain.languages import packed
from bridge.domain.records import AfterSync, Connection
from bridge.domain.types import STOPS, Outcome
from bridge.store import tables
from bridge.store.connections import select_connections
from bridge.store.database import Part, reads, writes
from bridge.store.locks import SingletonLock, advisory_lock_number, holder_of, save_holder

ODD_ANSWERS_MAX_RUNS = 500  # outcomes that are looked back on
CLOCK_TOLERANCE = timedelta(minutes=2)  # clocks of machines at the same store differ by so much; it heals by itself
RATE_LIMIT_MAX = timedelta(days=1)  # vendors count requests by the day at most
c = tables.connections.c
_KEPT = tuple(field.name for field in fields(Outcome))


class Scheduling(Part):
    """The part of the store for connections that are due, and for the leases of the processes that sync them.

    A connection is due if its time has come, it has a consent or folder, and it is neither paused nor rate limited.
    """

    @writes(durable=False)
    def claim(self, db: sa.Connection, connection_id: int, holder: str, *, now: datetime, lease: timedelta) -> bool:
        """Give ``holder`` the sole right to sync a connection for the time ``lease``.

        Return False if another has it.
        """
        bound = {"connection": connection_id, "holder": holder, "now": now, "until": now + lease}
        return db.execute(_CLAIM, bound).rowcount == 1

    @writes(durable=False)
    def claim_due(
        self,
        db: sa.Connection,
        holder: str,
        *,
        now: datetime,
        lease: timedelta,
        limit: int,
        source: str | None = None,
        but: Collection[int] = (),
    ) -> list[Connection]:
        """Give ``holder`` the sole right to sync due connections for the time ``lease``, and return these.

        At most ``limit`` are taken, of ``source`` or all sources (None), without those with ids in ``but``.
        """
        claimable = _claimable(now, source)
        ids = _due_ids(db, claimable.where(c.id.not_in(but)) if but else claimable, now, limit, for_update=True)
        if not ids:
            return []
        taken = sa.update(tables.connections).where(c.id.in_(ids))
        db.execute(taken.values(lease_holder=holder, lease_until=now + lease))
        return _in_order(db, ids)

    @reads
    def due(self, db: sa.Connection, *, now: datetime, limit: int, source: str | None = None) -> list[Connection]:
        """Return the connections that ``claim_due`` would take now, in the same order."""
        return _in_order(db, _due_ids(db, _claimable(now, source), now, limit, for_update=False)) if limit > 0 else []

    @reads
    def due_by_source(self, db: sa.Connection, *, now: datetime) -> dict[str, tuple[int, datetime | None]]:
        """Return source -> (number of due connections, their earliest ``due_at``, or None if none was ever synced)."""
        s = tables.sources.c
        query = (
            sa.select(s.name, sa.func.count(), sa.func.min(c.due_at))
            .select_from(tables.connections.join(tables.sources))
            .where(_is_due(now), _is_free(now), c.source_id.not_in(_rate_limited(now)))
            .group_by(s.name)
        )
        return {name: (count, since) for name, count, since in db.execute(query)}

    @reads
    def lease_count(self, db: sa.Connection, source: str | None = None, *, now: datetime, alone: bool = False) -> int:
        """Return the number of leases that run at ``now``, of ``source`` or of all sources (None).

        With ``alone``, other PostgreSQL transactions wait at this call until this transaction ends.
        """
        if alone and db.dialect.name == "postgresql":
            db.execute(sa.select(sa.func.pg_advisory_xact_lock(advisory_lock_number(f"entering-{source}"))))
        joined = tables.connections.join(tables.sources)
        held = sa.select(sa.func.count()).select_from(joined).where(c.lease_until > now)
        if source is not None:
            held = held.where(tables.sources.c.name == source)
        return int(db.execute(held).scalar_one())

    @reads
    def lease_holder(self, db: sa.Connection, connection_id: int) -> str | None:
        """Return the holder of a connection's lease, which may have expired, or None without a lease."""
        found: str | None = db.execute(sa.select(c.lease_holder).where(c.id == connection_id)).scalar()
        return found

    @reads
    def lease_holders(self, db: sa.Connection) -> list[str]:
        """Return the distinct holders of leases, expired or not."""
        held = sa.and_(c.lease_until.is_not(None), c.lease_holder.is_not(None))  # the first has an index
        return list(db.execute(sa.select(c.lease_holder).where(held).distinct()).scalars())

    @writes(durable=False)
    def release(self, db: sa.Connection, connection_id: int, holder: str) -> None:
        """End the lease that ``holder`` has on a connection. A lease of another holder stays."""
        db.execute(_RELEASE, {"connection": connection_id, "holder": holder})

    @writes()
    def release_all(self, db: sa.Connection, holder: str) -> None:
        mine = sa.update(tables.connections).where(c.lease_holder == holder)
        db.execute(mine.values(lease_holder=None, lease_until=None))

    @writes()
    def limit_source(self, db: sa.Connection, source: str, until: datetime) -> None:
        """Save that no connection of a source is due before ``until``, unless a later time is saved."""
        s = tables.sources.c
        sooner = sa.or_(s.rate_limited_until.is_(None), s.rate_limited_until < until)
        db.execute(sa.update(tables.sources).where(s.name == source, sooner).values(rate_limited_until=until))

    @reads
    def rate_limited_until(self, db: sa.Connection, source: str) -> datetime | None:
        """Return the end of a source's last saved rate limit, or None without any."""
        found: datetime | None = db.execute(_LIMITED_UNTIL, {"source": source}).scalar()
        return found

    @writes(durable=False)
    def finish_sync(
        self,
        db: sa.Connection,
        connection_id: int,
        outcome: Outcome,
        after: AfterSync,
    ) -> None:
        """Save the outcome of a sync and the state ``after`` it, with the next due time, and release the lease.

        An outcome without news replaces an earlier one without news. An outcome in ``STOPS`` pauses the connection.
        """
        _save_run(db, connection_id, outcome, at=after.at)
        why = packed(outcome.skipped_because)
        values: dict[str, Any] = {
            "last_error": None if outcome.outcome == "interrupted" else why,
            "paused": why if outcome.stops else None,
            "due_at": after.due_at,
            "failures": after.failures,
            "not_permitted": json.dumps(outcome.not_permitted) if outcome.not_permitted else None,
            "last_success": after.at if outcome.outcome == "ok" else None,
        }
        new = {f"new_{name}": value for name, value in values.items()}
        db.execute(_FINISH, {"connection": connection_id, "holder": after.holder, **new})
        if outcome.outcome == "ok" and after.due_at is not None:  # a notice that comes now waits for the row above
            db.execute(_DUE_BY_NOTICE, {"connection": connection_id, "at": after.at})

    @reads
    def last_outcome(self, db: sa.Connection, connection_id: int) -> tuple[datetime, Outcome] | None:
        """Return (end, outcome) of a connection's last sync, or None before the first."""
        row = db.execute(_LAST_RUN, {"connection": connection_id}).first()
        if row is None:
            return None
        return row.finished, _outcome_of(row.outcome)

    @reads
    def syncs_finished(self, db: sa.Connection, user_id: int) -> tuple[Any, ...]:
        """Return a value that changes whenever a sync or import of the user finishes, for caches."""
        return tuple(db.execute(_NEWEST_RUN, {"user": user_id}).one())

    @reads
    def odd_answers(self, db: sa.Connection, connection_id: int) -> list[datetime]:
        """Return when syncs got an unexpected answer since the last sync that succeeded or paused, newest first."""
        t = tables.sync_runs.c
        query = sa.select(t.finished, t.outcome).where(t.connection_id == connection_id).order_by(t.id.desc())
        found: list[datetime] = []
        for finished, text in db.execute(query.limit(ODD_ANSWERS_MAX_RUNS)):
            body = json.loads(text)
            if body["outcome"] in ("ok", *STOPS):
                break
            if body.get("odd"):
                found.append(finished)
        return found

    @writes()
    def stagger(self, db: sa.Connection, *, now: datetime, step: timedelta, within: timedelta) -> int:
        """Make overdue connections due one by one, ``step`` apart, or less apart so that all are due ``within`` that
        time.

        The longest overdue are first. Returns their number.
        """
        late = sa.and_(_is_due(now), c.due_at.is_not(None))
        found = list(db.execute(sa.select(c.id).where(late).order_by(c.due_at, c.id)).scalars())
        step = min(step, within / max(1, len(found)))
        update = sa.update(tables.connections).where(c.id == sa.bindparam("row")).values(due_at=sa.bindparam("new"))
        if found:
            db.execute(update, [{"row": row, "new": now + place * step} for place, row in enumerate(found)])
        return len(found)

    def repair_clock(self, *, now: datetime, lease: timedelta) -> int:
        """Correct due times, leases and limits too far in the future, set by a fast clock.

        Return how many became due.
        """
        changes = _clock_changes(now, lease)
        with self.database.read() as db:
            wanted = (sa.select(table.c.id).where(late).limit(1) for table, late, _ in changes)
            if all(db.execute(query).first() is None for query in wanted):
                return 0
        with self.database.write() as db:
            due, *_ = [db.execute(sa.update(table).where(late).values(new)).rowcount for table, late, new in changes]
        return due

    def singleton_lock(self, name: str, holder: str, *, now: datetime) -> SingletonLock:
        """Take and return the lock of the only process called ``name``.

        Raises SetupError if another process holds it.
        """
        lock = SingletonLock(self.database.engine, name)
        if not lock.taken():
            lock.close()
            with self.database.read() as db:
                current, since = holder_of(db, name) or ("another process", now)
            raise SetupError(
                f"a {name} already works at this store ({current}, since {since:%Y-%m-%d %H:%M} UTC); end it first"
            )
        with self.database.write() as db:
            save_holder(db, name, holder, now=now)
        return lock


_MINE = c.id == sa.bindparam("connection")
_HELD = c.lease_holder == sa.bindparam("holder", type_=sa.Text)
_CLAIM = (
    sa.update(tables.connections)
    .where(
        _MINE,
        sa.or_(
            c.lease_holder.is_(None),
            c.lease_until <= sa.bindparam("now", type_=tables.Instant),
            _HELD,
        ),
    )
    .values(lease_holder=sa.bindparam("holder", type_=sa.Text), lease_until=sa.bindparam("until", type_=tables.Instant))
)
_RELEASE = sa.update(tables.connections).where(_MINE, _HELD).values(lease_holder=None, lease_until=None)
_LIMITED_UNTIL = sa.select(tables.sources.c.rate_limited_until).where(tables.sources.c.name == sa.bindparam("source"))
_FINISH = (
    sa.update(tables.connections)
    .where(_MINE)
    .values(
        {name: sa.bindparam(f"new_{name}") for name in ("last_error", "paused", "due_at", "failures", "not_permitted")}
        | {"last_success": sa.func.coalesce(sa.bindparam("new_last_success", type_=tables.Instant), c.last_success)}
        | {name: sa.case((_HELD, sa.null()), else_=c[name]) for name in ("lease_holder", "lease_until")}
    )
)
_DUE_BY_NOTICE = (
    sa.update(tables.connections)
    .where(
        _MINE,
        sa.exists().where(
            tables.notices.c.connection_id == tables.connections.c.id, tables.notices.c.handled_at.is_(None)
        ),
    )
    .values(due_at=sa.bindparam("at", type_=tables.Instant))
)


def _is_due(now: datetime) -> sa.ColumnElement[bool]:
    return sa.and_(c.secret.is_not(None), c.paused.is_(None), sa.or_(c.due_at.is_(None), c.due_at <= now))


def _is_free(now: datetime) -> sa.ColumnElement[bool]:
    return sa.or_(c.lease_holder.is_(None), c.lease_until <= now)


def _rate_limited(now: datetime) -> sa.Select[tuple[int]]:
    return sa.select(tables.sources.c.id).where(tables.sources.c.rate_limited_until > now)


def _clock_changes(now: datetime, lease: timedelta) -> list[tuple[sa.Table, sa.ColumnElement[bool], dict[str, Any]]]:
    r, after, s = tables.sync_runs.c, tables.sync_runs.alias("after").c, tables.sources.c
    newer = sa.select(after.id).where(after.connection_id == r.connection_id, after.id > r.id).exists()
    ended_later = sa.select(r.connection_id).where(r.finished > now + CLOCK_TOLERANCE, ~newer)
    put_off = sa.and_(c.due_at > now, c.paused.is_(None), c.id.in_(ended_later))
    long_lease = c.lease_until > now + lease + CLOCK_TOLERANCE
    long_limit = s.rate_limited_until > now + RATE_LIMIT_MAX + CLOCK_TOLERANCE
    return [
        (tables.connections, put_off, {"due_at": now}),
        (tables.connections, long_lease, {"lease_until": now + lease}),
        (tables.sources, long_limit, {"rate_limited_until": now + RATE_LIMIT_MAX}),
    ]


def _in_order(db: sa.Connection, ids: Sequence[int]) -> list[Connection]:
    found = {connection.id: connection for connection in select_connections(db, c.id.in_(ids))}
    return [found[number] for number in ids]


def _due_ids(db: sa.Connection, claimable: sa.Select[Any], now: datetime, limit: int, *, for_update: bool) -> list[int]:
    # Two queries are used, because a query with OR would read the whole index.
    ids: list[int] = []
    for due in (c.due_at.is_(None), c.due_at <= now):
        query = claimable.where(due).order_by(c.due_at, c.id).limit(limit - len(ids))
        if len(ids) < limit:
            ids += db.execute(query.with_for_update(skip_locked=True) if for_update else query).scalars()
    return ids


def _claimable(now: datetime, source: str | None) -> sa.Select[Any]:
    query = sa.select(c.id).where(
        c.secret.is_not(None), c.paused.is_(None), _is_free(now), c.source_id.not_in(_rate_limited(now))
    )
    if source is None:
        return query
    named = sa.select(tables.sources.c.id).where(tables.sources.c.name == source).scalar_subquery()
    return query.where(c.source_id == named)


def _text_of(outcome: Outcome) -> str:
    body = {name: value for name in _KEPT if (value := getattr(outcome, name)) or name in ("source", "outcome")}
    if outcome.retry_at is not None:
        body["retry_at"] = outcome.retry_at.isoformat()
    return json.dumps(body, default=asdict)


def _outcome_of(text: str) -> Outcome:
    body = json.loads(text)
    body["reasons"] = tuple(body.get("reasons", ()))
    body["not_permitted"] = tuple(body.get("not_permitted", ()))
    body["failed_files"] = tuple((file, reason) for file, reason in body.get("failed_files", ()))
    body["retry_at"] = datetime.fromisoformat(body["retry_at"]) if body.get("retry_at") else None
    return Outcome(**body)


def _save_run(db: sa.Connection, connection_id: int, outcome: Outcome, *, at: datetime) -> None:
    """Save the outcome of a sync. It replaces the last one if neither has news."""
    text = _text_of(outcome)
    again = {"connection": connection_id, "moment": at, "text": text}
    if outcome.is_news or db.execute(_REPEATED_RUN, again).rowcount == 0:
        run = {"connection_id": connection_id, "started": at, "finished": at, "outcome": text}
        db.execute(_NEW_RUN, run)


_r, _newer = tables.sync_runs.c, tables.sync_runs.alias("newer").c
_newest = sa.select(sa.func.max(_newer.id)).where(_newer.connection_id == sa.bindparam("connection", type_=tables.ID))
_REPEATED_RUN = (  # what is 0 is left out of an outcome's text
    sa.update(tables.sync_runs)
    .where(
        _r.id == _newest.scalar_subquery(),
        _r.outcome.like('%"outcome": "ok"%'),
        *(_r.outcome.not_like(f'%"{what}": %') for what in ("new", "updated", "deleted", "set_aside", "files")),
    )
    .values(
        started=sa.bindparam("moment", type_=tables.Instant),
        finished=sa.bindparam("moment", type_=tables.Instant),
        outcome=sa.bindparam("text"),
    )
)
_NEW_RUN = sa.insert(tables.sync_runs)
_LAST_RUN = (
    sa.select(tables.sync_runs.c.finished, tables.sync_runs.c.outcome)
    .where(tables.sync_runs.c.connection_id == sa.bindparam("connection"))
    .order_by(tables.sync_runs.c.id.desc())
    .limit(1)
)
_NEWEST_RUN = (
    sa.select(sa.func.max(tables.sync_runs.c.id), sa.func.max(tables.sync_runs.c.finished))
    .join(tables.connections)
    .where(tables.connections.c.user_id == sa.bindparam("user"))
)
