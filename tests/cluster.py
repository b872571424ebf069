"""A private PostgreSQL cluster, for tests and measurements, where Debian's package or ``initdb`` is installed."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


def programs() -> Path | None:
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


@contextmanager
def cluster(options: str = "") -> Iterator[str]:
    """Its address without a database name, on a free loopback port. Only where ``programs`` are found."""
    with restartable(options) as (address, _):
        yield address


@contextmanager
def restartable(options: str = "") -> Iterator[tuple[str, Callable[[], None]]]:
    """The same, and what stops it as a crash would and starts it again."""
    bin_folder = programs()
    assert bin_folder is not None
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
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' {options}"
    _as_owner([str(bin_folder / "initdb"), "-D", str(data), "-U", owner, "-A", "trust", "-E", "UTF8", "--no-sync"])

    def control(*command: str) -> None:
        _as_owner([str(bin_folder / "pg_ctl"), "-D", str(data), "-w", *command])

    begin = ("-l", str(data / "log"), "-o", options)

    def restart() -> None:
        control("-m", "immediate", "stop")
        control(*begin, "start")

    control(*begin, "start")
    yield f"postgresql://{owner}@127.0.0.1:{port}", restart
    control("-m", "immediate", "stop")
    shutil.rmtree(folder, ignore_errors=True)


def restart(server: str) -> None:
    """Let a cluster end as in a power cut, and start again."""
    import psycopg

    bin_folder = programs()
    assert bin_folder is not None
    with psycopg.connect(f"{server}/postgres") as connection:
        row = connection.execute("SHOW data_directory").fetchone()
    assert row is not None
    _as_owner([str(bin_folder / "pg_ctl"), "-D", row[0], "-w", "-m", "immediate", "-l", f"{row[0]}/log", "restart"])
