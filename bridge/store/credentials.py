"""Store the ways to log in without a password: accounts at a login provider, and passkeys."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa

from bridge.domain.errors import SetupError
from bridge.domain.records import Identity, Passkey
from bridge.store import codec
from bridge.store.database import Part, reads, writes
from bridge.store.inserts import insert_new
from bridge.store.tables import identities, passkeys, passwords


class Credentials(Part):
    """The part of the store for accounts at a login provider, and for passkeys."""

    @reads
    def is_protected(self, db: sa.Connection, user_id: int) -> bool:
        """Return True for a user with a password, passkey or linked account. Others need no login at this machine."""
        found = (sa.exists().where(table.c.user_id == user_id) for table in (passwords, passkeys, identities))
        return bool(db.execute(sa.select(sa.or_(*found))).scalar())

    @writes()
    def link(self, db: sa.Connection, user_id: int, issuer: str, subject: str, *, now: datetime) -> None:
        """Link a provider's account to the user, or keep it as it is. Raises SetupError if another user has it."""
        values = {"issuer": issuer, "subject": subject, "user_id": user_id, "made_at": now}
        if not insert_new(db, identities, values) and _owner(db, issuer, subject) != user_id:
            raise SetupError(
                "that login belongs to another user here; end its link with that user first: "
                f"bridge user unlink NAME --subject {subject}"
            )

    @reads
    def user_of(self, db: sa.Connection, issuer: str, subject: str) -> int | None:
        """Return the user with the account ``subject`` at the provider ``issuer``, or None."""
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
        """Return the user's passkeys in the order in which they were made."""
        query = sa.select(passkeys).where(passkeys.c.user_id == user_id).order_by(passkeys.c.id)
        return [_passkey(row) for row in db.execute(query)]

    @writes()
    def note_use(self, db: sa.Connection, passkey: Passkey, signatures: int, *, now: datetime) -> bool:
        """Save a login with a passkey, False if its counter changed meanwhile or it was removed."""
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
