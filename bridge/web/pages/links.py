"""The page behind a notification's link, with a single button that answers the recommendation.

No login is needed. The link itself permits its answer, and the page shows nothing else.
"""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from bridge import installation
from bridge.advice import answer_links
from bridge.documents.text import slot_name
from bridge.domain.errors import Forged, Spent
from bridge.domain.slots import zone_at
from bridge.web.render import page
from bridge.web.state import app_state, csrf
from rhythm_env.interface import Answer

router = APIRouter()

VERBS = {Answer.ACCEPT: "Accept", Answer.IGNORE: "Ignore", Answer.RESCHEDULE: "Move"}
PAST_VERBS = {Answer.ACCEPT: "Accepted", Answer.IGNORE: "Ignored", Answer.RESCHEDULE: "Moved"}


@router.get(f"{answer_links.ANSWER_PATH}{{token}}")
def confirm(request: Request, token: str) -> HTMLResponse:
    """Show the button that gives the link's answer. The recommendation counts as seen, if a browser shows the page.

    Nothing is answered yet, because previews and mail scanners open links too.
    """
    return _respond(request, token, done=False)


@router.post(f"{answer_links.ANSWER_PATH}{{token}}")
def answer(request: Request, token: str) -> HTMLResponse:
    return _respond(request, token, done=True)


def is_opened(request: Request) -> bool:
    """Return True unless a program says that it fetches the page without showing it, as previews of browsers do.

    On plain HTTP browsers send none of these headers, and the page then counts as opened.
    """
    ahead = any("prefetch" in request.headers.get(name, "") for name in ("sec-purpose", "purpose", "x-moz"))
    return not ahead and request.headers.get("sec-fetch-mode", "navigate") == "navigate"


def _respond(request: Request, token: str, *, done: bool) -> HTMLResponse:
    act = answer_links.follow if done else answer_links.read
    try:
        link = act(app_state(request).bridge, token, now=installation.now())
    except Forged as error:
        return page("link.html", None, status=403, refused=str(error), link=None)
    except Spent as error:
        return page("link.html", None, status=410, refused=str(error), link=None)
    if done or is_opened(request):
        app_state(request).bridge.store.recommendations.mark_shown(link.recommendation.id, now=installation.now())
    until = link.recommendation.expires_at.astimezone(zone_at(link.recommendation.expires_at, link.user.zones))
    return page(
        "link.html",
        None,
        csrf=csrf(request),
        refused=None,
        link=link,
        word=(PAST_VERBS if done else VERBS)[link.answer],
        until=f"{until:%H:%M}",
        slot=slot_name(link.recommendation.moment),
        moved=None if link.moved_to is None else slot_name(link.moved_to),
        puts_off=link.answer is Answer.RESCHEDULE,
        done=done,
    )
