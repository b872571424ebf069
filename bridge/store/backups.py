"""Backups of a whole store in a file, filled from any database and opened again by any later release."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import sqlalchemy as sa

from bridge.domain.errors import SetupError, TryLater
from bridge.store import moving
from bridge.store.database import Database

STORE_TABLES = frozenset({"alembic_version", "users", "connections", "records", "arrivals"})  # in every release
Step = Callable[[int, int], None]


def no_progress(table: str) -> Step:  # noqa: ARG001 - of the type
    """Report no progress."""
    return lambda done, total: None  # noqa: ARG005


def fill(source: sa.Connection, target: sa.Connection, progress: Callable[[str], Step]) -> None:
    """Replace all rows of the target with those of the source, and compare. Raises TryLater when they differ."""
    for table in reversed(moving.ordered()):
        target.execute(sa.delete(table))
    unequal = [moved.table for moved in moving.copy(source, target, progress) if not moved.verified]
    if unequal:
        raise TryLater(f"the copy differs in {', '.join(unequal)} and is not kept; try again")


def open_file(path: Path) -> Database:
    """Open a SQLite file. Unlike an address, a path may hold characters such as a question mark."""
    return Database(sa.URL.create("sqlite", database=str(path)))


@contextmanager
def opened(path: Path) -> Iterator[Database]:
    """Open a migrated copy of a backup, and delete the copy at the end. The backup itself stays as it is.

    Raises SetupError for a file that is not a whole database of a store.
    """
    beside = path.parent if os.access(path.parent, os.W_OK) else None  # the disk that had room for the backup
    with tempfile.TemporaryDirectory(dir=beside, prefix=".restoring-") as folder:
        own = Path(folder) / "backup.db"
        for there, copy in ((path, own), (log_of(path), log_of(own))):  # the log holds the last writes of a store
            if there.is_file():
                shutil.copyfile(there, copy)
        if not _is_store(own):
            raise SetupError(f"{path} is no backup; make one: bridge backup PATH")
        with closing(open_file(own)) as database:
            yield database


def _is_store(path: Path) -> bool:
    """Return True for an undamaged database with a store's tables and version."""
    with closing(sqlite3.connect(path)) as file:
        try:
            names = {name for (name,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            return (
                names >= STORE_TABLES
                and file.execute("SELECT count(*) FROM alembic_version").fetchone() == (1,)
                and file.execute("PRAGMA quick_check").fetchone() == ("ok",)
            )
        except sqlite3.DatabaseError:
            return False


def log_of(path: Path) -> Path:
    """Return the path of the log that SQLite keeps beside a database in use."""
    return path.with_name(f"{path.name}-wal")


def unlink(path: Path) -> None:
    """Delete a database with the files that SQLite keeps beside it."""
    for end in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + end).unlink(missing_ok=True)
