"""Consent at Polar. The client names itself by HTTP Basic alone, and a token lasts until the person withdraws it."""

from __future__ import annotations

import secrets
from functools import partial
from typing import Any
from urllib.parse import urlencode

from bridge import http
from bridge.auth import oauth
from bridge.auth.redirect_listener import code_of, listening, redirected_address
from bridge.domain.errors import NeedsLogin, TryLater
from bridge.domain.ports import Account, Browser
from connectors.polar import SPEC

KEPT = ("access_token", "token_type")  # without the member's id and the end, which is never reached
NO_TOKEN = "polar gave no token; check the client's id and secret, then: bridge connect polar --user NAME"  # noqa: S105
revoke = partial(oauth.revoke, spec=SPEC)


def authorise(account: Account, browser: Browser) -> None:
    """Ask to read everything that AccessLink offers, which is Polar's only scope, and save the token."""
    asked, settings = oauth.oauth_of(SPEC), account.settings
    page = oauth.filled(asked.authorise_url, settings)
    with listening(SPEC.name, oauth.filled(asked.redirect, settings)) as (address, listener):
        state = secrets.token_urlsafe(32)
        query = {
            "response_type": "code",
            "client_id": settings["client_id"],
            "redirect_uri": address,
            "scope": asked.scope_separator.join(asked.scopes),
            "state": state,
        }
        answer = redirected_address(browser, f"{page}?{urlencode(query)}", listener)
        code = code_of(SPEC.name, answer, state)
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": address}
    account.save_token(_token(account, form))


def _token(account: Account, form: dict[str, str]) -> dict[str, Any]:
    """Return the token that a code stands for."""
    import requests

    address = oauth.filled(oauth.oauth_of(SPEC).token_url, account.settings)
    basic = (account.settings["client_id"], account.settings["client_secret"])
    with oauth.plain_loopback_allowed(address), http.open_session() as session:
        try:
            answer = session.post(address, data=form, auth=basic, timeout=http.TIMEOUT)
        except requests.RequestException as error:
            raise TryLater(f"polar's token server does not answer ({type(error).__name__})") from error
    oauth.not_busy(SPEC.name)(answer)
    try:
        token = dict(http.parse_json(answer.content)) if answer.ok else {}
    except (TypeError, ValueError, TryLater):
        token = {}
    if not isinstance(token.get("access_token"), str):
        raise NeedsLogin(NO_TOKEN)
    return {name: token[name] for name in KEPT if name in token}
