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


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database that no migration has seen."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'fresh.db'}"
    import psycopg

    url: str = request.getfixturevalue("postgres_url")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
    return url


def test_processes_may_open_a_fresh_store_at_once(empty_url: str) -> None:
    code = f"from bridge.store import open_store; print(open_store({empty_url!r}).users())"
    processes = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for _ in range(3)
    ]
    for process in processes:
        printed, _ = process.communicate(timeout=60)
        assert (process.returncode, printed.strip()) == (0, b"[]"), printed.decode()


def test_an_up_to_date_store_opens_without_the_migration_machinery(database_url: str) -> None:
    open_store(database_url).close()
    code = f"import sys; from bridge.store import open_store; open_store({database_url!r}); print(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    assert "sqlalchemy" in loaded
    assert "alembic" not in loaded


def test_a_store_of_a_newer_release_is_left_alone(store: Store, database_url: str) -> None:
    assert isinstance(store, SqlStore)
    with store.database.write() as db:
        db.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(SetupError, match="upgrade"):
        open_store(database_url)


def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    open_store(f"sqlite:///{tmp_path / 'new' / 'x.db'}").close()
    assert (tmp_path / "new" / "x.db").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "url", ["nonsense", "mysql://x/y", "sqlite:////proc/nowhere/x.db", "postgresql://127.0.0.1:1/x"]
)
def test_a_wrong_address_is_named(url: str) -> None:
    with pytest.raises(SetupError, match=r"BRIDGE_|sqlite:///"):
        open_store(url)
