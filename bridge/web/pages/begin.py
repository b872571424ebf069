"""Serve the pages of the beginning: what a person has, and the shortest way in which its data come here."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException
from fastapi.responses import HTMLResponse

from bridge import registry
from bridge.domain.languages import _, say
from bridge.web.beginnings import things
from bridge.web.render import page
from bridge.web.sources import shown_source
from bridge.web.state import Visitor

router = APIRouter()


@router.get("/begin")
def begin(visit: Visitor) -> HTMLResponse:
    """Show the devices, calendars and files that a person may have, for the person to choose from."""
    sources = registry.names("connectors")
    found = [
        {"thing": one, "hint": one.hint if one.ways_of(sources) or not one.ways else say("by a file")}
        for one in things(registry.specs())
    ]
    return page("begin.html", visit, things=found)


@router.get("/begin/{name}")
def way(visit: Visitor, name: str) -> HTMLResponse:
    """Show the ways from a thing to its data, the shortest first and open. An unknown thing gets 404."""
    thing = next((one for one in things(registry.specs()) if one.name == name), None)
    if thing is None:
        raise HTTPException(404, _("that is not known here; choose from the list: /begin"))
    found = thing.ways_of(registry.names("connectors"))
    ways = [{"way": one, "source": shown_source(visit, registry.spec(one.source))} for one in found]
    return page("begin/thing.html", visit, thing=thing, ways=ways)
