"""Hold locks between processes, and limit the rate of requests to a source over all processes.

A lock ends with its process, even if that is killed. Requests are counted by the generic cell rate algorithm (ITU-T
I.371, annex A), by which at most a minute's requests can be sent at once.
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from bridge.domain.errors import Fault, StoreFault, TryLater
from bridge.store import faults, tables
from bridge.store.database import Part, reads, writes
from bridge.store.inserts import insert_of

LOCK_TIMEOUT_SECONDS = 90.0  # longer than a token server may take to answer
LOCK_POLL_SECONDS = 0.02  # between two tries
UNLOCK_TIMEOUT_SECONDS = 1.0  # for a database that does not answer when a singleton lock is closed

WINDOW = timedelta(minutes=1)  # vendors count requests by the minute
CLOCK_TOLERANCE = timedelta(minutes=2)  # beyond that, a clock that was ahead has reserved
PREFIX = "rate "  # of the names under which the instants lie among the singletons
_s = tables.singletons.c
_since = sa.type_coerce(_s.since, sa.BigInteger)


class Locks:
    """Named locks, which are advisory locks of PostgreSQL or locked files beside a SQLite database.

    A thread may take a lock that it holds again.
    """

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._mine = threading.local()
        self._in_memory = threading.RLock()

    @contextmanager
    def hold(self, name: str) -> Iterator[None]:
        """Hold the lock ``name`` during a ``with`` block. Raises TryLater if it is not free in time."""
        held: set[str] = self._mine.__dict__.setdefault("held", set())
        if name in held:
            yield
            return
        with self._taken(name):
            held.add(name)
            try:
                yield
            finally:
                held.discard(name)

    @contextmanager
    def _taken(self, name: str) -> Iterator[None]:
        path = self._engine.url.database
        if self._engine.dialect.name == "postgresql":
            with self._advisory(name):
                yield
        elif path:
            with closing(_lock_file(self._engine, name)) as file:
                _wait(lambda: _try_exclusive(file, self._engine))
                yield
        else:
            with self._in_memory:
                yield

    @contextmanager
    def _advisory(self, name: str) -> Iterator[None]:
        with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            number = advisory_lock_number(name)
            _wait(lambda: bool(connection.scalar(sa.select(sa.func.pg_try_advisory_lock(number)))))
            try:
                yield
            finally:
                connection.execute(sa.select(sa.func.pg_advisory_unlock(number)))


class SingletonLock:
    """A named lock that only one process can hold. Processes try to take it and never wait for it."""

    def __init__(self, engine: sa.Engine, name: str) -> None:
        self._engine, self._name = engine, name
        self._file: sqlite3.Connection | None = None
        self._session: sa.Connection | None = None

    def taken(self) -> bool:
        """Try to take the lock. Return True if this process holds it now.

        A store in memory always gives True. Raises StoreFault, or the database's own error during an outage.
        """
        if self._engine.dialect.name == "postgresql":
            return self._advisory_lock_taken()
        if not self._engine.url.database:
            return True  # only this process sees a store in memory
        if self._file is None:
            self._file = _lock_file(self._engine, self._name)
        return self._file.in_transaction or _try_exclusive(self._file, self._engine)

    def _advisory_lock_taken(self) -> bool:
        if self._session is not None:
            try:
                self._session.execute(sa.text("SELECT 1"))
            except sa.exc.DBAPIError:
                self._session.invalidate()
                self._session.close()
                self._session = None
            else:
                return True
        session = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        if session.scalar(sa.select(sa.func.pg_try_advisory_lock(advisory_lock_number(self._name)))):
            self._session = session
            return True
        session.close()
        return False

    def close(self) -> None:
        """Release the lock, with a time limit if the database does not answer."""
        if self._file is not None:
            self._file.close()
        if self._session is not None:
            thread = threading.Thread(target=self._unlock, args=(self._session,), daemon=True)
            thread.start()
            thread.join(UNLOCK_TIMEOUT_SECONDS)  # the lock ends with the process in any case
        self._file = self._session = None

    def _unlock(self, session: sa.Connection) -> None:
        with suppress(sa.exc.DBAPIError):
            session.execute(sa.select(sa.func.pg_advisory_unlock(advisory_lock_number(self._name))))
        session.invalidate()
        session.close()


def save_holder(db: sa.Connection, name: str, holder: str, *, now: datetime) -> None:
    """Save which process (``holder``) holds a lock, or did a regular chore, since ``now``."""
    s = tables.singletons
    db.execute(sa.delete(s).where(s.c.name == name))
    db.execute(sa.insert(s).values(name=name, holder=holder, since=now))


def holder_of(db: sa.Connection, name: str) -> tuple[str, datetime] | None:
    """Return (holder, since when) as saved for a lock or chore, or None. The holder's process may have ended."""
    s = tables.singletons.c
    row = db.execute(sa.select(s.holder, s.since).where(s.name == name)).first()
    return None if row is None else (row.holder, row.since)


def advisory_lock_number(name: str) -> int:
    """Return the number of PostgreSQL's advisory lock for the lock ``name``."""
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), signed=True)


def _lock_file(engine: sa.Engine, name: str) -> sqlite3.Connection:
    with _telling(engine):
        file = f"{engine.url.database}.{name}.lock"
        return sqlite3.connect(file, timeout=0, isolation_level=None, check_same_thread=False)


def _try_exclusive(file: sqlite3.Connection, engine: sa.Engine) -> bool:
    try:
        with _telling(engine):
            file.execute("BEGIN EXCLUSIVE")
    except StoreFault as error:
        if error.kind is not Fault.LOCKED:
            raise
        return False
    return True


@contextmanager
def _telling(engine: sa.Engine) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        kind = faults.kind_of(error, Path(engine.url.database or "").parent)
        if kind is None:
            raise
        raise faults.fault(kind) from error


def _wait(taken: Callable[[], bool]) -> None:
    end = time.monotonic() + LOCK_TIMEOUT_SECONDS
    while not taken():
        if time.monotonic() > end:
            raise TryLater(
                "another process of the bridge has held a lock for 90 seconds; wait until it is done, then try again"
            )
        time.sleep(LOCK_POLL_SECONDS)


class Rates(Part):
    """The part of the store that limits the rate of requests to sources."""

    @writes(durable=False)
    def reserve(
        self, db: sa.Connection, source: str, worth: timedelta, *, now: datetime, patience: timedelta
    ) -> timedelta:
        """Reserve requests to a source that take up the time ``worth`` at its rate. Return how long to wait for them.

        If the wait would be longer than ``patience``, it is returned and nothing is reserved.
        """
        at, cost = tables.microseconds(now), _span(worth)
        used: int | None = db.execute(
            _reserve(db.dialect.name), {"name": PREFIX + source, "at": at, "cost": cost, "ahead": _span(patience)}
        ).scalar()
        if used is None:
            used = cost + db.execute(sa.select(_since).where(_s.name == PREFIX + source)).scalar_one()
        return max(timedelta(0), timedelta(microseconds=used - at))

    @reads
    def room(self, db: sa.Connection, rates: dict[str, float], *, now: datetime) -> dict[str, int]:
        """Return source -> number of requests that may be sent at once now. ``rates`` are requests per second."""
        names: Collection[str] = [PREFIX + source for source in rates]
        query = sa.select(_s.name, _s.since).where(_s.name.in_(names))
        used = {row.name.removeprefix(PREFIX): row.since for row in db.execute(query)} if names else {}
        return {
            source: int((now - max(used.get(source, now - WINDOW), now - WINDOW)).total_seconds() * rate)
            for source, rate in rates.items()
        }


def _span(time: timedelta) -> int:
    return time // timedelta(microseconds=1)


@cache
def _reserve(dialect: str) -> Any:
    """Return the statement that reserves requests that take up ``cost`` microseconds, unless too many are reserved."""
    at, cost, ahead = (sa.bindparam(name, type_=sa.BigInteger) for name in ("at", "cost", "ahead"))
    unused = at - _span(WINDOW)
    broken = _since > at + _span(CLOCK_TOLERANCE)
    moved = sa.case((sa.or_(broken, _since < unused), unused), else_=_since) + cost
    new = insert_of(dialect, tables.singletons).values(name=sa.bindparam("name"), holder="", since=unused + cost)
    settled = new.on_conflict_do_update(index_elements=[_s.name], set_={"since": moved}, where=moved <= at + ahead)
    return settled.returning(_since)
