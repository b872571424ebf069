"""What a policy was shown is kept compressed: with a month of answers in each it is most of what a person grows by.

The levels in it, which every later piece of advice looks back on, are kept beside it.
"""

from __future__ import annotations

import json
import zlib

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
TOGETHER = 500  # rows that are in memory at once


def upgrade() -> None:
    """Fill a new column that takes the old one's name: a column's type would make SQLite copy the whole table."""
    bytes_there = sa.Column("packed", sa.LargeBinary(), nullable=False, server_default="")
    op.add_column("recommendations", bytes_there)
    op.add_column("recommendations", sa.Column("levels", sa.Text(), nullable=True))
    _fill(op.get_bind())
    op.drop_column("recommendations", "observation")
    op.execute("ALTER TABLE recommendations RENAME COLUMN packed TO observation")


def _fill(db: sa.Connection) -> None:
    table = sa.table("recommendations", *(sa.column(name) for name in ("id", "observation", "packed", "levels")))
    update = sa.update(table).where(table.c.id == sa.bindparam("row"))
    update = update.values(packed=sa.bindparam("bytes"), levels=sa.bindparam("found"))
    after = 0
    while rows := db.execute(
        sa.select(table.c.id, table.c.observation).where(table.c.id > after).order_by(table.c.id).limit(TOGETHER)
    ).all():
        db.execute(update, [_filled(row.id, row.observation) for row in rows])
        after = rows[-1].id


def _filled(row: int, observation: str) -> dict[str, object]:
    meters = json.loads(observation).get("meters", {})
    levels = {name: round(state["level"], 4) for name, state in meters.items()}
    return {"row": row, "bytes": zlib.compress(observation.encode()), "found": json.dumps(levels)}
