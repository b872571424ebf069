"""A whole store in one file: filled from another database, and opened again whatever release wrote it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import sqlalchemy as sa

from bridge.errors import SetupError, TryLater
from bridge.store import moving
from bridge.store.database import Database

OURS = frozenset({"alembic_version", "users", "connections", "records", "arrivals"})  # since the first release
Step = Callable[[int, int], None]


def unwatched(table: str) -> Step:  # noqa: ARG001 - nobody is watching
    return lambda done, total: None  # noqa: ARG005


def fill(source: sa.Connection, target: sa.Connection, progress: Callable[[str], Step]) -> None:
    """Put every row of the source in place of whatever the target holds, and compare."""
    for table in reversed(moving.ordered()):
        target.execute(sa.delete(table))
    unequal = [moved.table for moved in moving.copy(source, target, progress) if not moved.verified]
    if unequal:
        raise TryLater(f"the copy differs in {', '.join(unequal)} and is not kept; try again")


def at(path: Path) -> Database:
    """Also where an address would take a part of the path's name for an option."""
    return Database(sa.URL.create("sqlite", database=str(path)))


@contextmanager
def opened(path: Path) -> Iterator[Database]:
    """A backup as a store of this release: a copy of it beside it is migrated, the backup itself is not touched.

    Raises SetupError for anything but a whole database that a store has made.
    """
    beside = path.parent if os.access(path.parent, os.W_OK) else None  # where there was room for it once
    with tempfile.TemporaryDirectory(dir=beside, prefix=".restoring-") as folder:
        own = Path(folder) / "backup.db"
        for there, copy in ((path, own), (log_of(path), log_of(own))):  # in the log is what a store wrote last
            if there.is_file():
                shutil.copyfile(there, copy)
        if not _is_store(own):
            raise SetupError(f"{path} is no backup; make one: bridge backup PATH")
        with closing(at(own)) as database:
            yield database


def _is_store(path: Path) -> bool:
    """Whether it is a whole database with our tables and a version."""
    with closing(sqlite3.connect(path)) as file:
        try:
            names = {name for (name,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            return (
                names >= OURS
                and file.execute("SELECT count(*) FROM alembic_version").fetchone() == (1,)
                and file.execute("PRAGMA quick_check").fetchone() == ("ok",)
            )
        except sqlite3.DatabaseError:
            return False


@contextmanager
def refused(what: str, then: str) -> Iterator[None]:
    """A full disk, a damaged file, a place that cannot be written to: something to be told, not a defect."""
    try:
        yield
    except (OSError, sqlite3.Error, sa.exc.DBAPIError) as error:
        cause = error.orig if isinstance(error, sa.exc.DBAPIError) else error
        if not isinstance(cause, OSError | sqlite3.Error):
            raise
        why = cause.strerror if isinstance(cause, OSError) else cause
        raise SetupError(f"{what} ({why}); {then}") from error


def log_of(path: Path) -> Path:
    """What SQLite keeps beside a database that is in use, or was copied then."""
    return path.with_name(f"{path.name}-wal")


def unlink(path: Path) -> None:
    """Remove a database with what SQLite keeps beside it."""
    for end in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + end).unlink(missing_ok=True)
