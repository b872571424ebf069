"""What is kept of how people come to the page and programs to the JSON door: digests, never what they hold."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiToken:
    """A token for programs, as it is listed; the token itself is shown once, when it is made."""

    id: int
    name: str
    made_at: datetime


class Access(Protocol):
    """Passwords, sessions and tokens. All of it goes with its person, and none of it is exported."""

    def set_password(self, user_id: int, hashed: str | None, *, now: datetime) -> None:
        """Keep a password's hash, or (None) no password; all the person's sessions end."""
        ...

    def password(self, user_id: int) -> str | None: ...
    def begin_session(self, user_id: int, digest: str, *, now: datetime, until: datetime) -> None:
        """Keep a session; those that ended by ``now`` are deleted."""
        ...

    def session(self, digest: str, *, now: datetime) -> int | None:
        """Whose session it is; None for one that is unknown or over."""
        ...

    def end_session(self, digest: str) -> None: ...
    def add_token(self, user_id: int, name: str, digest: str, *, now: datetime) -> ApiToken: ...
    def token(self, digest: str) -> int | None:
        """Whose token it is."""
        ...

    def tokens(self, user_id: int) -> list[ApiToken]:
        """In the order they were made."""
        ...

    def revoke_token(self, user_id: int, number: int) -> bool:
        """False where the person has no such token."""
        ...
