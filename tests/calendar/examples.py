"""The day used by the worked examples of ``bridge.calendar``, with short constructors for its entries and tasks."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

from bridge.domain.slots import ZoneSpan
from bridge.domain.types import Event, Label, Occurrence, Task
from rhythm_env.interface import ActionType

DAY = (datetime(2026, 11, 20, tzinfo=UTC), datetime(2026, 11, 21, tzinfo=UTC))  # a Friday, from 0 to 24
LONDON = (ZoneSpan(since=datetime(2020, 1, 1, tzinfo=UTC), zone="Europe/London"),)  # in November its clock shows UTC


def hour(number: float) -> datetime:
    """Return an instant of the day: ``hour(10.5)`` is 10:30."""
    return DAY[0] + timedelta(hours=number)


def entry(start: float, end: float, **of: Any) -> Occurrence:
    """Make an entry: ``entry(9, 10.5)`` is from 9:00 to 10:30."""
    event = Event(key=f"{start}", calendar="example", **of)
    return Occurrence(key=event.key, event=event, start=hour(start), end=hour(end))


def planned(start: float, end: float, action: str, **of: Any) -> tuple[Occurrence, Label]:
    """Make an entry with its label."""
    label = Label(action=ActionType(action), confidence=1.0, by="example@1", why="an example")
    return entry(start, end, **of), label


def task(day: int, **of: Any) -> Task:
    """Make a task that is due on a day of that November."""
    return Task(key=f"{day}", list="example", due=date(2026, 11, day), **of)
