"""Obtain and revoke consent at Withings, as ``SPEC.oauth`` defines it."""

from functools import partial

from bridge.auth import oauth
from connectors.withings import SPEC

authorise = partial(oauth.authorise, spec=SPEC)
revoke = partial(oauth.revoke, spec=SPEC)
