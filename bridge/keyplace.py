"""Where the keys of the vault are kept: the environment, a file of mode 0600, or the operating system's keyring."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from bridge.errors import SetupError

KEYRING = "keyring"  # BRIDGE_KEY of this value: the keys are in the keyring
SERVICE = "rhythm-bridge"  # what they are found under there


class KeyPlace(Protocol):
    """``keys`` gives them, the sealing one first, and makes the first; ``keep`` replaces them all at once.

    They are ``ours`` where the bridge may change them.
    """

    @property
    def ours(self) -> bool: ...
    def keys(self) -> Sequence[str]: ...
    def keep(self, keys: Sequence[str]) -> None:
        """Durable when it returns. Raises SetupError where only the person can change them."""
        ...


def place_of(key: str | None, folder: Path) -> KeyPlace:
    """The place a ``BRIDGE_KEY`` names: itself, the keyring, or without one ``folder/key``."""
    if key is None or not key.strip():
        return InFile(folder / "key")
    if key.strip() == KEYRING:
        return InKeyring(str(folder.resolve()))
    return InEnvironment(tuple(part.strip() for part in key.split(",")))


def new_key() -> str:
    from cryptography.fernet import Fernet

    return Fernet.generate_key().decode()


@dataclass(frozen=True)
class InEnvironment:
    """``BRIDGE_KEY`` itself, comma separated."""

    given: tuple[str, ...]
    ours = False

    def keys(self) -> Sequence[str]:
        return self.given

    def keep(self, keys: Sequence[str]) -> None:  # noqa: ARG002 - the place's interface
        raise SetupError(
            "BRIDGE_KEY is yours to change: put a new key (see: bridge key new) and a comma before the old one, "
            "then: bridge key rotate"
        )


@dataclass(frozen=True)
class InFile:
    """A file, one key per line, that is its owner's alone."""

    path: Path
    ours = True

    def keys(self) -> Sequence[str]:
        if not self.path.exists():
            self._begin()
        return self.path.read_text(encoding="ascii").split()

    def keep(self, keys: Sequence[str]) -> None:
        """A crash leaves the old file or the new one, never a part: without its key every consent would be lost."""
        written = self._written(keys)
        written.replace(self.path)
        _settle(self.path.parent)

    def _begin(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        written = self._written([new_key()])
        try:
            os.link(written, self.path)  # unlike a rename it refuses where another process was first
        except OSError:
            if not self.path.exists():  # a file system without links
                written.replace(self.path)
        written.unlink(missing_ok=True)

    def _written(self, keys: Sequence[str]) -> Path:
        path = self.path.with_name(f"{self.path.name}.{secrets.token_hex(4)}")
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write("\n".join(keys))
            file.flush()
            os.fsync(file.fileno())
        return path


@dataclass(frozen=True)
class InKeyring:
    """The operating system's keyring, one entry per installation."""

    name: str
    ours = True

    def keys(self) -> Sequence[str]:
        keyring = _keyring()
        found = keyring.get_password(SERVICE, self.name)
        if found is None:
            keyring.set_password(SERVICE, self.name, new_key())
            found = keyring.get_password(SERVICE, self.name) or ""
        return str(found).split()

    def keep(self, keys: Sequence[str]) -> None:
        _keyring().set_password(SERVICE, self.name, " ".join(keys))


def _keyring() -> Any:
    try:
        import keyring
    except ModuleNotFoundError:
        raise SetupError("BRIDGE_KEY=keyring needs its library: pip install 'rhythm-bridge[keyring]'") from None
    if keyring.get_keyring().priority <= 0:
        raise SetupError("this machine has no keyring; unset BRIDGE_KEY to keep the key in a file of yours alone")
    return keyring


def _settle(folder: Path) -> None:
    """Make a rename in a folder durable, where the system can."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
