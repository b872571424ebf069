"""Kept in step with a real server, whatever is changed there and wherever a sync dies."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bridge import installation, registry
from bridge.auth.vault import Vault
from bridge.calendar.expansion import expand
from bridge.domain.records import Connection, User
from bridge.domain.types import Outcome
from bridge.ingest.sync import Source, sync
from bridge.store import Store
from connectors.caldav import client as pulling
from connectors.caldav.client import authorise
from tests.caldav.hand import Hand
from tests.caldav.servers import LOGIN, PASSWORD, Client, Running, radicale, sabredav, xandikos
from tests.world import KEY, NOW, contents

HERE = frozenset({"127.0.0.1"})
STEP = timedelta(minutes=30)
WINDOW = {"since": datetime(2026, 7, 1, tzinfo=UTC), "until": datetime(2027, 7, 1, tzinfo=UTC)}
SERVERS = {"radicale": radicale, "xandikos": xandikos, "sabredav": sabredav}


class Killed(Exception):
    """Stands for the end of the process: nothing catches it."""


@dataclass(frozen=True, kw_only=True)
class Follower:
    """A user who follows the calendars at a server into a store."""

    store: Store
    user: User
    connection: Connection
    now: datetime = NOW

    @property
    def account(self) -> installation.StoredAccount:
        spec = registry.spec("caldav")
        settings = {setting.name: setting.default or "" for setting in spec.settings}
        return installation.StoredAccount(
            self.connection.id, settings, self.store, Vault([KEY]), zone="Europe/Berlin", allow_hosts=HERE
        )

    def sync(self, on_page: Callable[[str, int], None] = lambda *_: None) -> Outcome:
        spec = registry.spec("caldav")
        source = Source(
            connection=self.connection,
            spec=spec,
            open=lambda: pulling.CalDav(self.account),
            normalise=installation.normaliser(spec),
        )
        return sync(source, self.store, holder="test/1", now=self.now, on_page=on_page)

    def agenda(self) -> tuple[dict[str, list[Any]], list[tuple[Any, ...]]]:
        """The rows a store holds, and what takes place within a year."""
        events = [event for _, event in self.store.reading.events(self.user.id, **WINDOW)]
        found = expand(events, **WINDOW, zones=self.user.zones)
        return contents(self.store, self.user), [(o.key, o.event.title, o.start, o.end) for o in found]


def follower(store: Store, running: Running) -> Follower:
    """Connect somebody to a server, as ``bridge connect`` does."""
    user = store.people.add_user("ana", "Europe/Berlin", now=NOW)
    connection = store.connections.connect(user.id, "caldav", "account", now=NOW)
    found = Follower(store=store, user=user, connection=connection)
    typed = found.account.settings | {"url": running.url, "name": LOGIN, "password": PASSWORD}
    asked = installation.StoredAccount(connection.id, typed, store, Vault([KEY]), allow_hosts=HERE)
    authorise(asked, None)  # type: ignore[arg-type]  # nothing is left to ask
    return found


@contextmanager
def somebody_new(running: Running) -> Iterator[Follower]:
    with closing(Store("sqlite://")) as store:
        yield follower(store, running)


def in_step(one: Follower, hand: Hand, running: Running) -> None:
    """A store equals that of a new user, and holds as many entries as were made by hand."""
    with somebody_new(running) as fresh:
        assert fresh.sync().outcome == "ok"
        expected = fresh.agenda()
    held = one.agenda()
    assert {kind: len(rows) for kind, rows in held[0].items()} == {k: len(r) for k, r in expected[0].items()}
    assert held == expected
    events = [row["series"] for row in held[0]["events"]]
    tasks = [row["key"].rpartition("/")[2].removesuffix(".ics") for row in held[0]["tasks"]]
    assert sorted(events + tasks) == hand.uids()


def disturbed(one: Follower, hand: Hand, rng: random.Random) -> str:
    """A sync during which things go on being changed, and which may be killed where a page has landed."""

    def landed(stream: str, records: int) -> None:
        if rng.random() < 0.2:
            hand.change()
        if rng.random() < 0.2:
            raise Killed

    try:
        return one.sync(landed).outcome
    except Killed:
        return "killed"


def live(one: Follower, hand: Hand, running: Running, changes: int, check_every: int) -> Follower:
    """So many changes with syncs in between, disturbed and not; in the end all is quiet."""
    rng, left, unchecked = hand.rng, changes, 0
    while left > 0:
        some = min(rng.randrange(1, 12), left)
        left, unchecked = left - some, unchecked + some
        for _ in range(some):
            hand.change()
        one = replace(one, now=one.now + STEP)
        if disturbed(one, hand, rng) != "killed" and unchecked >= check_every:
            one, unchecked = replace(one, now=one.now + STEP), 0
            assert one.sync().outcome == "ok"
            in_step(one, hand, running)
    one = replace(one, now=one.now + STEP)
    assert one.sync().outcome == "ok"
    in_step(one, hand, running)
    return one


@pytest.fixture
def batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of a few entries, so that a sync can die between them."""
    monkeypatch.setattr(pulling, "BATCH_ENTRIES", 5)


@pytest.mark.usefixtures("batches")
@pytest.mark.parametrize("server", ["radicale", "sabredav"])
def test_a_small_life_stays_in_step(lite: Store, tmp_path: Path, server: str) -> None:
    with SERVERS[server](tmp_path) as running:
        hand = Hand(Client(running), random.Random(7), moves=server == "radicale")
        live(follower(lite, running), hand, running, changes=25, check_every=25)


@pytest.mark.slow
@pytest.mark.usefixtures("batches")
@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.timeout(1200)
def test_a_thousand_changes_stay_in_step(store: Store, tmp_path: Path, server: str) -> None:
    with SERVERS[server](tmp_path) as running:
        hand = Hand(Client(running), random.Random(11), moves=server == "radicale")
        live(follower(store, running), hand, running, changes=1000, check_every=100)
        print(hand.counts)


@pytest.mark.faults
@pytest.mark.timeout(1200)
def test_killed_processes_lose_and_double_nothing(database_url: str, tmp_path: Path) -> None:
    """``bridge sync`` in processes that are killed at random moments, between a thousand changes."""
    rng = random.Random(5)
    with radicale(tmp_path) as running, closing(Store(database_url)) as store:
        hand, one, killed = Hand(Client(running), rng), follower(store, running), 0
        for _ in range(50):
            for _ in range(20):
                hand.change()
            one = replace(one, now=one.now + STEP)
            killed += in_a_process(one, database_url, tmp_path, running, rng)
        one = replace(one, now=one.now + STEP)
        assert one.sync().outcome == "ok"
        in_step(one, hand, running)
        assert killed > 5
        print(f"{killed} killed processes; {hand.counts}")


def in_a_process(one: Follower, url: str, home: Path, running: Running, rng: random.Random) -> bool:
    """``bridge sync`` in a process of its own, mostly killed a random moment after its first request.

    Returns False for a sync that came to its end.
    """
    asked = running.log.stat().st_size
    named = {"BRIDGE_KEY": KEY, "BRIDGE_NOW": one.now.isoformat(), "BRIDGE_DATABASE": url, "BRIDGE_HOME": str(home)}
    process = subprocess.Popen(
        [sys.executable, "-m", "bridge", "sync", "--user", "ana"],
        env={**os.environ, **named, "BRIDGE_ALLOW_HOSTS": "127.0.0.1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while process.poll() is None and running.log.stat().st_size == asked:
        time.sleep(0.005)
    timer = threading.Timer(rng.random() ** 2 * 1.5, process.send_signal, (signal.SIGKILL,))
    if rng.random() < 0.7:
        timer.start()
    process.wait(timeout=120)
    timer.cancel()
    return process.returncode == -signal.SIGKILL
