"""Keeping house: raw records that are old go, what they mean stays; backups that are whole while others write."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Collection
from contextlib import closing
from datetime import datetime
from pathlib import Path

import sqlalchemy as sa

from bridge.errors import SetupError
from bridge.ports import Tidied
from bridge.store import rows, snapshot, tables
from bridge.store.database import Database
from bridge.store.presence import announce, announced

Progress = Callable[[str], snapshot.Step]


class SqlKeeping:
    """``bridge.ports.Keeping``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def tidy(self, before: datetime, lasting: Collection[tuple[str, str]]) -> Tidied:
        with self._database.write() as db:
            old = _untouched(db, before, lasting)
            raw = sum(
                db.execute(sa.delete(tables.arrivals).where(tables.arrivals.c.record_id.in_(some))).rowcount
                for some in rows.chunks(old)
            )
            runs = db.execute(sa.delete(tables.sync_runs).where(_old_run(before))).rowcount
            followed = sa.delete(tables.notices).where(tables.notices.c.followed_at < before)
            notices = db.execute(followed).rowcount
        return Tidied(raw=raw, runs=runs, notices=notices)

    def compact(self) -> None:
        self._database.compact()

    def last(self, what: str) -> datetime | None:
        with self._database.read() as db:
            found = announced(db, what)
        return None if found is None else found[1]

    def done(self, what: str, holder: str, *, now: datetime) -> None:
        with self._database.write() as db:
            announce(db, what, holder, now=now)

    def backup(self, path: Path, progress: Progress = snapshot.unwatched) -> None:
        """A SQLite database of its own, readable by its owner alone, that appears under its name only when whole."""
        part = path.with_name(path.name + ".part")
        try:
            part.unlink(missing_ok=True)
            os.close(os.open(part, os.O_RDWR | os.O_CREAT, 0o600))
            self._copy_to(part, progress)
            part.replace(path)
        except OSError as error:
            raise SetupError(f"{path} cannot be written ({error.strerror}); choose another place") from error
        finally:
            part.unlink(missing_ok=True)

    def _copy_to(self, part: Path, progress: Progress) -> None:
        engine = self._database.engine
        if engine.dialect.name == "postgresql":
            with self._database.read() as db, closing(Database(f"sqlite:///{part}")) as new, new.write() as to:
                snapshot.fill(db, to, progress)
            with closing(sqlite3.connect(part)) as file:
                file.execute("PRAGMA journal_mode=DELETE").close()
            return
        raw = engine.raw_connection()
        try:
            source: sqlite3.Connection = raw.driver_connection  # type: ignore[assignment]
            with closing(sqlite3.connect(part)) as target:
                source.backup(target, pages=-1)
                target.execute("PRAGMA journal_mode=DELETE").close()  # one file, without a log beside it
        finally:
            raw.close()

    def restore(self, path: Path, *, replace: bool, progress: Progress = snapshot.unwatched) -> None:
        if not _is_database(path):
            raise SetupError(f"{path} is no backup; make one: bridge backup PATH")
        with snapshot.opened(path) as saved, self._database.write() as db:
            there = db.execute(sa.select(tables.users.c.id).limit(1)).first() is not None
            if there and not replace:
                raise SetupError("there are people in this store; to put the backup in their place: --replace")
            with saved.read() as before:
                snapshot.fill(before, db, progress)


def _is_database(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\0"


def _untouched(db: sa.Connection, before: datetime, lasting: Collection[tuple[str, str]]) -> list[int]:
    """Records whose every version came before, and with which no other record is read."""
    r, a, s = tables.records.c, tables.arrivals.c, tables.sources.c
    joined = tables.arrivals.join(tables.records).join(tables.connections).join(tables.sources)
    query = (
        sa.select(a.record_id, s.name, r.stream)
        .select_from(joined)
        .group_by(a.record_id, s.name, r.stream)
        .having(sa.func.max(a.arrived_at) < before)
    )
    return [row.record_id for row in db.execute(query) if (row.name, row.stream) not in lasting]


def _old_run(before: datetime) -> sa.ColumnElement[bool]:
    """All that ended before, but the last of each connection."""
    t = tables.sync_runs.c
    last = sa.select(sa.func.max(t.id)).group_by(t.connection_id)
    return sa.and_(t.finished < before, t.id.not_in(last))
