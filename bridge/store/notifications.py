"""Store the addresses for users' notifications (channels), and the state of each notification.

A notification is saved before it is sent, so that each is sent at most once.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from bridge.domain.records import Channel, Connection, Notification
from bridge.store import codec
from bridge.store.database import Part, reads, writes
from bridge.store.inserts import insert_new
from bridge.store.tables import channels, connections, cursors, microseconds, notifications, recommendations
from rhythm_env.interface import SLOTS_PER_DAY, Slot

ANSWERS_MAX = 200  # messages from which the moment of the next is learnt
PAUSE_STREAM = "pause told"  # a row beside a connection's cursors: the last success before the pause that was told


class Notifications(Part):
    """The part of the store for notifications to users, and for the addresses they are sent to."""

    @writes()
    def save_channel(self, db: sa.Connection, user_id: int, channel: Channel | None, *, now: datetime) -> None:
        """Save the user's address for notifications in place of an earlier address. None ends notifications."""
        db.execute(sa.delete(channels).where(channels.c.user_id == user_id))
        if channel is not None:
            quiet = json.dumps([slot.name for slot in Slot if slot in channel.quiet])
            values = {"user_id": user_id, "secret": channel.sealed, "events": channel.events, "created_at": now}
            db.execute(sa.insert(channels).values(**values, quiet=quiet))

    @reads
    def channel(self, db: sa.Connection, user_id: int) -> Channel | None:
        """Return the user's channel, which is the encrypted address with options, or None without notifications."""
        row = db.execute(sa.select(channels).where(channels.c.user_id == user_id)).first()
        return None if row is None else _channel(row)

    @reads
    def channels(self, db: sa.Connection) -> dict[int, Channel]:
        found = db.execute(sa.select(channels))
        return {row.user_id: _channel(row) for row in found}

    @writes()
    def reseal_channel(self, db: sa.Connection, user_id: int, sealed: bytes) -> None:
        """Replace the encrypted address of a user's channel, for the same address encrypted with another key."""
        db.execute(sa.update(channels).where(channels.c.user_id == user_id).values(secret=sealed))

    @writes()
    def begin(
        self, db: sa.Connection, user_id: int, recommendation_id: int, *, now: datetime, likely: float | None = None
    ) -> bool:
        """Save that a recommendation's message is being sent. Return False if that was saved before.

        ``likely`` is the probability of an answer within half an hour.
        """
        known = {"user_id": user_id, "recommendation_id": recommendation_id}
        values = {**known, "state": "sending", "at": now, "likely": likely}
        return insert_new(db, notifications, values)

    @writes()
    def finish(self, db: sa.Connection, recommendation_id: int, reason: str | None, *, now: datetime) -> None:
        """Save that sending a recommendation's message worked, if ``reason`` is None, or why it failed."""
        mine = sa.update(notifications).where(notifications.c.recommendation_id == recommendation_id)
        db.execute(mine.values(state="sent" if reason is None else "failed", reason=reason, at=now))

    @reads
    def answers(self, db: sa.Connection, user_id: int, *, until: datetime) -> list[tuple[datetime, datetime | None]]:
        """Return (time sent, time of the answer or None) of the newest messages before ``until``, oldest first."""
        n, r = notifications.c, recommendations.c
        query = (
            sa.select(n.at, r.answered_at)
            .join(recommendations, r.id == n.recommendation_id)
            .where(n.user_id == user_id, n.state == "sent", n.at < until)
            .order_by(n.at.desc())
            .limit(ANSWERS_MAX)
        )
        return [(row.at, row.answered_at) for row in db.execute(query)][::-1]

    @reads
    def was_begun(self, db: sa.Connection, recommendation_id: int) -> bool:
        """Return True if sending a recommendation was ever begun, whether it worked or not."""
        query = sa.select(notifications.c.id).where(notifications.c.recommendation_id == recommendation_id)
        return db.execute(query).first() is not None

    @reads
    def missed(self, db: sa.Connection, user_id: int, *, now: datetime, quiet: Collection[Slot]) -> list[Notification]:
        """Return a notification, not stored, for each recommendation that expired unsent, unseen and unanswered.

        They are newest first. Recommendations to sleep, in ``quiet`` slots, and older than the user's channel are left
        out.
        """
        r, begun = recommendations.c, sa.select(notifications.c.id).where
        query = (
            sa.select(r.id, r.expires_at)
            .join(channels, channels.c.user_id == r.user_id)
            .where(r.user_id == user_id, r.created_at >= channels.c.created_at)
            .where(r.expires_at <= now, r.shown_at.is_(None), r.answer.is_(None), r.superseded_at.is_(None))
            .where(sa.or_(r.kind.is_(None), r.kind != "sleep"))
            .where(~begun(notifications.c.recommendation_id == r.id).exists())
            .where((r.timestep % SLOTS_PER_DAY).not_in([int(slot) for slot in quiet]))
        )
        return [
            Notification(recommendation_id=row.id, state="missed", at=row.expires_at, reason="its slot was over")
            for row in db.execute(query.order_by(r.id.desc()))
        ]

    @reads
    def in_states(self, db: sa.Connection, user_id: int, states: Sequence[str]) -> list[Notification]:
        n = notifications.c
        query = sa.select(notifications).where(n.user_id == user_id, n.state.in_(states)).order_by(n.id.desc())
        return [codec.record_of(Notification, row) for row in db.execute(query)]

    @writes()
    def mark_pause_told(self, db: sa.Connection, connection: Connection) -> bool:
        """Save that the user was told that a connection is paused.

        Returns False if that was saved already since the connection's last successful sync.
        """
        c, mark = cursors.c, _last_success_mark(connection.last_success)
        values = {"connection_id": connection.id, "stream": PAUSE_STREAM, "version": 1, "cursor": mark}
        earlier = sa.update(cursors).where(c.connection_id == connection.id, c.stream == PAUSE_STREAM)
        changed = db.execute(earlier.where(c.cursor != mark).values(cursor=mark)).rowcount == 1
        return changed or insert_new(db, cursors, values)

    @reads
    def users_to_tell_of_pauses(self, db: sa.Connection) -> set[int]:
        """Return the ids of users with a channel and a paused connection who were not told of the pause."""
        c = connections.c
        mark = sa.func.coalesce(sa.cast(c.last_success, sa.Text), _last_success_mark(None))
        mine = sa.and_(cursors.c.connection_id == c.id, cursors.c.stream == PAUSE_STREAM, cursors.c.cursor == mark)
        paused = sa.select(c.user_id).where(c.paused.is_not(None), c.user_id.in_(sa.select(channels.c.user_id)))
        return set(db.execute(paused.where(~sa.exists().where(mine))).scalars())


def _channel(row: Any) -> Channel:
    quiet = frozenset(Slot[name] for name in json.loads(row.quiet))
    return Channel(sealed=row.secret, events=row.events, quiet=quiet)


def _last_success_mark(last_success: datetime | None) -> str:
    return "never" if last_success is None else str(microseconds(last_success))
