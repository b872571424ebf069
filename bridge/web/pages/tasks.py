"""Serve the forms that tick a task on the page, and take that back. The source of the task is not changed."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form
from fastapi.responses import RedirectResponse

from bridge.advice import feedback
from bridge.documents.inputs import parse_day
from bridge.domain.errors import SetupError
from bridge.domain.languages import _
from bridge.domain.records import Deed
from bridge.domain.slots import moment_at
from bridge.web.day import local
from bridge.web.state import Visitor

router = APIRouter()
Key = Annotated[str, Form(max_length=2000)]
Day = Annotated[str, Form(max_length=20)]


@router.post("/tasks/done")
def tick(visit: Visitor, task: Key, day: Day = "") -> RedirectResponse:
    """Note that the user did a task, and its recommendation too, and show the plan again from which it was ticked.

    Raises SetupError for a key that is none of the user's open tasks.
    """
    store = visit.bridge.store
    tasks = (one for _source, one in store.reading.tasks(visit.user.id) if one.completed is None)
    found = next((one for one in tasks if str(one.key) == task), None)
    if found is None:
        raise SetupError(_("this task is not open any more; open the page again"))
    store.task_notes.tick(visit.user.id, found, now=visit.now)
    current = store.recommendations.of_slot(visit.user.id, moment_at(visit.now, visit.user.zones))
    if current is not None and current.what == found.title:
        feedback.say(store, visit.user, current.id, Deed.DONE, now=visit.now)
    return _plan_of(visit, day)


@router.post("/tasks/open")
def untick(visit: Visitor, task: Key, day: Day = "") -> RedirectResponse:
    """Take back that the user did a task, and show the plan again from which that was done."""
    visit.bridge.store.task_notes.untick(visit.user.id, task, now=visit.now)
    return _plan_of(visit, day)


def _plan_of(visit: Visitor, day: str) -> RedirectResponse:
    return RedirectResponse(f"/day?date={parse_day(day, local(visit, visit.now).date())}" if day else "/", 303)
