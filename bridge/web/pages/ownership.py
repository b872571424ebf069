"""Serve the choice of calendars that count, and the menu that says whose a calendar entry is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Form
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, Field

from bridge.advice import whose
from bridge.advice.week import monday_of
from bridge.calendar.owners import spelt
from bridge.calendar.ownership import Mark, Whose
from bridge.documents.review import week_name
from bridge.domain.errors import SetupError
from bridge.domain.languages import _, date_text, say, shown
from bridge.web.result_cache import data_version
from bridge.web.state import Visit, Visitor

router = APIRouter()
Text = Annotated[str, Form(max_length=2000)]
Typed = Annotated[str, Field(max_length=2000)]
Names = Annotated[Sequence[Annotated[str, Field(max_length=1000)]], Form(max_length=200)]
PAGES = ("/", "/week", "/connections")
MARKS_SHOWN = 30
TONES = 6  # colours of calendars in style.css
SAID = {Whose.MINE: say("mine"), Whose.NOT_MINE: say("not mine"), Whose.NO_TIME: say("takes no time")}


@router.post("/calendars")
def use(visit: Visitor, used: Names = (), back: Text = "", week: Text = "") -> RedirectResponse:
    """Count only the entries of the ticked calendars."""
    whose.use_only(visit.bridge.store, visit.user, used, now=visit.now)
    shown_ = {"week": week_name(monday_of(week, visit.now, visit.user.zones))} if week else {}
    place = "/week" if week else back if back in PAGES else "/connections"
    return RedirectResponse(f"{place}?{urlencode({**shown_, 'saved': 'calendars'})}#calendars", 303)


class MarkForm(BaseModel):
    """An answer to the question whose an entry (``event``) is. ``scope`` is ``one``, ``series`` or ``like``."""

    event: Typed
    whose: Annotated[str, Field(max_length=20)]
    scope: Typed = "one"
    week: Typed = ""
    back: Typed = ""


@router.post("/entries/whose")
def mark(visit: Visitor, form: Annotated[MarkForm, Form()]) -> RedirectResponse:
    """Save whose an entry, its series or all similar ones are. An empty answer ends questions about it."""
    store, user, now = visit.bridge.store, visit.user, visit.now
    marked: dict[str, str] = {}
    if form.whose:
        if form.whose not in set(Whose):
            raise SetupError(
                _("this answer about an entry is unknown; open the page again and choose mine, not-mine or no-time")
            )
        series, like = form.scope == "series", form.scope == "like"
        wanted = Mark(key=form.event, whose=Whose(form.whose), series=series, like=like)
        done = whose.mark(store, user, wanted, now=now)
        marked = {"marked": done.mark.key} if done.mark is not None else {}
    else:
        for doubt in whose.doubts(store, user, now=now):
            if doubt.key == form.event:
                whose.dismiss(store, user, doubt, now=now)
    back = form.back if form.back in PAGES else "/"
    if form.week:
        back, marked = "/week", {"week": week_name(monday_of(form.week, now, user.zones)), **marked}
    return RedirectResponse(f"{back}?{urlencode(marked)}" if marked else back, 303)


def just_marked(visit: Visit, key: str) -> dict[str, Any] | None:
    """Return the last statement on whose the entry with this key is, so that the page can offer to undo it, or None."""
    marks = whose.marks(visit.bridge.store, visit.user) if key else ()
    return next((_shown(one) for one in reversed(marks) if one.key == key), None)


def owned(visit: Visit) -> dict[str, Any]:
    """Return the user's calendars, and whose entries the user last said to be whose, for the page."""
    store, user = visit.bridge.store, visit.user
    version = data_version(visit.bridge, user, visit.now)
    found = visit.app.results.get(user, "calendars", version, lambda: whose.calendars(store, user, now=visit.now))
    marks = [one for one in reversed(whose.marks(store, user)) if one.whose is not Whose.MINE or one.like]
    told = {one.key: one for one in reversed(marks)}  # an answer may have several
    tones = dict(zip(dict.fromkeys(one.name for one in found), range(TONES), strict=False)) if len(found) > 1 else {}
    calendars = [
        {"name": one.name, "used": one.used, "entries": one.entries, "tone": tones.get(one.name)} for one in found
    ]
    return {"calendars": calendars, "marks": [_shown(one) for one in list(told.values())[::-1][:MARKS_SHOWN]]}


def _shown(one: Mark) -> dict[str, Any]:
    said = shown(SAID[one.whose])
    if one.like and one.name is not None:
        said += ", " + _("all of {name}", name=spelt(one.name, one.title or ""))
    elif one.like or one.series:
        said += ", " + (_("all of these words") if one.like else _("its series"))
    if one.said is not None:
        said += ", " + _("since {day}", day=date_text(one.said, "%-d %B"))
    return {"key": one.key, "title": one.title, "said": said}
