"""The daemon over a week with a change of clocks, under an injected clock; and as a process that is told to stop."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from bridge import registry
from bridge.domain.records import User
from bridge.domain.slots import Moment, moment_at, slot_bounds
from bridge.ingest.outcomes import BACKOFF, BACKOFF_JITTER, SYNC_CADENCE
from bridge.leases import LEASE
from bridge.recordings.server import Answer, Request
from bridge.store import Store
from rhythm_env.interface import Slot
from tests.daemon.stage import MONDAY, TICK, Stage

ZONES = ("Europe/Berlin", "America/New_York", "Asia/Kolkata")


@pytest.mark.slow
@pytest.mark.timeout(1200)  # a machine that does other things as well takes five minutes for a week
@pytest.mark.parametrize("days", [1, pytest.param(7, marks=pytest.mark.faults)])
def test_days_in_three_zones_happen_once(stage: Stage, days: int) -> None:
    """With the change to winter time in one of the zones, and a Monday that begins in two of them."""
    end = MONDAY + timedelta(days=7, hours=-4)
    stage.now = begun = end - timedelta(days=days)
    connections = [stage.add(f"user{number}", zone) for number, zone in enumerate(ZONES)]
    daemon = stage.daemon()
    while stage.now < end:
        daemon.tick()
        stage.now += TICK
    for connection in connections:
        synced = stage.runs()[connection.id]
        assert [b - a for a, b in pairwise(synced)] == [SYNC_CADENCE] * (len(synced) - 1)
        assert synced[0] == begun
        assert len(synced) == timedelta(days=days) // SYNC_CADENCE
    for user in stage.users:
        given = stage.bridge.store.recommendations.full_between(user.id, since=begun, until=end)
        slots = slots_between(begun, end, user)
        if end < slot_bounds(slots[-1], user.zones)[0] + asleep(slots[-1]):
            del slots[-1]
        if slots[0].slot is Slot.NIGHT and given[0].moment != slots[0]:  # who sleeps is not woken at the first tick
            del slots[0]
        assert [r.moment for r in given] == slots
        for r in given[1:]:
            begin, finish = slot_bounds(r.moment, user.zones)
            assert begin <= r.created_at < begin + asleep(r.moment) + TICK  # at the slot's boundary, or after waking
            assert r.expires_at == finish
            assert r.shown_at is None


def asleep(moment: Moment) -> timedelta:
    """Return for how long after a slot's begin its person sleeps at most, and is not advised."""
    return timedelta(hours=3) if moment.slot is Slot.MORNING else timedelta(0)


def slots_between(begin: datetime, end: datetime, user: User) -> list[Moment]:
    """Every slot that the time touches, found by walking through it."""
    slots: list[Moment] = []
    at = begin
    while at < end:
        moment = moment_at(at, user.zones)
        if not slots or slots[-1] != moment:
            slots.append(moment)
        at += timedelta(minutes=10)
    return slots


def test_a_vendor_that_fails_is_tried_again_later_and_holds_nobody_up(stage: Stage) -> None:
    broken, fine = stage.add("ana", "UTC"), stage.add("ben", "UTC")
    token = stage.bridge.account(broken, registry.spec("whoop")).token_field("access_token")

    def refuse(request: Request) -> Answer | None:
        mine = token in request.headers.get("authorization", "")
        return Answer(status=503, headers={"Retry-After": "3600"}) if mine else None

    stage.server.faults.append(refuse)
    daemon = stage.daemon()
    for _ in range(6):
        daemon.tick()
        stage.now += TICK
    assert len(stage.runs()[broken.id]) == 1
    assert len(stage.runs()[fine.id]) == 2
    stage.now = MONDAY + timedelta(seconds=3600) + TICK
    daemon.tick()
    assert len(stage.runs()[broken.id]) == 2


def test_a_defect_in_one_source_is_an_outcome_with_the_next_command(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    stage.add("ana", "UTC")

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("secret words")

    monkeypatch.setattr("connectors.whoop.client.Whoop.pull", broken)
    stage.daemon().tick()
    connection = stage.of_vendor()
    assert connection.last_error == "an unexpected ZeroDivisionError; run: bridge sync --user ana"
    assert BACKOFF <= (connection.due_at or MONDAY) - MONDAY <= BACKOFF * (1 + BACKOFF_JITTER)
    assert "secret words" not in caplog.text


def test_a_withdrawn_consent_pauses_until_the_person_acts(stage: Stage) -> None:
    connection = stage.add("ana", "UTC")
    stage.vendor.revoke()
    daemon = stage.daemon()
    for _ in range(20):
        daemon.tick()
        stage.now += TICK
    assert len(stage.runs()[connection.id]) == 1
    assert stage.of_vendor().paused


def test_what_somebody_else_is_syncing_is_left_alone(stage: Stage) -> None:
    connection = stage.add("ana", "UTC")
    assert stage.bridge.store.scheduling.claim(connection.id, "elsewhere/1", now=MONDAY, lease=LEASE)
    daemon = stage.daemon()
    daemon.tick()
    assert connection.id not in stage.runs()
    stage.now = MONDAY + LEASE
    daemon.tick()
    assert len(stage.runs()[connection.id]) == 1


def test_one_look_after_a_clock_that_was_ahead_syncs(stage: Stage) -> None:
    connection = stage.add("ana", "UTC")
    stage.now = MONDAY + timedelta(days=365)
    stage.daemon().tick()
    stage.now = MONDAY + TICK
    stage.daemon().tick()
    assert len(stage.runs()[connection.id]) == 2
    stage.now += TICK
    stage.daemon().tick()
    assert len(stage.runs()[connection.id]) == 2


def test_two_holders_never_claim_the_same(store: Store) -> None:
    user = store.people.add_user("ana", "UTC", now=MONDAY)
    for number in range(30):
        connection = store.connections.connect(user.id, "whoop", f"account{number}", now=MONDAY)
        store.connections.save_secret(connection.id, b"sealed")
    taken: list[int] = []
    lock = threading.Lock()

    def work(holder: str) -> None:
        while found := store.scheduling.claim_due(holder, now=MONDAY, lease=LEASE, limit=3):
            with lock:
                taken.extend(c.id for c in found)

    threads = [threading.Thread(target=work, args=(f"host/{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) == len(set(taken)) == 30


def test_the_process_syncs_advises_and_stops_on_sigterm(stage: Stage, tmp_path: Path) -> None:
    connection = stage.add("ana", "Europe/Berlin")
    command = [sys.executable, "-m", "bridge", "daemon", "--every", "1"]
    environment = {**os.environ, "BRIDGE_NOW": MONDAY.isoformat()}
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 30
    while (
        not stage.bridge.store.recommendations.full_between(stage.users[0].id, since=MONDAY, until=MONDAY + TICK)
        and time.monotonic() < until
    ):
        time.sleep(0.1)
    process.send_signal(signal.SIGTERM)
    _, printed = process.communicate(timeout=20)
    assert process.returncode == 0, printed
    assert "stopped" in printed
    assert len(stage.runs()[connection.id]) == 1
    assert stage.bridge.store.scheduling.lease_holder(connection.id) is None
