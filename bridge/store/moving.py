"""All tables from one database into another, raw value by raw value, and what each holds as one number.

Values are compared as they mean the same in both: a date as its text, a truth value as 0 or 1.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import sqlalchemy as sa

from bridge.errors import SetupError
from bridge.store import bulk, tables

BATCH = 2000  # rows read, written and hashed at once
Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """One table: how many rows it has, and whether both databases say the same."""

    table: str
    rows: int
    verified: bool


def ordered() -> list[sa.Table]:
    """Parents before children; who is at a store is not moved to another."""
    return [table for table in tables.metadata.sorted_tables if table is not tables.presences]


def refuse_unless_empty(db: sa.Connection) -> None:
    """Raises SetupError where anybody's rows are."""
    for table in ordered():
        if db.execute(sa.select(sa.literal(1)).select_from(table).limit(1)).first():
            raise SetupError(f"the other database already has {table.name}; give an empty one: bridge migrate --to URL")


def hold(db: sa.Connection) -> None:
    """Keep everybody else from writing until the transaction ends. SQLite's write transactions do by themselves."""
    if db.dialect.name == "postgresql":
        for table in ordered():
            db.exec_driver_sql(f'LOCK TABLE "{table.name}" IN SHARE MODE')


def copy(
    source: sa.Connection, target: sa.Connection, step: Callable[[str], Callable[[int, int], None]]
) -> Iterator[Moved]:
    """Copy table after table, then read each again from where it now is. Nothing is committed here."""
    for table in ordered():
        total = int(source.execute(sa.select(sa.func.count()).select_from(table)).scalar_one())
        told, done, sent = step(table.name), 0, _Digest()
        for rows in _batches(source, table):
            bulk.insert(target, table, _columns(table), rows)
            sent.add(rows)
            done += len(rows)
            told(done, total)
        _continue_numbering(target, table)
        came = _Digest()
        for rows in _batches(target, table):
            came.add(rows)
        yield Moved(table=table.name, rows=done, verified=(sent.rows, sent.value) == (came.rows, came.value))


class _Digest:
    """What rows say, in their order, as one number."""

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
    """The rows by their primary key, as plain values; each batch goes on after the last row of the one before."""
    keys = list(table.primary_key.columns)
    plain = [sa.type_coerce(c, sa.BigInteger) if isinstance(c.type, tables.Instant) else c for c in keys]
    raw = [sa.type_coerce(column, _raw(column)).label(column.name) for column in table.columns]
    places = [_columns(table).index(key.name) for key in keys]
    last: Row | None = None
    while True:
        query = sa.select(*raw).select_from(table).order_by(*keys).limit(BATCH)
        if last is not None:
            query = query.where(sa.tuple_(*plain) > sa.tuple_(*(last[place] for place in places)))
        found = db.execute(query).all()
        if not found:
            return
        last = tuple(found[-1])
        yield [tuple(map(_same, row)) for row in found]


def _raw(column: sa.Column[Any]) -> sa.types.TypeEngine[Any]:
    """What the database itself holds: what it means is not our business here."""
    if isinstance(column.type, tables.Packed):
        return sa.LargeBinary()
    return sa.BigInteger() if isinstance(column.type, tables.Instant) else column.type


def _same(value: Any) -> Any:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, date):
        return value.isoformat()
    return bytes(value) if isinstance(value, memoryview) else value


def _continue_numbering(db: sa.Connection, table: sa.Table) -> None:
    """Let PostgreSQL give the next row the number after the highest."""
    if db.dialect.name != "postgresql" or "id" not in table.c:
        return
    highest = sa.select(sa.func.max(table.c.id)).scalar_subquery()
    sequence = sa.func.pg_get_serial_sequence(table.name, "id")
    db.execute(sa.select(sa.func.setval(sequence, sa.func.coalesce(highest, 1), highest.is_not(None))))
