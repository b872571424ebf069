"""Ten thousand events and a thousand changes, with syncs that are killed as processes are: ``make test-faults``."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from bridge.recordings.server import Answer, Request
from lab.people.calendar_edits import account
from lab.vendors.google_calendar import Vendor
from tests.google_calendar.hand import Hand
from tests.google_calendar.test_in_step import disturbed, followed, same_as_new, trouble
from tests.world import KEY, World

EVENTS, CHANGES = 10_000, 1_000


def in_a_process(world: World, url: str, home: Path, changing: Callable[[], object], rng: random.Random) -> bool:
    """``bridge sync`` in a process of its own, killed a random moment after its first listing; False: it was faster."""
    named = {f"BRIDGE_GOOGLE_CALENDAR_{n}".upper(): v for n, v in world.vendor.settings(world.server.url).items()}
    named |= {"BRIDGE_KEY": KEY, "BRIDGE_NOW": world.now.isoformat(), "BRIDGE_DATABASE": url, "BRIDGE_HOME": str(home)}
    process = subprocess.Popen(
        [sys.executable, "-m", "bridge", "sync", "--user", "ana"],
        env={**os.environ, **named},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    once = threading.Lock()

    def aim(request: Request) -> Answer | None:
        if "/events" in request.path and once.acquire(blocking=False):
            changing()
            threading.Timer(rng.random() * 1.5, process.send_signal, (signal.SIGKILL,)).start()
        return None

    world.server.faults.insert(0, aim)
    process.wait(timeout=120)
    world.server.faults.remove(aim)
    return process.returncode == -signal.SIGKILL


@pytest.mark.faults
@pytest.mark.parametrize("seed", [1, 2])
def test_a_large_life_stays_in_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    rng = random.Random(seed)
    vendor, url = Vendor(account(EVENTS, rng)), f"sqlite:///{tmp_path / 'bridge.db'}"
    with followed(vendor, url) as world:
        assert world.sync().outcome == "ok"
        hand, changes, killed = Hand(vendor, rng), 0, 0
        while changes < CHANGES:
            some = rng.randrange(1, 25)
            changes += some
            for _ in range(some):
                hand.change()
            vendor.tells_exceptions = rng.random() < 0.5
            vendor.page_size = rng.choice((250, 1000, 2500))
            if rng.random() < 0.15:
                vendor.expire_sync_tokens()
            world = replace(world, now=world.now + timedelta(minutes=30))
            if rng.random() < 0.4:
                killed += in_a_process(world, url, tmp_path, hand.change, rng)
            else:
                world.server.faults.append(trouble(rng))
                disturbed(world, hand, rng)
                world.server.faults.clear()
            if rng.random() < 0.15:
                world = replace(world, now=world.now + timedelta(minutes=30))
                assert world.sync().outcome == "ok"
                same_as_new(world)
        world = replace(world, now=world.now + timedelta(minutes=30))
        assert world.sync().outcome == "ok"
        same_as_new(world)
        assert killed > 0
        print(f"{changes} changes, {killed} killed processes, {len(world.server.asked)} requests")
