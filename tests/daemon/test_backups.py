"""Backups by themselves: encrypted, read back, rotated, restored on another machine, and a warning when they stop."""

from __future__ import annotations

import gzip
import json
import stat
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pyrage
import pytest
from typer.testing import CliRunner

from bridge import installation
from bridge.auth import backup_key
from bridge.cli import app as cli
from bridge.daemon import backups
from bridge.daemon.backup_places import FILE_NAME_FORMAT, Folder
from bridge.daemon.scheduler import Daemon
from bridge.doctor import examine
from bridge.domain.errors import SetupError
from tests.store.later_schema import FIRST, plant
from tests.web.served import Visitor, open_at, served

NOW = datetime(2026, 11, 20, 9, 5, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of the backups."""
    found = tmp_path / "backups"
    found.mkdir()
    monkeypatch.setenv("BRIDGE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("BRIDGE_BACKUPS", str(found))
    monkeypatch.setenv("BRIDGE_NOW", NOW.isoformat())
    return found


@pytest.fixture
def bridge(folder: Path) -> Iterator[installation.Bridge]:
    with installation.open_bridge() as found:
        found.store.people.add_user("ana", "Europe/Berlin", now=NOW)
        yield found


def invoke(*words: str) -> str:
    done = CliRunner().invoke(cli, words)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return str(done.output)


def test_a_daemon_makes_one_a_day_that_only_a_key_opens(bridge: installation.Bridge, folder: Path) -> None:
    now = NOW
    for hours in (0, 1, 23, 1, 24):
        now += timedelta(hours=hours)
        daemon = Daemon(bridge=bridge, clock=partial(datetime.fromisoformat, now.isoformat()))
        daemon.tick()  # housekeeping first
        daemon.tick()
    made = sorted(folder.iterdir())
    assert [path.name for path in made] == [f"bridge-202611{day}T{time}.age" for day, time in NAMES]
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in made)
    assert b"SQLite format" not in made[0].read_bytes()
    assert made[0].read_bytes().startswith(b"age-encryption.org/v1")
    key = bridge.settings.folder / "backup.key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert list(bridge.settings.folder.glob(".backup-*")) == []


NAMES = [("20", "090500Z"), ("21", "090500Z"), ("22", "100500Z")]


def test_a_backup_is_restored_on_another_machine_by_either_key(
    bridge: installation.Bridge, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    friend, stranger = pyrage.x25519.Identity.generate(), pyrage.x25519.Identity.generate()
    settings = replace(bridge.settings, backup_keys=f" {friend.to_public()} ,")
    path = folder / backups.daily(replace(bridge, settings=settings), now=NOW)
    own = tmp_path / "saved.key"
    own.write_bytes((bridge.settings.folder / "backup.key").read_bytes())
    files = {"friend": friend, "stranger": stranger}
    for name, identity in files.items():
        (tmp_path / name).write_text(f"# a comment\n{identity}\n")
    for key in (own, tmp_path / "friend"):
        monkeypatch.setenv("BRIDGE_HOME", str(tmp_path / f"new-{key.name}"))
        told = invoke("restore", str(path), "--identity", str(key), "--json")
        assert json.loads(told)["people"] == 1
    monkeypatch.setenv("BRIDGE_HOME", str(tmp_path / "new"))
    for wrong in (tmp_path / "stranger", tmp_path / "absent", folder):
        done = CliRunner().invoke(cli, ["restore", str(path), "--identity", str(wrong)])
        assert isinstance(done.exception, SetupError)
        assert "--identity FILE" in str(done.exception)


def test_a_backup_of_the_first_release_is_upgraded_as_it_is_restored(
    bridge: installation.Bridge, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "first.db").write_bytes(gzip.decompress((FIRST / "backup.gz").read_bytes()))
    backup_key.encrypt(folder / "first.db", folder / "first.age", bridge.settings.folder, "")
    plant(tmp_path, monkeypatch)
    assert "The data of 1 person are back" in invoke("restore", str(folder / "first.age"), "--replace")
    (ana,) = bridge.store.people.users()
    assert (ana.name, ana.zones[-1].zone) == ("ana", "Europe/Berlin")


def test_the_command_encrypts_by_the_name_of_its_file(bridge: installation.Bridge, tmp_path: Path) -> None:
    for name in ("mine.age", "mine.backup"):
        invoke("backup", str(tmp_path / name))
    assert backup_key.is_encrypted(tmp_path / "mine.age")
    assert not backup_key.is_encrypted(tmp_path / "mine.backup")
    assert "of 1 person are back" in invoke("restore", str(tmp_path / "mine.age"), "--replace")


@pytest.mark.parametrize("harm", ["cut", "changed", "not one"])
def test_a_backup_that_cannot_be_read_back_is_not_good(bridge: installation.Bridge, folder: Path, harm: str) -> None:
    path = folder / backups.daily(bridge, now=NOW)
    assert [one.ok for one in examine() if one.check == "backups"] == [True]
    body = bytearray(path.read_bytes())
    if harm == "not one":
        plain = folder / "plain"
        plain.write_bytes(b"nothing")
        backup_key.encrypt(plain, path, bridge.settings.folder, "")
    else:
        body[len(body) // 2] ^= 1
        path.write_bytes(bytes(body[: len(body) // 2] if harm == "cut" else body))
    (finding,) = (one for one in examine() if one.check == "backups")
    assert not finding.ok
    with pytest.raises(SetupError):
        backups.drill(bridge, Folder(folder), path.name)
    assert bridge.store.people.users() != []


def test_backups_are_listed_and_restored_by_their_names(bridge: installation.Bridge, folder: Path) -> None:
    assert "BRIDGE_BACKUPS" in invoke("backups")
    names = [backups.daily(bridge, now=NOW + DAY * number) for number in range(2)]
    listed = json.loads(invoke("backups", "--json"))["backups"]
    assert [(row["name"], row["place"]) for row in listed] == [(name, "folder") for name in reversed(names)]
    assert listed[0]["bytes"] == (folder / names[1]).stat().st_size
    assert names[0] in invoke("backups")
    bridge.store.people.add_user("ben", "Europe/Berlin", now=NOW)
    assert json.loads(invoke("restore", names[0], "--replace", "--json"))["people"] == 1
    done = CliRunner().invoke(cli, ["restore", "bridge-20200101T000000Z.age", "--replace"])
    assert isinstance(done.exception, SetupError)


def test_rotation_keeps_days_and_weeks_and_touches_nothing_else(bridge: installation.Bridge, folder: Path) -> None:
    (folder / "bridge-mine.age").write_bytes(b"mine")
    (folder / "letter.txt").write_bytes(b"dear")
    for number in range(60):
        (folder / (NOW - DAY * (60 - number)).strftime(FILE_NAME_FORMAT)).write_bytes(b"old")
    backups.daily(bridge, now=NOW)
    left = sorted(saved.name for saved in Folder(folder).found())
    days = [f"bridge-{NOW - DAY * back:%Y%m%d}T090500Z.age" for back in range(7)]
    weeks = [f"bridge-{day}T090500Z.age" for day in ("20261108", "20261101", "20261025")]
    assert left == sorted([*days, *weeks])
    assert {"bridge-mine.age", "letter.txt"} <= {path.name for path in folder.iterdir()}


def test_a_folder_that_is_away_is_told_and_tried_again_later(bridge: installation.Bridge, folder: Path) -> None:
    folder.rmdir()
    with pytest.raises(SetupError, match="BRIDGE_BACKUPS is not there"):
        backups.daily(bridge, now=NOW)
    assert not folder.exists()
    assert [backups.is_due(bridge, now=NOW + timedelta(minutes=m)) for m in (0, 59, 60)] == [False, False, True]
    assert backups.state(bridge, NOW).old
    assert [one.ok for one in examine() if one.check == "backups"] == [False]


def test_a_public_key_that_is_none_is_refused(bridge: installation.Bridge) -> None:
    wrong = replace(bridge, settings=replace(bridge.settings, backup_keys="age1nonsense"))
    with pytest.raises(SetupError, match="BRIDGE_BACKUP_KEYS must hold public keys"):
        backups.daily(wrong, now=NOW)
    assert backups.state(bridge, NOW).last is None


def test_without_a_folder_nothing_is_made(bridge: installation.Bridge) -> None:
    off = replace(bridge, settings=replace(bridge.settings, backups=""))
    assert not backups.is_due(off, now=NOW)
    assert not backups.state(off, NOW).old


def test_the_page_warns_of_an_old_backup(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "page"
    home.mkdir()
    with served(open_at(home)) as place:
        place.bridge.store.people.add_user("ana", "Europe/Berlin", now=NOW)
        visitor = Visitor(place.url)
        assert "No backup was made yet" in visitor.get("/settings").text
        backups.daily(place.bridge, now=NOW)
        assert "last good backup" not in visitor.get("/").text
        monkeypatch.setenv("BRIDGE_NOW", (NOW + 3 * DAY).isoformat())
        assert "The last good backup was made 3 days ago" in visitor.get("/").text
        assert "was made 3 days ago" in visitor.get("/settings").text
