"""Limit failed logins, which slows down guessing without letting a guesser lock a user out.

Source: OWASP, "Slow Down Online Guessing Attacks with Device Cookies".
"""

from __future__ import annotations

import hashlib
import secrets
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from itsdangerous import BadSignature, Signer

from bridge.domain.errors import SetupError
from bridge.web.forwarded import customer_network
from bridge.web.throttle import RateLimit

if TYPE_CHECKING:
    from bridge.auth.vault import Vault
    from bridge.installation import Bridge

KEY_PURPOSE = "browsers that have logged in"
DEVICE_COOKIE_SECONDS = 365 * 86_400
NONCE_BYTES = 12
WINDOW_SECONDS = 300.0
TRIES_PER_PAIR = 5  # wrong passwords of an address with a name, or of a known browser
TRIES_PER_ADDRESS = 20  # wrong passwords of an address, for any names
TRIES_PER_NAME = 30  # wrong passwords of unknown browsers, after which each address has a single try
SINGLE_TRY_SECONDS = 900.0


class TooManyTries(Exception):
    """A login has to wait for ``seconds``, because too many tries failed."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds = seconds


@dataclass(frozen=True, kw_only=True)
class LoginLimits:
    """The counts of failed logins at a server, in memory, per address, name and known browser."""

    pairs: RateLimit = field(default_factory=lambda: RateLimit(allowed=TRIES_PER_PAIR, seconds=WINDOW_SECONDS))
    addresses: RateLimit = field(default_factory=lambda: RateLimit(allowed=TRIES_PER_ADDRESS, seconds=WINDOW_SECONDS))
    names: RateLimit = field(default_factory=lambda: RateLimit(allowed=TRIES_PER_NAME, seconds=WINDOW_SECONDS))
    singles: RateLimit = field(default_factory=lambda: RateLimit(allowed=1, seconds=SINGLE_TRY_SECONDS))

    def begin(self, name: str, address: str, device: str | None) -> list[tuple[RateLimit, str]]:
        """Count a try to log in as ``name`` from an address, or from the known browser ``device``.

        Returns the counts, which ``uncount`` removes after a success. Raises TooManyTries if the try is not allowed.
        """
        if device is not None:
            return [_counted(self.pairs, f"device/{device}")]
        network = customer_network(address)
        pair = f"{network}/{name}"
        counted = [_counted(self.addresses, network)]
        if self.names.wait(name):
            return [*counted, _counted(self.singles, pair)]
        return [*counted, (self.names, name), _counted(self.pairs, pair)]

    def begin_elsewhere(self, address: str) -> list[tuple[RateLimit, str]]:
        """Count a try to log in from an address without a name, as with a passkey.

        Returns the counts, which ``uncount`` removes after a success. Raises TooManyTries if the try is not allowed.
        """
        return [_counted(self.addresses, customer_network(address))]


def _counted(limit: RateLimit, key: str) -> tuple[RateLimit, str]:
    if seconds := limit.wait(key):
        raise TooManyTries(seconds)
    return limit, key


def uncount(counted: list[tuple[RateLimit, str]]) -> None:
    """Remove the counts of a login that succeeded."""
    for limit, key in counted:
        limit.give_back(key)


def cookie_name(name: str) -> str:
    """Return the name of the cookie that marks a browser as known for a user. Each user of a browser has a cookie."""
    digest = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()
    return f"bridge_known_{digest[:12]}"


def new_device(vault: Vault, name: str) -> str | None:
    """Return the signed value of a cookie that marks the browser as known for a user. None without a usable key."""
    with suppress(SetupError):
        return _signer(vault, name).sign(secrets.token_hex(NONCE_BYTES)).decode()
    return None


def known_device(vault: Vault, name: str, cookie: str | None) -> str | None:
    """Return the id of the browser if its cookie shows that ``name`` has logged in there before, else None."""
    with suppress(SetupError, BadSignature):
        return _signer(vault, name).unsign((cookie or "").encode("utf-8", "replace")).decode()
    return None


def _signer(vault: Vault, name: str) -> Signer:
    keys = vault.derived(KEY_PURPOSE)[::-1]
    salt = name.encode("utf-8", "replace")
    return Signer(keys, salt=salt, key_derivation="hmac", digest_method=hashlib.sha384)


def check_passwords(bridge: Bridge) -> None:
    """Raise SetupError unless there are users and each has a way to log in."""
    users = bridge.store.people.users()
    if not users:
        raise SetupError(
            "other machines could reach the page, but there is no user yet; "
            "add one and set a password: bridge user add NAME, then: bridge user password NAME"
        )
    if bridge.settings.user_header or (bridge.settings.oidc_issuer and bridge.settings.oidc_user_claim):
        return
    for user in users:
        if not bridge.store.credentials.is_protected(user.id):
            raise SetupError(
                f"other machines could read the data of {user.name}, who has no password, passkey or linked login; "
                f"set a password: bridge user password {user.name}"
            )
