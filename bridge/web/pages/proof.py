"""Ask for the password or a passkey again before a user gives access to others, or exports or deletes everything."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from bridge.auth import access
from bridge.domain.errors import BridgeError, SetupError
from bridge.domain.languages import _, told
from bridge.web.logins import TooManyTries, cookie_name, known_device, uncount
from bridge.web.render import page
from bridge.web.state import SESSION_COOKIE, NotProved, Visit, Visitor, in_browser

SECTIONS = ("passkeys", "login", "token", "assistants", "shares", "everything")  # of the settings, that ask for proof

router = APIRouter(dependencies=[Depends(in_browser)])
Password = Annotated[str, Form(max_length=300)]


def proved(section: str) -> Callable[[Visitor], None]:
    """Return a dependency that raises NotProved if the session's user gave a proof of identity too long ago.

    The proof is the password or a passkey. ``section`` of the settings is to be returned to. Programs with tokens,
    users named by a proxy, and users without a login pass.
    """

    def check(visit: Visitor) -> None:
        if not visit.session or not visit.bridge.store.credentials.is_protected(visit.user.id):
            return
        if visit.proved_at is None or visit.now - visit.proved_at > access.PROOF_LASTS:
            raise NotProved(section)

    return check


def place(section: str) -> str:
    """Return the settings' address with the section, if it is a known one."""
    return f"/settings#{section}" if section in SECTIONS else "/settings"


@router.get("/prove")
def prove_page(visit: Visitor, section: Annotated[str, Query(max_length=40)] = "") -> Response:
    return _shown(visit, section)


@router.post("/prove")
def prove(request: Request, visit: Visitor, password: Password = "", section: Password = "") -> Response:
    """Save that the person at this browser typed the password, and lead back to the section of the settings."""
    try:
        if not access.has_password(visit.bridge.store, visit.user):
            raise SetupError(_("you have no password; use a passkey, or log in again"))
        check_password(request, visit, password)
    except SetupError as error:
        return _shown(visit, section, wrong=told(error))
    cookie = request.cookies.get(SESSION_COOKIE, "")
    visit.bridge.store.access.prove_session(access.digest(cookie), now=visit.now)
    return RedirectResponse(place(section), 303)


def check_password(request: Request, visit: Visit, typed: str) -> None:
    """Raise SetupError unless ``typed`` is the user's password, or the user has none."""
    store, name = visit.bridge.store, visit.user.name
    if not access.has_password(store, visit.user):
        return
    device = known_device(visit.bridge.vault, name, request.cookies.get(cookie_name(name)))
    try:
        counted = visit.app.logins.begin(name, request.client.host if request.client else "", device)
    except TooManyTries as error:
        raise SetupError(_("too many tries; wait {count} seconds", count=math.ceil(error.seconds))) from None
    try:
        found = access.user_with_password(store, name, typed)
    except BridgeError:  # the password was not compared
        uncount(counted)
        raise
    if found is None:
        raise SetupError(_("the present password is another one; type it again"))
    uncount(counted)


def _shown(visit: Visit, section: str, wrong: str | None = None) -> HTMLResponse:
    store = visit.bridge.store
    return page(
        "prove.html",
        visit,
        status=400 if wrong else 200,
        path="/settings",
        asked=section if section in SECTIONS else "",
        wrong=wrong,
        has_password=access.has_password(store, visit.user),
        has_passkey=bool(store.credentials.passkeys(visit.user.id)),
        provider="" if visit.app.provider is None else visit.app.provider.host,
    )
