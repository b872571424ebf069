"""Tasks without a due date in plain questions, and shares over the last nights."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from bridge.domain.records import User
from bridge.domain.types import Task
from bridge.installation import Bridge
from bridge.query import asking
from bridge.query.plain import read
from tests.query.life import lived
from tests.query.wearer import NOW, land

__all__ = ["lived"]
TODAY = date(2026, 12, 1)  # a Tuesday


@pytest.mark.parametrize(
    ("text", "by"),
    [
        ("which tasks have no due date", "row"),
        ("how many tasks without a deadline do I have", None),
        ("welche Aufgaben haben keine Frist", "row"),
        ("wie viele Aufgaben ohne Fälligkeitsdatum hab ich", None),
    ],
)
def test_a_task_without_a_due_date_is_a_state_of_its_own(lived: tuple[Bridge, User], text: str, by: str | None) -> None:
    day = timedelta(days=1)
    tasks = [
        Task(key="a", list="l", title="Tax", due=NOW.date() + 2 * day),
        Task(key="b", list="l", title="Roof"),
        Task(key="c", list="l", title="Hedge", completed=NOW - day),
    ]
    land(lived[0].store, lived[1], tasks)
    found = asking.plain(*lived, text, now=NOW, titles=True)[0]
    assert (found.value, found.query.by, [one.key for one in found.groups]) == (1, by, ["Roof"] if by else [])


@pytest.mark.parametrize("text", ["which tasks are open", "welche Aufgaben sind offen"])
def test_open_tasks_are_still_all_of_them(text: str) -> None:
    assert read(text, TODAY).where == ["task.state = open"]


@pytest.mark.parametrize(
    ("text", "what", "of", "since"),
    [
        ("share of deep sleep over the last 14 nights", "deep_sleep/asleep", "mean", "2026-11-18"),
        ("share of the last 30 nights under 6 hours", "nights", "share", "2026-11-02"),
        ("Anteil REM am Gesamtschlaf, letzte 30 Nächte", "rem_sleep/asleep", "mean", "2026-11-02"),
    ],
)
def test_a_share_of_the_last_nights_is_of_their_days(text: str, what: str, of: str, since: str) -> None:
    found = read(text, TODAY)
    assert (found.what, found.of, found.since, found.until) == (what, of, since, "2026-12-01")
