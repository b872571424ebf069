"""Obtain consent at Oura. The redirect is registered, access lasts a day, and each refresh token works a single
time.
"""

from functools import partial

from bridge.auth import oauth
from bridge.domain.ports import Account, Browser
from connectors.oura import SPEC

SCOPES = oauth.oauth_of(SPEC).scopes
revoke = partial(oauth.revoke, spec=SPEC)


def authorise(account: Account, browser: Browser) -> None:
    """Ask for consent to the scopes of SPEC, and save the token.

    They are daily summaries, heart rate, workouts, sessions and blood oxygen.
    """
    oauth.authorise(account, browser, SPEC, scopes=SCOPES)
