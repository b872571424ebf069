"""Full disks, vendors away for a day, lost leases, clocks that jump about, a second daemon: under a clock of our
own, so that a day takes seconds. After each the store holds what an undisturbed one holds."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from bridge import installation, leases
from bridge.advice import notify
from bridge.daemon.due_tasks import SILENCE_RETRIED
from bridge.daemon.scheduler import Daemon
from bridge.ingest.outcomes import BACKOFF_JITTER, BACKOFF_MAX, SYNC_CADENCE
from bridge.leases import LEASE
from bridge.recordings.server import Answer, LabServer, Request
from bridge.store import Store
from tests.contract.bad_days import always
from tests.daemon.stage import Stage, staged
from tests.world import NOW, contents

TICK = timedelta(minutes=10)


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    with staged(tmp_path, monkeypatch, case="week") as found:
        found.now = NOW
        yield found


def undisturbed(stage: Stage) -> dict[str, list[Any]]:
    """The result of the vendor's data in a store of its own."""
    with closing(Store("sqlite://")) as store:
        other = Stage(bridge=installation.Bridge(settings=stage.bridge.settings, store=store), server=stage.server,
                      vendor=stage.vendor, now=stage.now)  # fmt: skip
        other.add("ana", "UTC")
        other.daemon().tick()
        return contents(store, other.users[0])


def whole(stage: Stage) -> bool:
    return contents(stage.bridge.store, stage.users[0]) == undisturbed(stage) != {}


def test_a_full_disk_stops_everything_and_loses_nothing(stage: Stage) -> None:
    connection = stage.add("ana", "UTC")
    engine = stage.bridge.store.database.engine  # type: ignore[attr-defined]
    stage.bridge.store.database.scrub()  # type: ignore[attr-defined]
    with engine.connect() as db:
        pages = db.exec_driver_sql("PRAGMA page_count").scalar()
    room = [pages + 2]

    def limit(driver: Any, *_: object) -> None:
        driver.execute(f"PRAGMA max_page_count={room[0]}").close()

    sa.event.listen(engine, "checkout", limit)
    daemon = stage.daemon()
    for _ in range(6):
        daemon.tick()
        stage.now += TICK
    assert not whole(stage)
    room[0] = 1_000_000
    stage.now += timedelta(hours=1)
    daemon.tick()
    assert whole(stage)
    assert stage.of_vendor().last_success == stage.now
    assert stage.bridge.store.scheduling.lease_holder(connection.id) is None
    stage.now += SILENCE_RETRIED  # a slot in which nothing was known is looked at again then
    daemon.tick()
    assert stage.bridge.store.recommendations.full_between(stage.users[0].id, since=NOW, until=stage.now + TICK)


@pytest.mark.slow
def test_a_vendor_that_is_away_for_a_day_is_asked_seldom_and_caught_up_with(stage: Stage) -> None:
    connection = stage.add("ana", "UTC")
    stage.server.faults.append(always(Answer(status=503)))
    daemon, back = stage.daemon(), NOW + timedelta(days=1)
    while stage.now < back:
        daemon.tick()
        stage.now += 3 * TICK
    tried = len(stage.runs()[connection.id])
    assert 5 <= tried <= 12
    stage.server.faults.clear()
    while stage.of_vendor().last_success is None:
        daemon.tick()
        stage.now += 3 * TICK
    assert stage.now - back <= BACKOFF_MAX * (1 + BACKOFF_JITTER) + 6 * TICK
    assert whole(stage)


def test_a_lease_that_runs_out_in_the_middle_of_work(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another takes over while a page is being fetched: the first stops at its next page, and all is there once."""
    monkeypatch.setattr(leases, "LEASE_RENEWAL_SECONDS", 0.0)
    connection = stage.add("ana", "UTC")
    reached, done = threading.Event(), threading.Event()

    def stall(request: Request) -> Answer | None:
        if "token" not in request.path and not reached.is_set():
            reached.set()
            done.wait(30)
        return None

    stage.server.faults.append(stall)
    first = stage.daemon()
    first.look()
    assert reached.wait(30)
    stage.now += LEASE + timedelta(seconds=1)
    second = Daemon(
        bridge=installation.Bridge(settings=stage.bridge.settings, store=stage.bridge.store), clock=lambda: stage.now
    )
    taken = stage.bridge.store.scheduling.claim(connection.id, second.bridge.holder, now=stage.now, lease=LEASE)
    assert taken
    done.set()
    assert first.pool.wait_until_idle(30)
    assert stage.bridge.store.scheduling.lease_holder(connection.id) == second.bridge.holder
    stage.bridge.store.scheduling.release(connection.id, second.bridge.holder)
    stage.now += timedelta(hours=1)
    second.tick()
    assert whole(stage)


def test_two_daemons_at_one_store_do_everything_once(stage: Stage, tmp_path: Path) -> None:
    """Past the lock that keeps a second one out: leases and what is written before sending hold by themselves."""
    got: list[str] = []

    def take(request: Request) -> Answer:
        got.append(json.loads(request.body)["title"])
        return Answer(body={})

    with LabServer(take) as mailbox, closing(Store(stage.bridge.settings.database)) as store:
        for number in range(4):
            stage.add(f"user{number}", "UTC")
            address = mailbox.url.replace("http://", "json://")
            user = stage.users[-1]
            notify.keep(stage.bridge.store, stage.bridge.vault, user, address, events=False, now=NOW)
        other = installation.Bridge(settings=stage.bridge.settings, store=store)
        daemons = [stage.daemon(), Daemon(bridge=other, clock=lambda: stage.now)]
        for _ in range(4):
            threads = [threading.Thread(target=daemon.tick) for daemon in daemons]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            stage.now += SYNC_CADENCE
    assert [len(runs) for runs in stage.runs().values()] == [4] * 4
    assert len(got) == 4


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.faults) for seed in range(2, 12))])
def test_a_clock_that_jumps_about_for_a_week(stage: Stage, seed: int) -> None:
    """After every jump the connection is synced within a cadence of time that passed, and never twice within one but
    for the jump itself; no slot has its advice twice."""
    rng, connection = random.Random(seed), stage.add("ana", "UTC")
    passed, at = [0.0], [0.0]
    daemon = stage.daemon(steady=lambda: passed[0])
    daemon.start()
    jumps, synced = 0, 0
    for _ in range(40):
        passed[0] += 600
        jump = timedelta(hours=rng.uniform(-30, 30)) if rng.random() < 0.2 else timedelta(0)
        jumps += bool(jump)
        stage.now += TICK + jump
        daemon.tick()
        runs = len(stage.runs()[connection.id])
        assert runs <= synced + 1
        if runs > synced:
            synced, at[0] = runs, passed[0]
        assert passed[0] - at[0] <= SYNC_CADENCE.total_seconds() + 600
    assert jumps > 2
    assert synced <= 40 // 3 + jumps + 1
    assert whole_after(stage, daemon)


def whole_after(stage: Stage, daemon: Daemon) -> bool:
    stage.now = datetime.fromisoformat("2026-12-24T12:00:00+00:00")
    daemon.tick()
    return whole(stage)
