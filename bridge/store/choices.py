"""Permissions of assistants, and resets, in the tables."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa

from bridge.ports.choices import Reset
from bridge.store import names
from bridge.store.database import Database
from bridge.store.tables import consents, resets


class SqlChoices:
    """``bridge.ports.choices.Choices`` on a database."""

    def __init__(self, database: Database) -> None:
        self._read, self._write = database.read, database.write

    def allow(self, user_id: int, tool: str, *, now: datetime) -> None:
        values = {"user_id": user_id, "tool": tool, "given_at": now}
        with self._write() as db:
            db.execute(names.insert_into(db, consents).values(**values).on_conflict_do_nothing())

    def refuse(self, user_id: int, tool: str) -> bool:
        mine = sa.and_(consents.c.user_id == user_id, consents.c.tool == tool)
        with self._write() as db:
            return db.execute(sa.delete(consents).where(mine)).rowcount > 0

    def allowed(self, user_id: int) -> dict[str, datetime]:
        query = sa.select(consents).where(consents.c.user_id == user_id).order_by(consents.c.tool)
        with self._read() as db:
            return {row.tool: row.given_at for row in db.execute(query)}

    def reset(self, user_id: int, *, now: datetime) -> None:
        with self._write() as db:
            db.execute(sa.insert(resets).values(user_id=user_id, made_at=now))

    def take_back_reset(self, user_id: int, *, now: datetime) -> datetime | None:
        with self._write() as db:
            counting = (row for row in _newest_first(db, user_id) if row.taken_back_at is None)
            newest = next(counting, None)
            if newest is None:
                return None
            db.execute(sa.update(resets).where(resets.c.id == newest.id).values(taken_back_at=now))
        made: datetime = newest.made_at
        return made

    def resets(self, user_id: int) -> list[Reset]:
        with self._read() as db:
            return [Reset(made_at=row.made_at, taken_back_at=row.taken_back_at) for row in _newest_first(db, user_id)]


def _newest_first(db: sa.Connection, user_id: int) -> list[Any]:
    mine = sa.select(resets).where(resets.c.user_id == user_id)
    return list(db.execute(mine.order_by(resets.c.made_at.desc(), resets.c.id.desc())))
