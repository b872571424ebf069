"""Opening a store: migrations say what the tables say, two processes may open one, wrong addresses are named."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from bridge.domain.errors import SetupError
from bridge.store import Store
from bridge.store.tables import metadata
from tests.store.later_schema import leave, plant


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


def engine_of(url: str) -> sa.Engine:
    return sa.create_engine(url.replace("postgresql://", "postgresql+psycopg://"))


def test_an_empty_database_is_made_as_the_migrations_make_that_of_the_first_release(empty_url: str) -> None:
    leave(empty_url)
    Store(empty_url).close()
    engine = engine_of(empty_url)
    with engine.begin() as db:
        assert compare_metadata(MigrationContext.configure(db), metadata) == []
    migrated, version = described(engine), stamp(engine)
    with engine.begin() as db:
        metadata.drop_all(db)
        db.exec_driver_sql("DROP TABLE alembic_version")
    Store(empty_url).close()
    assert described(engine) == migrated
    assert stamp(engine) == version
    engine.dispose()


def test_a_later_migration_runs_once_and_loses_nothing(
    empty_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave(empty_url)
    plant(tmp_path, monkeypatch)
    for _ in range(2):
        with closing(Store(empty_url)) as store:
            assert [user.name for user in store.people.users()] == ["ana"]
    engine = engine_of(empty_url)
    assert stamp(engine) == "9998"
    assert sa.inspect(engine).has_table("planted")
    engine.dispose()


def stamp(engine: sa.Engine) -> str:
    with engine.connect() as db:
        return str(db.exec_driver_sql("SELECT version_num FROM alembic_version").scalar_one())


def described(engine: sa.Engine) -> dict[str, list[str]]:
    """Every table with its columns, keys and indexes, but for defaults, which only rows of older releases needed."""
    found, seen = {}, sa.inspect(engine)
    for table in seen.get_table_names():
        parts = [repr((c["name"], c["type"].compile(engine.dialect), c["nullable"])) for c in seen.get_columns(table)]
        parts.append(repr(seen.get_pk_constraint(table)))
        for kind in (seen.get_foreign_keys, seen.get_unique_constraints, seen.get_indexes, seen.get_check_constraints):
            parts += [repr({key: written(value) for key, value in sorted(one.items())}) for one in kind(table)]
        found[table] = sorted(parts)
    return found


def written(value: object) -> object:
    """A condition of an index as its text."""
    return {name: str(part) for name, part in value.items()} if isinstance(value, dict) else value


def test_another_programs_table_is_left_alone(empty_url: str) -> None:
    engine = engine_of(empty_url)
    with engine.begin() as db:
        db.exec_driver_sql("CREATE TABLE users (nickname TEXT)")
    with pytest.raises(SetupError, match=r"another program \(users\)"):
        Store(empty_url)
    assert sa.inspect(engine).get_table_names() == ["users"]
    engine.dispose()


def test_what_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "letter.db").write_text("dear " * 100)
    with pytest.raises(SetupError, match=r"cannot be opened \(SQLITE_NOTADB\); check BRIDGE_DATABASE"):
        Store(f"sqlite:///{tmp_path / 'letter.db'}")
    assert (tmp_path / "letter.db").read_text() == "dear " * 100


@pytest.mark.postgres
def test_who_may_make_no_tables_is_told(postgres_url: str) -> None:
    """As anybody but its owner in a database that PostgreSQL 15 or newer has made."""
    import psycopg

    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
        connection.execute("GRANT USAGE ON SCHEMA public TO PUBLIC")
        connection.execute("CREATE ROLE guest LOGIN")
        try:
            with pytest.raises(SetupError, match=r"cannot be opened \(InsufficientPrivilege\)"):
                Store(postgres_url.replace("bridge@", "guest@"))
        finally:
            connection.execute("DROP ROLE guest")


def test_processes_may_open_a_fresh_store_at_once(empty_url: str) -> None:
    code = f"from bridge.store import Store; print(Store({empty_url!r}).people.users())"
    processes = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for _ in range(3)
    ]
    for process in processes:
        printed, _ = process.communicate(timeout=60)
        assert (process.returncode, printed.strip()) == (0, b"[]"), printed.decode()


def test_an_up_to_date_store_opens_without_the_migration_machinery(database_url: str) -> None:
    Store(database_url).close()
    code = f"import sys; from bridge.store import Store; Store({database_url!r}); print(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    assert "sqlalchemy" in loaded
    assert "alembic" not in loaded


def test_a_store_of_a_newer_release_is_left_alone(store: Store, database_url: str) -> None:
    assert isinstance(store, Store)
    with store.database.write() as db:
        db.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(SetupError, match="upgrade"):
        Store(database_url)


def test_a_store_of_before_the_first_release_is_left_alone_and_told_the_way(store: Store, database_url: str) -> None:
    with store.database.write() as db:
        db.exec_driver_sql("UPDATE alembic_version SET version_num = '0011'")
    with pytest.raises(SetupError, match=r"before 0\.1\.0; .*bridge export.* BRIDGE_DATABASE.*bridge import"):
        Store(database_url)
    with store.database.read() as db:
        assert db.exec_driver_sql("SELECT version_num FROM alembic_version").scalar() == "0011"


def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    Store(f"sqlite:///{tmp_path / 'new' / 'x.db'}").close()
    assert (tmp_path / "new" / "x.db").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "url", ["nonsense", "mysql://x/y", "sqlite:////proc/nowhere/x.db", "postgresql://127.0.0.1:1/x"]
)
def test_a_wrong_address_is_named(url: str) -> None:
    with pytest.raises(SetupError, match=r"BRIDGE_|sqlite:///"):
        Store(url)
