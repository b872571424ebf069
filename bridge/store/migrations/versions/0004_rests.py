"""A source whose limit all accounts share rests for all of them; webhooks are kept until they are followed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add when a source may be asked again, whom it calls what, and what it has told."""
    op.add_column("sources", sa.Column("rests_until", sa.BigInteger(), nullable=True))
    op.add_column("connections", sa.Column("member", sa.Text(), nullable=True))
    op.create_index(op.f("ix_connections_member"), "connections", ["member"], unique=False)
    op.create_table(
        "notices",
        sa.Column("id", ID, nullable=False),
        sa.Column("connection_id", ID, nullable=False),
        sa.Column("trace", sa.Text(), nullable=False),
        sa.Column("stream", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("deleted", sa.Boolean(), nullable=False),
        sa.Column("arrived_at", sa.BigInteger(), nullable=False),
        sa.Column("followed_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["connection_id"], ["connections.id"], name=op.f("fk_notices_connection_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notices")),
        sa.UniqueConstraint("connection_id", "trace", name=op.f("uq_notices_connection_id_trace")),
    )
