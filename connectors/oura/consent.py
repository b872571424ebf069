"""Oura's consent: OAuth 2 with a registered redirect address; access for a day, refresh tokens are good for one use."""

from __future__ import annotations

from bridge import oauth
from bridge.http import TIMEOUT
from bridge.ports import Account, Browser
from connectors.oura import SPEC

SCOPES = ("daily", "heartrate", "workout", "session", "spo2Daily")


def token_url(account: Account) -> str:
    return account.settings["base_url"].rstrip("/") + "/oauth/token"


def authorise(account: Account, browser: Browser) -> None:
    """Ask for the daily figures, heart rate, workouts, sessions and blood oxygen; not for e-mail, profile or tags."""
    oauth.authorise(
        account,
        browser,
        source=SPEC.name,
        authorise_url=account.settings["consent_url"].rstrip("/") + "/oauth/authorize",
        token_url=token_url(account),
        scopes=SCOPES,
        redirect=f"http://127.0.0.1:{account.settings['port']}/",
    )


def revoke(account: Account) -> bool:
    """Withdraw the consent at Oura, which wants the token in the address; False when Oura did not confirm."""
    import requests

    token = (account.token() or {}).get("access_token", "")
    address = account.settings["base_url"].rstrip("/") + "/oauth/revoke"
    try:
        with oauth.loopback_may_be_plain(address):  # raises where the token would be readable on its way
            return requests.post(address, params={"access_token": token}, timeout=TIMEOUT).ok
    except requests.RequestException:
        return False
