"""Keeping house: raw records that are old go, what they mean stays; backups that are whole while others write."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Collection, Iterable
from contextlib import closing
from datetime import datetime
from pathlib import Path

import sqlalchemy as sa

from bridge.errors import SetupError
from bridge.ports import Tidied
from bridge.store import leases, moving, rows, snapshot, tables
from bridge.store.database import Database
from bridge.store.presence import announce, announced

Progress = Callable[[str], snapshot.Step]


class SqlKeeping:
    """``bridge.ports.Keeping``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def tidy(self, before: datetime, lasting: Collection[tuple[str, str]]) -> Tidied:
        a, t, n = tables.arrivals, tables.sync_runs, tables.notices
        unchanged = ~_changed(a.c.record_id, before)  # since they were read
        with self._database.read() as db:
            old, ended = _untouched(db, before, lasting), list(db.execute(_old_runs(before)).scalars())
            followed = list(db.execute(sa.select(n.c.id).where(n.c.followed_at < before)).scalars())
        return Tidied(
            raw=self._delete(old, lambda some: sa.delete(a).where(a.c.record_id.in_(some), unchanged)),
            runs=self._delete(ended, lambda some: sa.delete(t).where(t.c.id.in_(some))),
            notices=self._delete(followed, lambda some: sa.delete(n).where(n.c.id.in_(some))),
        )

    def _delete(self, ids: Iterable[int], which: Callable[[list[int]], sa.Delete]) -> int:
        """A piece at a time, so that nobody waits for long; what a power cut takes back goes the next day."""
        count = 0
        for some in rows.chunks(ids):
            with self._database.write(durable=False) as db:
                count += db.execute(which(some)).rowcount
        return count

    def compact(self, at_most: int | None = None) -> None:
        self._database.compact(at_most)

    def last(self, what: str) -> datetime | None:
        with self._database.read() as db:
            found = announced(db, what)
        return None if found is None else found[1]

    def done(self, what: str, holder: str, *, now: datetime) -> None:
        with self._database.write() as db:
            announce(db, what, holder, now=now)

    def backup(self, path: Path, progress: Progress = snapshot.unwatched) -> None:
        """A SQLite database of its own, readable by its owner alone, that appears under its name only when whole."""
        if snapshot.log_of(path).exists():  # who goes on writing beside another file of its name destroys that
            raise SetupError(f"{path} is a database in use; choose another place")
        part = path.with_name(path.name + ".part")
        with snapshot.refused(f"{path} cannot be written", "choose another place"):
            try:
                snapshot.unlink(part)
                os.close(os.open(part, os.O_RDWR | os.O_CREAT, 0o600))
                self._copy_to(part, progress)
                part.replace(path)
            finally:
                snapshot.unlink(part)

    def _copy_to(self, part: Path, progress: Progress) -> None:
        engine = self._database.engine
        if engine.dialect.name == "postgresql":
            with self._database.read() as db, closing(snapshot.at(part)) as new, new.write() as to:
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

    def restore(self, path: Path, *, replace: bool, now: datetime, progress: Progress = snapshot.unwatched) -> None:
        refused = snapshot.refused(f"{path} cannot be put back", "nothing was changed")
        with refused, snapshot.opened(path) as saved, self._database.write() as db, saved.read() as before:
            moving.hold(db)
            if leases.busy(db, None, now=now):  # it would go on with a number that is another's
                raise SetupError("something is being synced; stop what works here and try again in five minutes")
            there = _anybody(db)
            if there and not replace:
                raise SetupError("there are people in this store; to put the backup in their place: --replace")
            if there and not _anybody(before):
                raise SetupError(f"there is nobody in {path}; nobody here was deleted for it")
            snapshot.fill(before, db, progress)


def _anybody(db: sa.Connection) -> bool:
    return db.execute(sa.select(tables.users.c.id).limit(1)).first() is not None


def _untouched(db: sa.Connection, before: datetime, lasting: Collection[tuple[str, str]]) -> list[int]:
    """Records whose every version came before, that were understood, and with which no other record is read."""
    r, a, s = tables.records.c, tables.arrivals.c, tables.sources.c
    query = (
        sa.select(r.id, s.name, r.stream)
        .select_from(tables.records.join(tables.connections).join(tables.sources))
        .where(r.id.in_(sa.select(a.record_id).where(a.arrived_at < before)), r.reason.is_(None))
        .where(~_changed(r.id, before))
    )
    return [row.id for row in db.execute(query) if (row.name, row.stream) not in lasting]


def _changed(record: sa.ColumnElement[int], before: datetime) -> sa.Exists:
    newer = tables.arrivals.alias("newer").c
    return sa.select(newer.id).where(newer.record_id == record, newer.arrived_at >= before).exists()


def _old_runs(before: datetime) -> sa.Select[int]:
    """All that ended before, but the last of each connection."""
    t, newer = tables.sync_runs.c, tables.sync_runs.alias("newer").c
    later = sa.select(newer.id).where(newer.connection_id == t.connection_id, newer.id > t.id).exists()
    return sa.select(t.id).where(t.finished < before, later)
