"""Opening a store: migrations say what the tables say, two processes may open one, wrong addresses are named."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from bridge.errors import SetupError
from bridge.ports import Store
from bridge.store import open_store
from bridge.store.sql import SqlStore
from bridge.store.tables import metadata


def test_the_migrations_make_exactly_the_tables(store: Store) -> None:
    assert isinstance(store, SqlStore)
    with store.database.engine.connect() as connection:
        context = MigrationContext.configure(connection)
        assert compare_metadata(context, metadata) == []


def test_two_processes_may_open_a_fresh_store(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'fresh.db'}"
    code = f"from bridge.store import open_store; open_store({url!r}).close()"
    processes = [subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE) for _ in range(3)]
    for process in processes:
        _, error = process.communicate(timeout=60)
        assert process.returncode == 0, error.decode()


def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    open_store(f"sqlite:///{tmp_path / 'new' / 'x.db'}").close()
    assert (tmp_path / "new" / "x.db").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "url", ["nonsense", "mysql://x/y", "sqlite:////proc/nowhere/x.db", "postgresql://127.0.0.1:1/x"]
)
def test_a_wrong_address_is_named(url: str) -> None:
    with pytest.raises(SetupError, match=r"BRIDGE_|sqlite:///"):
        open_store(url)
