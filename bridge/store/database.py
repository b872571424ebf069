"""Open the database and its transactions. Nested calls share a transaction."""

from __future__ import annotations

import os
import select
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import sqlalchemy as sa
from sqlalchemy.pool import StaticPool

from bridge import origin
from bridge.domain.errors import Fault, SetupError, StoreFault
from bridge.domain.languages import say
from bridge.store import faults
from bridge.store.schema import create_or_migrate
from bridge.store.tables import metadata

BUSY_SECONDS = 30
UNUSED_SHARE_MAX = 0.2  # of a SQLite file, before the file is rewritten
OF_THE_STORE = (Fault.DAMAGED, Fault.LOCKED)  # faults that another place for a file does not mend
NO_DATABASE = "SQLITE_NOTADB"


class Database:
    """A database, migrated when it is opened. ``read`` and ``write`` join this thread's transaction, or open one.

    Raises StoreFault for a full, read-only, locked or damaged database, and SetupError for one that cannot be opened.
    """

    def __init__(self, url: str | sa.URL) -> None:
        self.engine = _engine(url)
        named = self.engine.url.database if self.engine.dialect.name == "sqlite" else None
        self.path = Path(named) if named else None  # of SQLite's file
        self.fault: Fault | None = None  # of the last transaction
        self._open = threading.local()
        in_memory = isinstance(self.engine.pool, StaticPool)  # all threads share a connection and take turns
        self._turn: AbstractContextManager[object] = threading.RLock() if in_memory else nullcontext()
        try:
            create_or_migrate(self.engine)
        except BaseException as error:
            self.engine.dispose()
            if not isinstance(error, sa.exc.DatabaseError):  # no database, no permission, out of reach
                raise
            what = getattr(error.orig, "sqlite_errorname", type(error.orig).__name__)
            kind = self._kind_of(error)
            if kind is not None and what != NO_DATABASE:
                raise faults.fault(kind) from error
            raise SetupError(
                f"the database cannot be opened ({what}); check BRIDGE_DATABASE or the address given"
            ) from error

    def _kind_of(self, error: BaseException) -> Fault | None:
        return faults.kind_of(error, None if self.path is None else self.path.parent)

    @contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except (sa.exc.DBAPIError, sqlite3.Error) as error:
            kind = self._kind_of(error)
            if kind is None:
                raise
            self.fault = kind
            raise faults.fault(kind) from error

    def damage(self) -> str | None:
        """Read all rows, and return a text that says what is damaged, or None.

        In PostgreSQL only page checksums are counted, if the cluster has them. Raises StoreFault if reading fails.
        """
        if self.path is not None:
            return faults.damage(self.path)
        if self.engine.dialect.name == "sqlite":
            return None
        query = "SELECT checksum_failures FROM pg_stat_database WHERE datname = current_database()"
        with self.read() as db:
            count = db.execute(sa.text(query)).scalar()
            for way in ("indexscan", "indexonlyscan", "bitmapscan"):
                db.execute(sa.text(f"SET LOCAL enable_{way} = off"))  # the rows are read, and no index in their place
            for table in () if count else metadata.tables.values():
                db.execute(sa.select(sa.func.count()).select_from(table))
        return f"pages did not match their checksums {count} times" if count else None

    @contextmanager
    def write(self, *, durable: bool = True) -> Iterator[sa.Connection]:
        """Open a transaction that may write, or join this thread's open transaction, and yield its connection.

        If not ``durable``, the commit does not wait for the disk. Raises StoreFault, for example on a full disk.
        """
        current: sa.Connection | None = getattr(self._open, "connection", None)
        if current is not None:
            yield current
            return
        with self._telling(), self._turn, self.engine.connect() as connection, connection.begin():
            if connection.dialect.name == "sqlite":
                _begin_to_write(connection, durable=durable)
            elif durable:
                connection.exec_driver_sql("SET LOCAL synchronous_commit TO on")
            self._open.connection = connection
            try:
                yield connection
            finally:
                self._open.connection = None
        if self.fault is not Fault.DAMAGED:
            self.fault = None

    def joined(self) -> sa.Connection | None:
        """Return the connection of this thread's open transaction or view, or None."""
        return getattr(self._open, "connection", None) or getattr(self._open, "reading", None)

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """Yield a connection whose queries all see the same state.

        It is that of this thread's open transaction, if any.
        """
        if (current := self.joined()) is not None:
            yield current
            return
        with self._telling(), self._turn, self.engine.connect() as connection:
            if connection.dialect.name == "sqlite":
                connection.exec_driver_sql("BEGIN")
            else:  # otherwise a row moving to the revisions is seen twice or never
                connection.execution_options(isolation_level="REPEATABLE READ")
            self._open.reading = connection
            try:
                yield connection
            finally:
                self._open.reading = None

    def state(self) -> tuple[object, ...] | None:
        """Return a value that changes with every change of the database, or None if that cannot be told.

        It cannot on PostgreSQL, nor within a transaction that writes, which may be rolled back.
        """
        if self.engine.dialect.name != "sqlite" or getattr(self._open, "connection", None) is not None:
            return None
        with self.read() as db:
            raw: Any = db.connection.dbapi_connection
            return raw, raw.total_changes, raw.execute("PRAGMA data_version").fetchone()[0]

    def close(self) -> None:
        self.engine.dispose()

    def scrub(self) -> None:
        """Rewrite the whole database, so that its files no longer hold deleted rows.

        Raises ``sqlite3.OperationalError`` if another process keeps reading a SQLite database.
        """
        if self.engine.dialect.name == "postgresql":
            self._alone("VACUUM FULL")
            return
        with self._raw() as raw:
            raw.cursor().execute("VACUUM")
            busy, *_ = raw.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:  # SQLite reports this without an error
            raise sqlite3.OperationalError("another process reads it for long")

    def scrub_tables(self, *small: sa.Table) -> None:
        """Rewrite small tables on PostgreSQL, so that its files no longer hold their deleted rows."""
        if self.engine.dialect.name == "postgresql":
            self._alone(f"VACUUM FULL {', '.join(table.name for table in small)}")
            return
        with self._raw() as raw:
            raw.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _alone(self, statement: str) -> None:
        with self.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(sa.text(statement))

    def compact(self, at_most: int | None = None) -> None:
        """Give the space of deleted rows back to the disk, if that is worthwhile. Writers of SQLite wait meanwhile.

        A SQLite file is rewritten only if at most ``at_most`` bytes are in use (None is no limit). Raises StoreFault,
        for example while another process writes.
        """
        if self.engine.dialect.name == "postgresql":
            with self._telling():
                self._alone("VACUUM (ANALYZE) arrivals, notices, sync_runs")  # what housekeeping deletes from
            return
        with self._telling(), self._raw() as raw:
            asked = ("page_count", "freelist_count", "page_size")
            pages, unused, size = (raw.cursor().execute(f"PRAGMA {what}").fetchone()[0] for what in asked)
            small = at_most is None or (pages - unused) * size <= at_most
            rewrite = ("VACUUM",) if small and unused > UNUSED_SHARE_MAX * pages else ()
            for statement in (*rewrite, "PRAGMA optimize", "PRAGMA wal_checkpoint(PASSIVE)"):
                raw.cursor().execute(statement)

    @contextmanager
    def _raw(self) -> Iterator[Any]:
        """Yield SQLite's own connection without a transaction, because VACUUM refuses to run in a transaction."""
        with self._turn, closing(self.engine.raw_connection()) as raw:
            yield raw


class Part:
    """The base class of a part of the store.

    The decorators ``reads`` and ``writes`` pass connections to its methods.
    """

    def __init__(self, database: Database) -> None:
        self.database = database


P = ParamSpec("P")
R = TypeVar("R")
SomePart = TypeVar("SomePart", bound=Part)


def reads(method: Callable[Concatenate[SomePart, sa.Connection, P], R]) -> Callable[Concatenate[SomePart, P], R]:
    """Decorate a method that reads, so that callers omit ``db``, which is the open transaction or a new one."""

    @wraps(method)
    def call(part: SomePart, /, *args: P.args, **kwargs: P.kwargs) -> R:
        if (joined := part.database.joined()) is not None:
            return method(part, joined, *args, **kwargs)
        with part.database.read() as db:
            return method(part, db, *args, **kwargs)

    return call


def writes(
    *, durable: bool = True
) -> Callable[[Callable[Concatenate[SomePart, sa.Connection, P], R]], Callable[Concatenate[SomePart, P], R]]:
    """Return a decorator for a method that writes, so that callers omit ``db``, the open transaction or a new one."""

    def decorate(
        method: Callable[Concatenate[SomePart, sa.Connection, P], R],
    ) -> Callable[Concatenate[SomePart, P], R]:
        @wraps(method)
        def call(part: SomePart, /, *args: P.args, **kwargs: P.kwargs) -> R:
            with part.database.write(durable=durable) as db:
                return method(part, db, *args, **kwargs)

        return call

    return decorate


@contextmanager
def as_setup_error(what: str, then: str) -> Iterator[None]:
    """Turn a file error or SQLite error in a ``with`` block into a SetupError.

    Its text is "{what} (reason of the error), {then}".
    """
    try:
        yield
    except (OSError, sqlite3.Error, sa.exc.DBAPIError, StoreFault) as error:
        cause: BaseException | None = error.__cause__ if isinstance(error, StoreFault) else error
        cause = cause.orig if isinstance(cause, sa.exc.DBAPIError) else cause
        kind = faults.kind_of(error)
        if not isinstance(cause, OSError | sqlite3.Error) or (isinstance(error, StoreFault) and kind in OF_THE_STORE):
            raise
        if kind is Fault.DAMAGED:
            raise faults.fault(kind) from error
        why = cause.strerror if isinstance(cause, OSError) else cause
        raise SetupError(f"{what} ({why}); {then}") from error


def _engine(url: str | sa.URL) -> sa.Engine:
    try:
        parsed = sa.make_url(url)
    except sa.exc.ArgumentError:
        raise SetupError(
            "the database address cannot be read; write it like sqlite:///path or postgresql://..., in BRIDGE_DATABASE "
            "or where you gave it"
        ) from None
    if parsed.drivername in ("postgresql", "postgres"):
        return _postgres(parsed.set(drivername="postgresql+psycopg"))
    if parsed.drivername != "sqlite":
        raise SetupError(f"{parsed.drivername} databases are not supported; write sqlite:///path or postgresql://...")
    return _sqlite(parsed)


def _postgres(url: sa.URL) -> sa.Engine:
    try:
        engine = sa.create_engine(
            url.update_query_dict({"options": f"{url.query.get('options', '')} -c synchronous_commit=off"}),
            hide_parameters=True,  # parameters in errors would be personal data
            isolation_level="READ COMMITTED",
            pool_size=10,
            max_overflow=90,  # a syncing thread may hold two; the server limits them too
        )
    except ModuleNotFoundError:
        raise origin.lacking("postgres") from None
    sa.event.listen(engine, "checkout", _check)
    return engine


def has_spoken(connection: Any) -> bool:
    """Return True if the server has sent something on an idle psycopg connection, for example because it closed it."""
    if connection.closed:
        return True
    waiting = select.poll()
    waiting.register(connection.fileno(), select.POLLIN)
    return bool(waiting.poll(0))


def _check(connection: Any, _record: Any, _proxy: Any) -> None:
    """Test a pooled connection before use, but only if the server has sent something, because testing is slow."""
    if not has_spoken(connection):
        return
    try:
        connection.autocommit = True
        connection.execute("SELECT 1")
        connection.autocommit = False
    except Exception as error:
        raise sa.exc.DisconnectionError from error


def _sqlite(url: sa.URL) -> sa.Engine:
    options: dict[str, Any] = {"connect_args": {"timeout": BUSY_SECONDS, "check_same_thread": False}}
    options["hide_parameters"] = True  # parameters in errors would be personal data
    if url.database:
        _make_private(Path(url.database))
    else:
        options["poolclass"] = StaticPool
    engine = sa.create_engine(url, **options)
    sa.event.listen(engine, "connect", _prepare_sqlite)
    return engine  # transactions begin by hand: an event for that would slow every statement down by a sixth


def _make_private(path: Path) -> None:
    """Create a SQLite file that only its owner can read (mode 0600), unless it exists."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        if kind := faults.kind_of(error):
            raise faults.fault(kind) from error
        raise SetupError(
            f"{path} cannot be opened ({error.strerror}); check BRIDGE_HOME and BRIDGE_DATABASE"
        ) from error


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # ``Database`` begins, because the driver would begin too late
    for pragma in ("journal_mode=WAL", "foreign_keys=ON", f"busy_timeout={BUSY_SECONDS * 1000}", "synchronous=FULL"):
        connection.execute(f"PRAGMA {pragma}").close()


def _begin_to_write(connection: sa.Connection, *, durable: bool) -> None:
    if connection.info.get("bridge_durable", True) is not durable:  # in WAL mode, the next durable one saves all
        connection.exec_driver_sql(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
        connection.info["bridge_durable"] = durable
    connection.exec_driver_sql("BEGIN IMMEDIATE")


OUTAGE_TEXT = say("the database does not answer; try again in half a minute, or see: bridge doctor")


OUTAGE_RETRY_SECONDS = 30


_DOWN = (sa.exc.OperationalError, sa.exc.InterfaceError, sa.exc.TimeoutError)


def is_outage(error: BaseException) -> bool:
    """Return True if an error means that the database is unreachable, locked or damaged."""
    return isinstance(error, _DOWN) or type(error) is sa.exc.DatabaseError
