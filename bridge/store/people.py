"""People, their zones, their connections: consents, leases, cursors and outcomes."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import sqlalchemy as sa

from bridge.errors import SetupError
from bridge.ports import Connection, User
from bridge.store import names, tables
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
    found = _users(db, tables.users.c.name == name)
    if not found:
        raise SetupError(f"there is no {name}; add them first: bridge user add {name}")
    return found[0]


def person(db: sa.Connection, user_id: int) -> User:
    found = _users(db, tables.users.c.id == user_id)
    if not found:
        raise SetupError("that person is no longer here; see: bridge user list")
    return found[0]


def users(db: sa.Connection) -> list[User]:
    return _users(db, sa.true())


def _users(db: sa.Connection, which: sa.ColumnElement[bool]) -> list[User]:
    u, z = tables.users.c, tables.zones.c
    joined = tables.users.join(tables.zones)
    query = sa.select(u.id, u.name, z.since, z.zone).select_from(joined).where(which).order_by(u.name, z.since)
    spans: dict[tuple[int, str], list[ZoneSpan]] = {}
    for row in db.execute(query):
        spans.setdefault((row.id, row.name), []).append(ZoneSpan(since=row.since, zone=row.zone))
    return [User(id=number, name=name, zones=tuple(zones)) for (number, name), zones in spans.items()]


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
    return found(db, tables.connections.c.user_id == user_id)


def found(db: sa.Connection, which: sa.ColumnElement[bool]) -> list[Connection]:
    """The connections a condition picks, by person, source and name."""
    c, s = tables.connections.c, tables.sources.c
    kept = [column for column in c if column.name not in ("source_id", "secret", "lease_holder", "lease_until")]
    query = sa.select(*kept, s.name.label("source")).select_from(tables.connections.join(tables.sources))
    rows = db.execute(query.where(which).order_by(c.user_id, s.name, c.name))
    return [Connection(**row) for row in rows.mappings()]


def of_number(connection_id: int) -> sa.ColumnElement[bool]:
    return tables.connections.c.id == connection_id


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


def rest(db: sa.Connection, source: str, until: datetime) -> None:
    s = tables.sources.c
    sooner = sa.or_(s.rests_until.is_(None), s.rests_until < until)
    db.execute(sa.update(tables.sources).where(s.name == source, sooner).values(rests_until=until))


def resting(db: sa.Connection, source: str) -> datetime | None:
    s = tables.sources.c
    found: datetime | None = db.execute(sa.select(s.rests_until).where(s.name == source)).scalar()
    return found


def cursor(db: sa.Connection, connection_id: int, stream: str, version: int) -> str | None:
    c = tables.cursors.c
    query = sa.select(c.cursor).where(c.connection_id == connection_id, c.stream == stream, c.version == version)
    found: str | None = db.execute(query).scalar()
    return found


def cursors(db: sa.Connection, connection_id: int, version: int) -> dict[str, str]:
    c = tables.cursors.c
    query = sa.select(c.stream, c.cursor).where(c.connection_id == connection_id, c.version == version)
    return {row.stream: row.cursor for row in db.execute(query)}


def save_cursor(db: sa.Connection, connection_id: int, stream: str, cursor: str, version: int) -> None:
    values = {"connection_id": connection_id, "stream": stream, "cursor": cursor, "version": version}
    stored = db.execute(_CURSOR, values).first()
    if stored is None:
        db.execute(sa.insert(tables.cursors), values)
    elif tuple(stored) != (cursor, version):
        c = tables.cursors.c
        mine = sa.and_(c.connection_id == connection_id, c.stream == stream)
        db.execute(sa.update(tables.cursors).where(mine).values(cursor=cursor, version=version))


_CURSOR = sa.select(tables.cursors.c.cursor, tables.cursors.c.version).where(
    tables.cursors.c.connection_id == sa.bindparam("connection_id"), tables.cursors.c.stream == sa.bindparam("stream")
)


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
    body = {name: value for name, value in asdict(outcome).items() if value or name in ("source", "outcome")}
    if outcome.retry_at is not None:
        body["retry_at"] = outcome.retry_at.isoformat()
    run = {"connection_id": connection_id, "started": started, "finished": finished, "outcome": json.dumps(body)}
    db.execute(sa.insert(tables.sync_runs).values(run))
    values: dict[str, Any] = {"last_error": error, "paused": paused, "due_at": due_at, "failures": failures}
    if outcome.outcome == "ok":
        values["last_success"] = finished
    db.execute(_update_one(connection_id).values(values))
    if outcome.outcome == "ok" and due_at is not None:  # after that: what is told of now waits for this row
        n = tables.notices.c
        told = sa.exists().where(n.connection_id == connection_id, n.followed_at.is_(None))
        db.execute(_update_one(connection_id).where(told).values(due_at=finished))


def last_outcome(db: sa.Connection, connection_id: int) -> tuple[datetime, Outcome] | None:
    t = tables.sync_runs.c
    query = sa.select(t.finished, t.outcome).where(t.connection_id == connection_id).order_by(t.id.desc()).limit(1)
    row = db.execute(query).first()
    if row is None:
        return None
    body = json.loads(row.outcome)
    body["reasons"] = tuple(body.get("reasons", ()))
    body["failed_files"] = tuple((file, reason) for file, reason in body.get("failed_files", ()))
    body["retry_at"] = datetime.fromisoformat(body["retry_at"]) if body.get("retry_at") else None
    return row.finished, Outcome(**body)


def _select_one(connection_id: int, column: sa.ColumnElement[Any]) -> sa.Select[Any]:
    return sa.select(column).where(tables.connections.c.id == connection_id)


def _update_one(connection_id: int) -> sa.Update:
    return sa.update(tables.connections).where(tables.connections.c.id == connection_id)
