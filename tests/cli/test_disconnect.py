"""Disconnecting asks first, and can leave what came through a connection where it is."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge import installation
from bridge.doctor import examine
from lab.people.demo import stage
from tests.commands import bridge
from tests.web.served import calendar

ANA = ("--user", "ana")


@pytest.fixture
def whoop() -> Iterator[None]:
    """A person whose WHOOP account was synced."""
    with stage(seed=3, days=10):
        assert bridge("user", "add", "ana", "--zone", "Europe/Berlin").returncode == 0
        assert bridge("connect", "whoop", *ANA).returncode == 0
        assert bridge("sync", *ANA).returncode == 0
        yield


def rows() -> int:
    with installation.open_bridge() as opened:
        found = opened.store.reading.counts(opened.store.people.user("ana").id)
    return sum(sum(kinds.values()) for kinds in found.values())


def consents() -> int:
    with installation.open_bridge() as opened:
        return len(opened.store.connections.secrets())


def at_a_terminal(answer: str, *arguments: str) -> tuple[int, str]:
    """Run a command whose person types an answer; its exit code and what it asked and said."""
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "bridge", *arguments]
    with subprocess.Popen(command, stdin=slave, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        os.close(slave)
        os.write(master, answer.encode())
        out, err = process.communicate(timeout=120)
    os.close(master)
    return process.returncode, out + err


@pytest.mark.usefixtures("whoop")
@pytest.mark.parametrize("more", [(), ("--keep",)])
def test_a_script_says_that_it_means_it(more: tuple[str, ...]) -> None:
    before = rows()
    done = bridge("disconnect", "whoop", *ANA, *more)
    assert done.returncode == 2
    assert " ".join(("bridge disconnect whoop --user ana", *more, "--yes")) in done.stderr
    assert (rows(), consents()) == (before, 1)
    assert bridge("disconnect", "whoop", *ANA, "--yes").returncode == 0
    assert (rows(), consents()) == (0, 0)


@pytest.mark.usefixtures("whoop")
def test_a_person_is_asked_and_may_refuse() -> None:
    before = rows()
    code, said = at_a_terminal("n\n", "disconnect", "whoop", *ANA)
    assert code == 1
    assert f"delete its {before:,} rows for good (--keep keeps them)?" in said
    assert (rows(), consents()) == (before, 1)
    code, said = at_a_terminal("y\n", "disconnect", "whoop", *ANA, "--keep")
    assert (code, f"keep its {before:,} rows?" in said) == (0, True)
    assert (rows(), consents()) == (before, 0)
    code, said = at_a_terminal("y\n", "disconnect", "whoop", *ANA)
    assert (code, "its data deleted" in said) == (0, True)
    assert rows() == 0


@pytest.mark.usefixtures("whoop")
def test_what_is_kept_is_well_and_goes_on_where_it_was() -> None:
    """No second copy of anything comes in when the person connects again."""
    before = rows()
    assert bridge("disconnect", "whoop", *ANA, "--keep", "--yes").stdout.startswith(
        "whoop is disconnected and its data kept."
    )
    (row,) = json.loads(bridge("status", *ANA, "--json").stdout)
    assert (row["next"], row["error"], row["paused"], row["next_due"]) == ("", None, None, None)
    assert row["rows"] == before
    assert [(one.ok, one.text) for one in examine() if one.check == "ana/whoop"] == [
        (True, "disconnected, its data is kept")
    ]
    assert "bridge connect whoop --user ana" in bridge("sync", *ANA, "--source", "whoop").stderr
    assert bridge("daemon", "--once").returncode == 0
    assert bridge("connect", "whoop", *ANA).returncode == 0
    (synced,) = json.loads(bridge("sync", *ANA, "--json").stdout)
    assert (synced["new"], synced["outcome"]) == (0, "ok")
    assert rows() == before


def test_a_folder_is_kept_and_connected_again(tmp_path: Path) -> None:
    folder = tmp_path / "calendars"
    folder.mkdir()
    (folder / "planning.ics").write_bytes(calendar())
    bridge("user", "add", "ana", "--zone", "UTC")
    bridge("connect", "ics", *ANA, "--folder", str(folder))
    bridge("sync", *ANA)
    before = rows()
    assert bridge("disconnect", "ics", *ANA, "--keep", "--yes").returncode == 0
    assert rows() == before > 0
    assert [one.ok for one in examine() if one.check == "ana/ics"] == [True]
    assert bridge("connect", "ics", *ANA, "--folder", str(folder)).returncode == 0
    assert bridge("sync", *ANA).returncode == 0
    assert rows() == before


def test_what_is_not_connected_is_said_before_anything_is_asked() -> None:
    bridge("user", "add", "ana", "--zone", "UTC")
    done = bridge("disconnect", "whoop", *ANA)
    assert (done.returncode, "is not connected to whoop" in done.stderr) == (2, True)
