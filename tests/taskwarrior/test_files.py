"""An export, the next one, and what dates mean where the person lives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bridge.domain.types import RawRecord, Task
from bridge.store import Store
from connectors.taskwarrior.files import normalise
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
    ("due", "zone", "day", "timed"),
    [
        ("20261130T230000Z", "Europe/Berlin", "2026-12-01", False),
        ("20261130T230000Z", "America/New_York", "2026-11-30", True),
        ("1796079600", "Europe/Berlin", "2026-12-01", False),
    ],
)
def test_a_task_is_due_on_the_day_where_the_person_lives(due: str, zone: str, day: str, timed: bool) -> None:
    payload: dict[str, Any] = {**OPEN, "due": due, "zone": zone}
    (found,) = normalise(RawRecord(stream="task", key="1", payload=payload), None)
    assert isinstance(found, Task)
    assert str(found.due) == day
    assert (found.due_at is not None) is timed  # midnight stands for the date


@pytest.mark.parametrize("number", ["nan", "-nan", "inf", "NaN", "13,2", ".5", "1.", "007", "1e", "--1", "1.2.3"])
@pytest.mark.parametrize("layout", ["lines", "list", "one line", "indented"])
def test_an_invalid_number_costs_no_task(lite: Store, tmp_path: Path, number: str, layout: str) -> None:
    title = f'Say "urgency": {number}, or {{}} [x]: {number}'
    tasks = [OPEN | {"urgency": 0.125}, OTHER | {"description": title, "urgency": 0.125, "imask": 0.125}]
    ends = {"lines": "\n", "list": ",\n", "one line": ","}
    if layout == "indented":
        text = json.dumps(tasks, indent=1)
    else:
        body = ends[layout].join(json.dumps(task) for task in [*tasks, OPEN | {"description": "Last", "uuid": "9"}])
        text = body if layout == "lines" else f"[{body}]"
    desk = Desk(lite, tmp_path)
    assert desk.give("tasks.json", text.replace("0.125", number)).set_aside == 0
    titles = {row[0] for row in desk.tasks()}
    assert {"Rent", title} <= titles
