"""Isolation for every test, and real databases: SQLite always, a private PostgreSQL cluster where it is installed."""

from __future__ import annotations

import gc
import importlib
import math
import os
import sqlite3
import sys
import uuid
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from sqlalchemy import Engine
from sqlalchemy.engine.default import DefaultDialect
from sqlalchemy.util import LRUCache

from bridge.store import Store, database
from lab.postgres_cluster import cluster, programs

# Our matrices are small: several threads for one of them wait for each other, for ten times its own work.
os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
settings.register_profile("any machine", deadline=None)  # a busy machine is slow, and no test may fail by that
settings.load_profile("any machine")
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # or every process that a test starts would compile the program again
sys.dont_write_bytecode = False  # or every run would compile the tests again
MEMORY, MEMORY_BYTES = Path("/dev/shm"), 4 << 30  # noqa: S108 - a folder in memory; and free there, from which it is used


def _in_memory() -> bool:
    """Return True if this machine has a folder in memory with room for the tests' databases and files.

    Every test makes databases of its own. On a disk, most of a test's time was waiting for them to be written.
    """
    if not os.access(MEMORY, os.W_OK):
        return False
    found = os.statvfs(MEMORY)
    return found.f_bavail * found.f_frsize >= MEMORY_BYTES and not found.f_flag & os.ST_NOEXEC


if _in_memory():
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))  # under which pytest makes ``tmp_path``


def pytest_collection(session: pytest.Session) -> None:
    """Let each worker begin with other test files, so that on a fresh checkout each is compiled once."""
    config = session.config
    worker: dict[str, Any] | None = getattr(config, "workerinput", None)
    if worker is None:
        return
    gc.disable()  # until all is imported, and stays
    if config.args_source is not config.ArgsSource.TESTPATHS:
        return
    files = sorted(path for folder in config.args for path in (config.rootpath / folder).rglob("test_*.py"))
    for path in files[int(worker["workerid"].removeprefix("gw")) :: worker["workercount"]]:
        with suppress(Exception, pytest.skip.Exception):  # which are told when the file is collected
            importlib.import_module(".".join(path.relative_to(config.rootpath).with_suffix("").parts))


def pytest_collection_finish() -> None:
    """Keep what was imported out of every later search for garbage, and out of those at the end."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests that may take minutes, so that no worker is left with one at the end."""
    items.sort(key=lambda item: item.get_closest_marker("timeout") is None)
    if os.environ.get("EXAMPLES") != "all":
        _draw_fewer(items)


def _draw_fewer(items: list[pytest.Item]) -> None:
    """Let generated tests draw a quarter of the examples that they state. `make test-generated` draws all."""
    quick = (item for item in items if not item.get_closest_marker("slow"))
    for test in {getattr(item.obj, "__func__", item.obj) for item in quick if isinstance(item, pytest.Function)}:
        stated: settings | None = getattr(test, "_hypothesis_internal_use_settings", None)
        if stated is not None:
            fewer = settings(stated, max_examples=math.ceil(stated.max_examples / 4))
            test._hypothesis_internal_use_settings = fewer


@pytest.fixture(scope="session", autouse=True)
def _compiled_once() -> Iterator[None]:
    """Every test opens stores of its own, and compiling SQL for each took a fifth of the suite's time.

    Compiled statements are kept by dialect. SQLAlchemy takes the dialects of two engines for two; here they are one by
    their type, which decides all of a statement's text.
    """
    made, caches = database._engine, dict[type, LRUCache[Any, Any]]()

    def engine(url: Any) -> Engine:
        opened = made(url)
        cache = caches.setdefault(type(opened.dialect), LRUCache(2000))
        opened.update_execution_options(compiled_cache=cache)
        return opened

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DefaultDialect, "__eq__", lambda one, other: type(one) is type(other))
        patch.setattr(DefaultDialect, "__hash__", lambda one: hash(type(one)))
        patch.setattr(database, "_engine", engine)
        yield


@pytest.fixture(scope="session", autouse=True)
def _tables_made_once(tmp_path_factory: pytest.TempPathFactory, _compiled_once: None) -> Iterator[None]:
    """Every test has SQLite databases of its own, and the 80 statements that make the tables took 5 % of the suite.

    A new one is a copy of one that the program has made. An empty file that is there already is left to the program.
    """
    made = tmp_path_factory.mktemp("tables") / "made.db"
    Store(f"sqlite:///{made}").close()
    content, private, prepare = made.read_bytes(), database._make_private, database._prepare_sqlite
    with closing(sqlite3.connect(made, check_same_thread=False)) as template, pytest.MonkeyPatch.context() as patch:

        def make_private(path: Path) -> None:
            if not path.exists() and path.parent.is_dir() and os.access(path.parent, os.W_OK):
                copy = path.with_name(f"{path.name}.{uuid.uuid4().hex}")
                with suppress(OSError):
                    copy.touch(0o600)
                    copy.write_bytes(content)
                    os.link(copy, path)  # whole, or not at all: other threads may open it as well
                copy.unlink(missing_ok=True)
            private(path)

        def prepare_sqlite(connection: sqlite3.Connection, record: Any) -> None:
            if not connection.execute("PRAGMA database_list").fetchone()[2]:  # in memory
                template.backup(connection)
            prepare(connection, record)

        patch.setattr(database, "_make_private", make_private)
        patch.setattr(database, "_prepare_sqlite", prepare_sqlite)
        yield


@pytest.fixture(autouse=True)
def _own_installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees this machine's settings or data."""
    for name in list(os.environ):
        if name.startswith("BRIDGE_") and name != "BRIDGE_SAMPLES":
            monkeypatch.delenv(name)
    monkeypatch.setenv("BRIDGE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("COLUMNS", raising=False)
    os.unsetenv("COLUMNS")  # readline sets it for child processes only, where os.environ does not show it


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """A private cluster on a free loopback port; its address without a database name."""
    if programs() is None:
        if os.environ.get("CI"):
            pytest.fail("CI must have PostgreSQL: apt-get install postgresql")
        pytest.skip("PostgreSQL is not installed")
    with cluster("-c fsync=off -c max_connections=50", within=MEMORY if _in_memory() else None) as server:
        yield server


@pytest.fixture(scope="session")
def postgres_template(postgres_server: str) -> str:
    """A migrated database to copy from."""
    _execute(postgres_server, "CREATE DATABASE template_bridge")
    Store(f"{postgres_server}/template_bridge").close()
    return postgres_server


def _execute(server: str, statement: str) -> None:
    import psycopg

    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(statement.encode())


@pytest.fixture
def postgres_url(postgres_template: str) -> Iterator[str]:
    """A fresh, migrated PostgreSQL database."""
    name = f"test_{uuid.uuid4().hex}"
    _execute(postgres_template, f"CREATE DATABASE {name} TEMPLATE template_bridge")
    yield f"{postgres_template}/{name}"
    _execute(postgres_template, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A fresh database, once on each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'bridge.db'}"
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    opened = Store(database_url)
    yield opened
    opened.close()


@pytest.fixture
def postgres(postgres_url: str) -> Iterator[Store]:
    """PostgreSQL, where another test sees to SQLite."""
    opened = Store(postgres_url)
    yield opened
    opened.close()


@pytest.fixture
def lite() -> Iterator[Store]:
    """SQLite in memory, where it does not matter which database it is."""
    opened = Store("sqlite://")
    yield opened
    opened.close()
