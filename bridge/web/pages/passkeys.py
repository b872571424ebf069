"""Serve the login with a passkey, and the forms of the settings that add and remove passkeys."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Path, Request
from fastapi.responses import JSONResponse, Response

from bridge import installation
from bridge.auth import passkeys
from bridge.auth.passkeys import Challenge
from bridge.domain.errors import BridgeError, SetupError
from bridge.domain.languages import _, say, told
from bridge.web.forwarded import customer_network
from bridge.web.logins import TooManyTries, uncount
from bridge.web.next_steps import without_commands
from bridge.web.pages.login import begin_session, login_page, outside, stay, too_many_tries
from bridge.web.pages.proof import place, proved
from bridge.web.pages.settings import changed, refuse_last_way, shown
from bridge.web.phrases import sentence
from bridge.web.state import AppState, Visitor, app_state, in_browser

router = APIRouter()
Credential = Annotated[str, Form(max_length=20_000)]
Name = Annotated[str, Form(max_length=200)]
GONE_TEXT = say("that took too long, or began in another browser; try again")


@router.post("/login/passkey/options")
def login_options(request: Request) -> Response:
    """Return, as JSON, the options with which a browser asks for a passkey. Counts as a try to log in."""
    state = app_state(request)
    try:
        state.logins.begin_elsewhere(_address(request))
    except TooManyTries as error:
        return too_many_tries(request, error.seconds)
    challenge, options = passkeys.begin_login(*_place(request))
    return _asked(request, state, challenge, options)


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


def _place(request: Request) -> tuple[str, tuple[str, ...]]:
    host = request.headers.get("host", "")
    return request.url.hostname or "", tuple({outside(request), f"https://{host}"})


def _asked(request: Request, state: AppState, challenge: Challenge, options: str) -> Response:
    state.challenges.put(request.state.seed, _key(challenge.value), challenge)
    return Response(options, media_type="application/json")


def _key(value: bytes) -> str:
    return urlsafe_b64encode(value).rstrip(b"=").decode()


def _answered(request: Request, answer: str, user_id: int | None) -> Challenge:
    found = app_state(request).challenges.take(request.state.seed, _challenge_in(answer))
    if found is None or found.user_id != user_id:
        raise SetupError(GONE_TEXT)
    return found


def _challenge_in(answer: str) -> str:
    from webauthn.helpers import base64url_to_bytes

    try:
        told: Any = json.loads(base64url_to_bytes(json.loads(answer)["response"]["clientDataJSON"]))
        return str(told["challenge"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return ""


@router.post("/login/passkey")
def log_in(request: Request, credential: Credential = "", section: Name = "") -> Response:
    """Begin a session for the user of a passkey, and lead to a section of the settings if one is named.

    A refused passkey shows the login page with the reason and status 403.
    """
    state = app_state(request)
    store = state.bridge.store
    try:
        challenge = _answered(request, credential, None)
        number = passkeys.user_with_passkey(store, challenge, credential, now=installation.now())
        user = store.people.user_by_id(number)
    except BridgeError as error:
        return login_page(request, sentence(told(error)), 403)
    uncount([(state.logins.addresses, customer_network(_address(request)))])
    return begin_session(request, user, to=place(section) if section else "/")


@router.post("/settings/passkeys/options", dependencies=[Depends(in_browser), Depends(proved("passkeys"))])
def new_options(request: Request, visit: Visitor) -> Response:
    """Return, as JSON, the options with which a browser makes a passkey for the user. A refusal has status 400."""
    try:
        challenge, options = passkeys.begin_registration(visit.bridge.store, visit.user, *_place(request))
    except SetupError as error:
        return JSONResponse({"error": without_commands(told(error))}, 400)
    return _asked(request, visit.app, challenge, options)


@router.post("/settings/passkeys", dependencies=[Depends(in_browser), Depends(proved("passkeys"))])
def add(request: Request, visit: Visitor, credential: Credential = "", name: Name = "") -> Response:
    """Keep a passkey that the browser has made, under a name. A refusal shows the settings with the reason."""
    try:
        challenge = _answered(request, credential, visit.user.id)
        passkey = passkeys.registered(challenge, credential, name, now=visit.now)
        visit.bridge.store.credentials.add_passkey(visit.user.id, passkey)
    except BridgeError as error:
        return shown(visit, wrong={"passkeys": told(error)})
    return stay(request, visit, "passkeys")


@router.post("/settings/passkeys/{number}/remove", dependencies=[Depends(in_browser), Depends(proved("passkeys"))])
def remove(visit: Visitor, number: Annotated[int, Path(ge=1, le=2**53)]) -> Response:
    """Remove a passkey, so that it no longer serves to log in.

    The user's last way to log in stays where the user needs one (``refuse_last_way``).
    """
    store = visit.bridge.store
    try:
        with store.transaction():
            if not store.credentials.remove_passkey(visit.user.id, number):
                raise SetupError(_("you have no such passkey; see the list"))
            refuse_last_way(visit)
    except SetupError as error:
        return shown(visit, wrong={"passkeys": told(error)})
    return changed("nopasskey")
