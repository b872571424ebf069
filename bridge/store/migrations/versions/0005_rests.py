"""A source whose limit all accounts share rests for all of them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0003"


def upgrade() -> None:
    """Add when a source may be asked again."""
    op.add_column("sources", sa.Column("rests_until", sa.BigInteger(), nullable=True))
