"""Serve the page behind a notification's link, with a button for the answer that the link stands for.

It needs no login, because the link proves the permission. The page shows nothing else.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse

from bridge import installation
from bridge.advice import answer_links, wishing
from bridge.documents.inputs import parse_slot
from bridge.documents.planning import named, offer_documents, when
from bridge.documents.text import slot_name
from bridge.domain.errors import Forged, Spent
from bridge.domain.languages import _, capital, shown, told
from bridge.domain.slots import local_time, moment_at
from bridge.domain.titles import ANSWER_BUTTONS, ANSWER_WORDS, answer_text
from bridge.web.render import page
from bridge.web.state import app_state, csrf
from rhythm_env.interface import Answer

if TYPE_CHECKING:
    from bridge.installation import Bridge

router = APIRouter()


@router.get(f"{answer_links.ANSWER_PATH}{{token}}")
def confirm(request: Request, token: str) -> HTMLResponse:
    """Show the buttons of a notification's link, and mark the recommendation as seen if a browser shows the page.

    Nothing is answered yet, because mail scanners open links too. A forged link gets 403, a used or expired one 410.
    """
    return _respond(request, token, done=False)


@router.post(f"{answer_links.ANSWER_PATH}{{token}}")
def answer(request: Request, token: str, to: Annotated[str, Form(max_length=40)] = "") -> HTMLResponse:
    """Record the answer of a notification's link. A forged link gets 403, and a used or expired link 410."""
    return _respond(request, token, done=True, to=to)


@router.post(f"{answer_links.ANSWER_PATH}{{token}}/because")
def because(
    request: Request,
    token: str,
    why: Annotated[str, Form(max_length=20)],
    confirmed: Annotated[str, Form(max_length=5)] = "",
    to: Annotated[str, Form(max_length=40)] = "",
) -> HTMLResponse:
    """Save why a notification's recommendation is refused. A reason for all later days must first be confirmed.

    ``to`` moves the recommendation to another time of today instead. A forged link gets 403, a used or expired one 410.
    """
    try:
        reason = wishing.Because(why) if why in set(wishing.Because) else wishing.Because.SOMETHING_ELSE
        bridge, now = app_state(request).bridge, installation.now()
        if to:
            return _put_off(bridge, token, to, now)
        link, follows, stored = answer_links.because(bridge, token, reason, confirmed=confirmed, now=now)
    except (Forged, Spent) as error:
        return page("link.html", None, status=403 if isinstance(error, Forged) else 410, refused=told(error), link=None)
    if not stored and confirmed == "no":
        return _respond(request, token, done=False)
    if not stored:
        sure = {
            "action": f"{answer_links.ANSWER_PATH}{token}/because",
            "why": str(reason),
            "told": shown(follows),
            "is_part": False,
            "put_off": f"{answer_links.ANSWER_PATH}{token}/because",
            "offers": named(link.offers, link.user.zones, now=now),
        }
        return page("sure.html", None, sure=sure, csrf=csrf(request))
    said = None if reason is wishing.Because.SOMETHING_ELSE else shown(follows)
    return page("link.html", None, refused=None, link=link, done=True, said=said, heard=True)


def is_opened(request: Request) -> bool:
    """Return False if the request's headers say that the page is fetched without being shown, as for a preview.

    Over plain HTTP browsers send no such headers, and the result is True.
    """
    ahead = any("prefetch" in request.headers.get(name, "") for name in ("sec-purpose", "purpose", "x-moz"))
    return not ahead and request.headers.get("sec-fetch-mode", "navigate") == "navigate"


def _respond(request: Request, token: str, *, done: bool, to: str = "") -> HTMLResponse:
    bridge, now = app_state(request).bridge, installation.now()
    try:
        link = answer_links.read(bridge, token, now=now)
        if done:
            moved = parse_slot(to, now, link.user.zones) if to else None
            link = answer_links.follow(bridge, token, now=now, moved_to=moved)
    except Forged as error:
        return page("link.html", None, status=403, refused=told(error), link=None)
    except Spent as error:
        return page("link.html", None, status=410, refused=told(error), link=None)
    given, zones = link.recommendation, link.user.zones
    if done or is_opened(request):
        bridge.store.recommendations.mark_shown(given.id, now=now)
    until = local_time(given.expires_at, zones)
    return page(
        "link.html",
        None,
        csrf=csrf(request),
        refused=None,
        link=link,
        word=capital(shown((ANSWER_WORDS if done else ANSWER_BUTTONS)[link.answer])),
        until=f"{until:%H:%M}",
        slot=slot_name(given.moment),
        moved=_moved(link, now) if done else None,
        offers=offer_documents(link.offers, zones, now=now),
        puts_off=link.answer is Answer.RESCHEDULE,
        before=None if given.answer is None else shown(answer_text(given.answer, given.moved_to)),
        done=done,
        whys=[(str(key), shown(text)) for key, text in wishing.BECAUSE_WORDS.items()],
        token=token,
        heard=False,
    )


def _put_off(bridge: Bridge, token: str, to: str, now: datetime) -> HTMLResponse:
    link = answer_links.put_off(bridge, token, to, now=now)
    said = _("It is put off to {time}.", time=_moved(link, now))
    return page("link.html", None, refused=None, link=link, done=True, said=said, heard=True)


def _moved(link: answer_links.Link, now: datetime) -> str | None:
    given, zones = link.recommendation, link.user.zones
    if given.moved_to is None:
        return None
    fits = given.start is not None and moment_at(given.start, zones) == given.moved_to
    return when(given.start, zones, now=now) if fits and given.start is not None else slot_name(given.moved_to)
