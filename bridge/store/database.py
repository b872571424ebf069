"""The engine, its transactions (one per thread, nested ones join) and the migration on opening."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.pool import StaticPool

from bridge.errors import SetupError, TryLater
from bridge.store.schema import bring_up

BUSY_SECONDS = 30
WASTE = 0.2  # share of a file that is unused before it is written anew
FULL = "there is no room left for the database; make room, then do it again"
PASSING = {  # errors by their names in SQLite, by their numbers in PostgreSQL
    "SQLITE_BUSY": "another writes into the database for long; try again when it is done",
    "SQLITE_FULL": FULL,
    "53100": FULL,
}
IDLE = 0.5  # seconds after which a connection of the pool is looked at before it is used


class Database:
    """A migrated database. ``read`` and ``write`` give the thread's open transaction, or one of their own."""

    def __init__(self, url: str | sa.URL) -> None:
        self.engine = _engine(url)
        self._open = threading.local()
        in_memory = isinstance(self.engine.pool, StaticPool)  # all threads share its one connection: one at a time
        self._turn: AbstractContextManager[object] = threading.RLock() if in_memory else nullcontext()
        try:
            bring_up(self.engine)
        except BaseException as error:
            self.engine.dispose()
            if not isinstance(error, sa.exc.DatabaseError):  # no database, no permission, out of reach
                raise
            what = getattr(error.orig, "sqlite_errorname", type(error.orig).__name__)
            raise SetupError(
                f"the database cannot be opened ({what}); check BRIDGE_DATABASE or the address given"
            ) from error

    @contextmanager
    def write(self, *, durable: bool = True) -> Iterator[sa.Connection]:
        """A transaction that may write; what happens inside lands together or not at all.

        Not ``durable``: it does not wait for the disk. The outermost transaction decides. Raises TryLater on a full
        disk, and where SQLite's one writer is another for longer than ``BUSY_SECONDS``.
        """
        current: sa.Connection | None = getattr(self._open, "connection", None)
        if current is not None:
            yield current
            return
        options = {"bridge_durable": durable}
        with _passing(), self._turn, self._connected(**options) as connection, connection.begin():
            if durable and connection.dialect.name == "postgresql":
                connection.exec_driver_sql("SET LOCAL synchronous_commit TO on")
            self._open.connection = connection
            try:
                yield connection
            finally:
                self._open.connection = None

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """One consistent view for all queries inside; it does not wait for writers."""
        current: sa.Connection | None = getattr(self._open, "connection", None)
        if current is not None:
            yield current
            return
        options: dict[str, Any] = {"bridge_reads": True}
        if self.engine.dialect.name == "postgresql":  # or a row that moves to the revisions is seen twice or not at all
            options["isolation_level"] = "REPEATABLE READ"
        with self._turn, self._connected(**options) as connection:
            yield connection

    def _connected(self, **options: Any) -> sa.Connection:
        return self.engine.connect().execution_options(**options)

    def close(self) -> None:
        self.engine.dispose()

    def scrub(self) -> None:
        """Give deleted rows' space back, so that no file of the database holds them any longer."""
        if self.engine.dialect.name == "postgresql":
            self._alone("VACUUM FULL")
            return
        with self._raw() as raw:
            raw.cursor().execute("VACUUM")
            busy, *_ = raw.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:  # SQLite says so and raises nothing
            raise sqlite3.OperationalError("another reads it for long")

    def scrub_of(self, *small: sa.Table) -> None:
        """The same for few rows of small tables; on SQLite, for those that were overwritten as they were deleted."""
        if self.engine.dialect.name == "postgresql":
            self._alone(f"VACUUM FULL {', '.join(table.name for table in small)}")
            return
        with self._raw() as raw:
            raw.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _alone(self, statement: str) -> None:
        """On PostgreSQL, outside of any transaction."""
        with self.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(sa.text(statement))

    def compact(self, at_most: int | None = None) -> None:
        """Give back the space of what was deleted. SQLite's writers wait for as long as a file is written anew, so a
        larger one than ``at_most`` bytes is not: what comes next takes the space that is free in it."""
        if self.engine.dialect.name == "postgresql":
            self._alone("VACUUM ANALYZE")
            return
        with self._raw() as raw:
            asked = ("page_count", "freelist_count", "page_size")
            pages, unused, size = (raw.cursor().execute(f"PRAGMA {what}").fetchone()[0] for what in asked)
            small = at_most is None or (pages - unused) * size <= at_most
            rewrite = ("VACUUM",) if small and unused > WASTE * pages else ()
            for statement in (*rewrite, "PRAGMA optimize", "PRAGMA wal_checkpoint(PASSIVE)"):
                raw.cursor().execute(statement)

    @contextmanager
    def _raw(self) -> Iterator[Any]:
        """SQLite's own connection, in no transaction of anybody: SQLAlchemy would begin one, and VACUUM refuses it."""
        with self._turn, closing(self.engine.raw_connection()) as raw:
            yield raw


@contextmanager
def _passing() -> Iterator[None]:
    """What passes is to be tried again, and no defect."""
    try:
        yield
    except sa.exc.OperationalError as error:
        kinds = {getattr(error.orig, name, None) for name in ("sqlite_errorname", "sqlstate")}
        for kind, why in PASSING.items():
            if kind in kinds:
                raise TryLater(why) from error
        raise


def _engine(url: str | sa.URL) -> sa.Engine:
    try:
        parsed = sa.make_url(url)
    except sa.exc.ArgumentError:
        raise SetupError("that is no database address; write it like sqlite:///path or postgresql://...") from None
    if parsed.drivername in ("postgresql", "postgres"):
        return _postgres(parsed.set(drivername="postgresql+psycopg"))
    if parsed.drivername != "sqlite":
        raise SetupError(f"{parsed.drivername} databases are not supported; write sqlite:///path or postgresql://...")
    return _sqlite(parsed)


def _postgres(url: sa.URL) -> sa.Engine:
    try:
        engine = sa.create_engine(
            url.update_query_dict({"options": f"{url.query.get('options', '')} -c synchronous_commit=off"}),
            hide_parameters=True,  # in errors: they are personal
            isolation_level="READ COMMITTED",
            pool_size=10,
            max_overflow=90,  # a thread that syncs may hold two; the server has the last word
        )
    except ModuleNotFoundError:
        raise SetupError("PostgreSQL needs its driver: pip install 'rhythm-bridge[postgres]'") from None
    sa.event.listen(engine, "checkout", _look)
    sa.event.listen(engine, "checkin", _leave)
    return engine


def _leave(_connection: Any, record: Any) -> None:
    record.info["bridge_left"] = time.monotonic()


def _look(connection: Any, record: Any, _proxy: Any) -> None:
    """One that lay idle may have been cut off: then there is another. Asking every time would cost a sync's third."""
    if time.monotonic() - record.info.get("bridge_left", float("inf")) < IDLE:
        return
    try:
        connection.autocommit = True
        connection.execute("SELECT 1")
        connection.autocommit = False
    except Exception as error:
        raise sa.exc.DisconnectionError from error


def _sqlite(url: sa.URL) -> sa.Engine:
    options: dict[str, Any] = {"connect_args": {"timeout": BUSY_SECONDS, "check_same_thread": False}}
    options["hide_parameters"] = True  # in errors: they are personal
    if url.database:
        _make_private(Path(url.database))
    else:
        options["poolclass"] = StaticPool
    engine = sa.create_engine(url, **options)
    sa.event.listen(engine, "connect", _prepare_sqlite)
    sa.event.listen(engine, "begin", _begin_sqlite)
    return engine


def _make_private(path: Path) -> None:
    """The file exists and belongs to its owner alone before the first byte is in it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        raise SetupError(
            f"{path} cannot be opened ({error.strerror}); check BRIDGE_HOME and BRIDGE_DATABASE"
        ) from error


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # we say BEGIN ourselves: the driver would begin too late for reads
    for pragma in ("journal_mode=WAL", "foreign_keys=ON", f"busy_timeout={BUSY_SECONDS * 1000}", "synchronous=FULL"):
        connection.execute(f"PRAGMA {pragma}").close()


def _begin_sqlite(connection: sa.Connection) -> None:
    options = connection.get_execution_options()
    if options.get("bridge_reads", False):
        connection.exec_driver_sql("BEGIN")
        return
    durable = options.get("bridge_durable", True)
    if connection.info.get("bridge_durable", True) is not durable:  # in WAL mode a later durable one saves those before
        connection.exec_driver_sql(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
        connection.info["bridge_durable"] = durable
    connection.exec_driver_sql("BEGIN IMMEDIATE")
