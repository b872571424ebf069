"""Delete old data of a store, and write and restore backups, which are SQLite files."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path

import sqlalchemy as sa

from bridge.domain.errors import Fault, SetupError, TryLater
from bridge.domain.records import Tidied
from bridge.store import faults, moving, parts, tables, views
from bridge.store.database import Database, Part, as_setup_error, reads, writes
from bridge.store.locks import SingletonLock, holder_of, save_holder

STORE_TABLES = frozenset({"alembic_version", "users", "connections", "records", "arrivals"})  # in every release
BATCH_ROWS = 5000  # looked at in one transaction, so that nobody waits long for it
Step = Callable[[int, int], None]
Progress = Callable[[str], Step]


def no_progress(table: str) -> Step:  # noqa: ARG001 - of the type
    return lambda done, total: None  # noqa: ARG005


class Maintenance(Part):
    """The part of the store for deletion of old data, backups, counts of rows, regular chores, and SQL views."""

    def tidy(self, before: datetime, lasting: Collection[tuple[str, str]]) -> Tidied:
        """Delete raw payloads from before an instant whose records have not changed since. Return the numbers of rows.

        Items made of the payloads, unreadable records and the (source, stream) pairs in ``lasting`` stay. Old outcomes
        of syncs and handled notices are deleted, too.
        """
        a, t, n = tables.arrivals, tables.sync_runs, tables.notices
        return Tidied(
            raw=self._delete(a.c.arrived_at, before, _droppable(before, lasting)),
            runs=self._delete(t.c.finished, before, _has_newer_run()),
            notices=self._delete(n.c.handled_at, before, sa.true()),
        )

    def _delete(self, at: sa.Column[datetime], before: datetime, which: sa.ColumnElement[bool]) -> int:
        count, since = 0, sa.true()
        while True:
            batch = sa.select(at).where(at < before, since).order_by(at).limit(BATCH_ROWS).subquery()
            with self.database.read() as db:
                until = db.execute(sa.select(sa.func.max(batch.c[at.name]))).scalar()
            if until is None:
                return count
            with self.database.write(durable=False) as db:
                count += db.execute(sa.delete(at.table).where(since, at <= until, which)).rowcount
            since = at > until

    def compact(self, at_most: int | None = None) -> None:
        """Give the space of deleted rows back to the disk, if that is worthwhile. Writers of SQLite wait meanwhile.

        A SQLite file with more than ``at_most`` bytes in use is not rewritten. None is no limit.
        """
        self.database.compact(at_most)

    @reads
    def last_done(self, db: sa.Connection, chore: str) -> datetime | None:
        """Return when a regular chore, such as housekeeping, was last done for this store, or None."""
        found = holder_of(db, chore)
        return None if found is None else found[1]

    @reads
    def row_counts(self, db: sa.Connection) -> dict[str, int]:
        counted = {name: sa.select(sa.func.count()).select_from(one) for name, one in tables.metadata.tables.items()}
        return {name: db.execute(query).scalar_one() for name, query in sorted(counted.items())}

    @writes()
    def mark_done(self, db: sa.Connection, chore: str, holder: str, *, now: datetime) -> None:
        """Save that the process ``holder`` did a regular chore, such as housekeeping, at ``now``."""
        save_holder(db, chore, holder, now=now)

    @writes()
    def make_views(self, db: sa.Connection) -> list[str]:
        """Make the SQL views for other programs anew, and return their names in alphabetical order."""
        views.drop(db)
        views.make(db)
        return views.present(db)

    @writes()
    def drop_views(self, db: sa.Connection) -> None:
        views.drop(db)

    def backup(self, path: Path, progress: Progress = no_progress) -> None:
        """Write the store as of one instant into a new SQLite file. Other processes may write meanwhile.

        Raises SetupError if the file cannot be written, TryLater if the copy differs, and StoreFault if it is damaged.
        """
        if log_of(path).exists():  # a writer beside another file of its name would destroy that file
            raise SetupError(f"{path} is a database in use; write the backup into another file: bridge backup PATH")
        with as_setup_error(f"{path} cannot be written", "choose another place"), parts.part_of(path) as part:
            os.close(os.open(part, os.O_RDWR | os.O_CREAT, 0o600))
            self._copy_to(part, progress)
            if faults.damage(part) is not None:
                raise faults.fault(Fault.DAMAGED)

    def _copy_to(self, part: Path, progress: Progress) -> None:
        engine = self.database.engine
        if engine.dialect.name == "postgresql":
            with self.database.read() as db, closing(open_file(part)) as new, new.write() as to:
                fill(db, to, progress)
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

    def restore(self, path: Path, *, replace: bool, now: datetime, progress: Progress = no_progress) -> None:
        """Replace all data in this store by the backup at ``path``. On an error nothing is changed.

        Raises SetupError during a sync, for a bad backup, or if the store has users and ``replace`` is False, and
        TryLater if the copy differs.
        """
        explained = as_setup_error(
            f"{path} cannot be restored", "nothing was changed; see that the file can be read and the disk has room"
        )
        with explained, opened(path) as saved, self.database.write() as db, saved.read() as before:
            moving.hold(db)
            if _is_anything_leased(db, now):  # the sync would go on with the id of another connection
                raise SetupError("a sync is running; stop the daemon and all workers, and try again in five minutes")
            there = _has_users(db)
            if there and not replace:
                raise SetupError(
                    "this store has users; to delete them and restore the backup: bridge restore PATH --replace"
                )
            if there and not _has_users(before):
                raise SetupError(f"{path} holds no users; nothing was changed; choose another backup: bridge backups")
            fill(before, db, progress)


def _has_users(db: sa.Connection) -> bool:
    return db.execute(sa.select(tables.users.c.id).limit(1)).first() is not None


def count_users(database: Database) -> int:
    with database.read() as db:
        return int(db.execute(sa.select(sa.func.count()).select_from(tables.users)).scalar_one())


def _is_anything_leased(db: sa.Connection, now: datetime) -> bool:
    c = tables.connections.c
    return db.execute(sa.select(c.id).where(c.lease_until > now).limit(1)).first() is not None


def _droppable(before: datetime, lasting: Collection[tuple[str, str]]) -> sa.ColumnElement[bool]:
    r, a, s = tables.records.c, tables.arrivals.c, tables.sources.c
    stays = sa.or_(sa.false(), *(sa.and_(s.name == source, r.stream == stream) for source, stream in lasting))
    joined = tables.records.join(tables.connections).join(tables.sources)
    readable = sa.select(r.id).select_from(joined).where(r.id == a.record_id, r.reason.is_(None), ~stays).exists()
    return sa.and_(readable, ~_changed(a.record_id, before))


def _changed(record: sa.ColumnElement[int], before: datetime) -> sa.Exists:
    newer = tables.arrivals.alias("newer").c
    return sa.select(newer.id).where(newer.record_id == record, newer.arrived_at >= before).exists()


def _has_newer_run() -> sa.ColumnElement[bool]:
    t, newer = tables.sync_runs.c, tables.sync_runs.alias("newer").c
    return sa.select(newer.id).where(newer.connection_id == t.connection_id, newer.id > t.id).exists()


def fill(source: sa.Connection, target: sa.Connection, progress: Callable[[str], Step]) -> None:
    """Replace all rows of ``target`` by those of ``source``. Raises TryLater if the two differ afterwards."""
    for table in reversed(moving.ordered()):
        target.execute(sa.delete(table))
    unequal = [moved.table for moved in moving.copy(source, target, progress) if not moved.verified]
    if unequal:
        raise TryLater(f"the copy differs in {', '.join(unequal)} and is not kept; try again")


def open_file(path: Path) -> Database:
    return Database(sa.URL.create("sqlite", database=str(path)))


@contextmanager
def opened(path: Path) -> Iterator[Database]:
    """Yield a migrated copy of a backup during a ``with`` block. The backup itself does not change.

    Raises SetupError for a file that is not a whole database of a store.
    """
    beside = path.parent if os.access(path.parent, os.W_OK) else None  # the disk that had room for the backup
    if beside is not None:
        parts.drop_abandoned(beside)
    with tempfile.TemporaryDirectory(dir=beside, prefix=parts.RESTORING) as folder:
        own = Path(folder) / "backup.db"
        for there, copy in ((path, own), (log_of(path), log_of(own))):  # the log holds the last writes of a store
            if there.is_file():
                shutil.copyfile(there, copy)
        if not _is_store(own):
            raise SetupError(f"{path} is not a backup, or it is damaged; choose another: bridge backups")
        with closing(open_file(own)) as database:
            yield database


def _is_store(path: Path) -> bool:
    if faults.damage(path) is not None:
        return False
    with closing(sqlite3.connect(path)) as file:
        names = {name for (name,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        return names >= STORE_TABLES and file.execute("SELECT count(*) FROM alembic_version").fetchone() == (1,)


def set_damaged_aside(url: str, now: datetime) -> Path | None:
    """Rename a damaged SQLite database and return its new path. Return None if it is whole or not SQLite.

    Raises SetupError while a daemon uses the store.
    """
    named = sa.make_url(url)
    path = Path(named.database or "")
    if named.get_backend_name() != "sqlite" or not path.is_file() or faults.damage(path) is None:
        return None
    with closing(SingletonLock(sa.create_engine(named), "daemon")) as lock:
        if not lock.taken():
            raise SetupError("a daemon works at this store; stop it first, then do it again")
        aside = path.with_name(f"{path.name}.damaged-{now:%Y%m%dT%H%M%SZ}")
        for end in ("-shm", "-wal", ""):
            with suppress(FileNotFoundError):
                path.with_name(path.name + end).rename(aside.with_name(aside.name + end))
    return aside


def log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")
