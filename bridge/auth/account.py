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
    """The account of a connection. Its token is sealed in the store."""

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
        """Return the stored token, unsealed, or None before the first consent."""
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
        """Return a text of the stored token, or an empty value when it is missing."""
        return str((self.token() or {}).get(name, ""))

    def save_token(self, token: Mapping[str, Any]) -> None:
        """Seal and save a token. Saving is tried for long, because the earlier token may be invalid already."""
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
        """Keep other processes from refreshing this token."""
        return self._store.lock(f"token-{self._connection_id}")


class Consent:
    """An account while its consent is being obtained, before a connection exists. The token is kept in memory only."""

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
