"""What arrived or ended before or after a moment is found without reading everything."""

from __future__ import annotations

from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Index when raw records arrived and when syncs ended."""
    op.create_index("ix_arrivals_arrived_at", "arrivals", ["arrived_at"])
    op.create_index("ix_sync_runs_finished", "sync_runs", ["finished"])
