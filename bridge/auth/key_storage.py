"""Storages for the keys that encrypt consents: the environment, a file of mode 0600, or the system's keyring."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from bridge import origin
from bridge.domain.errors import SetupError

USE_KEYRING = "keyring"  # as value of BRIDGE_KEY: the keys are in the keyring
KEY_FILE = "key"  # in the bridge's folder
PART_SUFFIX = ".part"  # of files that are being written, or were left by a process that was killed
KEYRING_SERVICE = "rhythm-bridge"  # the name under which the keyring holds the keys


class KeyStorage(Protocol):
    """A place for the encryption keys. ``is_writable`` is True if the bridge may change the keys there."""

    @property
    def is_writable(self) -> bool: ...
    def keys(self) -> Sequence[str]:
        """Return the keys, of which the first encrypts and all decrypt. If there is none, a key is made and saved."""
        ...

    def save(self, keys: Sequence[str]) -> None:
        """Replace all keys, durably. Raises SetupError for keys in BRIDGE_KEY, which only the user can change."""
        ...


def key_storage_of(key: str | None, folder: Path) -> KeyStorage:
    """Return the storage of keys that ``BRIDGE_KEY`` names.

    ``key`` is its value, ``keyring`` or the keys themselves. Without a value, the keys are in a file in ``folder``.
    """
    if key is None or not key.strip():
        return InFile(folder / KEY_FILE)
    if key.strip() == USE_KEYRING:
        return InKeyring(str(folder.resolve()))
    return InEnvironment(tuple(part.strip() for part in key.split(",")))


def new_key() -> str:
    """Return a random Fernet key."""
    from cryptography.fernet import Fernet

    return Fernet.generate_key().decode()


@dataclass(frozen=True)
class InEnvironment:
    """The keys in ``BRIDGE_KEY`` itself, separated by commas."""

    given: tuple[str, ...]
    is_writable = False

    def keys(self) -> Sequence[str]:
        return self.given

    def save(self, keys: Sequence[str]) -> None:  # noqa: ARG002 - of the protocol
        raise SetupError(
            "the keys are in BRIDGE_KEY, which only you can change: put a new key "
            "(from: bridge key new) and a comma before the old one, then: bridge key rotate"
        )


@dataclass(frozen=True)
class InFile:
    """A file with a key per line, readable by its owner alone."""

    path: Path
    is_writable = True

    def keys(self) -> Sequence[str]:
        if not self.path.exists():
            self._create()
        return self.path.read_text(encoding="ascii").split()

    def save(self, keys: Sequence[str]) -> None:
        """Replace the file's keys, so that even a crash leaves the old or the new file. The caller holds a lock."""
        for leftover in self.leftovers():
            leftover.unlink(missing_ok=True)
        self._written(keys).replace(self.path)
        _settle(self.path.parent)

    def leftovers(self) -> list[Path]:
        """Return the partial files with keys that killed processes left beside the file."""
        return sorted(self.path.parent.glob(f"{self.path.name}.*{PART_SUFFIX}"))

    def _create(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        written = self._written([new_key()])
        try:
            os.link(written, self.path)  # unlike a rename, a link fails when another process was first
        except OSError:
            if not self.path.exists():  # the file system has no links
                written.replace(self.path)
        written.unlink(missing_ok=True)

    def _written(self, keys: Sequence[str]) -> Path:
        """Write the keys to a new file and return its path. On Linux it has no name until it is complete."""
        path = self.path.with_name(f"{self.path.name}.{secrets.token_hex(4)}{PART_SUFFIX}")
        text = "\n".join(keys).encode("ascii")
        try:
            _link_whole(path, text)
        except OSError:  # not on this system, or not in this folder
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            _fill(handle, text)
            os.close(handle)
        return path


def _link_whole(path: Path, text: bytes) -> None:
    """Give a complete file without a name its ``path``, so that a crash leaves no part of it. Raises OSError."""
    handle = os.open(path.parent, os.O_WRONLY | getattr(os, "O_TMPFILE", os.O_CREAT | os.O_EXCL), 0o600)
    try:
        _fill(handle, text)
        os.link(f"/proc/self/fd/{handle}", path, src_dir_fd=handle, follow_symlinks=True)
    finally:
        os.close(handle)


def _fill(handle: int, text: bytes) -> None:
    os.write(handle, text)
    os.fsync(handle)


@dataclass(frozen=True)
class InKeyring:
    """The operating system's keyring. ``name``, the installation's folder, identifies the entry with the keys."""

    name: str
    is_writable = True

    def keys(self) -> Sequence[str]:
        keyring = _keyring()
        found = keyring.get_password(KEYRING_SERVICE, self.name)
        if found is None:
            keyring.set_password(KEYRING_SERVICE, self.name, new_key())
            found = keyring.get_password(KEYRING_SERVICE, self.name) or ""
        return str(found).split()

    def save(self, keys: Sequence[str]) -> None:
        _keyring().set_password(KEYRING_SERVICE, self.name, " ".join(keys))


def _keyring() -> Any:
    try:
        import keyring
    except ModuleNotFoundError:
        raise origin.lacking("keyring") from None
    if keyring.get_keyring().priority <= 0:
        raise SetupError(
            "BRIDGE_KEY is keyring, and this machine has no keyring; unset BRIDGE_KEY to keep the key in a file "
            "that only you can read"
        )
    return keyring


def _settle(folder: Path) -> None:
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
