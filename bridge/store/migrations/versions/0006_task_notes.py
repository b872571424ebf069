"""Add the table of notes on tasks, which holds the place of a task in the plan and that a user ticked it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Create the table of notes on tasks."""
    op.create_table(
        "task_notes",
        sa.Column("user_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("due", sa.Date(), nullable=True),
        sa.Column("start", sa.BigInteger(), nullable=True),
        sa.Column("end", sa.BigInteger(), nullable=True),
        sa.Column("done_at", sa.BigInteger(), nullable=True),
        sa.Column("said_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_task_notes_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id", "key", name=op.f("pk_task_notes")),
    )
