"""Copy all tables from one database into another, and compare them by a digest of each table.

Values are copied as stored. For the digest, dates are texts and booleans are 0 or 1 in both databases.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import sqlalchemy as sa

from bridge.domain.errors import SetupError
from bridge.store import inserts, tables

BATCH_ROWS = 2000  # read, written and hashed together
Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedTable:
    """A table that was copied, with its number of rows. ``verified`` is True if both databases hold equal rows."""

    table: str
    rows: int
    verified: bool


def ordered() -> list[sa.Table]:
    """Return the tables to copy, in an order that satisfies foreign keys. The table of locks is left out."""
    return [table for table in tables.metadata.sorted_tables if table is not tables.singletons]


def refuse_unless_empty(db: sa.Connection) -> None:
    for table in ordered():
        if db.execute(sa.select(sa.literal(1)).select_from(table).limit(1)).first():
            raise SetupError(
                f"the other database already has rows in {table.name}; give an empty one: bridge migrate --to URL"
            )


def hold(db: sa.Connection) -> None:
    """Keep other processes from writing until the transaction ends, if the database is PostgreSQL."""
    if db.dialect.name == "postgresql":
        for table in ordered():
            db.exec_driver_sql(f'LOCK TABLE "{table.name}" IN SHARE MODE')


def copy(
    source: sa.Connection, target: sa.Connection, step: Callable[[str], Callable[[int, int], None]]
) -> Iterator[MovedTable]:
    """Copy each table from ``source`` to ``target``, compare the two, and yield the result. Nothing is committed.

    ``step(table)`` returns a function that is called with (rows done, all rows) of that table.
    """
    for table in ordered():
        total = int(source.execute(sa.select(sa.func.count()).select_from(table)).scalar_one())
        progress, done, sent = step(table.name), 0, _Digest()
        for rows in _batches(source, table):
            inserts.insert_many(target, table, _columns(table), rows)
            sent.add(rows)
            done += len(rows)
            progress(done, total)
        _continue_numbering(target, table)
        received = _Digest()
        for rows in _batches(target, table):
            received.add(rows)
        yield MovedTable(
            table=table.name, rows=done, verified=(sent.rows, sent.value) == (received.rows, received.value)
        )


class _Digest:
    def __init__(self) -> None:
        self.rows = 0
        self._hash = hashlib.sha256()

    def add(self, rows: Sequence[Row]) -> None:
        self.rows += len(rows)
        for row in rows:
            self._hash.update(repr(row).encode())

    @property
    def value(self) -> bytes:
        return self._hash.digest()


def _columns(table: sa.Table) -> list[str]:
    return [column.name for column in table.columns]


def _batches(db: sa.Connection, table: sa.Table) -> Iterator[list[Row]]:
    keys = list(table.primary_key.columns)
    plain = [sa.type_coerce(c, sa.BigInteger) if isinstance(c.type, tables.Instant) else c for c in keys]
    raw = [sa.type_coerce(column, _raw(column)).label(column.name) for column in table.columns]
    places = [_columns(table).index(key.name) for key in keys]
    last: Row | None = None
    while True:
        query = sa.select(*raw).select_from(table).order_by(*keys).limit(BATCH_ROWS)
        if last is not None:
            query = query.where(sa.tuple_(*plain) > sa.tuple_(*(last[place] for place in places)))
        found = db.execute(query).all()
        if not found:
            return
        last = tuple(found[-1])
        yield [tuple(map(_comparable, row)) for row in found]


def _raw(column: sa.Column[Any]) -> sa.types.TypeEngine[Any]:
    if isinstance(column.type, tables.Packed):
        return sa.LargeBinary()
    return sa.BigInteger() if isinstance(column.type, tables.Instant) else column.type


def _comparable(value: Any) -> Any:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, date):
        return value.isoformat()
    return bytes(value) if isinstance(value, memoryview) else value


def _continue_numbering(db: sa.Connection, table: sa.Table) -> None:
    """Set PostgreSQL's sequence of ids to the highest id of a table, because copied rows bring their ids."""
    if db.dialect.name != "postgresql" or "id" not in table.c:
        return
    highest = sa.select(sa.func.max(table.c.id)).scalar_subquery()
    sequence = sa.func.pg_get_serial_sequence(table.name, "id")
    db.execute(sa.select(sa.func.setval(sequence, sa.func.coalesce(highest, 1), highest.is_not(None))))
