"""What assistants may do, when answers were to count no longer, and how sure a policy was of its belief."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add two small tables, and a column that older advice leaves empty."""
    op.create_table(
        "consents",
        sa.Column("user_id", ID, nullable=False),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("given_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_consents_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id", "tool", name=op.f("pk_consents")),
    )
    op.create_table(
        "resets",
        sa.Column("id", ID, nullable=False),
        sa.Column("user_id", ID, nullable=False),
        sa.Column("made_at", sa.BigInteger(), nullable=False),
        sa.Column("taken_back_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_resets_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_resets")),
    )
    op.create_index(op.f("ix_resets_user_id"), "resets", ["user_id"], unique=False)
    op.add_column("recommendations", sa.Column("belief_sd", sa.Text(), nullable=True))
