"""Find by an index who was left without a recommendation for a slot, and who has just answered one."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Add the indexes."""
    op.create_index("ix_silences_week_timestep", "silences", ["week", "timestep"])
    op.create_index(
        "ix_recommendations_answered_at",
        "recommendations",
        ["answered_at"],
        sqlite_where=sa.text("answered_at IS NOT NULL"),
        postgresql_where=sa.text("answered_at IS NOT NULL"),
    )
