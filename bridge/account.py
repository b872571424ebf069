"""A connection's consent: its token, sealed in the store, and the lock under which it is swapped."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from bridge.errors import SetupError, TryLater
from bridge.ports import Store
from bridge.vault import Vault

PATIENCE = 600.0  # seconds for which a token is tried to be saved: a rebuild may write for minutes
PAUSE = 0.1  # seconds between two tries
SEALING = "key"  # the lock under which secrets are sealed, and keys are rotated


class StoredAccount:
    """A connection's settings and its token, sealed in the store."""

    def __init__(
        self, connection_id: int, settings: Mapping[str, str], store: Store, vault: Vault, *, zone: str = "UTC"
    ) -> None:
        self.settings = settings
        self.zone = zone
        self._connection_id = connection_id
        self._store = store
        self._vault = vault

    def token(self) -> dict[str, Any] | None:
        sealed = self._store.secret(self._connection_id)
        if sealed is None:
            return None
        try:
            return self._vault.unseal(sealed)
        except SetupError:  # a rotation of the keys may have come between: then it is sealed anew
            again = self._store.secret(self._connection_id)
            if again is None or again == sealed:
                raise
            return self._vault.unseal(again)

    def token_field(self, name: str) -> str:
        """One text of the stored token; empty when it is not there."""
        return str((self.token() or {}).get(name, ""))

    def save_token(self, token: Mapping[str, Any]) -> None:
        """Tried for as long as others hold the store: at the vendor, the token before may have ended already."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                with self._store.lock(SEALING):  # given back between two tries: others have tokens to save as well
                    self._store.save_secret(self._connection_id, self._vault.seal(token))
                return
            except TryLater:
                if time.monotonic() > end:
                    raise
                time.sleep(PAUSE)

    def swapping(self) -> AbstractContextManager[None]:
        return self._store.lock(f"token-{self._connection_id}")


class Consent:
    """An account before its connection exists."""

    def __init__(self, settings: Mapping[str, str], zone: str) -> None:
        self.settings = settings
        self.zone = zone
        self.obtained: dict[str, Any] | None = None

    def token(self) -> dict[str, Any] | None:
        return self.obtained

    def save_token(self, token: Mapping[str, Any]) -> None:
        self.obtained = dict(token)

    def swapping(self) -> AbstractContextManager[None]:
        return nullcontext()  # nobody else knows this token yet
