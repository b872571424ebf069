"""Leases of connections: never two holders at once, and no holder that is alive elsewhere counts as dead."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable
from datetime import timedelta

import pytest
import sqlalchemy as sa

import lab
from bridge import doctor, leases
from bridge.domain.types import Notice
from bridge.ingest.outcomes import BESIDE_PUSHES
from bridge.leases import LEASE, Lease
from bridge.recordings.server import Request
from bridge.store import Store
from tests.daemon.stage import MONDAY, Stage


def amid(stage: Stage, work: Callable[[], None]) -> None:
    """Do something while the vendor is being asked, once."""
    begun = threading.Event()

    def strike(request: Request) -> None:
        if "token" not in request.path and not begun.is_set():
            begun.set()
            work()

    stage.server.faults.append(strike)


def test_what_the_daemon_is_at_it_does_not_begin_again_though_its_lease_seems_over(stage: Stage) -> None:
    stage.add("ana", "UTC")
    daemon, claimed = stage.daemon(), []

    def jump() -> None:
        stage.now += timedelta(hours=3)
        claimed.append(daemon._claim("whoop", 4))

    amid(stage, jump)
    daemon.tick()
    assert claimed == [[]]


def test_a_defect_is_written_down_and_the_lease_given_back_in_one_transaction(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In between, the connection would be free and still due: others would claim it."""
    connection = stage.add("ana", "UTC")
    free_and_due = []

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    def look(*_: object) -> None:
        free_and_due.extend(stage.bridge.store.scheduling.due(now=stage.now, limit=9))

    monkeypatch.setattr("connectors.whoop.client.Whoop.pull", broken)
    engine = stage.bridge.store.database.engine  # type: ignore[attr-defined]
    assert stage.bridge.store.scheduling.claim(connection.id, stage.bridge.holder, now=stage.now, lease=LEASE)
    sa.event.listen(engine, "commit", look)
    stage.daemon()._sync(connection)
    sa.event.remove(engine, "commit", look)
    assert free_and_due == []
    assert stage.bridge.store.scheduling.lease_holder(connection.id) is None
    assert len(stage.runs()[connection.id]) == 1


def test_what_is_told_of_during_a_sync_is_followed_at_once(stage: Stage) -> None:
    connection, store = stage.add("ana", "UTC"), stage.bridge.store
    notice = Notice(member="1", stream="sleep", key="none", deleted=True, trace="t")
    amid(stage, lambda: store.ingest.add_notice(connection.id, notice, now=stage.now) and None)
    stage.daemon().tick()
    assert store.ingest.notices(connection.id) == []
    assert len(stage.runs()[connection.id]) == 2
    found = store.connections.by_id(connection.id)
    assert found is not None
    assert found.due_at == stage.now + BESIDE_PUSHES  # a notice is proof of the webhooks


def test_a_sync_that_was_stopped_is_no_failure(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.vendor.account.update(lab.account("whoop", "week"))
    connection, daemon = stage.add("ana", "UTC"), stage.daemon()
    amid(stage, daemon.stopping.set)
    daemon._sync_source(connection)
    found = stage.bridge.store.connections.by_id(connection.id)
    assert found is not None
    assert (found.last_error, found.last_success, found.failures, found.due_at) == (None, None, 0, stage.now)
    assert daemon.sync_counts == {("whoop", "interrupted"): 1}
    for hours, said in ((1, (True, "its first sync is under way")), (7, (False, "should have been synced long ago"))):
        monkeypatch.setenv("BRIDGE_NOW", (stage.now + timedelta(hours=hours)).isoformat())
        (row,) = (finding for finding in doctor.examine() if finding.check == "ana/whoop")
        assert (row.ok, row.text) == said


def test_a_lease_is_renewed_by_a_clock_that_was_set(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    user = store.people.add_user("ana", "UTC", now=MONDAY)
    connection = store.connections.connect(user.id, "whoop", "account", now=MONDAY)
    lease = Lease(store=store, connection=connection, holder="host/1", now=MONDAY)
    assert lease.taken()
    began = time.time()
    monkeypatch.setattr("time.time", lambda: began + 3600)
    assert lease.taken()
    assert not store.scheduling.claim(connection.id, "host/2", now=MONDAY + timedelta(hours=1), lease=LEASE)


def test_only_a_process_that_was_here_can_be_known_to_be_dead(store: Store) -> None:
    """Two machines or containers may share a host name, and a number that is free here is a process there."""
    user = store.people.add_user("ana", "UTC", now=MONDAY)
    connection = store.connections.connect(user.id, "whoop", "account", now=MONDAY)
    host, _, mark, here = leases.holder().split("/")
    for there, freed in ((f"{host}/4194305/{mark}/elsewhere", False), (f"{host}/4194305/{mark}/{here}", True)):
        store.scheduling.claim(connection.id, there, now=MONDAY, lease=LEASE)
        leases.release_dead(store)
        assert (store.scheduling.lease_holder(connection.id) is None) is freed
        store.scheduling.release(connection.id, there)
    assert (host, leases.holder().split("/")[1]) == (socket.gethostname(), str(os.getpid()))
