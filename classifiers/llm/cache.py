"""Stored answers, request counts and rate limits in an SQLite file.

The file holds digests instead of titles. Digests of short titles can be guessed, so only the owner may read the file.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from pathlib import Path

from classifiers.llm.answer import NAMES, Said
from rhythm_env.chat.fault import Fault
from rhythm_env.interface import ActionType

FILE = "llm.db"
PATIENCE = 5.0  # seconds to wait for another process that writes
TABLES = (
    "create table if not exists labels (digest blob primary key, action text not null, confidence real not null)",
    "create table if not exists requests (day text primary key, made integer not null)",  # day: ISO date, UTC
    "create table if not exists rest (one integer primary key check (one = 1), until real not null)",  # seconds, Unix
)


class AnswerCache:
    """The file, opened for each use so that threads and processes can share it. Every failure is a Fault."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE

    def find(self, digests: Iterable[bytes]) -> dict[bytes, Said]:
        """Return the stored answers."""
        query = "select action, confidence from labels where digest = ?"
        with self._opened() as file:
            rows = ((key, file.execute(query, (key,)).fetchone()) for key in digests)
            return {key: Said(ActionType(row[0]), row[1]) for key, row in rows if row and row[0] in NAMES}

    def put(self, answers: Mapping[bytes, Said]) -> None:
        """Store answers permanently."""
        rows = [(key, str(said.action), said.confidence) for key, said in answers.items()]
        with self._opened() as file:
            file.executemany("insert or replace into labels values (?, ?, ?)", rows)

    def claim(self, now: datetime, *, most: int) -> None:
        """Count a request of this day (UTC). Raises Fault after ``most`` requests, and while the service limits the
        rate.
        """
        day = now.date().isoformat()
        with self._opened() as file:
            file.execute("insert or ignore into requests values (?, 0)", (day,))  # takes the write lock before reading
            file.execute("delete from requests where day < ?", (day,))
            if file.execute("select 1 from rest where until > ?", (now.timestamp(),)).fetchone():
                raise Fault("the service asked to be left alone")
            count = "update requests set made = made + 1 where day = ? and made < ?"
            if file.execute(count, (day, most)).rowcount != 1:
                raise Fault("the requests of this day are used up")

    def pause(self, now: datetime, seconds: float) -> None:
        """Allow no request until ``seconds`` from now."""
        until = (now + timedelta(seconds=seconds)).timestamp()
        with self._opened() as file:
            file.execute("insert or replace into rest values (1, ?)", (until,))

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """Open the file and create its tables. Raises Fault if the file cannot be used."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._path.touch(mode=0o600)
            with closing(sqlite3.connect(self._path, timeout=PATIENCE)) as file, file:
                for table in TABLES:
                    file.execute(table)
                yield file
        except (sqlite3.Error, OSError) as error:
            raise Fault(f"{FILE} cannot be used ({type(error).__name__})") from None
