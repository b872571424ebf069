"""Obtain consent by a Personal API key from Garmin Connect, and exchange it for tokens valid for a day."""

from __future__ import annotations

import base64
import json
import re
import time
from typing import Any

from bridge import http
from bridge.domain.errors import NeedsLogin, Refused, TryLater
from bridge.domain.languages import say
from bridge.domain.ports import Account, Browser

KEYS_PAGE = "https://connect.garmin.com/app/settings/personalApiToken"
TOKEN_PATH = "/personalapitoken-service/personal-api/personal-api-key/token"  # noqa: S105 - a path
TOKEN_PATTERN = re.compile(r"[A-Za-z0-9._~+/-]+=*")  # RFC 6750, 2.1
TOKEN_LIFE_SECONDS = 86_400  # what a token lasts that does not say
CONNECT_AGAIN = "bridge connect garmin --user NAME"


def authorise(account: Account, browser: Browser) -> None:
    """Ask for the API key unless the settings hold it, exchange it for a token, and save both.

    Raises NeedsLogin without a key, or for a key that Garmin refuses, and TryLater if Garmin does not answer.
    """
    key = account.settings["api_key"]
    if not key:
        browser.open(KEYS_PAGE)
        key = browser.ask(say("Your Garmin Personal API key")) or ""
    if not key:
        text = say(
            "garmin needs a Personal API key; make one at {page}, then: {command}",
            page=KEYS_PAGE,
            command=CONNECT_AGAIN,
        )
        raise NeedsLogin(text)
    try:
        account.save_token(exchanged(account, key))
    except TryLater as error:
        raise TryLater(f"{error}; try again later: {CONNECT_AGAIN}", after=error.after) from None


def exchanged(account: Account, key: str) -> dict[str, Any]:
    """Exchange an API key for a token, and return {"api_key", "access_token", "expires_at" in Unix seconds}.

    Raises NeedsLogin or Refused for a refused key, and TryLater for any other failure.
    """
    import requests

    address = account.settings["base_url"].rstrip("/") + TOKEN_PATH
    with http.open_session() as session:
        try:
            headers = {"Authorization": f"ApiKey {key}", "Accept": "*/*"}
            answer = session.post(address, headers=headers, timeout=http.TIMEOUT)
        except requests.RequestException as error:
            raise TryLater(f"garmin's token server does not answer ({type(error).__name__})") from error
    if answer.status_code in (400, 401, 403, 404):
        meaning = NeedsLogin if answer.status_code in (400, 401) else Refused
        raise meaning(
            say("garmin refused this Personal API key; make a new one, then: {command}", command=CONNECT_AGAIN)
        )
    if answer.status_code >= 400:
        raise http.busy_error("garmin's token server", answer)
    token = answer.text.strip().strip('"')
    if not TOKEN_PATTERN.fullmatch(token):
        raise TryLater("garmin's token server answered something that is not a token")
    return {"api_key": key, "access_token": token, "expires_at": _ends(token)}


def _ends(token: str) -> float:
    try:
        claims = token.split(".")[1]
        body = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
        return float(body["exp"])
    except (IndexError, KeyError, TypeError, ValueError):
        return time.time() + TOKEN_LIFE_SECONDS
