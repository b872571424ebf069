"""A sync killed at random points: after the next sync the store equals that of an undisturbed run."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import MetaData, create_engine, select

import lab
from bridge import installation, registry
from bridge.auth.vault import Vault
from bridge.domain.records import FOLDER_CONNECTION
from bridge.recordings.server import Answer, LabServer, Request
from bridge.store import Store
from lab.people.person import demo_files, demo_person
from tests.world import KEY, NOW

REQUESTS = 55  # of a first sync of every source with so few days of Garmin's
FOLDERS = ("apple_health", "garmin")  # with a connected folder
FEW_DAYS = {"BRIDGE_GARMIN_DAYS": "12"}  # one request each for sleep and heart rate
VOLATILE = {"sync_runs", "alembic_version"}  # how often it was tried differs by design
IGNORED = {"secret", "last_success", "last_error", "due_at", "lease_holder", "lease_until", "payload", "sealed"}


class Stage:
    """The demo person's vendors on loopback and downloads, and how to run ``bridge sync`` in a process of its own."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        self.folder = folder
        self.servers: list[LabServer] = []
        self.vendors: dict[str, Any] = {}
        self.variables = {"BRIDGE_KEY": KEY, "BRIDGE_NOW": NOW.isoformat()}
        for source, account in demo_person(NOW.date()).items():
            vendor = registry.resolve(f"lab.vendors.{source}:Vendor")(account)
            server = stack.enter_context(LabServer(vendor.application))
            for name, value in vendor.settings(server.url).items():
                self.variables[f"BRIDGE_{source}_{name}".upper()] = value
            self.servers.append(server)
            self.vendors[source] = vendor
        self.variables |= FEW_DAYS
        self.downloads = folder / "downloads"
        shutil.copytree(lab.fixtures("garmin") / "watch", self.downloads)
        for name, content in demo_files(NOW.date()).items():
            (self.downloads / name).write_bytes(content)

    def prepare(self, url: str) -> None:
        """A user with a live consent at every source."""
        store = Store(url)
        user = store.people.add_user("ana", "Europe/Berlin", now=NOW)
        for source, vendor in self.vendors.items():
            connection = store.connections.connect(user.id, source, source, now=NOW)
            installation.StoredAccount(connection.id, {}, store, Vault([KEY])).save_token(vendor.grant())
        for source in FOLDERS:
            connection = store.connections.connect(user.id, source, FOLDER_CONNECTION, now=NOW)
            token = {"folder": str(self.downloads)}
            installation.StoredAccount(connection.id, {}, store, Vault([KEY])).save_token(token)
        store.close()

    def start(self, url: str) -> subprocess.Popen[bytes]:
        environment = {**os.environ, **self.variables, "BRIDGE_DATABASE": url, "BRIDGE_HOME": str(self.folder)}
        command = [sys.executable, "-m", "bridge", "sync", "--user", "ana"]
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def run(self, url: str) -> None:
        process = self.start(url)
        printed, _ = process.communicate(timeout=120)
        assert process.returncode == 0, printed.decode()

    def kill_once(self, url: str, rng: random.Random) -> bool:
        """Start a sync and kill it a random moment after a random request, or at a random time while it reads files.

        False when it finished before.
        """
        left, delay = rng.randrange(1, REQUESTS), rng.random() * 0.03
        process = self.start(url)
        counting = threading.Lock()
        if rng.random() < 0.3:
            threading.Timer(0.5 + rng.random(), process.send_signal, (signal.SIGKILL,)).start()

        def count(request: Request) -> Answer | None:
            nonlocal left
            with counting:
                left -= 1
                if left == 0:
                    threading.Timer(delay, process.send_signal, (signal.SIGKILL,)).start()
            return None

        for server in self.servers:
            server.faults.append(count)
        process.communicate(timeout=120)
        time.sleep(delay)
        for server in self.servers:
            server.faults.remove(count)
        return process.returncode == -signal.SIGKILL


@pytest.fixture
def staged(tmp_path: Path) -> Iterator[Stage]:
    with ExitStack() as stack:
        yield Stage(stack, tmp_path)


def tables(url: str) -> dict[str, list[str]]:
    """Every row of every table, without surrogate keys and without what the number of attempts changes."""
    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    found = MetaData()
    found.reflect(engine)
    contents = {}
    with engine.connect() as connection:
        for table in found.sorted_tables:
            if table.name in VOLATILE:
                continue
            kept = [c for c in table.c if not (c.name == "id" or c.foreign_keys or c.name in IGNORED)]
            asked = select(*kept)
            if table.name == "singletons":  # when requests may go out again differs by design
                asked = asked.where(~table.c.name.startswith("rate "))
            rows = connection.execute(asked).all() if kept else []
            contents[table.name] = sorted(repr(tuple(row)) for row in rows)
    engine.dispose()
    return contents


def check(staged: Stage, url: str, undisturbed: str, *, kills: int, seed: int) -> None:
    staged.prepare(url)
    staged.prepare(undisturbed)
    staged.run(undisturbed)
    rng = random.Random(seed)
    killed = sum(staged.kill_once(url, rng) for _ in range(kills))
    staged.run(url)
    assert killed > 0
    assert differing(tables(url), tables(undisturbed)) == []


def differing(killed: dict[str, list[str]], calm: dict[str, list[str]]) -> list[str]:
    """Every row that only one of two databases has, so that a failure prints it whole."""
    lines = []
    for table in sorted(killed.keys() | calm.keys()):
        mine, theirs = Counter(killed.get(table, ())), Counter(calm.get(table, ()))
        lines += [f"{table}, killed only: {row}" for row in (mine - theirs).elements()]
        lines += [f"{table}, undisturbed only: {row}" for row in (theirs - mine).elements()]
    return lines


def test_a_row_that_differs_is_named() -> None:
    killed = {"cursors": ["('sleep', 3)", "('sleep', 3)", "('workout', 4)"]}
    calm = {"cursors": ["('sleep', 3)", "('workout', 5)"], "tasks": ["('a',)"]}
    assert differing(killed, calm) == [
        "cursors, killed only: ('sleep', 3)",
        "cursors, killed only: ('workout', 4)",
        "cursors, undisturbed only: ('workout', 5)",
        "tasks, undisturbed only: ('a',)",
    ]
    assert differing(calm, calm) == []


@pytest.mark.timeout(300)
def test_five_kills(staged: Stage, tmp_path: Path) -> None:
    check(staged, f"sqlite:///{tmp_path / 'killed.db'}", f"sqlite:///{tmp_path / 'calm.db'}", kills=5, seed=11)


@pytest.mark.faults
@pytest.mark.parametrize("seed", range(5))
def test_fifty_kills(staged: Stage, database_url: str, tmp_path: Path, seed: int) -> None:
    """Five stores killed ten times each, on SQLite and on PostgreSQL."""
    check(staged, database_url, f"sqlite:///{tmp_path / 'calm.db'}", kills=10, seed=seed)
