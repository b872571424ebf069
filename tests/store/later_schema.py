"""A migration of a later version, planted, and databases as 0.1.0 left them."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest

from bridge.store import schema
from lab.kept_release import KEPT

FIRST = KEPT / "0.1.0"
PLANTED = """
import sqlalchemy as sa
from alembic import op

revision, down_revision = "9998", "{before}"


def upgrade():
    op.create_table("planted", sa.Column("id", sa.Integer(), primary_key=True))
"""


def plant(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Let the newest migration be one that makes the table ``planted``."""
    to = shutil.copytree(schema.MIGRATIONS, folder / "migrations")
    before = max(path.name[:4] for path in (to / "versions").glob("[0-9]*.py"))
    (to / "versions" / "9998_planted.py").write_text(PLANTED.format(before=before))
    patch.setattr(schema, "MIGRATIONS", to)


def leave(url: str) -> None:
    """Make an empty database that of 0.1.0."""
    if url.startswith("sqlite"):
        Path(url.removeprefix("sqlite:///")).write_bytes(gzip.decompress((FIRST / "bridge.db.gz").read_bytes()))
        return
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(gzip.decompress((FIRST / "postgres.sql.gz").read_bytes()))
