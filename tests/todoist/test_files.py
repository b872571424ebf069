"""A backup, the next backup, and files of the API: what is done, renamed or gone, and what dates mean."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bridge import installation
from bridge.config import load
from bridge.domain.types import Outcome, RawRecord
from bridge.ingest import runs
from bridge.store import Store
from connectors.todoist.normalise import normalise
from tests.world import NOW, contents

HEADER = "TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE"
USER = "ana"


class Desk:
    """Somebody who imports files of a folder."""

    def __init__(self, store: Store, folder: Path) -> None:
        self.store, self.folder = store, folder
        self.bridge = installation.Bridge(settings=load(), store=store)
        store.people.add_user(USER, "Europe/Berlin", now=NOW)

    def give(self, name: str, text: str) -> Outcome:
        place = self.folder / name
        place.write_text(text, encoding="utf-8")
        (outcome,) = runs.import_path(self.bridge, self.store.people.user(USER), place, at=NOW).outcomes
        return outcome

    def tasks(self) -> list[tuple[str, str | None, bool]]:
        rows = contents(self.store, self.store.people.user(USER))["tasks"]
        return sorted((row["title"], row.get("due"), "completed" in row) for row in rows)


@pytest.fixture
def desk(lite: Store, tmp_path: Path) -> Desk:
    return Desk(lite, tmp_path)


def project(*rows: str) -> str:
    return "\r\n".join([HEADER, *rows, ""])


def task(title: str, due: str = "", indent: int = 1) -> str:
    return f"task,{title},,1,{indent},,,{due},en,Europe/Berlin"


def test_a_later_backup_replaces_the_earlier_one(desk: Desk) -> None:
    first = project(task("Stays", "2026-11-21"), task("Done by then"), task("Of it", indent=2))
    assert desk.give("Home [1].csv", first).new == 3
    again = desk.give("Home [1].csv", first)
    assert (again.new, again.updated, again.deleted) == (0, 0, 0)
    desk.give("Work [2].csv", project(task("Stays", "2026-12-01")))
    later = desk.give("Home [1] (1).csv", project(task("Stays", "2026-11-22"), task("New")))
    assert (later.new, later.updated, later.deleted) == (1, 1, 2)
    assert desk.tasks() == [("New", None, False), ("Stays", "2026-11-22", False), ("Stays", "2026-12-01", False)]


def test_equal_titles_are_tasks_of_their_own(desk: Desk) -> None:
    rows = [task("Call", "2026-11-21"), task("Call", "2026-11-22"), task("Ben"), task("Call", "2026-11-23", 2)]
    assert desk.give("Home.csv", project(*rows)).new == 4
    assert [due for title, due, _ in desk.tasks() if title == "Call"] == ["2026-11-21", "2026-11-22", "2026-11-23"]


def test_what_is_completed_in_the_api_replaces_what_was_open(desk: Desk) -> None:
    item = {"id": "9", "content": "Tax", "project_id": "1", "due": {"date": "2026-11-30"}}
    desk.give("open.json", json.dumps({"full_sync": True, "items": [item | {"checked": False}], "projects": []}))
    assert desk.tasks() == [("Tax", "2026-11-30", False)]
    done = {"id": "700", "task_id": "9", "content": "Tax", "project_id": "1", "completed_at": "2026-11-19T08:00:00Z"}
    desk.give("done.json", json.dumps({"items": [done], "projects": {"1": {"id": "1", "name": "Home"}}}))
    assert desk.tasks() == [("Tax", None, True)]


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("2026-11-21", "2026-11-21"),
        ("2026-11-21 09:30", "2026-11-21"),
        ("2026-11-21T23:30:00", "2026-11-21"),
        ("2026-11-21T23:30:00Z", "2026-11-22"),
        ("Nov 21 2026", "2026-11-21"),
        ("21 Nov 2026 9:00", "2026-11-21"),
        ("November 21, 2026", "2026-11-21"),
        ("Feb 30 2026", None),
        ("Nov 21", None),
        ("every monday", None),
        ("tomorrow 18:00", None),
        ("demain", None),
    ],
)
def test_dates_that_name_a_day_are_read_and_words_are_not(text: str, due: str | None) -> None:
    payload = {"title": "Tax", "list": "Home", "due": text, "zone": "Europe/Berlin"}
    (found,) = normalise(RawRecord(stream="task", key="1", payload=payload), None)
    assert str(getattr(found, "due", None)) == str(due)


@pytest.mark.parametrize(
    ("text", "due_at"),
    [
        ("2026-11-21T23:30:00", "2026-11-21 22:30:00+00:00"),
        ("2026-11-21T23:30:00Z", "2026-11-21 23:30:00+00:00"),
        ("2026-11-21 09:30", "2026-11-21 08:30:00+00:00"),
        ("2026-11-21T00:00:00", None),
        ("2026-11-21", None),
    ],
)
def test_a_time_of_day_is_kept_and_midnight_stands_for_the_date(text: str, due_at: str | None) -> None:
    payload = {"title": "Tax", "list": "Home", "due": text, "zone": "Europe/Berlin"}
    (found,) = normalise(RawRecord(stream="task", key="1", payload=payload), None)
    assert str(getattr(found, "due_at", None)) == str(due_at)
