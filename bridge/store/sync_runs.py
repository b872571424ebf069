"""Write outcomes of syncs as text, and read them. Of outcomes without news the last alone is kept."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from datetime import datetime

import sqlalchemy as sa

from bridge.domain.types import Outcome
from bridge.store import tables

_KEPT = tuple(field.name for field in fields(Outcome))


def text_of(outcome: Outcome) -> str:
    """Return an outcome as JSON, without what is 0 or empty."""
    body = {name: value for name in _KEPT if (value := getattr(outcome, name)) or name in ("source", "outcome")}
    if outcome.retry_at is not None:
        body["retry_at"] = outcome.retry_at.isoformat()
    return json.dumps(body, default=asdict)


def outcome_of(text: str) -> Outcome:
    """Return the outcome that ``text_of`` wrote."""
    body = json.loads(text)
    body["reasons"] = tuple(body.get("reasons", ()))
    body["not_permitted"] = tuple(body.get("not_permitted", ()))
    body["failed_files"] = tuple((file, reason) for file, reason in body.get("failed_files", ()))
    body["retry_at"] = datetime.fromisoformat(body["retry_at"]) if body.get("retry_at") else None
    return Outcome(**body)


def save(db: sa.Connection, connection_id: int, outcome: Outcome, *, at: datetime) -> None:
    """Save an outcome, in place of the connection's last one if both are without news."""
    text = text_of(outcome)
    again = {"connection": connection_id, "moment": at, "text": text}
    if outcome.is_news or db.execute(_AGAIN, again).rowcount == 0:
        run = {"connection_id": connection_id, "started": at, "finished": at, "outcome": text}
        db.execute(_NEW, run)


_r, _newer = tables.sync_runs.c, tables.sync_runs.alias("newer").c
_newest = sa.select(sa.func.max(_newer.id)).where(_newer.connection_id == sa.bindparam("connection", type_=tables.ID))
_AGAIN = (  # what is 0 is left out of an outcome's text
    sa.update(tables.sync_runs)
    .where(
        _r.id == _newest.scalar_subquery(),
        _r.outcome.like('%"outcome": "ok"%'),
        *(_r.outcome.not_like(f'%"{what}": %') for what in ("new", "updated", "deleted", "set_aside", "files")),
    )
    .values(
        started=sa.bindparam("moment", type_=tables.Instant),
        finished=sa.bindparam("moment", type_=tables.Instant),
        outcome=sa.bindparam("text"),
    )
)
_NEW = sa.insert(tables.sync_runs)
LAST = (
    sa.select(tables.sync_runs.c.finished, tables.sync_runs.c.outcome)
    .where(tables.sync_runs.c.connection_id == sa.bindparam("connection"))
    .order_by(tables.sync_runs.c.id.desc())
    .limit(1)
)
MARK = (
    sa.select(sa.func.max(tables.sync_runs.c.id), sa.func.max(tables.sync_runs.c.finished))
    .join(tables.connections)
    .where(tables.connections.c.user_id == sa.bindparam("user"))
)
