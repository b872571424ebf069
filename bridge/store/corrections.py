"""What people said their events are."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa

from bridge.ports import Correction
from bridge.store.tables import corrections as table
from rhythm_env.interface import ActionType


def add(db: sa.Connection, user_id: int, correction: Correction) -> None:
    db.execute(
        sa.insert(table).values(
            user_id=user_id,
            series=correction.series,
            title=None if correction.title is None else _stored(correction.title),
            action=None if correction.action is None else str(correction.action),
            made_at=correction.made_at,
        )
    )


def _stored(title: str) -> str:
    """No database takes half a character, and PostgreSQL no NUL; only the letters around them are looked at again."""
    return title.encode("utf-8", "replace").decode().replace("\x00", " ")


def newest(db: sa.Connection, user_id: int, *, at: datetime | None) -> list[Correction]:
    """Of each series the last one made by ``at``, the newest first."""
    query = sa.select(table).where(table.c.user_id == user_id).order_by(table.c.made_at.desc(), table.c.id.desc())
    rows = db.execute(query if at is None else query.where(table.c.made_at <= at))
    found: dict[str, Correction] = {}
    for row in rows:
        action = None if row.action is None else ActionType(row.action)
        one = Correction(series=row.series, title=row.title, action=action, made_at=row.made_at)
        found.setdefault(one.series, one)
    return list(found.values())
