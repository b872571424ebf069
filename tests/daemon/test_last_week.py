"""A machine is lost, and last week's encrypted backup goes on living on another machine with the other database."""

from __future__ import annotations

import json
import shutil
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import lab
from bridge import config, installation, registry
from bridge.cli import app as cli
from bridge.recordings.server import LabServer
from bridge.store import Store

NOW = datetime.fromisoformat("2026-11-28T10:05:00+01:00")
LAST_WEEK = NOW - timedelta(days=7)
TICKS_MAX = 5


def invoke(*words: str) -> str:
    done = CliRunner().invoke(cli, words)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return str(done.stdout)


def document(*words: str) -> Any:
    return json.loads(invoke(*words, "--json"))


def rows(database: str) -> dict[str, int]:
    """The rows of each table, but for the marks of chores, which belong to one store."""
    with closing(Store(database)) as store:
        return {name: count for name, count in store.maintenance.row_counts().items() if name != "singletons"}


def decided(held: dict[str, int]) -> int:
    """The slots with a recommendation, or deliberately without one."""
    return held["recommendations"] + held["silences"]


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.parametrize("there", ["postgres", "sqlite"])
def test_last_weeks_backup_goes_on_on_the_other_database(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: str
) -> None:
    lite = f"sqlite:///{tmp_path / 'bridge.db'}"
    before, after = (lite, postgres_url) if there == "postgres" else (postgres_url, lite)
    lost, fresh, folder = tmp_path / "lost", tmp_path / "fresh", tmp_path / "disk"
    folder.mkdir()
    vendor = registry.resolve("lab.vendors.whoop:Vendor")(lab.account("whoop", "week"))
    with LabServer(vendor.application) as server:
        variables = {f"WHOOP_{name}": value for name, value in vendor.settings(server.url).items()}
        for name, value in {**variables, "HOME": lost, "DATABASE": before, "BACKUPS": folder}.items():
            monkeypatch.setenv(f"BRIDGE_{name}".upper(), str(value))
        monkeypatch.setenv("BRIDGE_NOW", LAST_WEEK.isoformat())
        held, name = live_a_day(vendor, folder, before)
        keys = tmp_path / "safe"
        keys.mkdir()
        for key in ("key", "backup.key"):
            shutil.move(lost / key, keys / key)  # what the documents say to keep elsewhere
        shutil.rmtree(lost)

        for variable, value in {"HOME": fresh, "DATABASE": after, "NOW": NOW.isoformat()}.items():
            monkeypatch.setenv(f"BRIDGE_{variable}", str(value))
        fresh.mkdir()
        shutil.copy(keys / "key", fresh / "key")
        assert [row["name"] for row in document("backups")["backups"]] == [name]
        assert document("restore", name, "--identity", str(keys / "backup.key"))["people"] == 1
        assert rows(after) == held
        invoke("daemon", "--once")
        (status,) = [row for row in document("status", "--user", "ana") if row.get("source") == "whoop"]
        assert (status["error"], status["paused"]) == (None, None)
        assert datetime.fromisoformat(status["last_success"]) == NOW  # by the consent of before
        assert decided(rows(after)) == 2
        assert document("plan", "--user", "ana")["blocks"]


def live_a_day(vendor: Any, folder: Path, database: str) -> tuple[dict[str, int], str]:
    """Sync, recommend and back up by the daemon; then somebody comes whom the backup does not hold.

    Return the rows of the time of the backup, and its name.
    """
    invoke("user", "add", "ana", "--zone", "Europe/Berlin")
    with installation.open_bridge() as bridge:
        user = bridge.store.people.user("ana")
        connection = bridge.store.connections.connect(user.id, "whoop", "account", now=installation.now())
        bridge.account(connection, registry.spec("whoop")).save_token(vendor.grant())
    invoke("checkin", "4", "--user", "ana")
    for _ in range(TICKS_MAX):
        invoke("daemon", "--once")
        if list(folder.iterdir()):
            break
    (made,) = folder.iterdir()
    held = rows(database)
    assert decided(held) == 1
    assert held["samples"] > 50
    invoke("user", "add", "ben", "--zone", "Europe/Berlin")
    assert config.load().database == database
    return held, made.name
