"""Let a slot hold further recommendations after one that was closed, and keep the outcome that another replaced.

Outcomes that data gave by the rules of earlier releases are looked at again, because an entry that stood in the
calendar before the advice is no evidence.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

NEW: tuple[sa.Column[object], ...] = (
    sa.Column("closed_at", sa.BigInteger(), nullable=True),
    sa.Column("outcome_before", sa.Text(), nullable=True),
    sa.Column("outcome_before_at", sa.BigInteger(), nullable=True),
    sa.Column("recheck", sa.Boolean(), nullable=True),
)
_table = sa.table("recommendations", sa.column("outcome"), sa.column("evidence"), sa.column("recheck"))


def upgrade() -> None:
    """Add the columns, and mark the outcomes to look at again."""
    for column in NEW:
        op.add_column("recommendations", column)
    op.drop_index("uq_recommendations_slot", table_name="recommendations")
    current = sa.text("superseded_at IS NULL AND closed_at IS NULL")
    op.create_index(
        "uq_recommendations_slot",
        "recommendations",
        ["user_id", "week", "timestep"],
        unique=True,
        sqlite_where=current,
        postgresql_where=current,
    )
    by_data = sa.and_(_table.c.outcome.in_(["done", "partly"]), _table.c.evidence.not_like('%"kind": "said"%'))
    op.execute(sa.update(_table).where(by_data).values(recheck=True))
