"""Obtain consent at Microsoft by a code that the user types on its page (RFC 8628), for all Microsoft sources.

Protocol: learn.microsoft.com/entra/identity-platform/v2-oauth2-device-code.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bridge import http
from bridge.auth.oauth import UNKNOWN_CLIENT, filled, needs_login, oauth_of
from bridge.auth.redirect_listener import tried_by_hand
from bridge.auth.token_transport import plain_loopback
from bridge.domain.errors import NeedsLogin, SetupError, TryLater
from bridge.domain.languages import say
from bridge.domain.ports import Account, Browser, ConnectorSpec, OAuth, Registration, Setting

GRAPH_PREFIX = "https://graph.microsoft.com/"  # before a scope, in some answers
LASTING = "offline_access"  # the scope of a refresh token
SETTINGS = (
    Setting(name="base_url", help="the address of Microsoft Graph", default="https://graph.microsoft.com/v1.0"),
    Setting(
        name="login_url",
        help="Microsoft's login; an organisation's own has its tenant in place of common",
        default="https://login.microsoftonline.com/common/oauth2/v2.0",
    ),
    Setting(name="client_id", help="the application (client) id of your app registration", shared="microsoft"),
)
REGISTRATION = Registration(  # one application serves every source of Microsoft
    address="https://entra.microsoft.com",
    steps=(
        say("Entra ID, App registrations, New registration: give a name, such as “rhythm”."),
        say("Supported account types: any organizational directory and personal Microsoft accounts. Then Register."),
        say(
            "Authentication, Settings: set Allow public client flows to Enabled, and save. "
            "No redirect address is needed."
        ),
        say("API permissions, Microsoft Graph, Delegated: Calendars.Read, Calendars.ReadWrite and Tasks.Read."),
        say("Overview: copy Application (client) ID into the field below. There is no secret."),
    ),
    token_url="{login_url}/token",  # noqa: S106 - an address
)

GRANT = "urn:ietf:params:oauth:grant-type:device_code"
WAITED_SECONDS = 900  # at most, for the user to type the code
INTERVAL_SECONDS = 5  # between two questions, where the vendor names none (RFC 8628, 3.2)
INTERVAL_MAX_SECONDS = 60
CODE_MAX = 40  # characters of a code that is shown
PENDING, SLOWER = "authorization_pending", "slow_down"
DECLINED = frozenset({"authorization_declined", "access_denied"})  # Microsoft's word, and that of RFC 8628
DECLINED_TEXT, ENDED_TEXT = say("the consent was declined"), say("the consent ended or was refused")


def oauth(scope: str) -> OAuth:
    """Return the OAuth settings of a Microsoft source that reads with ``scope``."""
    return OAuth(
        authorise_url="",
        token_url="{login_url}/token",  # noqa: S106 - an address
        device_url="{login_url}/devicecode",
        redirect="",
        scopes=(scope, LASTING),
    )


def obtain(
    account: Account, browser: Browser, spec: ConnectorSpec, *, writes: Sequence[str] = (), also: Sequence[str] = ()
) -> None:
    """Ask for consent to read, to the scopes ``writes``, and to the optional scopes ``also``, and save it.

    Raises NeedsLogin if the user declines, or if a needed scope or the refresh token is missing.
    """
    from bridge.auth.oauth import oauth_of

    wanted = [*oauth_of(spec).scopes, *writes]
    token = authorise(account, browser, spec, [*wanted, *also])
    scopes = granted(token) or [*wanted, *also]
    missing = [one for one in wanted if one != LASTING and one not in scopes]
    if missing or not token.get("refresh_token"):
        raise NeedsLogin(
            f"the consent does not cover {', '.join(missing) or LASTING}; "
            f"agree to all of it: bridge connect {spec.name} --user NAME"
        )
    account.save_token({**token, "scopes": scopes})


def granted(token: dict[str, Any]) -> list[str]:
    """Return the scopes that a token answer names, without the address of Graph before them."""
    told = token.get("scope")
    return [one.removeprefix(GRAPH_PREFIX) for one in told.split()] if isinstance(told, str) else []


@dataclass(frozen=True, slots=True, kw_only=True)
class _Offer:
    """A code for the user, to be typed at ``page`` within ``seconds``. ``secret`` is the protocol's device code."""

    page: str
    code: str
    secret: str
    seconds: float
    interval: float


def authorise(account: Account, browser: Browser, spec: ConnectorSpec, scopes: Sequence[str]) -> dict[str, Any]:
    """Show the user a code and the vendor's page, wait until the code was typed, and return the token unsaved.

    Raises NeedsLogin if the user refuses or is too late, SetupError if the application is unknown, TryLater without an
    answer.
    """
    oauth, name = oauth_of(spec), spec.name
    client = {"client_id": account.settings["client_id"]}
    device_url, token_url = (filled(url or "", account.settings) for url in (oauth.device_url, oauth.token_url))
    with tried_by_hand(name):
        offer = _offer(_posted(device_url, {**client, "scope": " ".join(scopes)}, name), name)
        browser.open(offer.page, offer.code)
        return _awaited(token_url, {**client, "grant_type": GRANT, "device_code": offer.secret}, offer, name)


def _awaited(address: str, form: Mapping[str, str], offer: _Offer, source: str) -> dict[str, Any]:
    """Post ``form`` until the user has agreed, and return the token. Raises NeedsLogin if refused or too late."""
    until, interval = time.monotonic() + offer.seconds, offer.interval
    again = f"bridge connect {source} --user NAME"
    while True:
        answer = _posted(address, form, source)
        refusal = answer.get("error")
        if isinstance(answer.get("access_token"), str):
            return _dated(answer)
        if refusal == SLOWER:
            interval = min(interval + INTERVAL_SECONDS, INTERVAL_MAX_SECONDS)
        elif refusal != PENDING:
            why = DECLINED_TEXT if refusal in DECLINED else ENDED_TEXT
            raise NeedsLogin(say("{why}; ask for a new code: {command}", why=why, command=again))
        if time.monotonic() + interval > until:
            raise NeedsLogin(say("the code was not typed in time; ask for another: {command}", command=again))
        time.sleep(interval)


def _dated(token: Mapping[str, Any]) -> dict[str, Any]:
    seconds = http.parse_seconds(str(token.get("expires_in", "")))
    return dict(token) | ({} if seconds is None else {"expires_at": time.time() + seconds})


def _offer(answer: Mapping[str, Any], source: str) -> _Offer:
    page, code, secret = (answer.get(name) for name in ("verification_uri", "user_code", "device_code"))
    if answer.get("error") in UNKNOWN_CLIENT:
        again = f"bridge connect {source} --user NAME"
        raise SetupError(
            say("{source} does not know this client id; correct it, then: {command}", source=source, command=again)
        )
    if not (isinstance(page, str) and isinstance(code, str) and isinstance(secret, str) and len(code) <= CODE_MAX):
        raise needs_login(source)
    plain_loopback(page)  # raises for a page that is not encrypted
    interval = http.parse_seconds(str(answer.get("interval", INTERVAL_SECONDS))) or INTERVAL_SECONDS
    seconds = http.parse_seconds(str(answer.get("expires_in", WAITED_SECONDS))) or WAITED_SECONDS
    return _Offer(
        page=page,
        code=code,
        secret=secret,
        seconds=min(seconds, WAITED_SECONDS),
        interval=min(interval, INTERVAL_MAX_SECONDS),
    )


def _posted(address: str, form: Mapping[str, str], source: str) -> dict[str, Any]:
    import requests

    plain_loopback(address)
    try:
        with http.open_session() as session:
            answer = session.post(address, data=form, timeout=http.TIMEOUT)
    except requests.RequestException as error:
        raise TryLater(f"{source}'s token server does not answer ({type(error).__name__})") from None
    if answer.status_code == 429 or answer.status_code >= 500:
        raise http.busy_error(f"{source}'s token server", answer)
    body = http.parse_json(answer.content)
    if not isinstance(body, dict):
        raise TryLater(f"{source}'s token server answered something that is not a token")
    return body
