"""Secrets at rest: sealed with Fernet (AES-128-CBC and HMAC-SHA256); several keys may be current during a rotation."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bridge.errors import SetupError

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet


class Vault:
    """Seals and opens JSON documents. The first key seals; every key opens."""

    def __init__(self, keys: list[str]) -> None:
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

    def _fernet(self) -> MultiFernet:
        from cryptography.fernet import Fernet, MultiFernet

        try:
            return MultiFernet([Fernet(key) for key in self._keys])
        except ValueError as error:
            raise SetupError("BRIDGE_KEY must hold Fernet keys (32 bytes, url-safe base64), comma separated") from error


def open_vault(key: str | None, folder: Path) -> Vault:
    """A vault with the key from the settings, else from ``folder/key``, made on first use with mode 0600."""
    if key:
        return Vault([part.strip() for part in key.split(",")])
    path = folder / "key"
    if not path.exists():
        _write_key(path)
    return Vault(path.read_text().split())


def _write_key(path: Path) -> None:
    from cryptography.fernet import Fernet

    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:  # another process was first
        return
    with os.fdopen(handle, "wb") as file:
        file.write(Fernet.generate_key())
