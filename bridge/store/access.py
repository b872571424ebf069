"""Passwords, sessions and API tokens. Only digests are stored, and none of them is exported."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa

from bridge.domain.records import ApiToken
from bridge.store.database import Part, reads, writes
from bridge.store.tables import api_tokens, passwords, sessions


class Access(Part):
    """Credentials for the page and the JSON API. They are deleted with their user."""

    @writes()
    def set_password(self, db: sa.Connection, user_id: int, hashed: str | None, *, now: datetime) -> None:
        """Save the hash of a password, or remove the password (None). All sessions of the user end."""
        db.execute(sa.delete(passwords).where(passwords.c.user_id == user_id))
        db.execute(sa.delete(sessions).where(sessions.c.user_id == user_id))
        if hashed is not None:
            db.execute(sa.insert(passwords).values(user_id=user_id, hash=hashed, set_at=now))

    @reads
    def password(self, db: sa.Connection, user_id: int) -> str | None:
        """Return the hash of the user's password, or None without a password."""
        found: str | None = db.execute(sa.select(passwords.c.hash).where(passwords.c.user_id == user_id)).scalar()
        return found

    @writes()
    def begin_session(self, db: sa.Connection, user_id: int, digest: str, *, now: datetime, until: datetime) -> None:
        """Save a session by its digest. Sessions that ended by ``now`` are deleted."""
        db.execute(sa.delete(sessions).where(sessions.c.expires_at <= now))
        db.execute(sa.insert(sessions).values(user_id=user_id, digest=digest, expires_at=until))

    @reads
    def session(self, db: sa.Connection, digest: str, *, now: datetime) -> int | None:
        """Return the user id of a session, or None when the session is unknown or over."""
        current = sa.and_(sessions.c.digest == digest, sessions.c.expires_at > now)
        found: int | None = db.execute(sa.select(sessions.c.user_id).where(current)).scalar()
        return found

    @writes()
    def end_session(self, db: sa.Connection, digest: str) -> None:
        """Delete a session."""
        db.execute(sa.delete(sessions).where(sessions.c.digest == digest))

    @writes()
    def add_token(self, db: sa.Connection, user_id: int, name: str, digest: str, *, now: datetime) -> ApiToken:
        """Save an API token by its digest."""
        values = {"user_id": user_id, "name": name, "digest": digest, "made_at": now}
        number = db.execute(sa.insert(api_tokens).values(values).returning(api_tokens.c.id)).scalar_one()
        return ApiToken(id=number, name=name, made_at=now)

    @reads
    def token(self, db: sa.Connection, digest: str) -> int | None:
        """Return the user id of an API token, or None when the token is unknown."""
        found: int | None = db.execute(sa.select(api_tokens.c.user_id).where(api_tokens.c.digest == digest)).scalar()
        return found

    @reads
    def tokens(self, db: sa.Connection, user_id: int) -> list[ApiToken]:
        """Return the user's API tokens in the order in which they were made."""
        found = db.execute(sa.select(api_tokens).where(api_tokens.c.user_id == user_id).order_by(api_tokens.c.id))
        return [ApiToken(id=row.id, name=row.name, made_at=row.made_at) for row in found]

    @writes()
    def revoke_token(self, db: sa.Connection, user_id: int, number: int) -> bool:
        """Delete an API token. Returns False when the user has no such token."""
        mine = sa.and_(api_tokens.c.user_id == user_id, api_tokens.c.id == number)
        return db.execute(sa.delete(api_tokens).where(mine)).rowcount == 1
