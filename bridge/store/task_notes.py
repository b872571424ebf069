"""Store the bridge's own notes on a task: its place in a day's plan, and that the user ticked it here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from bridge.domain.types import Task
from bridge.store.database import Part, reads, writes
from bridge.store.inserts import insert_into
from bridge.store.tables import LAST_INSTANT, task_notes

PLACE_KEPT = timedelta(days=2)  # for which the place of a task is kept after its end

Place = tuple[datetime, datetime]
Kept = tuple[datetime, datetime, date | None]  # and the due date of a task that the user moved there
Tick = tuple[date | None, datetime]  # the due date that the task had, and the instant
_COLUMNS = task_notes.c
_SAID_AT = sa.select(sa.func.max(_COLUMNS.said_at, type_=_COLUMNS.said_at.type)).where(
    _COLUMNS.user_id == sa.bindparam("user")
)


class TaskNotes(Part):
    """The part of the store for notes on tasks. Nothing of it is written to the source of a task."""

    @reads
    def places(self, db: sa.Connection, user_id: int, *, at: datetime) -> dict[str, Kept]:
        """Return task's key -> begin and end that a plan has shown or the user chose, if they end after ``at``."""
        query = sa.select(task_notes).where(_COLUMNS.user_id == user_id, _COLUMNS.end > at)
        rows = db.execute(query)
        return {row.key: (row.start, row.end, row.due if row.done_at is None else None) for row in rows}

    @writes(durable=False)
    def save_places(self, db: sa.Connection, user_id: int, places: Mapping[str, Place], *, now: datetime) -> None:
        """Save begin and end of tasks in a plan, by the task's key, in place of earlier times.

        Times that ended more than two days before ``now`` are deleted, unless the task was ticked.
        """
        for key, (start, end) in places.items():
            _save(db, user_id, key, {"start": start, "end": end, "due": None})
        old = sa.and_(_COLUMNS.user_id == user_id, _COLUMNS.done_at.is_(None), _COLUMNS.end < now - PLACE_KEPT)
        db.execute(sa.delete(task_notes).where(old))

    @writes()
    def move(self, db: sa.Connection, user_id: int, task: Task, place: Place, *, now: datetime) -> None:
        """Save the time to which the user moved a task. It counts until the task gets another due date."""
        start, end = place
        _save(
            db, user_id, str(task.key), {"start": start, "end": end, "due": task.due, "done_at": None, "said_at": now}
        )

    @writes()
    def move_back(self, db: sa.Connection, user_id: int, key: str, *, now: datetime) -> None:
        """Delete the time to which the user moved a task."""
        mine = sa.and_(_COLUMNS.user_id == user_id, _COLUMNS.key == key, _COLUMNS.done_at.is_(None))
        db.execute(sa.update(task_notes).where(mine).values(start=now, end=now, due=None, said_at=now))

    @writes()
    def tick(self, db: sa.Connection, user_id: int, task: Task, *, now: datetime) -> None:
        """Note that the user did a task at ``now``. It counts until the task gets another due date."""
        _save(db, user_id, str(task.key), {"due": task.due, "done_at": now, "said_at": now})

    @writes()
    def untick(self, db: sa.Connection, user_id: int, key: str, *, now: datetime) -> None:
        """Take back that the user did the task with a key. A task that was never noted stays as it is."""
        mine = sa.and_(_COLUMNS.user_id == user_id, _COLUMNS.key == key)
        db.execute(sa.update(task_notes).where(mine).values(due=None, done_at=None, said_at=now))

    @reads
    def ticks(self, db: sa.Connection, user_id: int) -> dict[str, Tick]:
        """Return key -> (due date at the tick, instant of the tick) of the tasks that the user ticked.

        Ticks that were taken back are left out.
        """
        return ticks(db, user_id)

    @reads
    def said_at(self, db: sa.Connection, user_id: int) -> datetime | None:
        """Return when the user last ticked or moved a task, or took a tick back. None means never."""
        return db.execute(_SAID_AT, {"user": user_id}).scalar()


def ticks(db: sa.Connection, user_id: int, at: datetime = LAST_INSTANT) -> dict[str, Tick]:
    """Return key -> (due date at the tick, instant of the tick) of tasks that the user ticked by ``at``.

    Ticks that were taken back are left out.
    """
    query = sa.select(_COLUMNS.key, _COLUMNS.due, _COLUMNS.done_at).where(
        _COLUMNS.user_id == user_id, _COLUMNS.done_at <= at
    )
    return {row.key: (row.due, row.done_at) for row in db.execute(query)}


def with_ticks(found: Iterable[tuple[str, Any]], ticked: Mapping[str, Tick]) -> Iterator[tuple[str, Task]]:
    """Yield (source, task), where an open task that the user ticked is completed since the tick.

    ``ticked`` maps the task's key to (due date, instant of the tick). A tick counts until the due date changes.
    """
    for source, task in found:
        due, done_at = ticked.get(str(task.key), (None, None))
        is_done = done_at is not None and task.completed is None and task.due == due
        yield source, replace(task, completed=done_at) if is_done else task


def _save(db: sa.Connection, user_id: int, key: str, values: Mapping[str, object]) -> None:
    query = insert_into(db, task_notes).values(user_id=user_id, key=key, **values)
    db.execute(query.on_conflict_do_update(index_elements=[_COLUMNS.user_id, _COLUMNS.key], set_=dict(values)))
