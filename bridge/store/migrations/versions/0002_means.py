"""Samples that are means of many measurements say of how many, and between which bounds."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add what a mean needs to be added up again."""
    op.add_column("samples", sa.Column("count", sa.Integer(), nullable=True))
    op.add_column("samples", sa.Column("low", sa.Float(), nullable=True))
    op.add_column("samples", sa.Column("high", sa.Float(), nullable=True))
