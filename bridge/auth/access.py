"""Access by passwords (hashed with argon2id), sessions of browsers, and tokens of programs."""

from __future__ import annotations

import hashlib
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING

from bridge.domain.errors import SetupError, TryLater
from bridge.domain.languages import say
from bridge.domain.records import ApiToken, Session, User

if TYPE_CHECKING:
    from argon2 import PasswordHasher

    from bridge.store import Store

SESSION_LASTS, SESSION_IDLE = timedelta(days=30), timedelta(days=7)
USE_NOTED = timedelta(hours=1)  # at most once, so that reading pages hardly writes
PROOF_LASTS = timedelta(minutes=15)  # then the password or a passkey is asked again before what opens doors
HASHES_AT_ONCE = 2  # each hash of a password takes 64 MiB (RFC 9106, second recommended option)
HASHES_WAITING = 8  # beside those at once; further logins get TryLater
HASH_RETRY_SECONDS = 5
PASSWORD_MIN_CHARS, PASSWORD_MAX_CHARS = 12, 256  # OWASP ASVS 4.0, 2.1.1
STRENGTH_MIN = 3  # of zxcvbn's 0 to 4: more than 10^8 tries of those who know common passwords and patterns
STRENGTH_CHARS_MAX = 72  # of a password are judged, because zxcvbn's time grows with the square
TOKEN_PREFIX = "rb_"  # noqa: S105 - lets scanners find a token that was published by mistake
ASSISTANT_TOKEN_PREFIX = "rba_"  # noqa: S105 - of tokens that open the address of assistants alone


@cache
def _hasher() -> PasswordHasher:
    from argon2 import PasswordHasher

    return PasswordHasher()  # its defaults are RFC 9106's low-memory profile of argon2id


_queue, _turns = threading.Semaphore(HASHES_AT_ONCE + HASHES_WAITING), threading.Semaphore(HASHES_AT_ONCE)


@contextmanager
def _in_turn() -> Iterator[None]:
    if not _queue.acquire(blocking=False):
        after = timedelta(seconds=HASH_RETRY_SECONDS)
        raise TryLater(say("too many people are logging in at once; try again in a few seconds"), after=after)
    try:
        with _turns:
            yield
    finally:
        _queue.release()


def set_password(store: Store, user: User, password: str | None, *, now: datetime) -> None:
    """Save a user's password as its hash, or remove it (None). All of the user's browser sessions end.

    Raises SetupError for a bad length or a password that is soon guessed, TryLater if too many logins are waiting.
    """
    if password is not None:
        _refuse_weak(password, user.name)
    store.access.set_password(user.id, None if password is None else _hashed(password), now=now)


def _refuse_weak(password: str, name: str) -> None:
    command = f"bridge user password {name}"
    if not PASSWORD_MIN_CHARS <= len(password) <= PASSWORD_MAX_CHARS:
        wrong = say(
            "a password has {least} to {most} characters; try again: {command}",
            least=PASSWORD_MIN_CHARS,
            most=PASSWORD_MAX_CHARS,
            command=command,
        )
        raise SetupError(wrong)
    if strength(password, name) < STRENGTH_MIN:
        raise SetupError(
            say(
                "that password is among those that attackers try first; choose four unrelated words: {command}",
                command=command,
            )
        )


def strength(password: str, name: str) -> int:
    """Return how hard a user's password is to guess, from 0 (very easy) to 4, by zxcvbn (Wheeler 2016)."""
    from zxcvbn import zxcvbn

    score: int = zxcvbn(password[:STRENGTH_CHARS_MAX], user_inputs=[name, "rhythm", "bridge"])["score"]
    return score


def _hashed(password: str) -> str:
    with _in_turn():
        return _hasher().hash(password)


def has_password(store: Store, user: User) -> bool:
    return store.access.password(user.id) is not None


def user_with_password(store: Store, name: str, password: str) -> User | None:
    """Return the user with this name and this password, or None. Raises TryLater if too many logins are waiting.

    An unknown name takes as long as a wrong password, so that names cannot be found out.
    """
    from argon2.exceptions import VerificationError

    found = store.people.named(name)
    hashed = None if found is None else store.access.password(found.id)
    try:
        with _in_turn():
            _hasher().verify(hashed or _hash_of_nothing(), password[: PASSWORD_MAX_CHARS + 1])
    except VerificationError:
        return None
    return None if hashed is None else found


@cache
def _hash_of_nothing() -> str:
    return _hashed(secrets.token_hex())


def begin_session(store: Store, user: User, *, now: datetime) -> str:
    """Begin a browser session of 30 days that ends after a week without use. Returns the secret for its cookie.

    Only the secret's hash is stored.
    """
    token = secrets.token_urlsafe(32)
    store.access.begin_session(user.id, digest(token), now=now, until=now + SESSION_LASTS)
    return token


def session_of(store: Store, token: str, *, now: datetime) -> Session | None:
    """Return the session of a cookie's secret, or None if it is unknown, over, or was idle for a week."""
    found = store.access.session(digest(token), now=now, idle=SESSION_IDLE)
    if found is not None and now - found.used_at > USE_NOTED:
        with suppress(SetupError):  # a disk that is full or read-only shows pages all the same
            store.access.use_session(digest(token), now=now)
    return found


def new_token(
    store: Store, user: User, name: str, *, now: datetime, for_assistant: bool = False
) -> tuple[ApiToken, str]:
    """Make an API token for the program ``name``. Return the stored entry and the secret, which is not stored.

    With ``for_assistant``, the token serves AI assistants alone.
    """
    token = (ASSISTANT_TOKEN_PREFIX if for_assistant else TOKEN_PREFIX) + secrets.token_urlsafe(32)
    return store.access.add_token(user.id, name, digest(token), now=now), token


def digest(token: str) -> str:
    """Return the SHA-256 of a random secret in hexadecimal, the form in which it is stored."""
    return hashlib.sha256(token.encode()).hexdigest()
