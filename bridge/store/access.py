"""Store the ways to log in, sessions and API tokens, and which meters a user lets others see."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import sqlalchemy as sa

from bridge.domain.errors import SetupError
from bridge.domain.records import ApiToken, Identity, Passkey, Session, Share
from bridge.store import codec
from bridge.store.database import Part, reads, writes
from bridge.store.inserts import insert_new
from bridge.store.tables import api_tokens, identities, passkeys, passwords, sessions, shares, users
from rhythm_env.interface import Meter

_IS_PROTECTED = sa.select(
    sa.or_(*(sa.exists().where(table.c.user_id == sa.bindparam("user")) for table in (passwords, passkeys, identities)))
)


class Credentials(Part):
    """The part of the store for accounts at a login provider, and for passkeys."""

    @reads
    def is_protected(self, db: sa.Connection, user_id: int) -> bool:
        """Return True for a user with a password, passkey or linked account. Any other user needs no login here."""
        return bool(db.execute(_IS_PROTECTED, {"user": user_id}).scalar())

    @writes()
    def link(self, db: sa.Connection, user_id: int, issuer: str, subject: str, *, now: datetime) -> None:
        """Link a login provider's account to the user. Raises SetupError if it is linked to another user."""
        values = {"issuer": issuer, "subject": subject, "user_id": user_id, "made_at": now}
        if not insert_new(db, identities, values) and _owner(db, issuer, subject) != user_id:
            raise SetupError(
                "that login belongs to another user here; end its link with that user first: "
                f"bridge user unlink NAME --subject {subject}"
            )

    @reads
    def user_of(self, db: sa.Connection, issuer: str, subject: str) -> int | None:
        return _owner(db, issuer, subject)

    @reads
    def identities(self, db: sa.Connection, user_id: int) -> list[Identity]:
        """Return the accounts that log in as the user, oldest first."""
        query = sa.select(identities).where(identities.c.user_id == user_id)
        rows = db.execute(query.order_by(identities.c.made_at, identities.c.issuer, identities.c.subject))
        return [codec.record_of(Identity, row) for row in rows]

    @writes()
    def unlink(self, db: sa.Connection, user_id: int, issuer: str, subject: str) -> bool:
        """End the link of an account to the user. Returns False if there is no such link."""
        mine = sa.and_(_is(issuer, subject), identities.c.user_id == user_id)
        return db.execute(sa.delete(identities).where(mine)).rowcount == 1

    @writes()
    def add_passkey(self, db: sa.Connection, user_id: int, passkey: Passkey) -> None:
        """Save a new passkey of the user. Raises SetupError if its credential is known already."""
        values = codec.columns_of(passkey)
        del values["id"]
        if not insert_new(db, passkeys, {"user_id": user_id, **values}):
            raise SetupError("that passkey is known here already; log in with it")

    @reads
    def passkey(self, db: sa.Connection, credential: bytes) -> tuple[int, Passkey] | None:
        """Return the user id and the passkey of a credential id, or None if it is unknown."""
        row = db.execute(sa.select(passkeys).where(passkeys.c.credential == credential)).first()
        return None if row is None else (row.user_id, _passkey(row))

    @reads
    def passkeys(self, db: sa.Connection, user_id: int) -> list[Passkey]:
        query = sa.select(passkeys).where(passkeys.c.user_id == user_id).order_by(passkeys.c.id)
        return [_passkey(row) for row in db.execute(query)]

    @writes()
    def note_use(self, db: sa.Connection, passkey: Passkey, signatures: int, *, now: datetime) -> bool:
        """Save the use of a passkey with its new count of signatures.

        Return False if it was removed or used meanwhile.
        """
        same = sa.and_(passkeys.c.id == passkey.id, passkeys.c.signatures == passkey.signatures)
        return db.execute(sa.update(passkeys).where(same).values(signatures=signatures, used_at=now)).rowcount == 1

    @writes()
    def remove_passkey(self, db: sa.Connection, user_id: int, number: int) -> bool:
        """Delete the user's passkey with the id ``number``. Returns False if there is none."""
        mine = sa.and_(passkeys.c.user_id == user_id, passkeys.c.id == number)
        return db.execute(sa.delete(passkeys).where(mine)).rowcount == 1


def _is(issuer: str, subject: str) -> sa.ColumnElement[bool]:
    return sa.and_(identities.c.issuer == issuer, identities.c.subject == subject)


def _owner(db: sa.Connection, issuer: str, subject: str) -> int | None:
    found: int | None = db.execute(sa.select(identities.c.user_id).where(_is(issuer, subject))).scalar()
    return found


def _passkey(row: sa.Row[tuple[object, ...]]) -> Passkey:
    return codec.record_of(Passkey, row, credential=bytes(row.credential), public_key=bytes(row.public_key))


class Shares(Part):
    """The part of the store for meters that are shared with other users."""

    @writes()
    def save(self, db: sa.Connection, user_id: int, viewer_id: int, meters: Sequence[Meter], *, now: datetime) -> None:
        """Let a viewer see exactly these meters of a user. With no meters, nothing is shared any longer."""
        pair = sa.and_(shares.c.user_id == user_id, shares.c.viewer_id == viewer_id)
        db.execute(sa.delete(shares).where(pair))
        rows = [
            {"user_id": user_id, "viewer_id": viewer_id, "meter": str(meter), "made_at": now} for meter in set(meters)
        ]
        if rows:
            db.execute(sa.insert(shares), rows)

    @reads
    def given(self, db: sa.Connection, user_id: int) -> list[Share]:
        """Return what a user shares, with one Share per viewer, sorted by the viewer's name."""
        return _shares(db, shares.c.viewer_id, shares.c.user_id == user_id)

    @reads
    def received(self, db: sa.Connection, viewer_id: int) -> list[Share]:
        """Return what is shared with a viewer, with one Share per sharing user, sorted by that user's name."""
        return _shares(db, shares.c.user_id, shares.c.viewer_id == viewer_id)


def _shares(db: sa.Connection, other: sa.Column[int], condition: sa.ColumnElement[bool]) -> list[Share]:
    query = sa.select(users.c.id, users.c.name, shares.c.meter).join_from(shares, users, users.c.id == other)
    found: dict[tuple[int, str], set[str]] = {}
    for row in db.execute(query.where(condition).order_by(users.c.name)):
        found.setdefault((row.id, row.name), set()).add(row.meter)
    return [
        Share(other_id=number, other=name, meters=tuple(meter for meter in Meter if str(meter) in meters))
        for (number, name), meters in found.items()
    ]


class Access(Part):
    """The part of the store for passwords, sessions and API tokens of the pages and the JSON API."""

    @writes()
    def set_password(self, db: sa.Connection, user_id: int, hashed: str | None, *, now: datetime) -> None:
        """Save the hash of a user's password, or remove the password for None. All sessions of the user end."""
        db.execute(sa.delete(passwords).where(passwords.c.user_id == user_id))
        db.execute(sa.delete(sessions).where(sessions.c.user_id == user_id))
        if hashed is not None:
            db.execute(sa.insert(passwords).values(user_id=user_id, hash=hashed, set_at=now))

    @reads
    def password(self, db: sa.Connection, user_id: int) -> str | None:
        found: str | None = db.execute(sa.select(passwords.c.hash).where(passwords.c.user_id == user_id)).scalar()
        return found

    @writes()
    def begin_session(self, db: sa.Connection, user_id: int, digest: str, *, now: datetime, until: datetime) -> None:
        """Save a session until ``until``, under the digest of its secret.

        Sessions that have ended by ``now`` are deleted.
        """
        db.execute(sa.delete(sessions).where(sessions.c.expires_at <= now))
        begun = {"user_id": user_id, "digest": digest, "expires_at": until, "used_at": now, "proved_at": now}
        db.execute(sa.insert(sessions).values(begun))

    @reads
    def session(self, db: sa.Connection, digest: str, *, now: datetime, idle: timedelta) -> Session | None:
        """Return the session with a digest. Return None if it is unknown, has ended, or was unused for ``idle``."""
        c = sessions.c
        current = sa.and_(c.digest == digest, c.expires_at > now, c.used_at > now - idle)
        row = db.execute(sa.select(c.user_id, c.used_at, c.proved_at).where(current)).one_or_none()
        return None if row is None else codec.record_of(Session, row)

    @writes(durable=False)
    def use_session(self, db: sa.Connection, digest: str, *, now: datetime) -> None:
        """Save that the session with a digest is used at ``now``."""
        db.execute(sa.update(sessions).where(sessions.c.digest == digest).values(used_at=now))

    @writes()
    def prove_session(self, db: sa.Connection, digest: str, *, now: datetime) -> None:
        """Save that a session's user has just logged in, or entered the password or a passkey again."""
        db.execute(sa.update(sessions).where(sessions.c.digest == digest).values(proved_at=now))

    @writes()
    def end_session(self, db: sa.Connection, digest: str) -> None:
        db.execute(sa.delete(sessions).where(sessions.c.digest == digest))

    @writes()
    def add_token(self, db: sa.Connection, user_id: int, name: str, digest: str, *, now: datetime) -> ApiToken:
        """Save an API token by name and digest, and return its entry. The secret text of the token is not stored."""
        values = {"user_id": user_id, "name": name, "digest": digest, "made_at": now}
        number = db.execute(sa.insert(api_tokens).values(values).returning(api_tokens.c.id)).scalar_one()
        return ApiToken(id=number, name=name, made_at=now)

    @reads
    def token(self, db: sa.Connection, digest: str) -> int | None:
        """Return the user id of the API token with a digest, or None if it is unknown."""
        found: int | None = db.execute(sa.select(api_tokens.c.user_id).where(api_tokens.c.digest == digest)).scalar()
        return found

    @reads
    def tokens(self, db: sa.Connection, user_id: int) -> list[ApiToken]:
        found = db.execute(sa.select(api_tokens).where(api_tokens.c.user_id == user_id).order_by(api_tokens.c.id))
        return [codec.record_of(ApiToken, row) for row in found]

    @writes()
    def revoke_token(self, db: sa.Connection, user_id: int, number: int) -> bool:
        """Delete the user's API token with the id ``number``. Returns False if there is none."""
        mine = sa.and_(api_tokens.c.user_id == user_id, api_tokens.c.id == number)
        return db.execute(sa.delete(api_tokens).where(mine)).rowcount == 1
