"""Passwords, sessions and tokens in the tables."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa

from bridge.ports.access import ApiToken
from bridge.store.database import Database
from bridge.store.tables import api_tokens, passwords, sessions


class SqlAccess:
    """``bridge.ports.access.Access`` on a database."""

    def __init__(self, database: Database) -> None:
        self._read, self._write = database.read, database.write

    def set_password(self, user_id: int, hashed: str | None, *, now: datetime) -> None:
        with self._write() as db:
            db.execute(sa.delete(passwords).where(passwords.c.user_id == user_id))
            db.execute(sa.delete(sessions).where(sessions.c.user_id == user_id))
            if hashed is not None:
                db.execute(sa.insert(passwords).values(user_id=user_id, hash=hashed, set_at=now))

    def password(self, user_id: int) -> str | None:
        with self._read() as db:
            found: str | None = db.execute(sa.select(passwords.c.hash).where(passwords.c.user_id == user_id)).scalar()
            return found

    def begin_session(self, user_id: int, digest: str, *, now: datetime, until: datetime) -> None:
        with self._write() as db:
            db.execute(sa.delete(sessions).where(sessions.c.expires_at <= now))
            db.execute(sa.insert(sessions).values(user_id=user_id, digest=digest, expires_at=until))

    def session(self, digest: str, *, now: datetime) -> int | None:
        mine = sa.and_(sessions.c.digest == digest, sessions.c.expires_at > now)
        with self._read() as db:
            found: int | None = db.execute(sa.select(sessions.c.user_id).where(mine)).scalar()
            return found

    def end_session(self, digest: str) -> None:
        with self._write() as db:
            db.execute(sa.delete(sessions).where(sessions.c.digest == digest))

    def add_token(self, user_id: int, name: str, digest: str, *, now: datetime) -> ApiToken:
        values = {"user_id": user_id, "name": name, "digest": digest, "made_at": now}
        with self._write() as db:
            number = db.execute(sa.insert(api_tokens).values(values).returning(api_tokens.c.id)).scalar_one()
        return ApiToken(id=number, name=name, made_at=now)

    def token(self, digest: str) -> int | None:
        with self._read() as db:
            found: int | None = db.execute(
                sa.select(api_tokens.c.user_id).where(api_tokens.c.digest == digest)
            ).scalar()
            return found

    def tokens(self, user_id: int) -> list[ApiToken]:
        with self._read() as db:
            found = db.execute(sa.select(api_tokens).where(api_tokens.c.user_id == user_id).order_by(api_tokens.c.id))
            return [ApiToken(id=row.id, name=row.name, made_at=row.made_at) for row in found]

    def revoke_token(self, user_id: int, number: int) -> bool:
        mine = sa.and_(api_tokens.c.user_id == user_id, api_tokens.c.id == number)
        with self._write() as db:
            return db.execute(sa.delete(api_tokens).where(mine)).rowcount == 1
