"""What a policy was shown is kept compressed: with a month of answers in each it is most of what a person grows by."""

from __future__ import annotations

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
    db = op.get_bind()
    table = sa.table("recommendations", sa.column("id"), sa.column("observation"), sa.column("packed"))
    after = 0
    while rows := db.execute(
        sa.select(table.c.id, table.c.observation).where(table.c.id > after).order_by(table.c.id).limit(TOGETHER)
    ).all():
        update = sa.update(table).where(table.c.id == sa.bindparam("row")).values(packed=sa.bindparam("bytes"))
        db.execute(update, [{"row": row.id, "bytes": zlib.compress(row.observation.encode())} for row in rows])
        after = rows[-1].id
    op.drop_column("recommendations", "observation")
    op.execute("ALTER TABLE recommendations RENAME COLUMN packed TO observation")
