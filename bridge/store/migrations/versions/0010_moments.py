"""Keep, with a message, how likely an answer within half an hour was when it was sent."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Add the column."""
    op.add_column("notifications", sa.Column("likely", sa.Float(), nullable=True))
