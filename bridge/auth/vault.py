"""Encrypt stored secrets with Fernet (AES-128-CBC and HMAC-SHA256), and rotate the keys."""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bridge.auth.key_storage import KeyStorage, key_storage_of, new_key
from bridge.domain.errors import SetupError

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet

    from bridge.store import Store

SEALING_LOCK = "key"  # name of the store's lock under which secrets are sealed and keys are rotated


class Vault:
    """A cipher for JSON documents. The first key encrypts ("seals"), and every key decrypts.

    ``keys`` may be a function. It is called for every document, because another process may be rotating the keys.
    """

    def __init__(self, keys: Sequence[str] | Callable[[], Sequence[str]]) -> None:
        self._keys = keys

    def seal(self, secret: Mapping[str, Any]) -> bytes:
        """Return a JSON document encrypted with the first key. Raises SetupError if a current key is not valid."""
        return self._fernet().encrypt(json.dumps(secret).encode())

    def unseal(self, sealed: bytes) -> dict[str, Any]:
        """Return the JSON document in ``sealed``. Raises SetupError if no current key decrypts it."""
        from cryptography.fernet import InvalidToken

        try:
            opened: dict[str, Any] = json.loads(self._fernet().decrypt(sealed))
        except InvalidToken:
            raise SetupError(
                "the stored consent was encrypted with a key that is gone; restore the key (the file key of the "
                "bridge's folder, or BRIDGE_KEY), or log in again: bridge connect SOURCE --user NAME"
            ) from None
        return opened

    def resealed(self, sealed: bytes) -> bytes | None:
        """Return an encrypted secret, encrypted anew with the first key, or None if no key decrypts it."""
        from cryptography.fernet import InvalidToken

        try:
            return self._fernet().rotate(sealed)
        except InvalidToken:
            return None

    def derived(self, purpose: str) -> list[bytes]:
        """Return a key of 32 bytes for ``purpose``, derived from each current key in their order.

        A purpose is for example to sign links. Raises SetupError if a current key is not valid.
        """
        self._fernet()  # raises for keys that are not valid
        return [hmac.digest(key.strip().encode(), purpose.encode(), "sha256") for key in self._current()]

    def _current(self) -> Sequence[str]:
        return self._keys() if callable(self._keys) else self._keys

    def _fernet(self) -> MultiFernet:
        from cryptography.fernet import Fernet, MultiFernet

        try:
            return MultiFernet([Fernet(key) for key in self._current()])
        except ValueError as error:
            raise SetupError(
                "the key in BRIDGE_KEY, or in the file key, is not a valid Fernet key; put back the key used before, "
                "or without stored consents make a new key: bridge key new"
            ) from error


def open_vault(key: str | None, folder: Path) -> Vault:
    """Return a vault with the keys that ``key``, the value of ``BRIDGE_KEY``, names.

    If it is None, they are in the file ``folder/key``. If there is no key, the first use makes one.
    """
    return Vault(key_storage_of(key, folder).keys)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rotation:
    """The result of a key rotation, with the connections whose token no key decrypts."""

    resealed: int  # number of secrets sealed with the new key
    unreadable: tuple[int, ...]  # ids of connections whose consent no key opens
    dropped: bool  # True when the old key was deleted


def rotate(store: Store, storage: KeyStorage) -> Rotation:
    """Make a key, encrypt every stored secret with it, and delete the old keys.

    An interrupted rotation is finished by the next. Raises SetupError if BRIDGE_KEY holds only a single key.
    """
    with store.lock(SEALING_LOCK):
        if len(storage.keys()) == 1:
            storage.save([new_key(), *storage.keys()])
        resealed, unreadable = _reseal(store, Vault(storage.keys))
        if storage.is_writable:
            storage.save(storage.keys()[:1])
    return Rotation(resealed=resealed, unreadable=unreadable, dropped=storage.is_writable)


def _reseal(store: Store, vault: Vault) -> tuple[int, tuple[int, ...]]:
    """Return (number of secrets encrypted anew, ids of connections whose token no key decrypts)."""
    with store.transaction():
        consents = [(connection, vault.resealed(sealed)) for connection, sealed in store.connections.secrets()]
        for connection, sealed in consents:
            if sealed is not None:
                store.connections.save_secret(connection, sealed)
        channels = {user: vault.resealed(channel.sealed) for user, channel in store.notifications.channels().items()}
        for user, sealed in channels.items():
            if sealed is not None:
                store.notifications.reseal_channel(user, sealed)
        clients = {name: vault.resealed(sealed) for name, sealed in store.connections.clients().items()}
        for name, sealed in clients.items():
            if sealed is not None:
                store.connections.reseal_client(name, sealed)
    unreadable = tuple(connection for connection, sealed in consents if sealed is None)
    resealed = sum(sealed is not None for sealed in (*channels.values(), *clients.values()))
    return len(consents) - len(unreadable) + resealed, unreadable
