"""Many rows at once, the way each driver is quickest: what SQLAlchemy does per row costs more than the row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa


def insert(db: sa.Connection, table: sa.Table, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows of plain values: instants as integers, dates as text. Constraints hold as for any insert."""
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
