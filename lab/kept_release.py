"""Write the files of an installation of this version into ``fixtures/releases/VERSION``.

These are a database, a backup, an export, a configuration and the key, of a made-up person. Every later version's tests
open them (``tests/test_releases.py``). Run ``python -m lab.kept_release`` once for each version, before its tag.
"""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg

from bridge import __version__
from lab.people.apple import Plan, write_zip
from lab.people.other_life import choir_account
from lab.postgres_cluster import cluster

KEPT = Path(__file__).parents[1] / "fixtures" / "releases"
NOW, ZONE, DAYS = datetime(2026, 11, 28, 8, tzinfo=UTC), "Europe/Berlin", 7
PASSWORD = "four small boats leaving"
CONFIG = 'policy = "heuristic"\nrate = "whoop=10"\nkeep_raw = 60\n'
STEPS = (  # the commands of the person's day, and what is typed
    ("user", "add", "ana", "--zone", ZONE),
    ("user", "password", "ana"),
    ("import", "export.zip"),
    ("import", "choir.ics"),
    ("checkin", "3.5"),
    ("note", "alcohol 2"),
    ("wish", "--never", "BINGE_WATCH", "--goal", "EXERCISE 3"),
    ("mode", "away", "--from", "2026-12-05", "--until", "2026-12-06"),
    ("notify", "--to", "ntfys://ntfy.example.org/made-up"),
    ("trial", "no coffee after noon", "--weeks", "2"),
    ("plan",),
    ("recommend",),
    ("feedback", "accept"),
)


def make(to: Path) -> None:
    """Run the installation's commands in a temporary folder, and save its files in the new folder ``to``."""
    with tempfile.TemporaryDirectory(prefix="rhythm-bridge-kept-") as folder:
        work = Path(folder)
        home = work / "home"
        home.mkdir()
        (home / "config.toml").write_text(CONFIG, encoding="utf-8")
        last = (NOW - timedelta(days=1)).date()
        write_zip(Plan(seed=7, home=ZONE, last=last, days=DAYS, hour=0, sparse=True), work / "export.zip")
        lines = choir_account(last, DAYS)["text"]
        (work / "choir.ics").write_text("\r\n".join(lines) + "\r\n", encoding="utf-8")
        for step in STEPS:
            bridge(work, *step)
        bridge(work, "backup", "backup")
        bridge(work, "export", "--to", "export")
        to.mkdir(parents=True)
        for path in (home / "bridge.db", work / "backup"):
            with gzip.GzipFile(to / f"{path.name}.gz", "wb", mtime=0) as packed:
                packed.write(path.read_bytes())
        shutil.make_archive(str(to / "export"), "zip", work / "export")
        for name in ("key", "config.toml"):
            shutil.copy(home / name, to)
        with gzip.GzipFile(to / "postgres.sql.gz", "wb", mtime=0) as packed:
            packed.write(dumped(work))


def dumped(work: Path) -> bytes:
    """Move the installation's data to PostgreSQL, and return the SQL that creates this database."""
    with cluster() as server:
        url = f"{server}/kept"
        with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
            connection.execute("CREATE DATABASE kept")
        bridge(work, "migrate", "--to", url)
        dump = ("pg_dump", "--no-owner", "--no-comments", "--inserts", "--rows-per-insert=200", url)
        made = subprocess.run(dump, check=True, stdout=subprocess.PIPE).stdout  # noqa: S603 - ours
        return b"".join(line for line in made.splitlines(keepends=True) if not line.startswith(b"\\"))


def bridge(work: Path, *arguments: str) -> str:
    """Run a ``bridge`` command in a folder and return its output. Raises CalledProcessError if it fails."""
    environment = {"PATH": os.environ["PATH"], "BRIDGE_HOME": str(work / "home"), "BRIDGE_NOW": NOW.isoformat()}
    command = (sys.executable, "-m", "bridge", *arguments)
    done = subprocess.run(  # noqa: S603 - ours
        command, cwd=work, env=environment, check=True, text=True, stdout=subprocess.PIPE, input=f"{PASSWORD}\n" * 2
    )
    return done.stdout


if __name__ == "__main__":
    make(KEPT / __version__)
