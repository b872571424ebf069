"""Serve the part of today's page on which a user says that these days are different, for example ill or travelling."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from bridge.advice import modes, whose
from bridge.day.body import Mode, ModeKind
from bridge.documents.inputs import parse_day
from bridge.domain.languages import date_text, say, shown
from bridge.domain.rendering import for_person
from bridge.web import day
from bridge.web.render import page
from bridge.web.said import Back
from bridge.web.state import Visit, Visitor

router = APIRouter()
Text = Annotated[str, Form(max_length=1000)]
HERE = "/#different"
MODE_TITLES = {
    ModeKind.ILL: say("I am ill"),
    ModeKind.AWAY: say("I am away"),
    ModeKind.HOLIDAY: say("I am on holiday"),
    ModeKind.ODD: say("It is just different"),
}
MODE_PLANNED = {
    ModeKind.ILL: say("You said that you are ill, from {first} until {day}."),
    ModeKind.AWAY: say("You said that you are away, from {first} until {day}."),
    ModeKind.HOLIDAY: say("You said that you are on holiday, from {first} until {day}."),
    ModeKind.ODD: say("You said that the days from {first} until {day} are different."),
}
MODE_SAID = {
    ModeKind.ILL: say("You said that you are ill, until {day}."),
    ModeKind.AWAY: say("You said that you are away, until {day}."),
    ModeKind.HOLIDAY: say("You said that you are on holiday, until {day}."),
    ModeKind.ODD: say("You said that these days are different, until {day}."),
}


@router.get("/different")
def different(request: Request, visit: Visitor, above: Annotated[str, Query(max_length=40)] = "") -> HTMLResponse:
    """Show the user's mode (such as ill), and ask about a mode that the data suggest or whose a calendar entry is.

    ``above`` names the mode that the page asks about already.
    """
    person = visit.person()
    asked = [
        {"mode": str(kind), "title": shown(MODE_TITLES[kind]), "because": list(for_person(facts))}
        for kind, facts in modes.to_ask(visit.bridge.store, visit.user, person)
        if kind != above
    ]
    doubts = whose.doubts(visit.bridge.store, visit.user, now=visit.now, most=1)
    return _shown(request, visit, asked=asked, doubt=doubts[0] if doubts else None, loads=False)


@router.post("/mode")
def say_mode(
    visit: Visitor,
    mode: Text,
    until: Text = "",
    begin: Annotated[str, Form(alias="from", max_length=40)] = "",
    back: Back = HERE,
) -> RedirectResponse:
    """Save the user's mode (ill, normal, ...) for these or later days. Raises SetupError for a day that is over."""
    store, user = visit.bridge.store, visit.user
    today = visit.today
    first, last = (parse_day(one, today) if one else None for one in (begin, until))
    modes.say_mode(store, user, Mode(kind=modes.parse_mode(mode, user), since=first, until=last), now=visit.now)
    return RedirectResponse(back, 303)


@router.post("/mode/no")
def dismiss(visit: Visitor, mode: Text, back: Back = HERE) -> RedirectResponse:
    """Save that a suggested mode does not apply, so that it is not suggested for some weeks."""
    modes.dismiss(visit.bridge.store, visit.user, [modes.parse_mode(mode, visit.user)], now=visit.now)
    return RedirectResponse(back, 303)


def card(visit: Visit) -> dict[str, Any]:
    today = visit.today
    mode = modes.mode_of(visit.bridge.store, visit.user, today)
    return {
        "said": _said(mode),
        "planned": [_planned(one) for one in sorted(mode.planned, key=lambda one: str(one.since))],
        "modes": [(str(kind), shown(title)) for kind, title in MODE_TITLES.items()],
        "today": today.isoformat(),
        "last": (today + timedelta(days=366)).isoformat(),
        "asked": [],
        "doubt": None,
        "loads": True,
    }


def _said(mode: Mode) -> str | None:
    if mode.until is None or mode.kind not in MODE_SAID:
        return None
    return shown(say(MODE_SAID[mode.kind].message, day=date_text(mode.until, "%A, %-d %B")))


def _planned(mode: Mode) -> dict[str, Any]:
    first, last = (date_text(one, "%A, %-d %B") for one in (mode.since, mode.until) if one is not None)
    said = shown(say(MODE_PLANNED[mode.kind].message, first=first, day=last))
    return {"said": said, "from": str(mode.since), "until": str(mode.until)}


def _shown(request: Request, visit: Visit, *, status: int = 200, **changes: Any) -> HTMLResponse:
    template = "today/different.html" if day.is_part(request) else "different.html"
    return page(template, visit, path="/", status=status, different={**card(visit), "loads": False, **changes})
