"""The links in notifications: a page with one button, and the answer behind it.

Nobody needs to be logged in here: the link itself is the permission, for one answer, and shows no more than that.
"""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from bridge import app, links
from bridge.errors import Forged, Spent
from bridge.web.render import page
from bridge.web.site import csrf, site_of
from rhythm_env.interface import DAY_NAMES, Answer, Moment, zone_at

router = APIRouter()

VERB = {Answer.ACCEPT: "Accept", Answer.IGNORE: "Ignore", Answer.RESCHEDULE: "Move"}
DONE = {Answer.ACCEPT: "Accepted", Answer.IGNORE: "Ignored", Answer.RESCHEDULE: "Moved"}


@router.get(f"{links.PATH}{{token}}")
def confirm(request: Request, token: str) -> HTMLResponse:
    """Looking changes nothing: previews and mail scanners look, too."""
    return _told(request, token, done=False)


@router.post(f"{links.PATH}{{token}}")
def answer(request: Request, token: str) -> HTMLResponse:
    return _told(request, token, done=True)


def _told(request: Request, token: str, *, done: bool) -> HTMLResponse:
    act = links.follow if done else links.look
    try:
        link = act(site_of(request).bridge, token, now=app.now())
    except Forged as error:
        return page("link.html", None, status=403, refused=str(error), link=None)
    except Spent as error:
        return page("link.html", None, status=410, refused=str(error), link=None)
    until = link.advice.expires_at.astimezone(zone_at(link.advice.expires_at, link.user.zones))
    return page(
        "link.html",
        None,
        csrf=csrf(request),
        refused=None,
        link=link,
        word=(DONE if done else VERB)[link.answer],
        until=f"{until:%H:%M}",
        slot=_named(link.advice.moment),
        moved=None if link.moved_to is None else _named(link.moved_to),
        puts_off=link.answer is Answer.RESCHEDULE,
        done=done,
    )


def _named(moment: Moment) -> str:
    return f"{DAY_NAMES[moment.day]} {moment.slot.name.lower()}"
