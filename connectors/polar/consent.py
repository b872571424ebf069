"""Obtain consent at Polar, and register the user. A user whom the application has not registered is refused every
list.
"""

import secrets
from contextlib import closing
from datetime import UTC, datetime
from functools import partial

from bridge import http
from bridge.auth import oauth
from bridge.domain.ports import Account, Browser
from connectors.polar import SPEC

REGISTERED = (200, 201, 409)  # now, or before
revoke = partial(oauth.revoke, spec=SPEC)


def authorise(account: Account, browser: Browser) -> None:
    """Ask for consent to read everything that AccessLink offers, which is Polar's only scope, and register the user.

    The token is saved before the user is registered.
    """
    oauth.authorise(account, browser, SPEC)
    address = oauth.filled("{base_url}/v3/users", account.settings)
    member = {"member-id": secrets.token_hex(16)}  # any name that no other member has; the answer is not read
    with closing(oauth.open_session(account, SPEC)) as session:
        http.get_json(session, address, now=datetime.now(UTC), body=member, nothing=REGISTERED)
