"""Locks that hold between processes and end with the one that holds them, also when it is killed."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import sqlalchemy as sa

from bridge.errors import TryLater

PATIENCE = 90.0  # seconds: longer than a token server may take to answer
PAUSE = 0.02  # seconds between two tries


class Locks:
    """Named locks of one database: advisory locks on PostgreSQL, the lock of a file of its own beside SQLite's.

    A thread that holds a lock may take it again.
    """

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._mine = threading.local()
        self._in_memory = threading.RLock()

    @contextmanager
    def hold(self, name: str) -> Iterator[None]:
        """Raises TryLater when another holds it for a minute and a half."""
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
            with closing(sqlite3.connect(f"{path}.{name}.lock", timeout=0, isolation_level=None)) as file:
                _wait(lambda: exclusive(file))
                yield
        else:
            with self._in_memory:
                yield

    @contextmanager
    def _advisory(self, name: str) -> Iterator[None]:
        with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            _wait(lambda: bool(connection.scalar(sa.select(sa.func.pg_try_advisory_lock(number(name))))))
            try:
                yield
            finally:
                connection.execute(sa.select(sa.func.pg_advisory_unlock(number(name))))


def number(name: str) -> int:
    """A name as PostgreSQL takes it for an advisory lock."""
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), signed=True)


def exclusive(file: sqlite3.Connection) -> bool:
    """Try to take a file's lock."""
    try:
        file.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError:
        return False
    return True


def _wait(taken: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not taken():
        if time.monotonic() > end:
            raise TryLater("another process holds what this one needs")
        time.sleep(PAUSE)
