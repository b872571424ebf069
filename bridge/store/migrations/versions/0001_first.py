"""Begin the chain of migrations. Databases of the first schema hold its number; new ones begin with the newest."""

from __future__ import annotations

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Change nothing: the tables come from ``bridge.store.tables``."""
