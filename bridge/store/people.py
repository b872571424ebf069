"""People, their zones, their connections: consents, leases, cursors and outcomes."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import sqlalchemy as sa

from bridge.errors import SetupError
from bridge.ports import Connection, User
from bridge.store import due, names, tables
from bridge.types import Outcome
from rhythm_env.interface import ZoneSpan

NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")


def add_user(db: sa.Connection, name: str, zone: str, *, now: datetime) -> User:
    if not NAME.fullmatch(name):
        raise SetupError("a name has 1 to 64 letters, digits, dots, dashes or underscores: bridge user add NAME")
    check_zone(zone)
    if not names.insert_new(db, tables.users, {"name": name, "created_at": now}):
        raise SetupError(f"there already is a {name}; see: bridge user list")
    user_id = sa.select(tables.users.c.id).where(tables.users.c.name == name).scalar_subquery()
    db.execute(sa.insert(tables.zones).values(user_id=user_id, since=now, zone=zone))
    return user(db, name)


def check_zone(zone: str) -> None:
    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise SetupError(f"there is no time zone {zone!r}; write it like Europe/Berlin or UTC") from None


def user(db: sa.Connection, name: str) -> User:
    found = [u for u in users(db) if u.name == name]
    if not found:
        raise SetupError(f"there is no {name}; add them first: bridge user add {name}")
    return found[0]


def users(db: sa.Connection) -> list[User]:
    spans: dict[int, list[ZoneSpan]] = {}
    for row in db.execute(sa.select(tables.zones).order_by(tables.zones.c.since)):
        spans.setdefault(row.user_id, []).append(ZoneSpan(since=row.since, zone=row.zone))
    found = db.execute(sa.select(tables.users).order_by(tables.users.c.name))
    return [User(id=row.id, name=row.name, zones=tuple(spans[row.id])) for row in found]


def set_zone(db: sa.Connection, user_id: int, zone: str, *, since: datetime) -> None:
    check_zone(zone)
    z = tables.zones.c
    db.execute(sa.delete(tables.zones).where(z.user_id == user_id, z.since == since))
    db.execute(sa.insert(tables.zones).values(user_id=user_id, since=since, zone=zone))


def connect(db: sa.Connection, user_id: int, source: str, name: str, *, now: datetime) -> Connection:
    c = tables.connections.c
    source_id = names.number(db, tables.sources, source)
    mine = sa.and_(c.user_id == user_id, c.source_id == source_id, c.name == name)
    if db.execute(sa.update(tables.connections).where(mine).values(paused=None)).rowcount == 0:
        values = {"user_id": user_id, "source_id": source_id, "name": name, "created_at": now}
        names.insert_new(db, tables.connections, values)
    return next(x for x in connections(db, user_id) if (x.source, x.name) == (source, name))


def connections(db: sa.Connection, user_id: int) -> list[Connection]:
    c = tables.connections.c
    joined = tables.connections.join(tables.sources)
    query = sa.select(tables.connections, tables.sources.c.name.label("source")).select_from(joined)
    found = db.execute(query.where(c.user_id == user_id).order_by(tables.sources.c.name, c.name))
    return [
        Connection(
            id=row.id,
            user_id=row.user_id,
            source=row.source,
            name=row.name,
            created_at=row.created_at,
            paused=row.paused,
            due_at=row.due_at,
            last_success=row.last_success,
            last_error=row.last_error,
            member=row.member,
            failures=row.failures,
        )
        for row in found
    ]


def disconnect(db: sa.Connection, connection_id: int) -> None:
    db.execute(sa.delete(tables.connections).where(tables.connections.c.id == connection_id))


def secret(db: sa.Connection, connection_id: int) -> bytes | None:
    found: bytes | None = db.execute(_select_one(connection_id, tables.connections.c.secret)).scalar()
    return found


def secrets(db: sa.Connection) -> list[tuple[int, bytes]]:
    c = tables.connections.c
    query = sa.select(c.id, c.secret).where(c.secret.is_not(None)).order_by(c.id)
    return [(row.id, row.secret) for row in db.execute(query)]


def save_secret(db: sa.Connection, connection_id: int, sealed: bytes) -> None:
    db.execute(_update_one(connection_id).values(secret=sealed))


def claim(db: sa.Connection, connection_id: int, holder: str, *, now: datetime, lease: timedelta) -> bool:
    c = tables.connections.c
    free = sa.or_(c.lease_holder.is_(None), c.lease_until <= now, c.lease_holder == holder)
    query = _update_one(connection_id).where(free).values(lease_holder=holder, lease_until=now + lease)
    return db.execute(query).rowcount == 1


def claim_due(
    db: sa.Connection, holder: str, *, now: datetime, lease: timedelta, limit: int, source: str | None = None
) -> list[Connection]:
    c = tables.connections.c
    query = (
        sa.select(c.id, c.user_id)
        .where(due.waiting(now), due.free(now), c.source_id.not_in(due.resting(now)))
        .order_by(c.due_at.nulls_first(), c.id)
        .limit(limit)
    )
    if source is not None:
        query = query.where(c.source_id.in_(sa.select(tables.sources.c.id).where(tables.sources.c.name == source)))
    found = db.execute(query.with_for_update(skip_locked=True)).all()
    taken = sa.update(tables.connections).where(c.id.in_([row.id for row in found]))
    db.execute(taken.values(lease_holder=holder, lease_until=now + lease))
    mine = {row.id for row in found}
    people = {row.user_id for row in found}
    return [x for user_id in sorted(people) for x in connections(db, user_id) if x.id in mine]


def rest(db: sa.Connection, source: str, until: datetime) -> None:
    s = tables.sources.c
    sooner = sa.or_(s.rests_until.is_(None), s.rests_until < until)
    db.execute(sa.update(tables.sources).where(s.name == source, sooner).values(rests_until=until))


def resting(db: sa.Connection, source: str) -> datetime | None:
    s = tables.sources.c
    found: datetime | None = db.execute(sa.select(s.rests_until).where(s.name == source)).scalar()
    return found


def holder(db: sa.Connection, connection_id: int) -> str | None:
    found: str | None = db.execute(_select_one(connection_id, tables.connections.c.lease_holder)).scalar()
    return found


def release(db: sa.Connection, connection_id: int, holder: str) -> None:
    mine = _update_one(connection_id).where(tables.connections.c.lease_holder == holder)
    db.execute(mine.values(lease_holder=None, lease_until=None))


def cursor(db: sa.Connection, connection_id: int, stream: str, version: int) -> str | None:
    c = tables.cursors.c
    query = sa.select(c.cursor).where(c.connection_id == connection_id, c.stream == stream, c.version == version)
    found: str | None = db.execute(query).scalar()
    return found


def save_cursor(db: sa.Connection, connection_id: int, stream: str, cursor: str, version: int) -> None:
    c = tables.cursors.c
    mine = sa.and_(c.connection_id == connection_id, c.stream == stream)
    if db.execute(sa.update(tables.cursors).where(mine).values(cursor=cursor, version=version)).rowcount == 0:
        values = {"connection_id": connection_id, "stream": stream, "cursor": cursor, "version": version}
        db.execute(sa.insert(tables.cursors).values(values))


def drop_cursors(db: sa.Connection, connection_id: int) -> None:
    db.execute(sa.delete(tables.cursors).where(tables.cursors.c.connection_id == connection_id))


def set_aside(db: sa.Connection, connection_id: int) -> list[tuple[str, str]]:
    r = tables.records.c
    query = sa.select(r.stream, r.reason).where(r.connection_id == connection_id, r.reason.is_not(None))
    return [(row.stream, row.reason) for row in db.execute(query.order_by(r.stream, r.key))]


def finish_sync(
    db: sa.Connection,
    connection_id: int,
    outcome: Outcome,
    *,
    started: datetime,
    finished: datetime,
    error: str | None,
    paused: str | None,
    due_at: datetime | None,
    failures: int,
) -> None:
    body = asdict(outcome) | {"retry_at": outcome.retry_at.isoformat() if outcome.retry_at else None}
    run = {"connection_id": connection_id, "started": started, "finished": finished, "outcome": json.dumps(body)}
    db.execute(sa.insert(tables.sync_runs).values(run))
    values: dict[str, Any] = {"last_error": error, "paused": paused, "due_at": due_at, "failures": failures}
    if error is None:
        values["last_success"] = finished
    db.execute(_update_one(connection_id).values(values))


def last_outcome(db: sa.Connection, connection_id: int) -> tuple[datetime, Outcome] | None:
    t = tables.sync_runs.c
    query = sa.select(t.finished, t.outcome).where(t.connection_id == connection_id).order_by(t.id.desc()).limit(1)
    row = db.execute(query).first()
    if row is None:
        return None
    body = json.loads(row.outcome)
    body["reasons"] = tuple(body["reasons"])
    body["failed_files"] = tuple((file, reason) for file, reason in body["failed_files"])
    body["retry_at"] = datetime.fromisoformat(body["retry_at"]) if body["retry_at"] else None
    return row.finished, Outcome(**body)


def _select_one(connection_id: int, column: sa.ColumnElement[Any]) -> sa.Select[Any]:
    return sa.select(column).where(tables.connections.c.id == connection_id)


def _update_one(connection_id: int) -> sa.Update:
    return sa.update(tables.connections).where(tables.connections.c.id == connection_id)
