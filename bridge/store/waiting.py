"""Find the users who wait for advice, a calendar entry or an outcome, by a single query over all users."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from bridge.domain.records import Deed
from bridge.domain.slots import Moment
from bridge.store import tables
from bridge.store.database import Part, reads

OUTCOME_AFTER = timedelta(days=21)  # at most, from the Monday of a recommendation's week
c, r, s = tables.connections.c, tables.recommendations.c, tables.silences.c


class InSlot(NamedTuple):
    """The ids of users for whom a slot's advice is decided (``advised``), and of those to whom it was not sent yet."""

    advised: set[int]
    unsent: set[int]


class Waiting(Part):
    """The part of the store for users who wait for advice, a message or a calendar entry."""

    @reads
    def by_slot(
        self,
        db: sa.Connection,
        moments: Collection[Moment],
        *,
        since: datetime,
        now: datetime,
        user_id: int | None = None,
    ) -> Mapping[Moment, InSlot]:
        """Return slot -> ids of users for whom advice or none was decided, and of users to whom advice was not sent.

        A random decision for no advice always counts, any other only if made after ``since`` and before newer data
        came. ``user_id`` limits the search to one user.
        """
        found = {(moment.week, moment.timestep): InSlot(set(), set()) for moment in moments}
        mine = sa.true() if user_id is None else r.user_id == user_id
        query = sa.union_all(
            _gathered(
                tables.recommendations, found, sa.and_(r.superseded_at.is_(None), mine), _lasts(now), _unsent(now)
            ),
            _gathered(tables.silences, found, _silent(since, user_id), sa.true(), sa.false()),
        )
        for week, timestep, *texts in db.execute(query) if found else ():
            for users, text in zip(found[week, timestep], texts, strict=True):
                users.update(map(int, text.split(",") if text else ()))
        return {moment: found[moment.week, moment.timestep] for moment in moments}

    @reads
    def users_with_feedback(
        self, db: sa.Connection, sources: Sequence[str], *, advised: datetime, since: datetime
    ) -> set[int]:
        """Return the ids of users who answered, since ``since``, a recommendation made since ``advised``.

        Only users with an unpaused connection to one of ``sources`` are returned.
        """
        named = sa.select(tables.sources.c.id).where(tables.sources.c.name.in_(sources))
        connected = sa.exists().where(c.user_id == r.user_id, c.source_id.in_(named), c.paused.is_(None))
        recent = sa.select(r.user_id).where(r.answered_at >= since, r.created_at >= advised, connected)
        return set(db.execute(recent).scalars())

    @reads
    def users_with_events(
        self, db: sa.Connection, sent: str, tried: str, *, since: datetime
    ) -> list[tuple[int, datetime, datetime | None]]:
        """Return (user id, time of the last event, last attempt) of users with events that were not sent.

        An event is a recommendation made or done after ``since``. The times of sending and of failed attempts are saved
        as chores, whose names begin with ``sent`` and ``tried``.
        """
        told, asked = tables.singletons.alias(), tables.singletons.alias()
        recent = r.week >= since.date() - OUTCOME_AFTER  # with an index
        done = sa.and_(r.outcome_at > since, r.outcome == str(Deed.DONE))
        events = sa.union_all(
            sa.select(r.user_id, r.created_at.label("at")).where(recent, r.created_at > since),
            sa.select(r.user_id, r.outcome_at).where(recent, done),
        ).subquery()
        user, last = sa.cast(events.c.user_id, sa.Text), sa.func.max(events.c.at, type_=tables.Instant)
        query = (
            sa.select(events.c.user_id, last, asked.c.since)
            .join(told, told.c.name == sa.literal(sent) + user)
            .outerjoin(asked, asked.c.name == sa.literal(tried) + user)
            .where(events.c.at > told.c.since)
            .group_by(events.c.user_id, asked.c.since)
        )
        return [(number, at, attempt) for number, at, attempt in db.execute(query)]


def _gathered(
    table: sa.Table, slots: Collection[tuple[date, int]], wanted: Any, *each: sa.ColumnElement[bool]
) -> sa.Select[Any]:
    t = table.c
    at = sa.or_(sa.false(), *(sa.and_(t.week == week, t.timestep == timestep) for week, timestep in slots))
    ids = sa.func.aggregate_strings(sa.cast(t.user_id, sa.Text), ",")
    columns = (t.week, t.timestep, *(ids.filter(one) for one in each))
    return sa.select(*columns).where(at, wanted).group_by(t.week, t.timestep)


def _lasts(now: datetime) -> sa.ColumnElement[bool]:
    return sa.or_(r.kind.is_(None), r.kind != "sleep", r.answer.is_not(None), r.end_at > now)


def _unsent(now: datetime) -> sa.ColumnElement[bool]:
    n = tables.notifications.c
    return sa.and_(
        r.shown_at.is_(None),
        r.answer.is_(None),
        sa.or_(r.kind.is_(None), r.kind != "sleep", r.start_at > now),
        r.user_id.in_(sa.select(tables.channels.c.user_id)),
        ~sa.exists().where(n.recommendation_id == r.id),
    )


def _silent(since: datetime, user_id: int | None) -> sa.ColumnElement[bool]:
    arrived = sa.exists().where(c.user_id == s.user_id, c.last_change >= s.made_at)
    found = sa.or_(s.probability < 1, sa.and_(s.made_at >= since, ~arrived))
    return found if user_id is None else sa.and_(s.user_id == user_id, found)
