"""Serve the meters that other users share with a user, and the forms by which a user shares meters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import HTMLResponse, Response

from bridge.auth import sharing
from bridge.documents.household import household_document
from bridge.domain.errors import SetupError
from bridge.domain.languages import _, number, told
from bridge.domain.languages import shown as shown_text
from bridge.web import day, phrases
from bridge.web.pages.proof import proved
from bridge.web.pages.settings import changed, shown
from bridge.web.render import page
from bridge.web.state import Visitor, in_browser
from rhythm_env.interface import Meter

router = APIRouter()
Name = Annotated[str, Form(max_length=200)]
Meters = Annotated[Sequence[Meter], Form(max_length=len(Meter))]


@router.get("/household")
def household(request: Request, visit: Visitor) -> HTMLResponse:
    """Show what others share with the user, as a part of today's page or as a page of its own."""
    found = [
        {"name": one["name"], "meters": [_meter(meter) for meter in one["meters"]]}
        for one in household_document(visit.bridge, visit.user, visit.readings_of)["received"]
    ]
    template = "today/household.html" if day.is_part(request) else "household.html"
    return page(template, visit, path="/", household=found)


def _meter(meter: Mapping[str, Any]) -> dict[str, str | None]:
    newest = meter["newest_hours"]
    return {
        "name": phrases.meter_name(meter["meter"]),
        "level": meter["level"] and shown_text(meter["level"]),
        "fresh": number(meter["coverage"], ".0%"),
        "newest": None if newest is None else phrases.age(newest),
    }


@router.post("/settings/shares", dependencies=[Depends(in_browser), Depends(proved("shares"))])
def share(visit: Visitor, name: Name = "", meters: Meters = ()) -> Response:
    """Let the user called ``name`` see exactly these meters. Without meters, the sharing ends.

    After too many wrong names, no more are accepted for a time, or names could be found out by trying.
    """
    try:
        if visit.app.wrong_names.wait(str(visit.user.id)):
            raise SetupError(_("too many names were tried; wait an hour"))
        sharing.share(visit.bridge.store, visit.user, name, meters, now=visit.now)
    except SetupError as error:
        return shown(visit, wrong={"shares": told(error)}, shared_with=name)
    visit.app.wrong_names.give_back(str(visit.user.id))
    return changed("shares")


@router.post("/settings/shares/withdraw", dependencies=[Depends(in_browser)])
def withdraw(visit: Visitor, name: Name = "") -> Response:
    """Stop sharing this user's meters with the user called ``name``."""
    try:
        sharing.withdraw(visit.bridge.store, visit.user, name, now=visit.now)
    except SetupError as error:
        return shown(visit, wrong={"shares": told(error)})
    return changed("unshared")


@router.post("/settings/shares/hide", dependencies=[Depends(in_browser)])
def hide(visit: Visitor, name: Name = "") -> Response:
    """Stop showing this user the meters that the user called ``name`` shares."""
    try:
        sharing.hide(visit.bridge.store, visit.user, name, now=visit.now)
    except SetupError as error:
        return shown(visit, wrong={"shares": told(error)})
    return changed("hidden")
