"""Accounts, which give a connector the settings and the token of a connection."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from bridge.auth.vault import SEALING_LOCK, Vault
from bridge.domain.errors import SetupError, TryLater

if TYPE_CHECKING:
    from bridge.store import Store

SAVE_TIMEOUT_SECONDS = 600.0  # for saving a token, because a rebuild may write for minutes
SAVE_RETRY_SECONDS = 0.1  # between two tries


class StoredAccount:
    """The settings and the token (stored encrypted) of a connection, as a connector needs them.

    ``zone`` is the user's IANA zone. ``allow_hosts`` names hosts in the operator's network that it may reach.
    """

    def __init__(
        self,
        connection_id: int,
        settings: Mapping[str, str],
        store: Store,
        vault: Vault,
        *,
        zone: str = "UTC",
        allow_hosts: Collection[str] = (),
    ) -> None:
        self.settings = settings
        self.zone = zone
        self.allow_hosts = allow_hosts
        self._connection_id = connection_id
        self._store = store
        self._vault = vault

    def token(self) -> dict[str, Any] | None:
        """Return the stored token, or None before the first consent. Raises SetupError if no key decrypts it."""
        sealed = self._store.connections.secret(self._connection_id)
        if sealed is None:
            return None
        try:
            return self._vault.unseal(sealed)
        except SetupError:  # a key rotation in between has sealed the token again
            again = self._store.connections.secret(self._connection_id)
            if again is None or again == sealed:
                raise
            return self._vault.unseal(again)

    def token_field(self, name: str) -> str:
        """Return the field ``name`` of the stored token as text, or "" without the token or the field."""
        return str((self.token() or {}).get(name, ""))

    def save_token(self, token: Mapping[str, Any]) -> None:
        """Encrypt and save a token. Raises TryLater if the database stays locked."""
        end = time.monotonic() + SAVE_TIMEOUT_SECONDS
        while True:
            try:
                with self._store.lock(SEALING_LOCK):  # released between two tries, for other connections
                    self._store.connections.save_secret(self._connection_id, self._vault.seal(token))
                return
            except TryLater:
                if time.monotonic() > end:
                    raise
                time.sleep(SAVE_RETRY_SECONDS)

    def refresh_lock(self) -> AbstractContextManager[None]:
        """Return a lock across processes, which must be held while this connection's token is refreshed."""
        return self._store.lock(f"token-{self._connection_id}")


class Consent:
    """The account that a connector gets while a user gives consent, before a connection exists.

    The token is kept in memory only, as ``saved_token``.
    """

    def __init__(self, settings: Mapping[str, str], zone: str, allow_hosts: Collection[str] = ()) -> None:
        self.settings = settings
        self.zone = zone
        self.allow_hosts = allow_hosts
        self.saved_token: dict[str, Any] | None = None

    def token(self) -> dict[str, Any] | None:
        return self.saved_token

    def save_token(self, token: Mapping[str, Any]) -> None:
        self.saved_token = dict(token)

    def refresh_lock(self) -> AbstractContextManager[None]:
        return nullcontext()  # no other process knows this token yet
