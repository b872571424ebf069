"""Serve the forms of the settings that decide who gets in, for passwords, tokens of programs, and assistants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Path, Request
from fastapi.responses import HTMLResponse, Response

from bridge.auth import access, assistants
from bridge.domain.errors import SetupError
from bridge.domain.languages import _, many, told
from bridge.web.pages.login import begin_session
from bridge.web.pages.proof import check_password, proved
from bridge.web.pages.settings import changed, refuse_last_way, shown
from bridge.web.state import Visitor, in_browser

router = APIRouter(dependencies=[Depends(in_browser)])
Password = Annotated[str, Form(max_length=300)]
Tools = Annotated[Sequence[str], Form(max_length=len(assistants.CONSENTS))]
TOKENS_MAX = 50  # of a user


@router.post("/settings/password")
def password(
    request: Request, visit: Visitor, old: Password = "", new: Password = "", again: Password = ""
) -> Response:
    """Set the password ``new``, if ``old`` is the present one. All of the user's other sessions end."""
    try:
        if new != again:
            raise SetupError(_("the two new passwords differ; type both again"))
        check_password(request, visit, old)
        access.set_password(visit.bridge.store, visit.user, new, now=visit.now)
    except SetupError as error:
        return shown(visit, wrong={"password": told(error)})
    return begin_session(request, visit.user, to="/settings?saved=password#password")


@router.post("/settings/password/strength")
def strength(visit: Visitor, new: Password = "") -> HTMLResponse:
    """Return in words how hard a password is to guess, while it is typed."""
    if len(new) < access.PASSWORD_MIN_CHARS:
        missing = access.PASSWORD_MIN_CHARS - len(new)
        return HTMLResponse(many("{count} more character.", "{count} more characters.", missing))
    score = access.strength(new, visit.user.name)
    if score < access.STRENGTH_MIN:
        return HTMLResponse(_("Soon guessed. Take four unrelated words."))
    return HTMLResponse(_("Hard to guess.") if score == access.STRENGTH_MIN else _("Very hard to guess."))


@router.post("/settings/password/remove")
def remove_password(request: Request, visit: Visitor, old: Password = "") -> Response:
    """Remove the password, if ``old`` is the present one and the user has another way to log in where one is needed.

    All sessions end. This browser gets a new session if the page still needs a login.
    """
    try:
        check_password(request, visit, old)
        with visit.bridge.store.transaction():
            access.set_password(visit.bridge.store, visit.user, None, now=visit.now)
            refuse_last_way(visit)
    except SetupError as error:
        return shown(visit, wrong={"password": told(error)})
    if visit.bridge.store.credentials.is_protected(visit.user.id) or not visit.app.local:
        return begin_session(request, visit.user, to="/settings?saved=open#password")
    return changed("open")


@router.post("/settings/tokens", dependencies=[Depends(proved("token"))])
def new_token(
    visit: Visitor,
    name: Annotated[str, Form(max_length=64)] = "",
    assistant: Annotated[str, Form(max_length=10)] = "",
) -> HTMLResponse:
    """Make a token for a program and show it once. With ``assistant`` = ``yes`` it serves AI assistants alone.

    A user who has too many tokens gets no other.
    """
    store = visit.bridge.store
    if len(store.access.tokens(visit.user.id)) >= TOKENS_MAX:
        return shown(visit, wrong={"token": _("there are {count} tokens; end one of them first", count=TOKENS_MAX)})
    called = name.strip() or _("a program")
    _entry, token = access.new_token(store, visit.user, called, now=visit.now, for_assistant=assistant == "yes")
    return shown(visit, token=token)


@router.post("/settings/tokens/{number}/end")
def end_token(visit: Visitor, number: Annotated[int, Path(ge=1, le=2**53)]) -> Response:
    """Revoke a token. An unknown token shows the settings with the reason and status 400."""
    if not visit.bridge.store.access.revoke_token(visit.user.id, number):
        return shown(visit, wrong={"token": _("you have no such token; see the list")})
    return changed("token")


@router.post("/settings/assistants", dependencies=[Depends(proved("assistants"))])
def assistants_tools(visit: Visitor, tools: Tools = ()) -> Response:
    """Let assistants use only the given tools from now on."""
    try:
        assistants.choose(visit.bridge.store, visit.user, tools, now=visit.now)
    except SetupError as error:
        return shown(visit, wrong={"assistants": told(error)})
    return changed("assistants")
