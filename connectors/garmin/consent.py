"""Garmin's consent: a Personal API key the person makes in Garmin Connect, exchanged for a token that lasts a day."""

from __future__ import annotations

import base64
import json
import time
from typing import Any

from bridge import http
from bridge.errors import NeedsLogin, TryLater
from bridge.ports import Account, Browser

KEYS_PAGE = "https://connect.garmin.com/app/settings/personalApiToken"
TOKEN_PATH = "/personalapitoken-service/personal-api/personal-api-key/token"  # noqa: S105 - a path
EARLY = 600  # seconds before its end at which a token is exchanged
DAY = 86_400  # what a token lasts that does not say
AGAIN = "bridge connect garmin --user NAME"


def authorise(account: Account, browser: Browser) -> None:
    """Ask for the key unless it is set, and try it. Raises NeedsLogin when there is none or Garmin refuses it."""
    key = account.settings["api_key"]
    if not key:
        browser.open(KEYS_PAGE)
        key = browser.ask("Your Garmin Personal API key") or ""
    if not key:
        raise NeedsLogin(f"garmin needs a Personal API key; make one at {KEYS_PAGE}, then: {AGAIN}")
    account.save_token(exchanged(account, key))


def exchanged(account: Account, key: str) -> dict[str, Any]:
    """{"api_key", "access_token", "expires_at"}. Raises NeedsLogin for a key that has ended, TryLater."""
    import requests

    address = account.settings["base_url"].rstrip("/") + TOKEN_PATH
    with http.open_session() as session:
        try:
            headers = {"Authorization": f"ApiKey {key}", "Accept": "*/*"}
            answer = session.post(address, headers=headers, timeout=http.TIMEOUT)
        except requests.RequestException as error:
            raise TryLater(f"garmin's token server does not answer ({type(error).__name__})") from error
    if answer.status_code in (400, 401, 403, 404):
        raise NeedsLogin(f"garmin no longer takes this Personal API key; make a new one, then: {AGAIN}")
    if answer.status_code >= 400 or not answer.text.strip():
        raise http.busy("garmin's token server", answer)
    token = answer.text.strip().strip('"')
    return {"api_key": key, "access_token": token, "expires_at": _ends(token)}


def _ends(token: str) -> float:
    """The ``exp`` of a JWT in Unix seconds; a day from now for one that does not tell."""
    try:
        claims = token.split(".")[1]
        body = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
        return float(body["exp"])
    except (IndexError, KeyError, TypeError, ValueError):
        return time.time() + DAY
