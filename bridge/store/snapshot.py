"""A whole store copied table by table into another, with its numbers: between files, and between the two databases."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import sqlalchemy as sa

from bridge.store import tables
from bridge.store.database import Database

ROWS = 2000  # copied at once
NOT_COPIED = {"presences"}  # who is at a store is true of that store


def copy(source: sa.Connection, target: sa.Connection, progress: Callable[[int, int], None] | None = None) -> None:
    """Every row of every table, parents before children, into empty tables; one transaction on each side."""
    wanted = [table for table in tables.metadata.sorted_tables if table.name not in NOT_COPIED]
    total = sum(source.execute(sa.select(sa.func.count()).select_from(table)).scalar_one() for table in wanted)
    done = 0
    for table in wanted:
        query = sa.select(table).order_by(*table.primary_key.columns)
        found = source.execute(query, execution_options={"yield_per": ROWS})
        for some in found.mappings().partitions(ROWS):
            target.execute(sa.insert(table), [dict(row) for row in some])
            done += len(some)
            if progress is not None:
                progress(done, total)
        _go_on_counting(target, table)


def _go_on_counting(target: sa.Connection, table: sa.Table) -> None:
    """PostgreSQL numbers new rows from a sequence, which copied rows do not move."""
    if target.dialect.name != "postgresql" or "id" not in table.c:
        return
    newest = target.execute(sa.select(sa.func.max(table.c.id))).scalar()
    if newest is not None:
        target.execute(sa.select(sa.func.setval(sa.func.pg_get_serial_sequence(table.name, "id"), newest)))


def clear(target: sa.Connection) -> None:
    """Delete every row of every table."""
    for table in reversed(tables.metadata.sorted_tables):
        if table.name not in NOT_COPIED:
            target.execute(sa.delete(table))


@contextmanager
def opened(path: Path) -> Iterator[Database]:
    """A backup as a store of this release: a copy of it is migrated, the backup itself is not touched."""
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder) / "backup.db"
        shutil.copyfile(path, own)
        with closing(Database(f"sqlite:///{own}")) as database:
            yield database
