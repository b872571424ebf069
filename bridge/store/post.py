"""Where advice is sent to, and what became of each piece of it: written before it is sent, so that it goes once."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

import sqlalchemy as sa

from bridge.ports import Channel, Connection, Notification
from bridge.store import names
from bridge.store.database import Database
from bridge.store.tables import channels, connections, cursors, microseconds, notifications, recommendations
from rhythm_env.interface import SLOTS_PER_DAY, Slot

PAUSE = "pause told"  # beside a connection's cursors: after which success it stopped when that was last told


class SqlPost:
    """``bridge.ports.Post``."""

    def __init__(self, database: Database) -> None:
        self._read, self._write = database.read, database.write

    def keep(self, user_id: int, channel: Channel | None, *, now: datetime) -> None:
        with self._write() as db:
            db.execute(sa.delete(channels).where(channels.c.user_id == user_id))
            if channel is not None:
                values = {"user_id": user_id, "secret": channel.sealed, "events": channel.events, "created_at": now}
                db.execute(sa.insert(channels).values(values))

    def channel(self, user_id: int) -> Channel | None:
        with self._read() as db:
            row = db.execute(sa.select(channels).where(channels.c.user_id == user_id)).first()
        return None if row is None else Channel(sealed=row.secret, events=row.events)

    def channels(self) -> dict[int, Channel]:
        with self._read() as db:
            found = db.execute(sa.select(channels)).all()
        return {row.user_id: Channel(sealed=row.secret, events=row.events) for row in found}

    def reseal(self, user_id: int, sealed: bytes) -> None:
        with self._write() as db:
            db.execute(sa.update(channels).where(channels.c.user_id == user_id).values(secret=sealed))

    def begin(self, user_id: int, recommendation_id: int, *, now: datetime) -> bool:
        values = {"user_id": user_id, "recommendation_id": recommendation_id, "state": "sending", "at": now}
        with self._write() as db:
            return names.insert_new(db, notifications, values)

    def end(self, recommendation_id: int, reason: str | None, *, now: datetime) -> None:
        mine = sa.update(notifications).where(notifications.c.recommendation_id == recommendation_id)
        with self._write() as db:
            db.execute(mine.values(state="sent" if reason is None else "failed", reason=reason, at=now))

    def begun(self, recommendation_id: int) -> bool:
        query = sa.select(notifications.c.id).where(notifications.c.recommendation_id == recommendation_id)
        with self._read() as db:
            return db.execute(query).first() is not None

    def missed(self, user_id: int, *, now: datetime, quiet: Collection[Slot]) -> list[Notification]:
        r, begun = recommendations.c, sa.select(notifications.c.id).where
        query = (
            sa.select(r.id, r.expires_at)
            .join(channels, channels.c.user_id == r.user_id)
            .where(r.user_id == user_id, r.created_at >= channels.c.created_at)
            .where(r.expires_at <= now, r.shown_at.is_(None), r.answer.is_(None))
            .where(~begun(notifications.c.recommendation_id == r.id).exists())
            .where((r.timestep % SLOTS_PER_DAY).not_in([int(slot) for slot in quiet]))
        )
        with self._read() as db:
            return [
                Notification(recommendation_id=row.id, state="missed", at=row.expires_at, reason="its slot was over")
                for row in db.execute(query.order_by(r.id.desc()))
            ]

    def tell(self, connection: Connection) -> bool:
        c, mark = cursors.c, _mark(connection.last_success)
        values = {"connection_id": connection.id, "stream": PAUSE, "version": 1, "cursor": mark}
        earlier = sa.update(cursors).where(c.connection_id == connection.id, c.stream == PAUSE)
        with self._write() as db:
            changed = db.execute(earlier.where(c.cursor != mark).values(cursor=mark)).rowcount == 1
            return changed or names.insert_new(db, cursors, values)

    def untold(self) -> set[int]:
        c = connections.c
        mark = sa.func.coalesce(sa.cast(c.last_success, sa.Text), _mark(None))
        told = sa.exists().where(cursors.c.connection_id == c.id, cursors.c.stream == PAUSE, cursors.c.cursor == mark)
        query = sa.select(c.user_id).where(c.paused.is_not(None), c.user_id.in_(sa.select(channels.c.user_id)), ~told)
        with self._read() as db:
            return set(db.execute(query).scalars())

    def notifications(self, user_id: int, states: Sequence[str]) -> list[Notification]:
        n = notifications.c
        query = sa.select(notifications).where(n.user_id == user_id, n.state.in_(states)).order_by(n.id.desc())
        with self._read() as db:
            found = db.execute(query).all()
        return [
            Notification(recommendation_id=row.recommendation_id, state=row.state, at=row.at, reason=row.reason)
            for row in found
        ]


def _mark(last_success: datetime | None) -> str:
    return "never" if last_success is None else str(microseconds(last_success))
