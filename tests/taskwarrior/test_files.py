"""An export, the next one, and what dates mean where the person lives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bridge.domain.types import RawRecord, Task
from bridge.store import Store
from connectors.taskwarrior.normalise import normalise
from tests.todoist.test_files import Desk

OPEN = {"description": "Rent", "entry": "20261101T080000Z", "status": "pending", "uuid": "11111111-0000-4000-8000-1"}
OTHER = OPEN | {"description": "Read", "uuid": "11111111-0000-4000-8000-2"}
DONE = OPEN | {"status": "completed", "end": "20261118T151203Z"}


def test_a_later_export_tells_what_was_done_and_what_is_gone(lite: Store, tmp_path: Path) -> None:
    desk = Desk(lite, tmp_path)
    assert desk.give("tasks.json", json.dumps([OPEN, OTHER])).new == 2
    again = desk.give("tasks.json", json.dumps([OPEN, OTHER]))
    assert (again.new, again.updated, again.deleted) == (0, 0, 0)
    desk.give("more.json", "\n".join(json.dumps(one) for one in (OPEN | {"uuid": "3", "description": "Third"},)))
    later = desk.give("tasks.json", json.dumps([DONE]))
    assert (later.new, later.updated, later.deleted) == (0, 1, 1)
    assert desk.tasks() == [("Rent", None, True), ("Third", None, False)]


@pytest.mark.parametrize(
    ("due", "zone", "day"),
    [
        ("20261130T230000Z", "Europe/Berlin", "2026-12-01"),
        ("20261130T230000Z", "America/New_York", "2026-11-30"),
        ("1796079600", "Europe/Berlin", "2026-12-01"),
    ],
)
def test_a_task_is_due_on_the_day_where_the_person_lives(due: str, zone: str, day: str) -> None:
    payload: dict[str, Any] = {**OPEN, "due": due, "zone": zone}
    (found,) = normalise(RawRecord(stream="task", key="1", payload=payload), None)
    assert isinstance(found, Task)
    assert str(found.due) == day
