"""Add the tables of accounts at a login provider, passkeys, and meters shared with other users."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Create the tables of identities, passkeys and shares."""
    op.create_table(
        "identities",
        sa.Column("issuer", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        _number("user_id"),
        sa.Column("made_at", sa.BigInteger(), nullable=False),
        _user("identities", "user_id"),
        sa.PrimaryKeyConstraint("issuer", "subject", name=op.f("pk_identities")),
    )
    op.create_index(op.f("ix_identities_user_id"), "identities", ["user_id"])
    op.create_table(
        "passkeys",
        _number("id"),
        _number("user_id"),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("credential", sa.LargeBinary(), nullable=False),
        sa.Column("public_key", sa.LargeBinary(), nullable=False),
        sa.Column("signatures", sa.BigInteger(), nullable=False),
        sa.Column("made_at", sa.BigInteger(), nullable=False),
        sa.Column("used_at", sa.BigInteger(), nullable=True),
        _user("passkeys", "user_id"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_passkeys")),
        sa.UniqueConstraint("credential", name=op.f("uq_passkeys_credential")),
    )
    op.create_index(op.f("ix_passkeys_user_id"), "passkeys", ["user_id"])
    op.create_table(
        "shares",
        _number("user_id"),
        _number("viewer_id"),
        sa.Column("meter", sa.Text(), nullable=False),
        sa.Column("made_at", sa.BigInteger(), nullable=False),
        _user("shares", "user_id"),
        _user("shares", "viewer_id"),
        sa.PrimaryKeyConstraint("user_id", "viewer_id", "meter", name=op.f("pk_shares")),
    )
    op.create_index(op.f("ix_shares_viewer_id"), "shares", ["viewer_id"])


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False)


def _user(table: str, column: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], ["users.id"], name=op.f(f"fk_{table}_{column}"), ondelete="CASCADE")
