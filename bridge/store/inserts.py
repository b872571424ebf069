"""Insert rows unless they exist, and read, insert and update many rows by the fastest way of each driver."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import sqlalchemy as sa


def insert_new(db: sa.Connection, table: sa.Table, values: Mapping[str, Any]) -> bool:
    """Insert a row, unless it would break a unique constraint. Returns True if it was inserted."""
    unless_there = insert_into(db, table).values(**values).on_conflict_do_nothing().returning(sa.literal_column("1"))
    return db.execute(unless_there).first() is not None


def insert_into(db: sa.Connection, table: sa.Table) -> Any:
    """Return an INSERT statement with ON CONFLICT support, for the database of a connection."""
    return insert_of(db.dialect.name, table)


def insert_of(dialect: str, table: sa.Table) -> Any:
    """Return an INSERT statement with ON CONFLICT support, for the dialect ``sqlite`` or ``postgresql``."""
    if dialect == "postgresql":
        from sqlalchemy.dialects import postgresql

        return postgresql.insert(table)
    from sqlalchemy.dialects import sqlite

    return sqlite.insert(table)


def insert_many(db: sa.Connection, table: sa.Table, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows of plain values in the order of ``columns``. Times are microseconds since 1970 UTC, dates ISO 8601.

    SQLAlchemy is bypassed, because its work per row costs more than the insert.
    """
    if not rows:
        return
    named = ", ".join(f'"{name}"' for name in columns)
    if db.dialect.name == "postgresql":
        driver: Any = db.connection.driver_connection
        with driver.cursor() as cursor, cursor.copy(f'COPY "{table.name}" ({named}) FROM STDIN') as copy:
            for row in rows:
                copy.write_row(row)
        return
    marks = ", ".join("?" * len(columns))
    # The names are the schema's own.
    db.exec_driver_sql(f'INSERT INTO "{table.name}" ({named}) VALUES ({marks})', [*rows])  # noqa: S608


def next_ids(db: sa.Connection, table: sa.Table, count: int) -> Collection[int]:
    """Return ``count`` unused ids for rows that this transaction will insert."""
    if not count:
        return ()
    if db.dialect.name == "postgresql":
        query = "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)"
        return db.exec_driver_sql(query, (table.name, count)).scalars().all()
    last = db.execute(sa.select(sa.func.max(table.c.id))).scalar() or 0
    return range(last + 1, last + 1 + count)


def update_many(db: sa.Connection, table: sa.Table, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    """Update rows by id. Each tuple in ``rows`` holds the plain values of ``columns`` and then the id."""
    if not rows:
        return
    mark = "%s" if db.dialect.name == "postgresql" else "?"
    named = ", ".join(f'"{name}" = {mark}' for name in columns)
    # The names are the schema's own.
    db.exec_driver_sql(f'UPDATE "{table.name}" SET {named} WHERE id = {mark}', [*rows])  # noqa: S608


VALUES_MAX = 900  # in a list; SQLite before 3.32 binds at most 999 values (https://sqlite.org/limits.html)


def select_many(
    db: sa.Connection, table: sa.Table, columns: Sequence[str], name: str, values: Collection[Any], **equal: Any
) -> Iterator[Sequence[Any]]:
    """Yield ``columns`` of the rows whose column ``name`` has one of ``values``, and others the values ``equal``."""
    postgres = db.dialect.name == "postgresql"
    mark, rest = "%s" if postgres else "?", iter(values)
    named = ", ".join(f'"{column}"' for column in columns)
    fixed = "".join(f'"{column}" = {mark} AND ' for column in equal)
    while some := list(rest if postgres else islice(rest, VALUES_MAX)):
        one_of = "= ANY(%s)" if postgres else f"IN ({', '.join(mark * len(some))})"
        bound = (*equal.values(), some) if postgres else (*equal.values(), *some)
        # The names are the schema's own.
        query = f'SELECT {named} FROM "{table.name}" WHERE {fixed}"{name}" {one_of}'  # noqa: S608
        yield from db.exec_driver_sql(query, bound).all()
