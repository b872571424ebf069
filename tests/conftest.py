"""Isolation for every test, and real databases: SQLite always, a private PostgreSQL cluster where it is installed."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge.ports import Store
from bridge.store import open_store


@pytest.fixture(autouse=True)
def _own_installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees this machine's settings or data."""
    for name in list(os.environ):
        if name.startswith("BRIDGE_") and name != "BRIDGE_SAMPLES":
            monkeypatch.delenv(name)
    monkeypatch.setenv("BRIDGE_HOME", str(tmp_path / "home"))


def _programs() -> Path | None:
    """The folder of ``initdb`` and ``pg_ctl``."""
    found = shutil.which("initdb")
    places = [Path(found).parent] if found else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((place for place in places if (place / "initdb").exists()), None)


def _as_owner(command: list[str]) -> None:
    """Run as the cluster's owner: PostgreSQL refuses to run as root."""
    if os.geteuid() == 0:
        command = ["runuser", "-u", "postgres", "--", *command]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """A private cluster on a free loopback port; its address without a database name."""
    programs = _programs()
    if programs is None:
        if os.environ.get("CI"):
            pytest.fail("CI must have PostgreSQL: apt-get install postgresql")
        pytest.skip("PostgreSQL is not installed")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    folder = Path(tempfile.mkdtemp(prefix="rhythm-bridge-postgres-"))
    folder.chmod(0o755)
    data = folder / "data"
    data.mkdir()
    if os.geteuid() == 0:
        shutil.chown(data, "postgres", "postgres")
    owner = "bridge"
    options = (
        f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off -c max_connections=50"
    )
    _as_owner([str(programs / "initdb"), "-D", str(data), "-U", owner, "-A", "trust", "-E", "UTF8", "--no-sync"])
    _as_owner([str(programs / "pg_ctl"), "-D", str(data), "-w", "-l", str(data / "log"), "-o", options, "start"])
    yield f"postgresql://{owner}@127.0.0.1:{port}"
    _as_owner([str(programs / "pg_ctl"), "-D", str(data), "-m", "immediate", "stop"])
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres_template(postgres_server: str) -> str:
    """A migrated database to copy from."""
    _execute(postgres_server, "CREATE DATABASE template_bridge")
    open_store(f"{postgres_server}/template_bridge").close()
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
    opened = open_store(database_url)
    yield opened
    opened.close()
