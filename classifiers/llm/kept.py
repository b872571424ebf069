"""What is remembered between runs, in an SQLite file: answers under digests of titles, requests made, and rests due.

No title is in it. A digest of a short title can be found by guessing, so the file is for its owner's eyes alone.
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


class Kept:
    """Opened for each use, so that threads and processes can share the file. Every trouble with it is a Fault."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE

    def find(self, digests: Iterable[bytes]) -> dict[bytes, Said]:
        """The answers that are known."""
        query = "select action, confidence from labels where digest = ?"
        with self._opened() as file:
            rows = ((key, file.execute(query, (key,)).fetchone()) for key in digests)
            return {key: Said(ActionType(row[0]), row[1]) for key, row in rows if row and row[0] in NAMES}

    def put(self, answers: Mapping[bytes, Said]) -> None:
        """Remember answers for good."""
        rows = [(key, str(said.action), said.confidence) for key, said in answers.items()]
        with self._opened() as file:
            file.executemany("insert or replace into labels values (?, ?, ?)", rows)

    def claim(self, now: datetime, *, most: int) -> None:
        """Count one request of this day (UTC). Raises Fault when ``most`` were made or the service wants to rest."""
        day = now.date().isoformat()
        with self._opened() as file:
            file.execute("insert or ignore into requests values (?, 0)", (day,))  # takes the lock before it is looked
            file.execute("delete from requests where day < ?", (day,))
            if file.execute("select 1 from rest where until > ?", (now.timestamp(),)).fetchone():
                raise Fault("the service asked to be left alone")
            count = "update requests set made = made + 1 where day = ? and made < ?"
            if file.execute(count, (day, most)).rowcount != 1:
                raise Fault("the requests of this day are used up")

    def rest(self, now: datetime, seconds: float) -> None:
        """Let no request be claimed before ``seconds`` from now."""
        until = (now + timedelta(seconds=seconds)).timestamp()
        with self._opened() as file:
            file.execute("insert or replace into rest values (1, ?)", (until,))

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._path.touch(mode=0o600)
            with closing(sqlite3.connect(self._path, timeout=PATIENCE)) as file, file:
                for table in TABLES:
                    file.execute(table)
                yield file
        except (sqlite3.Error, OSError) as error:
            raise Fault(f"{FILE} cannot be used ({type(error).__name__})") from None
