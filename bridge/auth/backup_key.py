"""Encrypt and decrypt backups as age files (https://age-encryption.org/v1), with the installation's key pair."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bridge.domain.errors import SetupError

KEY_FILE = "backup.key"
AGE_HEADER = b"age-encryption.org/v1"
KEY_MAX_BYTES = 100_000  # of an identity file


def is_encrypted(path: Path) -> bool:
    """Return True if a file begins as an age file does. False also for a file that cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(len(AGE_HEADER)) == AGE_HEADER
    except OSError:
        return False


def encrypt(plain: Path, sealed: Path, folder: Path, further: str) -> None:
    """Encrypt the file ``plain`` into ``sealed``, for this installation's key and the public keys in ``further``.

    The installation's key is in ``folder``. ``further`` is separated by commas. Raises SetupError for an unreadable
    key, OSError if the encryption fails.
    """
    import pyrage

    own = [identity.to_public() for identity in identities(_own_key(folder))]
    others = [_recipient(text.strip()) for text in further.split(",") if text.strip()]
    os.close(os.open(sealed, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    try:
        pyrage.encrypt_file(str(plain), str(sealed), [*own, *others])
    except pyrage.EncryptError as error:
        raise OSError(None, str(error)) from None


def decrypt(sealed: Path, plain: Path, key: Path) -> None:
    """Decrypt the file ``sealed`` into ``plain`` with the identity file ``key``. Raises SetupError if that fails."""
    import pyrage

    os.close(os.open(plain, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    try:
        pyrage.decrypt_file(str(sealed), str(plain), identities(key))
    except pyrage.DecryptError as error:
        why = str(error).lower()
        raise SetupError(
            f"{sealed} cannot be opened with {key} ({why}); give the key: bridge restore PATH --identity FILE"
        ) from None


def identities(key: Path) -> Sequence[Any]:
    """Return the age identities in a file, one per line. Raises SetupError for a missing or unreadable file."""
    import pyrage

    try:
        with key.open(encoding="ascii") as file:
            lines = file.read(KEY_MAX_BYTES).split("\n")
        found = [pyrage.x25519.Identity.from_str(line.strip()) for line in lines if line.startswith("AGE-SECRET-KEY-")]
    except (OSError, UnicodeDecodeError, pyrage.IdentityError):
        found = []
    if not found:
        raise SetupError(
            f"{key} is not an age identity file; put the right one there, "
            "or name another: bridge restore PATH --identity FILE"
        )
    return found


def _recipient(text: str) -> Any:
    import pyrage

    try:
        return pyrage.x25519.Recipient.from_str(text)
    except pyrage.RecipientError:
        raise SetupError(
            "BRIDGE_BACKUP_KEYS must hold public keys of age, such as age1..., with commas between; "
            "correct it, then: bridge doctor"
        ) from None


def _own_key(folder: Path) -> Path:
    """Return the path of ``backup.key``, which is made with a new key if it is missing."""
    import pyrage

    path = folder / KEY_FILE
    if not path.exists():
        made = pyrage.x25519.Identity.generate()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        part = path.with_name(f"{KEY_FILE}.{os.getpid()}.part")
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii") as file:
            file.write(f"# public key: {made.to_public()}\n{made}\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(part, path)  # unlike a rename, a link fails when another process was first
        except FileExistsError:
            pass
        finally:
            part.unlink(missing_ok=True)
    return path
