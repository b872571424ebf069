"""Store the connections of users to sources, with their encrypted consents."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from bridge.domain.languages import unpacked
from bridge.domain.records import Connection
from bridge.store import inserts, names, tables
from bridge.store.database import Part, reads, writes


class Connections(Part):
    """The part of the store for connections of users to sources, by an account or a folder of files."""

    @writes()
    def connect(self, db: sa.Connection, user_id: int, source: str, name: str, *, now: datetime) -> Connection:
        """Return the user's connection ``name`` to a source. It is created if missing, and no longer paused."""
        c = tables.connections.c
        source_id = names.number(db, tables.sources, source)
        mine = sa.and_(c.user_id == user_id, c.source_id == source_id, c.name == name)
        if db.execute(sa.update(tables.connections).where(mine).values(paused=None)).rowcount == 0:
            values = {"user_id": user_id, "source_id": source_id, "name": name, "created_at": now}
            inserts.insert_new(db, tables.connections, values)
        return select_connections(db, mine)[0]

    @reads
    def of_user(self, db: sa.Connection, user_id: int) -> list[Connection]:
        """Return the connections of a user, sorted by source and name."""
        return _connections(db.execute(_OF_USER, {"user": user_id}))

    @reads
    def of_member(self, db: sa.Connection, source: str, member: str) -> list[Connection]:
        """Return all connections whose account the source calls ``member``, sorted by user id and name."""
        return select_connections(db, sa.and_(tables.sources.c.name == source, tables.connections.c.member == member))

    @reads
    def called(self, db: sa.Connection, name: str) -> list[Connection]:
        """Return the connections called ``name`` of all users, sorted by user id and source."""
        return select_connections(db, tables.connections.c.name == name)

    @reads
    def by_id(self, db: sa.Connection, connection_id: int) -> Connection | None:
        """Return a connection by its id, or None if there is none."""
        return next(iter(_connections(db.execute(_BY_ID, {"connection": connection_id}))), None)

    @writes()
    def disconnect(self, db: sa.Connection, connection_id: int) -> None:
        """Delete a connection with its consent and everything that was stored from it."""
        db.execute(sa.delete(tables.connections).where(tables.connections.c.id == connection_id))

    @writes()
    def drop_consent(self, db: sa.Connection, connection_id: int) -> None:
        """Delete a connection's consent and errors. Its data and cursors stay."""
        values: dict[str, Any] = {"secret": None, "due_at": None, "paused": None, "last_error": None, "failures": 0}
        db.execute(update_connection(connection_id).values(values))

    @reads
    def secret(self, db: sa.Connection, connection_id: int) -> bytes | None:
        """Return the encrypted consent of a connection, or None without a consent."""
        found: bytes | None = db.execute(_SECRET, {"connection": connection_id}).scalar()
        return found

    @reads
    def secrets(self, db: sa.Connection) -> list[tuple[int, bytes]]:
        """Return (connection id, encrypted consent) of each connection with a consent, sorted by id."""
        c = tables.connections.c
        query = sa.select(c.id, c.secret).where(c.secret.is_not(None)).order_by(c.id)
        return [(row.id, row.secret) for row in db.execute(query)]

    @writes()
    def save_secret(self, db: sa.Connection, connection_id: int, sealed: bytes) -> None:
        """Save an encrypted consent in place of the earlier one. Raises TryLater while the database is locked."""
        db.execute(update_connection(connection_id).values(secret=sealed))

    @reads
    def client(self, db: sa.Connection, name: str) -> bytes | None:
        """Return the encrypted OAuth client id and secret that were entered on the page under ``name``, or None."""
        found: bytes | None = db.execute(
            sa.select(tables.clients.c.secret).where(tables.clients.c.name == name)
        ).scalar()
        return found

    @reads
    def clients(self, db: sa.Connection) -> dict[str, bytes]:
        """Return name -> encrypted client id and secret, for all OAuth clients entered on the page."""
        return {row.name: row.secret for row in db.execute(sa.select(tables.clients))}

    @writes(durable=True)
    def save_client(self, db: sa.Connection, name: str, sealed: bytes | None, *, now: datetime) -> None:
        """Save an encrypted OAuth client id and secret under ``name``, in place of earlier ones. None deletes them."""
        db.execute(sa.delete(tables.clients).where(tables.clients.c.name == name))
        if sealed is not None:
            db.execute(sa.insert(tables.clients).values(name=name, secret=sealed, set_at=now))

    @writes()
    def reseal_client(self, db: sa.Connection, name: str, sealed: bytes) -> None:
        """Save an OAuth client encrypted with another key. Its date stays."""
        db.execute(sa.update(tables.clients).where(tables.clients.c.name == name).values(secret=sealed))

    @writes()
    def save_member(self, db: sa.Connection, connection_id: int, member: str) -> None:
        """Save the name by which the source calls the connection's account, for example in webhooks."""
        db.execute(update_connection(connection_id).values(member=member))


_SECRET = sa.select(tables.connections.c.secret).where(tables.connections.c.id == sa.bindparam("connection"))


def select_connections(db: sa.Connection, condition: sa.ColumnElement[bool]) -> list[Connection]:
    """Return the connections that meet a condition, sorted by user id, source and name."""
    return _connections(db.execute(_ALL.where(condition)))


def _connections(rows: sa.Result[Any]) -> list[Connection]:
    names = tuple(rows.keys())
    return [_connection(dict(zip(names, row, strict=True))) for row in rows]


def _connection(values: dict[str, Any]) -> Connection:
    values["not_permitted"] = tuple(json.loads(values["not_permitted"])) if values["not_permitted"] else ()
    values["paused"], values["last_error"] = unpacked(values["paused"]), unpacked(values["last_error"])
    return Connection(**values)


_LEFT_OUT = ("source_id", "secret", "lease_holder", "lease_until")
_ALL = (
    sa.select(
        *(column for column in tables.connections.c if column.name not in _LEFT_OUT),
        tables.sources.c.name.label("source"),
    )
    .select_from(tables.connections.join(tables.sources))
    .order_by(tables.connections.c.user_id, tables.sources.c.name, tables.connections.c.name)
)
_OF_USER = _ALL.where(tables.connections.c.user_id == sa.bindparam("user"))
_BY_ID = _ALL.where(tables.connections.c.id == sa.bindparam("connection"))


def joined_to_source(table: sa.Table) -> sa.Join:
    """Return a join of a table that has a ``connection_id`` with the connections and their sources."""
    return table.join(tables.connections, tables.connections.c.id == table.c.connection_id).join(tables.sources)


def update_connection(connection_id: int) -> sa.Update:
    return sa.update(tables.connections).where(tables.connections.c.id == connection_id)
