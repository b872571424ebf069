"""Begin the chain of migrations, with the tables of 0.1.0 as ``bridge.store.tables`` makes them."""

from __future__ import annotations

revision = "0012"  # as in the last state before 0.1.0, whose databases go on
down_revision = None


def upgrade() -> None:
    """Change nothing, because the tables exist."""
