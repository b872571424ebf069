"""Secrets at rest: sealed with Fernet (AES-128-CBC and HMAC-SHA256); several keys are current during a rotation."""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bridge.errors import SetupError
from bridge.keyplace import place_of

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet


class Vault:
    """Seals and opens JSON documents. The first key seals; every key opens.

    ``keys`` are looked up anew every time: another process may be rotating them.
    """

    def __init__(self, keys: Sequence[str] | Callable[[], Sequence[str]]) -> None:
        self._keys = keys

    def seal(self, secret: Mapping[str, Any]) -> bytes:
        return self._fernet().encrypt(json.dumps(secret).encode())

    def unseal(self, sealed: bytes) -> dict[str, Any]:
        """Raises SetupError when no current key opens it."""
        from cryptography.fernet import InvalidToken

        try:
            opened: dict[str, Any] = json.loads(self._fernet().decrypt(sealed))
        except InvalidToken:
            raise SetupError(
                "the stored consent was sealed with another key; restore BRIDGE_KEY or connect again"
            ) from None
        return opened

    def resealed(self, sealed: bytes) -> bytes | None:
        """The same secret sealed with the first key; None when no key opens it."""
        from cryptography.fernet import InvalidToken

        try:
            return self._fernet().rotate(sealed)
        except InvalidToken:
            return None

    def derived(self, purpose: str) -> list[bytes]:
        """A key of 32 bytes for another purpose than sealing, of each current key in their order; the first signs."""
        self._fernet()  # refuses what is no key
        return [hmac.digest(key.strip().encode(), purpose.encode(), "sha256") for key in self._current()]

    def _current(self) -> Sequence[str]:
        return self._keys() if callable(self._keys) else self._keys

    def _fernet(self) -> MultiFernet:
        from cryptography.fernet import Fernet, MultiFernet

        try:
            return MultiFernet([Fernet(key) for key in self._current()])
        except ValueError as error:
            raise SetupError("BRIDGE_KEY must hold Fernet keys (32 bytes, url-safe base64), comma separated") from error


def open_vault(key: str | None, folder: Path) -> Vault:
    """A vault with the keys of the place that the settings name; the first one is made on first use."""
    return Vault(place_of(key, folder).keys)
