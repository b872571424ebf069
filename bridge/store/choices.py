"""What a person has chosen: what assistants may do, and to begin anew with the model."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa

from bridge.ports import Reset
from bridge.store import names
from bridge.store.tables import consents, resets


def allow(db: sa.Connection, user_id: int, tool: str, *, now: datetime) -> None:
    values = {"user_id": user_id, "tool": tool, "given_at": now}
    db.execute(names.insert_into(db, consents).values(**values).on_conflict_do_nothing())


def refuse(db: sa.Connection, user_id: int, tool: str) -> bool:
    mine = sa.and_(consents.c.user_id == user_id, consents.c.tool == tool)
    return db.execute(sa.delete(consents).where(mine)).rowcount > 0


def allowed(db: sa.Connection, user_id: int) -> dict[str, datetime]:
    query = sa.select(consents.c.tool, consents.c.given_at).where(consents.c.user_id == user_id)
    return {row.tool: row.given_at for row in db.execute(query.order_by(consents.c.tool))}


def reset(db: sa.Connection, user_id: int, *, now: datetime) -> None:
    db.execute(sa.insert(resets).values(user_id=user_id, made_at=now))


def take_back_reset(db: sa.Connection, user_id: int, *, now: datetime) -> datetime | None:
    """Undo the newest one that counts; when it was made, None where none does."""
    newest = next((one for one in _resets(db, user_id) if one.taken_back_at is None), None)
    if newest is None:
        return None
    db.execute(sa.update(resets).where(resets.c.id == newest.id).values(taken_back_at=now))
    made: datetime = newest.made_at
    return made


def all_resets(db: sa.Connection, user_id: int) -> list[Reset]:
    """The newest first."""
    return [Reset(made_at=row.made_at, taken_back_at=row.taken_back_at) for row in _resets(db, user_id)]


def _resets(db: sa.Connection, user_id: int) -> list[sa.Row[tuple[object, ...]]]:
    mine = sa.select(resets).where(resets.c.user_id == user_id)
    return list(db.execute(mine.order_by(resets.c.made_at.desc(), resets.c.id.desc())))
