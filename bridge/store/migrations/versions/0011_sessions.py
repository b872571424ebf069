"""Keep when a browser's session was last used, and when its person last proved who they are."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

LASTED = 30 * 24 * 3600 * 1_000_000  # microseconds from a session's begin to its end


def upgrade() -> None:
    """Add the columns. Sessions that run count as used and proved at their begin."""
    for name in ("used_at", "proved_at"):
        op.add_column("sessions", sa.Column(name, sa.BigInteger(), nullable=False, server_default="0"))
    op.execute(f"UPDATE sessions SET used_at = expires_at - {LASTED}, proved_at = expires_at - {LASTED}")  # noqa: S608
