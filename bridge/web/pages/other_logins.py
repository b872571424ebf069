"""Serve logins with a passkey and at an OpenID Connect provider, and the forms that add and remove them."""

from __future__ import annotations

import json
import logging
import secrets
from base64 import urlsafe_b64encode
from contextlib import suppress
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import APIRouter, Depends, Form, HTTPException, Path, Query, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response

from bridge import installation
from bridge.auth import oidc, passkeys
from bridge.auth.passkeys import Challenge
from bridge.domain.errors import BridgeError, SetupError
from bridge.domain.languages import _, current, say, speak, told
from bridge.domain.records import User
from bridge.web.forwarded import customer_network
from bridge.web.logins import TooManyTries, uncount
from bridge.web.next_steps import without_commands
from bridge.web.pages.login import begin_session, login_page, outside, stay, too_many_tries
from bridge.web.pages.proof import place, proved
from bridge.web.pages.settings import changed, refuse_last_way, shown
from bridge.web.phrases import sentence
from bridge.web.render import page
from bridge.web.state import AppState, NotLoggedIn, Visitor, app_state, current_visit, in_browser

router = APIRouter()
Credential = Annotated[str, Form(max_length=20_000)]
Name = Annotated[str, Form(max_length=200)]
GONE_TEXT = say("that took too long, or began in another browser; try again")
log = logging.getLogger(__name__)
BACK_PATH = "/login/provider/back"
LINKS_MAX = 20  # of a user
Answer = Annotated[str, Query(max_length=4_000)]
Text = Annotated[str, Form(max_length=2_000)]
LOGIN_GONE = say("That login was cancelled, took too long, or began in another browser. Log in again.")
NOT_LINKED = say(
    "Nobody here is linked with that login. Log in another way and link it in the settings, "
    "or ask who runs the bridge for: {command}"
)


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
    """Begin a session for the user of a passkey, and lead to ``section`` of the settings if one is named.

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
    """Return, as JSON, the options with which a browser makes a passkey. A refusal has status 400."""
    try:
        challenge, options = passkeys.begin_registration(visit.bridge.store, visit.user, *_place(request))
    except SetupError as error:
        return JSONResponse({"error": without_commands(told(error))}, 400)
    return _asked(request, visit.app, challenge, options)


@router.post("/settings/passkeys", dependencies=[Depends(in_browser), Depends(proved("passkeys"))])
def add(request: Request, visit: Visitor, credential: Credential = "", name: Name = "") -> Response:
    """Store a passkey that the browser has made, with a name. A refusal shows the settings with the reason."""
    try:
        challenge = _answered(request, credential, visit.user.id)
        passkey = passkeys.registered(challenge, credential, name, now=visit.now)
        visit.bridge.store.credentials.add_passkey(visit.user.id, passkey)
    except BridgeError as error:
        return shown(visit, wrong={"passkeys": told(error)})
    return stay(request, visit, "passkeys")


@router.post("/settings/passkeys/{number}/remove", dependencies=[Depends(in_browser), Depends(proved("passkeys"))])
def remove(visit: Visitor, number: Annotated[int, Path(ge=1, le=2**53)]) -> Response:
    """Remove a passkey. The user's last way to log in stays if one is needed (``refuse_last_way``)."""
    store = visit.bridge.store
    try:
        with store.transaction():
            if not store.credentials.remove_passkey(visit.user.id, number):
                raise SetupError(_("this passkey is no longer one of yours; see the list of your passkeys"))
            refuse_last_way(visit)
    except SetupError as error:
        return shown(visit, wrong={"passkeys": told(error)})
    return changed("nopasskey")


@router.get("/login/provider")
def begin(request: Request) -> Response:
    """Send the browser to the login provider. Counts as a try to log in."""
    state = app_state(request)
    try:
        state.logins.begin_elsewhere(_address(request))
        return RedirectResponse(_begun(request, state), 303)
    except TooManyTries as error:
        return too_many_tries(request, error.seconds)
    except BridgeError as error:
        return login_page(request, f"{told(error)}.", 503)


def _begun(request: Request, state: AppState, *, link_to: int | None = None) -> str:
    with state.asking_provider.held("discovery"):
        provider = oidc.discover(_client(state))
    attempt, key = oidc.new_attempt(outside(request) + BACK_PATH, link_to=link_to), secrets.token_urlsafe(32)
    state.attempts.put(request.state.seed, key, attempt)
    return oidc.login_url(provider, attempt, key)


def _client(state: AppState) -> oidc.Client:
    if state.provider is None:
        raise HTTPException(
            404, "no login provider is set; who runs the bridge can set BRIDGE_OIDC_ISSUER and BRIDGE_OIDC_CLIENT_ID"
        )
    return state.provider


@router.get(BACK_PATH)
def back(request: Request, state: Answer = "", code: Answer = "", iss: Answer | None = None) -> Response:
    """Log in the user whom the provider names, or link the account, or show why neither works.

    ``state`` and ``code`` are the provider's answer, with which it sends the browser back.
    """
    app = app_state(request)
    attempt = app.attempts.take(request.state.seed, state)
    if attempt is None or not code:
        return login_page(request, LOGIN_GONE, 403)
    try:
        account = _account(app, attempt, code, iss)
        if attempt.link_to is not None:
            return _link(request, account, attempt.link_to)
        user = _user_of(app, account)
    except BridgeError as error:
        log.warning("a login at the provider failed (%s)", type(error).__name__)
        return login_page(request, f"{told(error)}.", 403)
    if user is None:
        return login_page(request, say(NOT_LINKED, command=f"bridge user link NAME --subject {account.subject}"), 403)
    uncount([(app.logins.addresses, customer_network(_address(request)))])
    return begin_session(request, user)


def _account(app: AppState, attempt: oidc.Attempt, code: str, issuer: str | None) -> oidc.Account:
    with app.asking_provider.held("login"):
        provider = oidc.discover(_client(app))
        return oidc.account_of(provider, attempt, code, issuer, now=installation.now())


def _user_of(app: AppState, account: oidc.Account) -> User | None:
    """Return the user linked with an account, or else link and return the user whom the account's claim names."""
    store = app.bridge.store
    number = store.credentials.user_of(account.issuer, account.subject)
    if number is not None:
        return store.people.present(number)
    named = store.people.named(account.name) if account.name else None
    if named is None or any(identity.issuer == account.issuer for identity in store.credentials.identities(named.id)):
        return None
    store.credentials.link(named.id, account.issuer, account.subject, now=installation.now())
    return named


def _link(request: Request, account: oidc.Account, user_id: int) -> Response:
    """Link an account with the user ``user_id``, who asked for it, if that user still uses this browser."""
    with suppress(NotLoggedIn):
        visit = current_visit(request)
        speak(visit.language or current())
        if visit.user.id == user_id:
            try:
                visit.bridge.store.credentials.link(user_id, account.issuer, account.subject, now=visit.now)
            except SetupError as error:
                return shown(visit, wrong={"login": told(error)})
            return stay(request, visit, "login")
    return login_page(request, LOGIN_GONE, 403)


@router.post("/settings/login", dependencies=[Depends(in_browser), Depends(proved("login"))])
def link(request: Request, visit: Visitor) -> Response:
    """Lead a logged-in user to the provider in order to link an account there. Too many linked accounts are refused.

    The answer is a page that goes to the provider by itself, because forms may lead to this page alone (content
    security policy).
    """
    try:
        if len(visit.bridge.store.credentials.identities(visit.user.id)) >= LINKS_MAX:
            raise SetupError(
                _("a user can have at most {count} linked logins; remove one of yours first", count=LINKS_MAX)
            )
        address = _begun(request, visit.app, link_to=visit.user.id)
    except BridgeError as error:
        return shown(visit, wrong={"login": told(error)})
    answer = page("away.html", visit, to=address, host=urlsplit(address).netloc)
    answer.headers["Refresh"] = f"0; url={address}"
    return answer


@router.post("/settings/login/end", dependencies=[Depends(in_browser), Depends(proved("login"))])
def unlink(visit: Visitor, issuer: Text = "", subject: Text = "") -> Response:
    """End the link of an account at the provider, unless it is the user's last way to log in."""
    store = visit.bridge.store
    try:
        with store.transaction():
            if not store.credentials.unlink(visit.user.id, issuer, subject):
                raise SetupError(_("this login is no longer one of yours; see the list of your logins"))
            refuse_last_way(visit)
    except SetupError as error:
        return shown(visit, wrong={"login": told(error)})
    return changed("unlinked")
