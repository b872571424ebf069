"""Recommendations, with all that a later evaluation needs, and the answers to them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from bridge.errors import SetupError
from bridge.ports import Recommendation, Stated
from bridge.store import names
from bridge.store.tables import recommendations as table
from rhythm_env.interface import ActionType, Answer, Moment, moment_of

DOCUMENTS = ("belief", "scores", "probabilities", "reasons", "observation")


def of_slot(db: sa.Connection, user_id: int, moment: Moment) -> Recommendation | None:
    return _one(db, _slot(user_id, moment))


def _slot(user_id: int, moment: Moment) -> sa.ColumnElement[bool]:
    t = table.c
    return sa.and_(t.user_id == user_id, t.week == moment.week, t.timestep == moment.timestep)


def by_id(db: sa.Connection, recommendation_id: int) -> Recommendation | None:
    return _one(db, table.c.id == recommendation_id)


def _one(db: sa.Connection, condition: sa.ColumnElement[bool]) -> Recommendation | None:
    row = db.execute(sa.select(table).where(condition)).first()
    return None if row is None else _recommendation(row)


def _recommendation(row: Any) -> Recommendation:
    return Recommendation(
        id=row.id,
        user_id=row.user_id,
        scores=json.loads(row.scores),
        probabilities=json.loads(row.probabilities),
        reasons=tuple(json.loads(row.reasons)),
        observation=json.loads(row.observation),
        belief_sd=_sd(row),
        **_given(row),
    )


def _given(row: Any) -> dict[str, Any]:
    """What was advised, when, and the answer to it."""
    return {
        "moment": moment_of(row.week, row.timestep),
        "action": ActionType(row.action),
        "policy": row.policy,
        "belief": json.loads(row.belief),
        "created_at": row.created_at,
        "expires_at": row.expires_at,
        "shown_at": row.shown_at,
        "answer": None if row.answer is None else Answer(row.answer),
        "answered_at": row.answered_at,
        "moved_to": None if row.moved_week is None else moment_of(row.moved_week, row.moved_timestep),
    }


def _sd(row: Any) -> tuple[float, float, float] | None:
    return None if row.belief_sd is None else tuple(json.loads(row.belief_sd))


def _document(value: Any) -> str:
    """JSON without half characters, which a language model may write and no database takes."""
    return json.dumps(_listed(value), ensure_ascii=False).encode("utf-8", "replace").decode()


def add(db: sa.Connection, recommendation: Recommendation) -> Recommendation:
    values: dict[str, Any] = {name: _document(getattr(recommendation, name)) for name in DOCUMENTS}
    plain = ("user_id", "policy", "created_at", "expires_at", "shown_at")
    moment = recommendation.moment
    values |= {name: getattr(recommendation, name) for name in plain}
    sd = recommendation.belief_sd
    values["belief_sd"] = None if sd is None else json.dumps(sd)
    values["levels"] = levels(values["observation"])
    values |= {"week": moment.week, "timestep": moment.timestep, "action": str(recommendation.action)}
    names.insert_new(db, table, values)
    return _recommendation(db.execute(sa.select(table).where(_slot(recommendation.user_id, moment))).one())


def levels(observation: str) -> str:
    """Of an observation as it is stored, what later advice looks back on: meter -> level."""
    meters: Mapping[str, Any] = json.loads(observation).get("meters", {})
    return json.dumps({name: round(state["level"], 4) for name, state in meters.items()})


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else dict(value)


def mark_shown(db: sa.Connection, recommendation_id: int, *, now: datetime) -> None:
    unseen = sa.and_(table.c.id == recommendation_id, table.c.shown_at.is_(None))
    db.execute(sa.update(table).where(unseen).values(shown_at=now))


def answer(
    db: sa.Connection, recommendation_id: int, answer: Answer, *, now: datetime, moved_to: Moment | None
) -> Recommendation:
    values = _answered(answer, now, moved_to)
    db.execute(sa.update(table).where(table.c.id == recommendation_id).values(values))
    answered = by_id(db, recommendation_id)
    if answered is None:
        raise SetupError(f"there is no recommendation {recommendation_id}; see: bridge recommend --user NAME")
    return answered


def answer_once(
    db: sa.Connection, recommendation_id: int, answer: Answer, *, now: datetime, moved_to: Moment | None
) -> bool:
    """One statement: of two at once the second one waits, then finds the first one's answer."""
    waiting = sa.and_(table.c.id == recommendation_id, table.c.answer.is_(None))
    update = sa.update(table).where(waiting).values(_answered(answer, now, moved_to))
    return db.execute(update.returning(table.c.id)).first() is not None


def _answered(answer: Answer, now: datetime, moved_to: Moment | None) -> dict[str, Any]:
    return {
        "answer": str(answer),
        "answered_at": now,
        "moved_week": moved_to.week if moved_to else None,
        "moved_timestep": moved_to.timestep if moved_to else None,
    }


def between(db: sa.Connection, user_id: int, *, since: datetime, until: datetime) -> list[Recommendation]:
    t = table.c
    query = sa.select(table).where(t.user_id == user_id, t.created_at >= since, t.created_at < until)
    return [_recommendation(row) for row in db.execute(query.order_by(t.created_at, t.id))]


def answered(db: sa.Connection, user_id: int, *, since: datetime, until: datetime) -> list[datetime]:
    """Without the observation, which is most of a row."""
    t = table.c
    ran_out = sa.and_(t.shown_at <= until, t.expires_at <= until)
    query = sa.select(t.created_at).where(t.user_id == user_id, t.created_at >= since, t.created_at < until)
    return list(db.scalars(query.where(sa.or_(t.answered_at <= until, ran_out)).order_by(t.created_at)))


def stated(db: sa.Connection, user_id: int, *, since: datetime, until: datetime) -> list[Stated]:
    """Without the observation, which is most of a row."""
    t = table.c
    names_of = (t.week, t.timestep, t.action, t.policy, t.belief, t.belief_sd, t.levels, t.created_at, t.expires_at)
    query = sa.select(*names_of, t.shown_at, t.answer, t.answered_at, t.moved_week, t.moved_timestep)
    mine = query.where(t.user_id == user_id, t.created_at >= since, t.created_at < until)
    return [_stated(row, until) for row in db.execute(mine.order_by(t.created_at, t.id))]


def _stated(row: Any, until: datetime) -> Stated:
    return Stated(
        sd=_sd(row),
        levels=json.loads(row.levels),
        lapsed=row.answer is None and row.shown_at is not None and row.expires_at < until,
        **_given(row),
    )
