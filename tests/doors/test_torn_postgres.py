"""A page of PostgreSQL that does not match its checksum: doctor finds it first, and every command says so."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from lab.postgres_cluster import programs, restartable
from tests.commands import bridge
from tests.doors.small_disk import CALENDAR, EVENT, PAGE_BYTES
from tests.doors.test_small_disk import DAMAGED

pytestmark = [pytest.mark.postgres, pytest.mark.skipif(programs() is None, reason="PostgreSQL is not installed")]
COMMANDS = (("status", "--json"), ("today",), ("export", "--user", "ana", "--to", "{}/export"), ("backup", "{}/second"))


@pytest.fixture
def torn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a first backup, of a bridge in whose cluster a page of the events was overwritten."""
    with restartable("-c fsync=off", checked=True) as (server, restart):
        monkeypatch.setenv("BRIDGE_DATABASE", f"{server}/postgres")
        events = (EVENT.format(number, 1 + number % 28, number % 24, "x") for number in range(200))
        (tmp_path / "life.ics").write_text(CALENDAR.format("".join(events)))
        for command in (
            ("user", "add", "ana", "--zone", "UTC"),
            ("import", f"{tmp_path}/life.ics", "--user", "ana"),
            ("backup", f"{tmp_path}/first"),
            ("doctor",),
        ):
            assert bridge(*command).returncode == 0
        with psycopg.connect(f"{server}/postgres", autocommit=True) as db:
            db.execute("CHECKPOINT")
            row = db.execute(
                "SELECT current_setting('data_directory') || '/' || pg_relation_filepath('events')"
            ).fetchone()
            assert row is not None
            with Path(row[0]).open("r+b") as file:
                file.write(random.Random(1).randbytes(2 * PAGE_BYTES))
        restart()
        yield tmp_path


def test_every_command_says_that_the_database_is_damaged(torn: Path) -> None:
    for _ in range(2):  # doctor looks before anything else has read the page
        doctor = bridge("doctor", "--json")
        assert doctor.returncode == 1
        assert re.search(
            r'"finding": "the database in its server is damaged.*",\s+"next": "stop the bridge', doctor.stdout
        )
    for command in COMMANDS:
        done = bridge(*(one.format(torn) for one in command))
        assert (done.returncode, "Traceback" in done.stderr) == (1, False)
        assert re.match(f"error: {DAMAGED}\n.*bridge restore PATH --replace\n$", done.stderr), (command, done.stderr)
    assert not (torn / "second").exists()
