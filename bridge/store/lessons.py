"""Store the priors that policies learnt from a user's feedback, and the user's resets of the model."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from bridge.domain.records import Prior, Reset
from bridge.store import codec, tables
from bridge.store.database import Part, reads, writes


class Lessons(Part):
    """The part of the store for learnt priors, and for resets, after which earlier feedback does not count."""

    @writes()
    def add_prior(self, db: sa.Connection, user_id: int, prior: Prior) -> None:
        """Save a prior that a policy has learnt for the user. ``prior.kept`` says if it is used, or only documented."""
        values = codec.columns_of(prior, body=json.dumps(dict(prior.body)))
        db.execute(sa.insert(tables.priors).values(user_id=user_id, **values))

    @reads
    def priors(
        self,
        db: sa.Connection,
        user_id: int,
        policy: str = "",
        *,
        kept: bool = False,
        limit: int | None = None,
    ) -> list[Prior]:
        """Return the user's priors, newest first, at most ``limit`` of them, or all for None. A prior is large.

        ``policy`` leaves out those of other policies, ``kept`` those that failed or were withdrawn.
        """
        t = tables.priors.c
        query = sa.select(tables.priors).where(t.user_id == user_id)
        if policy:
            query = query.where(t.policy == policy)
        if kept:
            query = query.where(t.kept.is_(True))
        found = db.execute(query.order_by(t.made_at.desc(), t.id.desc()).limit(limit))
        return [codec.record_of(Prior, row, body=json.loads(row.body)) for row in found]

    @writes()
    def withdraw_prior(self, db: sa.Connection, user_id: int, policy: str) -> datetime | None:
        """Stop using a policy's newest kept prior, so that an earlier counts. Return when it was made, or None."""
        t = tables.priors.c
        mine = sa.and_(t.user_id == user_id, t.policy == policy, t.kept.is_(True))
        newest = sa.select(t.id, t.made_at).where(mine).order_by(t.made_at.desc(), t.id.desc())
        row = db.execute(newest.limit(1)).first()
        if row is None:
            return None
        db.execute(sa.update(tables.priors).where(t.id == row.id).values(kept=False))
        made: datetime = row.made_at
        return made

    @writes()
    def add_reset(self, db: sa.Connection, user_id: int, *, now: datetime) -> None:
        """Save a reset of the user's model. Feedback before ``now``, and priors from it, no longer count."""
        db.execute(sa.insert(tables.resets).values(user_id=user_id, made_at=now))

    @writes()
    def withdraw_reset(self, db: sa.Connection, user_id: int, *, now: datetime) -> datetime | None:
        """Withdraw the newest reset, so that earlier feedback counts. Return when it was made, or None."""
        active = (row for row in _resets(db, user_id) if row.taken_back_at is None)
        newest = next(active, None)
        if newest is None:
            return None
        db.execute(sa.update(tables.resets).where(tables.resets.c.id == newest.id).values(taken_back_at=now))
        made: datetime = newest.made_at
        return made

    @reads
    def resets(self, db: sa.Connection, user_id: int) -> list[Reset]:
        """Return all resets of the user, the newest first."""
        return [codec.record_of(Reset, row) for row in _resets(db, user_id)]


def _resets(db: sa.Connection, user_id: int) -> list[Any]:
    mine = sa.select(tables.resets).where(tables.resets.c.user_id == user_id)
    return list(db.execute(mine.order_by(tables.resets.c.made_at.desc(), tables.resets.c.id.desc())))
