"""Obtain consent at Polar, and register the user with the application, or Polar refuses to list anything."""

import secrets
from contextlib import closing
from datetime import UTC, datetime

from bridge import http
from bridge.auth import oauth
from bridge.domain.errors import BridgeError
from bridge.domain.ports import Account, Browser
from connectors.polar import SPEC

REGISTERED = (200, 201, 409)  # now, or before
REVOKED_STATUS = 204


def authorise(account: Account, browser: Browser) -> None:
    """Ask for consent to read everything that AccessLink offers, which is Polar's only scope, and register the user.

    The token is saved before the user is registered. Raises the errors of ``bridge.auth.oauth`` and ``bridge.http``.
    """
    oauth.authorise(account, browser, SPEC)
    address = oauth.filled("{base_url}/v3/users", account.settings)
    member = {"member-id": secrets.token_hex(16)}  # any name that no other member has; the answer is not read
    with closing(oauth.open_session(account, SPEC)) as session:
        http.get_json(session, address, now=datetime.now(UTC), body=member, nothing=REGISTERED)


def member_of(account: Account) -> str | None:
    """Return Polar's number of the person, which comes with the token, or None if it did not come."""
    told = str((account.token() or {}).get("x_user_id", ""))
    return told if told.isascii() and told.isdecimal() else None


def revoke(account: Account) -> bool:
    """Remove the person from the application's users, which ends the consent. Return True if Polar confirmed.

    Return False if Polar does not answer or refuses, or if Polar's number of the person is not known.
    """
    import requests

    member = member_of(account)
    if member is None:
        return False
    address = oauth.filled("{base_url}/v3/users/", account.settings) + member
    try:
        with closing(oauth.open_session(account, SPEC)) as session:
            return session.request("DELETE", address, timeout=http.TIMEOUT).status_code == REVOKED_STATUS
    except (requests.RequestException, BridgeError):
        return False
