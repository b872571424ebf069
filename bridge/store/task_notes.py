"""Store the bridge's own notes on tasks, which are their times in a plan and that the user ticked them here."""

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
    """The part of the store for notes on tasks. They are never written to the source of a task."""

    @reads
    def places(self, db: sa.Connection, user_id: int, *, at: datetime) -> dict[str, Kept]:
        """Return task key -> time that a plan showed or the user chose for the task, if it ends after ``at``."""
        query = sa.select(task_notes).where(_COLUMNS.user_id == user_id, _COLUMNS.end > at)
        rows = db.execute(query)
        return {row.key: (row.start, row.end, row.due if row.done_at is None else None) for row in rows}

    @writes(durable=False)
    def save_places(self, db: sa.Connection, user_id: int, places: Mapping[str, Place], *, now: datetime) -> None:
        """Save the times of tasks in a plan (key -> begin and end), in place of earlier times.

        Times that ended more than two days before ``now`` are deleted, unless the task was ticked.
        """
        for key, (start, end) in places.items():
            _save(db, user_id, key, {"start": start, "end": end, "due": None})
        old = sa.and_(_COLUMNS.user_id == user_id, _COLUMNS.done_at.is_(None), _COLUMNS.end < now - PLACE_KEPT)
        db.execute(sa.delete(task_notes).where(old))

    @writes()
    def move(self, db: sa.Connection, user_id: int, task: Task, place: Place, *, now: datetime) -> None:
        """Save the time to which the user moved a task. It counts until the task's due date changes."""
        start, end = place
        _save(
            db, user_id, str(task.key), {"start": start, "end": end, "due": task.due, "done_at": None, "said_at": now}
        )

    @writes()
    def move_back(self, db: sa.Connection, user_id: int, key: str, *, now: datetime) -> None:
        mine = sa.and_(_COLUMNS.user_id == user_id, _COLUMNS.key == key, _COLUMNS.done_at.is_(None))
        db.execute(sa.update(task_notes).where(mine).values(start=now, end=now, due=None, said_at=now))

    @writes()
    def tick(self, db: sa.Connection, user_id: int, task: Task, *, now: datetime) -> None:
        """Save that the user did a task at ``now``. It counts until the task's due date changes."""
        _save(db, user_id, str(task.key), {"due": task.due, "done_at": now, "said_at": now})

    @writes()
    def untick(self, db: sa.Connection, user_id: int, key: str, *, now: datetime) -> None:
        """Save that the user did not do the task after all. Without a note on the task, nothing is saved."""
        mine = sa.and_(_COLUMNS.user_id == user_id, _COLUMNS.key == key)
        db.execute(sa.update(task_notes).where(mine).values(due=None, done_at=None, said_at=now))

    @reads
    def ticks(self, db: sa.Connection, user_id: int) -> dict[str, Tick]:
        """Return task key -> (due date at the tick, time of the tick) of the tasks that the user ticked."""
        return ticks(db, user_id)

    @reads
    def said_at(self, db: sa.Connection, user_id: int) -> datetime | None:
        """Return when the user last ticked, unticked or moved a task, or None."""
        return db.execute(_SAID_AT, {"user": user_id}).scalar()


def ticks(db: sa.Connection, user_id: int, at: datetime = LAST_INSTANT) -> dict[str, Tick]:
    """Return task key -> (due date at the tick, time of the tick) of the tasks that the user ticked by ``at``."""
    query = sa.select(_COLUMNS.key, _COLUMNS.due, _COLUMNS.done_at).where(
        _COLUMNS.user_id == user_id, _COLUMNS.done_at <= at
    )
    return {row.key: (row.due, row.done_at) for row in db.execute(query)}


def with_ticks(found: Iterable[tuple[str, Any]], ticked: Mapping[str, Tick]) -> Iterator[tuple[str, Task]]:
    """Yield (source, task), in which open tasks that the user ticked are completed at the time of the tick.

    ``ticked`` maps task key to (due date, time of the tick). A tick counts only while the due date is the same.
    """
    for source, task in found:
        due, done_at = ticked.get(str(task.key), (None, None))
        is_done = done_at is not None and task.completed is None and task.due == due
        yield source, replace(task, completed=done_at) if is_done else task


def _save(db: sa.Connection, user_id: int, key: str, values: Mapping[str, object]) -> None:
    query = insert_into(db, task_notes).values(user_id=user_id, key=key, **values)
    db.execute(query.on_conflict_do_update(index_elements=[_COLUMNS.user_id, _COLUMNS.key], set_=dict(values)))
