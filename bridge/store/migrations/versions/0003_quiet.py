"""Add the quiet slots to the channels: slots of the day in which a user wants no messages."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the quiet slots to the channels."""
    op.add_column("channels", sa.Column("quiet", sa.Text(), nullable=False, server_default="[]"))
