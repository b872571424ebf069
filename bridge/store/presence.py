"""Being the only one of a kind at a store, for as long as the process lives."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import suppress
from datetime import datetime

import sqlalchemy as sa

from bridge.store import locks, tables

LAST = 1.0  # seconds for what is said at the end


class Presence:
    """A named lock that is tried, never waited for: an advisory lock on PostgreSQL, a file beside SQLite's.

    ``taken`` again where the database was away in between: its session ended there, and the lock with it.
    """

    def __init__(self, engine: sa.Engine, name: str) -> None:
        self._engine, self._name = engine, name
        self._file: sqlite3.Connection | None = None
        self._session: sa.Connection | None = None

    def taken(self) -> bool:
        """Whether it is ours, now or still. Raises the database's error where that cannot be asked."""
        if self._engine.dialect.name == "postgresql":
            return self._asked()
        path = self._engine.url.database
        if not path:
            return True  # a store in memory is seen by this process alone
        if self._file is None:
            self._file = sqlite3.connect(
                f"{path}.{self._name}.lock", timeout=0, isolation_level=None, check_same_thread=False
            )
        return self._file.in_transaction or locks.exclusive(self._file)

    def _asked(self) -> bool:
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
        if session.scalar(sa.select(sa.func.pg_try_advisory_lock(locks.number(self._name)))):
            self._session = session
            return True
        session.close()
        return False

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
        if self._session is not None:
            last = threading.Thread(target=self._unlock, args=(self._session,), daemon=True)
            last.start()
            last.join(LAST)  # a database that does not answer is not waited for: the lock ends with the process
        self._file = self._session = None

    def _unlock(self, session: sa.Connection) -> None:
        """Said before the session ends: PostgreSQL notices a session's end only some time after it."""
        with suppress(sa.exc.DBAPIError):
            session.execute(sa.select(sa.func.pg_advisory_unlock(locks.number(self._name))))
        session.invalidate()
        session.close()


def announce(db: sa.Connection, name: str, holder: str, *, now: datetime) -> None:
    """Write down who is there, for those who come later."""
    p = tables.presences
    db.execute(sa.delete(p).where(p.c.name == name))
    db.execute(sa.insert(p).values(name=name, holder=holder, since=now))


def announced(db: sa.Connection, name: str) -> tuple[str, datetime] | None:
    p = tables.presences.c
    row = db.execute(sa.select(p.holder, p.since).where(p.name == name)).first()
    return None if row is None else (row.holder, row.since)
