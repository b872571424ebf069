"""Serve the plan of a day, with forms for its tasks and for other times, and calendar files."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Form, Path, Query, Request
from fastapi.responses import RedirectResponse, Response

from bridge.advice import feedback, rescheduling
from bridge.advice.week import monday_of
from bridge.day.blocks import Block
from bridge.documents.inputs import parse_day
from bridge.documents.plan import to_icalendar
from bridge.documents.review import week_name
from bridge.domain.errors import SetupError
from bridge.domain.languages import _, date_text
from bridge.domain.records import Deed
from bridge.domain.slots import DAY, moment_at
from bridge.web import ahead, timeline
from bridge.web.day import is_part
from bridge.web.render import page
from bridge.web.said import said_on
from bridge.web.state import Visitor, is_seen

router = APIRouter()
Number = Annotated[int, Path(ge=1, le=2**53)]
Key = Annotated[str, Form(max_length=2000)]
Day = Annotated[str, Form(max_length=20)]


@router.get("/day")
def plan(request: Request, visit: Visitor, day: Annotated[str, Query(alias="date", max_length=20)] = "") -> Response:
    """Show the plan of a date, by default of today."""
    today = visit.today
    wanted: date = parse_day(day, today) if day else today
    found = visit.app.plan_cache.plan(visit.bridge, visit.user, wanted, now=visit.now, seen=is_seen(request, visit))
    shown = timeline.timeline(visit, found)
    if is_part(request):
        return page("today/timeline.html" if day else "today/plan.html", visit, plan=shown)
    earlier, later = (
        {"key": one.isoformat(), "name": date_text(one, "%a %-d %b")} for one in (wanted - DAY, wanted + DAY)
    )
    monday = wanted - timedelta(days=wanted.weekday())
    shown_: dict[str, Any] = {"plan": shown, "earlier": earlier, "later": later}
    shown_ |= {"noted": said_on(visit, wanted), "back": f"/day?date={wanted}#said"}
    return page("day.html", visit, path="/week", week=week_name(monday), **shown_)


@router.get("/advice/{number}/gaps")
def gaps(request: Request, visit: Visitor, number: Number) -> Response:
    """Show up to three good times to which the user can put off a recommendation."""
    found = feedback.own(visit.bridge.store, visit.user, number)
    if not is_part(request):
        return RedirectResponse("/", 303)
    known = visit.app.today_cache.planning_snapshot(visit.bridge, visit.user, visit.now)
    free = rescheduling.gaps(visit.bridge, visit.user, found, now=visit.now, known=known)
    return page(
        "today/gaps.html",
        visit,
        number=found.id,
        offers=[*timeline.offers(visit, free), *ahead.tomorrow(visit, found, free, known.tasks)],
    )


@router.get("/advice/{number}.ics")
def entry(visit: Visitor, number: Number) -> Response:
    """Send an iCalendar file with a recommendation, for the user to add to a calendar.

    Raises SetupError for a recommendation without times, and for one that is not the user's.
    """
    found = feedback.own(visit.bridge.store, visit.user, number)
    if found.start is None or found.end is None:
        raise SetupError(_("this recommendation has no time of day; choose one on the page with Later"))
    block = Block(
        start=found.start,
        end=found.end,
        kind=found.kind or "suggested",
        action=found.action,
        title=found.what,
        facts=found.facts,
        recommendation_id=found.id,
    )
    name = {"Content-Disposition": f'attachment; filename="advice-{found.id}.ics"'}
    return Response(to_icalendar([block], visit.now), media_type="text/calendar; charset=utf-8", headers=name)


@router.post("/tasks/done")
def tick(visit: Visitor, task: Key, day: Day = "", week: Day = "") -> RedirectResponse:
    """Save that the user did a task and its recommendation, and show the same plan or week again.

    Raises SetupError if ``task`` is no key of an open task of the user.
    """
    store, monday = visit.bridge.store, monday_of(week or None, visit.now, visit.user.zones)
    tasks = (one for _source, one in store.reading.tasks(visit.user.id) if one.completed is None)
    found = next((one for one in tasks if str(one.key) == task), None)
    if found is None:
        raise SetupError(_("this task is done, deleted or not yours; open the page again to see the open tasks"))
    store.task_notes.tick(visit.user.id, found, now=visit.now)
    _say(visit, found.title, Deed.DONE)
    return RedirectResponse(f"/week?week={week_name(monday)}", 303) if week else _plan_of(visit, day)


@router.post("/tasks/open")
def untick(visit: Visitor, task: Key, day: Day = "") -> RedirectResponse:
    """Save that the user did not do a ticked task, and show the same plan again."""
    store = visit.bridge.store
    store.task_notes.untick(visit.user.id, task, now=visit.now)
    titles = {str(one.key): one.title for _source, one in store.reading.tasks(visit.user.id)}
    _say(visit, titles.get(task), Deed.NOT_DONE)
    return _plan_of(visit, day)


def _say(visit: Visitor, title: str | None, deed: Deed) -> None:
    """Save what became of the current recommendation, if it names the task with this title."""
    current = visit.bridge.store.recommendations.of_slot(visit.user.id, moment_at(visit.now, visit.user.zones))
    if current is not None and title is not None and current.what == title:
        feedback.say(visit.bridge.store, visit.user, current.id, deed, now=visit.now)


def _plan_of(visit: Visitor, day: str) -> RedirectResponse:
    return RedirectResponse(f"/day?date={parse_day(day, visit.today)}" if day else "/#plan", 303)
