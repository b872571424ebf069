"""What is due is found through an index of what can be claimed alone, however many connections there are."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Replace the index over everybody by one over the claimable, and one over what is being synced."""
    op.drop_index("ix_connections_due_at", table_name="connections")
    claimable = sa.text("secret IS NOT NULL AND paused IS NULL")
    op.create_index(
        "ix_connections_due", "connections", ["due_at", "id"], sqlite_where=claimable, postgresql_where=claimable
    )
    leased = sa.text("lease_until IS NOT NULL")
    op.create_index(
        "ix_connections_leased", "connections", ["lease_until"], sqlite_where=leased, postgresql_where=leased
    )
