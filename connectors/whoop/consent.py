"""WHOOP's consent: OAuth 2 with the client's secret in the body, no PKCE; access for an hour, refresh tokens rotate.

The redirect address has to be one that is registered with the app
(https://developer.whoop.com/docs/developing/getting-started).
"""

from __future__ import annotations

from bridge import oauth
from bridge.errors import BridgeError
from bridge.http import TIMEOUT
from bridge.ports import Account, Browser
from connectors.whoop import SPEC

SCOPES = ("read:recovery", "read:cycles", "read:workout", "read:sleep", "offline")


def token_url(account: Account) -> str:
    return account.settings["base_url"].rstrip("/") + "/oauth/oauth2/token"


def authorise(account: Account, browser: Browser) -> None:
    """Ask for read access to cycles, sleeps, recoveries and workouts; profile and body are not asked for."""
    oauth.authorise(
        account,
        browser,
        source=SPEC.name,
        authorise_url=account.settings["base_url"].rstrip("/") + "/oauth/oauth2/auth",
        token_url=token_url(account),
        scopes=SCOPES,
        redirect=account.settings["redirect_uri"],
    )


def revoke(account: Account) -> bool:
    """Withdraw the consent at WHOOP; False when WHOOP did not confirm."""
    session = oauth.Signed(account, source=SPEC.name, token_url=token_url(account), refresh_scope="offline")
    import requests

    try:
        address = account.settings["base_url"].rstrip("/") + "/developer/v2/user/access"
        return session.delete(address, timeout=TIMEOUT).status_code == 204
    except (requests.RequestException, BridgeError):
        return False
    finally:
        session.close()
