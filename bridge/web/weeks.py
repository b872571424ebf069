"""Cache the week that is shown, and list the suggestions and tasks that are expected in it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import date, datetime
from functools import partial
from typing import Any

from bridge.advice.week import A_WEEK, Week, load_week
from bridge.day.agreed import moved_tasks
from bridge.day.blocks import Block
from bridge.day.person import Person
from bridge.domain.facts import fact
from bridge.domain.languages import _, date_text, shown
from bridge.domain.rendering import for_person
from bridge.domain.slots import DAY, moment_at, moment_of, slot_start
from bridge.domain.titles import advice_title
from bridge.web.day import titled
from bridge.web.result_cache import data_version
from bridge.web.state import Visit
from rhythm_env.interface import Slot

DAYS_AHEAD = 6  # days after today whose entries and tasks are known well enough for a preview
REASONS_MAX = 1  # shown in a slot of the week


def cached_week(visit: Visit, monday: date) -> Week:
    """Return the week that begins on ``monday``, from the cache until data or recommendations change."""
    bridge, user, now = visit.bridge, visit.user, visit.now
    start = slot_start(moment_of(monday, 0), user.zones)
    advice = bridge.store.recommendations.states(user.id, since=start - A_WEEK, until=start + A_WEEK)
    version = data_version(bridge, user, now), monday, advice
    week = partial(load_week, bridge, user, monday, at=now)
    return visit.app.results.get(user, "week", version, week)


def coming_days(visit: Visit, monday: date) -> list[date]:
    """Return the dates from today to the Sunday of the week that begins on ``monday``, at most seven.

    Return no dates if the week is over or begins more than six days ahead.
    """
    today = visit.today
    days = [today + k * DAY for k in range(DAYS_AHEAD + 1) if today + k * DAY < monday + 7 * DAY]
    return days if days and days[-1] >= monday else []


def expected(visit: Visit, monday: date, *, seen: bool) -> list[dict[str, Any]]:
    """Return the suggestions and tasks expected in a week's coming days, each task once, with its slot's id (``cell``).

    With ``seen``, the user sees them, so the current recommendation is marked as shown.
    """
    found: list[dict[str, Any]] = []
    named: set[str] = set()
    for day in coming_days(visit, monday):
        for block in _previews(visit, day, seen=seen):
            inside = monday <= moment_at(block.start, visit.user.zones).date < monday + 7 * DAY
            task = block.title if block.task or block.kind == "task" else None
            if inside and task not in named:
                found.append(_shown(visit, block))
            named |= {task} if task else set()
    return found


def moved(visit: Visit) -> list[dict[str, Any]]:
    """Return the tasks that the user moved, with time and slot id, unless the time is over or taken."""
    bridge, user, now = visit.bridge, visit.user, visit.now
    places = bridge.store.task_notes.places(user.id, at=now)
    if not any(due for _start, _end, due in places.values()):
        return []
    known, routine = visit.app.today_cache.snapshot(bridge, user, now), visit.app.today_cache.routine(bridge, user, now)
    person = Person(known=known, now=now, routine=routine, places=places)
    return [
        _shown(
            visit,
            Block(start=start, end=end, kind="task", title=task.title, task=str(task.key), facts=(fact("moved"),)),
        )
        for task, (start, end) in moved_tasks(person)
    ]


def _previews(visit: Visit, day: date, *, seen: bool) -> Iterator[Block]:
    plan = visit.app.plan_cache.plan(visit.bridge, visit.user, day, now=visit.now, seen=seen)
    for block in plan.blocks:
        if block.kind == "task" or (block.kind == "suggested" and block.recommendation_id is None):
            yield block


def _shown(visit: Visit, block: Block) -> dict[str, Any]:
    moment = moment_at(block.start, visit.user.zones)
    return {
        "cell": cell_id(moment.date, moment.slot),
        "at": block.start,
        "from": clock(visit, block.start),
        "name": None if block.action is None else shown(advice_title(block.action, block.kind)),
        "what": titled(block.title) if block.kind == "suggested" else block.title,
        "task": block.task,
        "due": None if block.task is None else due_id(block.task),
        "reasons": for_person(block.facts[:REASONS_MAX]),
        "state": _("task") if block.kind == "task" else _("expected"),
        "moves_to": "/week/task" if block.kind == "task" else None,
        "undo": None,
        "moved": block.task is not None and any(one.kind == "moved" for one in block.facts),
        "when": date_text(visit.local(block.start), "%a %-d %b, %H:%M"),
        "expected": True,
    }


def clock(visit: Visit, at: datetime) -> str:
    """Return a time as a slot shows it, with the weekday if it is after midnight."""
    here = visit.local(at)
    day = "" if here.date() == moment_at(at, visit.user.zones).date else date_text(here, "%a") + " "
    return f"{day}{here:%H:%M}"


def cell_id(day: date, slot: Slot) -> str:
    """Return the id of a slot's element on the page of a week."""
    return f"slot-{day.isoformat()}-{int(slot)}"


def due_id(task: str) -> str:
    """Return the id of a due task's line at the head of a day. The line is removed when the task gets a time."""
    return f"due-{hashlib.sha256(task.encode()).hexdigest()[:12]}"
