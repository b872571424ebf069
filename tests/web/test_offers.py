"""The times to which a suggestion can be moved say which of them come after its task is due."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from bridge.day.choice import Option
from bridge.domain.slots import ZoneSpan
from bridge.domain.types import Task
from bridge.web.timeline import offers
from rhythm_env.interface import ActionType

ZONES = (ZoneSpan(since=datetime(2026, 1, 1, tzinfo=UTC), zone="Europe/Berlin"),)
NOW = datetime(2026, 12, 2, 7, 15, tzinfo=UTC)  # Wednesday 08:15
VISIT: Any = SimpleNamespace(user=SimpleNamespace(zones=ZONES), now=NOW)
SHEET = Task(key="sheet", list="todo", title="Exercise sheet", due=date(2026, 12, 2))


def gap(hour: int, task: Task | None, days: int = 0) -> Option:
    start = datetime(2026, 12, 2 + days, hour - 1, 15, tzinfo=UTC)
    end = start + timedelta(hours=1)
    return Option(action=ActionType.DEEP_WORK, kind="suggested", start=start, end=end, task=task)


@pytest.mark.parametrize("due_hour", [12, 13, 18])
def test_a_time_after_the_due_time_says_so(due_hour: int) -> None:
    due = Task(key="sheet", list="todo", title="Sheet", due=SHEET.due, due_at=NOW.replace(hour=due_hour - 1, minute=0))
    told = [name for _, name in offers(VISIT, [gap(9, due), gap(12, due), gap(18, due)])]
    late = [": after it is due" if hour + 1 >= due_hour else "" for hour in (9, 12, 18)]
    assert told == [f"today {hour:02d}:15{words}" for hour, words in zip((9, 12, 18), late, strict=True)]


def test_a_day_after_the_due_date_says_so_and_what_is_late_already_does_not() -> None:
    overdue = Task(key="bill", list="todo", title="Bill", due=date(2026, 12, 1))
    told = [name for _, name in offers(VISIT, [gap(18, SHEET), gap(9, SHEET, 1), gap(18, overdue), gap(18, None)])]
    assert told == ["today 18:15", "tomorrow 09:15: after it is due", "today 18:15", "today 18:15"]
