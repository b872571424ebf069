"""A private PostgreSQL cluster for tests and benchmarks, on machines with PostgreSQL installed."""

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
    """Return the folder of ``initdb`` and ``pg_ctl``, or None if PostgreSQL is not installed."""
    found = shutil.which("initdb")
    places = [Path(found).parent] if found else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((place for place in places if (place / "initdb").exists()), None)


def _installed() -> Path:
    found = programs()
    if found is None:
        raise RuntimeError("PostgreSQL is not installed: apt-get install postgresql")
    return found


def _run_as_owner(command: list[str]) -> None:
    """Run a command as the cluster's owner, because PostgreSQL refuses to run as root."""
    if os.geteuid() == 0:
        command = ["runuser", "-u", "postgres", "--", *command]
    quiet = subprocess.DEVNULL
    subprocess.run(command, check=True, stdout=quiet, stderr=quiet, cwd="/")  # noqa: S603 - our own commands


@contextmanager
def cluster(options: str = "", *, within: Path | None = None) -> Iterator[str]:
    """Run a cluster on a free loopback port, and yield its address without a database name.

    Its files are in a new folder in ``within``, by default that of temporary files. Raises RuntimeError if PostgreSQL
    is not installed.
    """
    with restartable(options, within=within) as (address, _):
        yield address


@contextmanager
def restartable(
    options: str = "", *, within: Path | None = None, checked: bool = False
) -> Iterator[tuple[str, Callable[[], None]]]:
    """Run a cluster as ``cluster`` does, and yield its address and a function that crashes and restarts it.

    With ``checked`` its pages have checksums.
    """
    bin_folder = _installed()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    folder = Path(tempfile.mkdtemp(prefix="rhythm-bridge-postgres-", dir=within))
    folder.chmod(0o755)
    data = folder / "data"
    data.mkdir()
    if os.geteuid() == 0:
        shutil.chown(data, "postgres", "postgres")
    owner = "bridge"
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' {options}"
    more = ["--data-checksums"] if checked else []
    made = ["-D", str(data), "-U", owner, "-A", "trust", "-E", "UTF8", "--no-sync", *more]
    _run_as_owner([str(bin_folder / "initdb"), *made])

    def control(*command: str) -> None:
        _run_as_owner([str(bin_folder / "pg_ctl"), "-D", str(data), "-w", *command])

    begin = ("-l", str(data / "log"), "-o", options)

    def restart() -> None:
        control("-m", "immediate", "stop")
        control(*begin, "start")

    control(*begin, "start")
    try:
        yield f"postgresql://{owner}@127.0.0.1:{port}", restart
    finally:
        control("-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)


def restart(server: str) -> None:
    """Crash a cluster as a power failure would, and start it again."""
    import psycopg

    bin_folder = _installed()
    with psycopg.connect(f"{server}/postgres") as connection:
        row = connection.execute("SHOW data_directory").fetchone()
    if row is None:
        raise RuntimeError("the cluster does not name its folder")
    _run_as_owner([str(bin_folder / "pg_ctl"), "-D", row[0], "-w", "-m", "immediate", "-l", f"{row[0]}/log", "restart"])
