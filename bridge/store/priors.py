"""Personal priors: every attempt is kept, the newest that was kept counts."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from bridge.ports import Prior
from bridge.store.tables import priors as table


def add(db: sa.Connection, user_id: int, prior: Prior) -> None:
    values = {
        "user_id": user_id,
        "policy": prior.policy,
        "made_at": prior.made_at,
        "body": json.dumps(dict(prior.body)),
        "learnt_from": prior.learnt_from,
        "tried_on": prior.tried_on,
        "gain": prior.gain,
        "kept": prior.kept,
    }
    db.execute(sa.insert(table).values(values))


def of(db: sa.Connection, user_id: int, policy: str, *, kept: bool, most: int | None) -> list[Prior]:
    """The newest first. One has 20 kB, and there are more of them every week: not all are read where one is wanted."""
    query = sa.select(table).where(table.c.user_id == user_id)
    if policy:
        query = query.where(table.c.policy == policy)
    if kept:
        query = query.where(table.c.kept.is_(True))
    newest = query.order_by(table.c.made_at.desc(), table.c.id.desc()).limit(most)
    return [_prior(row) for row in db.execute(newest)]


def _prior(row: Any) -> Prior:
    return Prior(
        policy=row.policy,
        made_at=row.made_at,
        body=json.loads(row.body),
        learnt_from=row.learnt_from,
        tried_on=row.tried_on,
        gain=row.gain,
        kept=row.kept,
    )


def take_back(db: sa.Connection, user_id: int, policy: str) -> datetime | None:
    """No longer keep the newest kept one; when it was made, None where none is."""
    mine = sa.and_(table.c.user_id == user_id, table.c.policy == policy, table.c.kept.is_(True))
    newest = sa.select(table.c.id, table.c.made_at).where(mine).order_by(table.c.made_at.desc(), table.c.id.desc())
    row = db.execute(newest.limit(1)).first()
    if row is None:
        return None
    db.execute(sa.update(table).where(table.c.id == row.id).values(kept=False))
    made: datetime = row.made_at
    return made
