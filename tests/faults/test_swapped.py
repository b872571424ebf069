"""Several processes at one account whose tokens end at once: no pair is ever spent twice, no consent is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import lab
from bridge.auth.account import StoredAccount
from bridge.auth.key_storage import InFile
from bridge.auth.vault import Vault
from bridge.recordings.server import Answer, LabServer, Request
from bridge.store import Store
from lab.vendors.whoop import Vendor
from tests.world import NOW

TOKENS = "/oauth/oauth2/token"


class Account:
    """A WHOOP account whose every access token ends within a second, and processes that pull it."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url, self.folder = url, folder
        self.vendor = Vendor(lab.account("whoop", "week"))
        self.vendor.life = 1
        self.refused = 0
        self.server = LabServer(self.vendor.application)
        with closing(Store(url)) as store:
            user = store.people.add_user("ana", "Europe/Berlin", now=NOW)
            store.connections.connect(user.id, "whoop", "account", now=NOW)
            self._mine(store).save_token(self.vendor.grant())

    def _mine(self, store: Any) -> StoredAccount:
        connection = store.connections.of_user(store.people.user("ana").id)[0]
        return StoredAccount(connection.id, {}, store, Vault(InFile(self.folder / "key").keys))

    def start(self, times: int) -> subprocess.Popen[str]:
        settings = self.vendor.settings(self.server.url)
        own = {f"BRIDGE_WHOOP_{name}".upper(): value for name, value in settings.items()}
        own |= {"BRIDGE_HOME": str(self.folder), "BRIDGE_DATABASE": self.url, "BRIDGE_NOW": NOW.isoformat()}
        command = [sys.executable, "-m", "tests.faults.pulling", "ana", str(times)]
        return subprocess.Popen(command, env={**os.environ, **own}, stdout=subprocess.PIPE, text=True)

    def alive(self) -> bool:
        """Check that the vendor knows the stored pair, and that nothing stopped the connection."""
        with closing(Store(self.url)) as store:
            stopped = store.connections.of_user(store.people.user("ana").id)[0].paused
            return stopped is None and self.vendor.knows(self._mine(store).token() or {})


def outcomes(process: subprocess.Popen[str]) -> dict[str, int]:
    printed, _ = process.communicate(timeout=1500)
    assert process.returncode == 0
    return {name: int(count) for name, count in (pair.split("=") for pair in printed.split())}


def race(account: Account, *, times: int) -> None:
    """Two processes, each pulling so many times."""
    refused: list[int] = []

    def look(request: Request) -> Answer | None:
        if request.path == TOKENS and request.form["refresh_token"] not in account.vendor._refresh:
            refused.append(1)
        return None

    account.server.faults.append(look)
    found = [outcomes(process) for process in [account.start(times) for _ in range(2)]]
    for one in found:
        assert set(one) <= {"pulled", "ok", "skipped"}, found
        assert sum(one.values()) == times
        assert one["pulled"] == times // 2
    assert account.server.asked.count(f"POST {TOKENS}") >= times  # it is the refreshes that met
    assert refused == []
    assert account.alive()


@pytest.mark.timeout(300)
def test_two_processes_twenty_times(database_url: str, tmp_path: Path) -> None:
    account = Account(database_url, tmp_path)
    with account.server:
        race(account, times=20)


@pytest.mark.faults
def test_two_processes_two_hundred_times(database_url: str, tmp_path: Path) -> None:
    account = Account(database_url, tmp_path)
    with account.server:
        race(account, times=200)


@pytest.mark.timeout(300)
def test_a_process_that_is_killed_while_it_swaps_holds_nobody_up(tmp_path: Path) -> None:
    """It dies while the token server takes its time, before the vendor has swapped anything."""
    account = Account(f"sqlite:///{tmp_path / 'bridge.db'}", tmp_path)
    reached, dead = threading.Event(), threading.Event()

    def stall(request: Request) -> Answer | None:
        if request.path != TOKENS or reached.is_set():
            return None
        reached.set()
        dead.wait(30)
        return Answer(status=503)

    account.server.faults.append(stall)
    with account.server:
        first = account.start(2)
        assert reached.wait(60)
        second = account.start(2)
        first.send_signal(signal.SIGKILL)
        first.communicate()
        dead.set()
        assert set(outcomes(second)) <= {"pulled", "ok"}
        assert account.alive()
