"""Who may come in: passwords (argon2id), sessions of browsers, and tokens of programs."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING

from bridge.errors import SetupError
from bridge.ports import Store, User
from bridge.ports.access import ApiToken

if TYPE_CHECKING:
    from argon2 import PasswordHasher

LASTS = timedelta(days=30)  # a session
SHORTEST, LONGEST = 8, 256  # of passwords, in characters; NIST SP 800-63B, 5.1.1.2 asks for at least 8
MARK = "rb_"  # a token's beginning, so that it is known for one where it should not be


@cache
def _hasher() -> PasswordHasher:
    from argon2 import PasswordHasher

    return PasswordHasher()  # its defaults are RFC 9106's low-memory profile of argon2id


def set_password(store: Store, user: User, password: str | None, *, now: datetime) -> None:
    """Keep it as a hash, or (None) go without one; all sessions end. Raises SetupError for one that is too short."""
    if password is not None and not SHORTEST <= len(password) <= LONGEST:
        raise SetupError(
            f"a password has {SHORTEST} to {LONGEST} characters; try again: bridge user password {user.name}"
        )
    store.access.set_password(user.id, None if password is None else _hasher().hash(password), now=now)


def has_password(store: Store, user: User) -> bool:
    return store.access.password(user.id) is not None


def known(store: Store, name: str, password: str) -> User | None:
    """The person of that name and password. One who is not there takes as long as a wrong password."""
    from argon2.exceptions import VerificationError

    found = next((user for user in store.users() if user.name == name), None)
    kept = None if found is None else store.access.password(found.id)
    try:
        _hasher().verify(kept or _nobodys(), password[: LONGEST + 1])
    except VerificationError:
        return None
    return None if kept is None else found


@cache
def _nobodys() -> str:
    return _hasher().hash(secrets.token_hex())


def begin(store: Store, user: User, *, now: datetime) -> str:
    """A new session of a browser; what it holds is kept nowhere."""
    token = secrets.token_urlsafe(32)
    store.access.begin_session(user.id, digest(token), now=now, until=now + LASTS)
    return token


def new_token(store: Store, user: User, name: str, *, now: datetime) -> tuple[ApiToken, str]:
    """A token for programs, as it is listed and as it is used; the latter cannot be shown again."""
    token = MARK + secrets.token_urlsafe(32)
    return store.access.add_token(user.id, name, digest(token), now=now), token


def digest(token: str) -> str:
    """What is kept of a token: it is random enough that a plain digest does."""
    return hashlib.sha256(token.encode()).hexdigest()
