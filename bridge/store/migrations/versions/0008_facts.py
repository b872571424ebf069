"""Keep the reasons of recommendations as facts. Reasons that were stored as text become facts of prose."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from bridge.store.recommendations import FACT_COLUMNS, as_facts

revision = "0008"
down_revision = "0007"

ROWS_TOGETHER = 500

_table = sa.table("recommendations", sa.column("id"), *map(sa.column, FACT_COLUMNS))


def upgrade() -> None:
    """Rewrite the three columns, some hundred rows at a time."""
    db, last = op.get_bind(), 0
    query = sa.select(_table).order_by(_table.c.id).limit(ROWS_TOGETHER)
    while rows := db.execute(query.where(_table.c.id > last)).mappings().all():
        for row in rows:
            kept = {name: as_facts(name, row[name]) for name in FACT_COLUMNS if row[name] is not None}
            db.execute(sa.update(_table).where(_table.c.id == row["id"]).values(kept))
        last = rows[-1]["id"]
