"""Serve the page that asks which actions calendar entries are, for those entries whose answers tell most."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from bridge.advice import requests
from bridge.advice.labels import LESSON_DAYS, to_ask
from bridge.calendar.expansion import series_of
from bridge.calendar.likeness import Question, shares
from bridge.documents.inputs import parse_action
from bridge.domain.languages import _, date_text
from bridge.web.day import is_part
from bridge.web.phrases import action_name
from bridge.web.render import page
from bridge.web.result_cache import data_version
from bridge.web.state import Visit, Visitor
from rhythm_env.interface import ActionType

router = APIRouter()
ANSWERS_SHOWN = 100
ASKED, LIKELY = 12, 3  # entries on the page, and at most so many actions of each that are offered first
LIKELY_SHARE = 0.1  # our choice: a rarer action is not offered first
PAGES = ("/entries", "/connections")
Text = Annotated[str, Form(max_length=2000)]


@router.get("/entries")
def entries(visit: Visitor) -> HTMLResponse:
    """Show the entries to ask about, each with its likely actions as buttons. A series counts as one entry."""
    made = len(visit.bridge.store.people.corrections(visit.user.id, at=visit.now))
    version = data_version(visit.bridge, visit.user, visit.now), made
    found = visit.app.results.get(visit.user, "entries", version, lambda: _asked(visit))
    last = None if found else visit.bridge.store.reading.last_event(visit.user.id, visit.now)
    old = last is not None and visit.now - last > LESSON_DAYS
    newest = date_text(visit.local(last), "%-d %B %Y") if last is not None and old else None
    return page("entries.html", visit, path="/entries", asked=found, newest=newest, answers=answers(visit))


def answers(visit: Visit) -> list[dict[str, Any]]:
    """Return the actions that the user gave to calendar entries, newest first, for the page."""
    made = visit.bridge.store.people.corrections(visit.user.id, at=visit.now)
    return [
        {"series": one.series, "title": one.title, "said": action_name(one.action and str(one.action))}
        for one in made[:ANSWERS_SHOWN]
    ]


def _asked(visit: Visit) -> list[dict[str, Any]]:
    found = to_ask(visit.bridge, visit.user, ASKED, at=visit.now)
    return [_question(one) for one in found]


def _question(one: Question) -> dict[str, Any]:
    ranked = sorted(zip(shares([one.case])[0], ActionType, strict=False), reverse=True)
    likely = [str(action) for share, action in ranked[:LIKELY] if share >= LIKELY_SHARE or action is ranked[0][1]]
    rest = [str(action) for action in ActionType if str(action) not in likely]
    return {"series": one.series, "title": one.case.title, "times": one.times, "likely": likely, "rest": rest}


@router.post("/entries")
def say(request: Request, visit: Visitor, event: Text, action: Text) -> Response:
    """Store which action a calendar entry is, for its series and for entries like it."""
    chosen = parse_action(action)
    fixed = requests.fix(visit.bridge, visit.user, event, chosen, now=visit.now)
    if not is_part(request):
        return RedirectResponse("/entries", 303)
    title, name = fixed.event.title or _("(untitled)"), action_name(chosen and str(chosen))
    return page("entries/answered.html", visit, title=title, name=name, series=series_of(fixed.event))


@router.post("/entries/answer/back")
def take_back(visit: Visitor, event: Text, back: Text = "/entries") -> RedirectResponse:
    """Delete the action that the user gave to a series of entries."""
    visit.bridge.store.people.take_back_correction(visit.user.id, event)
    return RedirectResponse(f"{back}#answers" if back in PAGES else "/entries", 303)
