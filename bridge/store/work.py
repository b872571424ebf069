"""Due connections, leases, and who is at the store, for those who work it off."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import sqlalchemy as sa

from bridge.errors import SetupError
from bridge.store import due, recalling, tables
from bridge.store.database import Database
from bridge.store.presence import Presence, announce, announced
from rhythm_env.interface import Moment


class SqlWork:
    """``bridge.ports.Work``."""

    def __init__(self, database: Database) -> None:
        self._read, self._write, self._engine = database.read, database.write, database.engine

    def presence(self, name: str, holder: str, *, now: datetime) -> Presence:
        mine = Presence(self._engine, name)
        if not mine.taken():
            mine.close()
            with self._read() as db:
                who, since = announced(db, name) or ("another process", now)
            raise SetupError(
                f"a {name} is at this store already ({who}, since {since:%Y-%m-%d %H:%M} UTC); stop it first"
            )
        with self._write() as db:
            announce(db, name, holder, now=now)
        return mine

    def due(self, *, now: datetime) -> dict[str, tuple[int, datetime | None]]:
        with self._read() as db:
            return due.due(db, now=now)

    def holders(self) -> list[str]:
        with self._read() as db:
            return due.holders(db)

    def free_all(self, holder: str) -> None:
        with self._write() as db:
            due.free_all(db, holder)

    def spread(self, *, now: datetime, step: timedelta, within: timedelta) -> int:
        with self._write() as db:
            return due.spread(db, now=now, step=step, within=within)

    def recall(self, *, now: datetime, lease: timedelta) -> int:
        with self._read() as db:
            if not recalling.anything(db, now=now, lease=lease):
                return 0
        with self._write() as db:
            return recalling.recall(db, now=now, lease=lease)

    def answered(self, sources: Sequence[str], *, advised: datetime, since: datetime) -> set[int]:
        c, r = tables.connections.c, tables.recommendations.c
        named = sa.select(tables.sources.c.id).where(tables.sources.c.name.in_(sources))
        connected = sa.select(c.user_id).where(c.source_id.in_(named), c.paused.is_(None))
        recent = sa.select(r.user_id).where(r.user_id.in_(connected), r.created_at >= advised, r.answered_at >= since)
        with self._read() as db:
            return set(db.execute(recent).scalars())

    def unsent(self, moment: Moment) -> set[int]:
        r, n = tables.recommendations.c, tables.notifications.c
        begun = sa.select(n.id).where(n.recommendation_id == r.id).exists()
        query = sa.select(r.user_id).where(
            r.week == moment.week,
            r.timestep == moment.timestep,
            r.shown_at.is_(None),
            r.answer.is_(None),
            r.user_id.in_(sa.select(tables.channels.c.user_id)),
            ~begun,
        )
        with self._read() as db:
            return set(db.execute(query).scalars())

    def advised(self, moment: Moment) -> set[int]:
        r = tables.recommendations.c
        query = sa.select(r.user_id).where(r.week == moment.week, r.timestep == moment.timestep)
        with self._read() as db:
            return set(db.execute(query).scalars())
