"""Consent by a short code that the user types at the vendor (RFC 8628), for vendors that need no redirect address."""

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
from bridge.domain.ports import Account, Browser, ConnectorSpec

GRANT = "urn:ietf:params:oauth:grant-type:device_code"
WAITED_SECONDS = 900  # at most, for the user to type the code
INTERVAL_SECONDS = 5  # between two questions, where the vendor names none (RFC 8628, 3.2)
INTERVAL_MAX_SECONDS = 60
CODE_MAX = 40  # characters of a code that is shown
PENDING, SLOWER = "authorization_pending", "slow_down"
DECLINED = frozenset({"authorization_declined", "access_denied"})  # Microsoft's word, and that of RFC 8628
DECLINED_TEXT, ENDED_TEXT = say("the consent was declined"), say("the consent ended or was refused")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Offer:
    """A code for the user, and the page to type it at, for ``seconds``. ``secret`` is the device code."""

    page: str
    code: str
    secret: str
    seconds: float
    interval: float


def authorise(account: Account, browser: Browser, spec: ConnectorSpec, scopes: Sequence[str]) -> dict[str, Any]:
    """Show the user a code and the vendor's page, wait until it was typed there, and return the token unsaved.

    Raises NeedsLogin if refused or too late, SetupError for an unknown client, TryLater without an answer.
    """
    oauth, name = oauth_of(spec), spec.name
    client = {"client_id": account.settings["client_id"]}
    device_url, token_url = (filled(url or "", account.settings) for url in (oauth.device_url, oauth.token_url))
    with tried_by_hand(name):
        offer = _offer(_posted(device_url, {**client, "scope": " ".join(scopes)}, name), name)
        browser.open(offer.page, offer.code)
        return _awaited(token_url, {**client, "grant_type": GRANT, "device_code": offer.secret}, offer, name)


def _awaited(address: str, form: Mapping[str, str], offer: _Offer, source: str) -> dict[str, Any]:
    """Ask the vendor repeatedly until the user agreed. Raises NeedsLogin if declined or too late."""
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
    """Return the JSON object of the answer, which may be a refusal. Raises TryLater without one."""
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
