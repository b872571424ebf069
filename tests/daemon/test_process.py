"""The daemon as a process and under its own threads: alone, in time, watched over, and told what the clock did."""

from __future__ import annotations

import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from contextlib import closing
from datetime import timedelta
from typing import Any

import pytest

from bridge import log
from bridge.daemon.process import call_looks
from bridge.daemon.scheduler import ClockWatch
from bridge.ingest.outcomes import SYNC_CADENCE
from bridge.leases import LEASE
from bridge.recordings.server import Answer, Request
from bridge.store import Store, locks
from tests.daemon.stage import MONDAY, Stage, stalled


def start(*more: str, **variables: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "bridge", "daemon", "--every", "1", *more]
    environment = {**os.environ, "BRIDGE_NOW": MONDAY.isoformat(), **variables}
    return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def ask(port: int, path: str) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
        return str(answer.read().decode())


def wait_for(told: Any, seconds: float = 40) -> Any:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if found := told():
                return found
        except OSError:
            pass
        time.sleep(0.1)
    raise AssertionError("it did not come")


@pytest.mark.timeout(180)
def test_it_is_alone_watched_over_and_stops_in_ten_seconds_in_the_middle_of_a_page(stage: Stage) -> None:
    connection = stage.add("ana", "UTC")
    with stalled(stage.server) as reached:
        port = free_port()
        first = start("--health", f"127.0.0.1:{port}", BRIDGE_LOG="json")
        try:
            assert reached.wait(60)
            body = json.loads(wait_for(lambda: ask(port, "/health")))
            assert body["busy"]["whoop"] == 1
            assert 'rhythm_bridge_busy{kind="whoop"} 1' in ask(port, "/metrics")
            assert "ana" not in json.dumps(body) + ask(port, "/metrics")
            second = start()
            _, printed = second.communicate(timeout=60)
            assert (second.returncode, f"/{first.pid}/" in printed) == (2, True), printed
            begun = time.monotonic()
            first.send_signal(signal.SIGTERM)
            _, printed = first.communicate(timeout=30)
            assert time.monotonic() - begun < 10
            assert first.returncode == 0
        finally:
            first.kill()
            first.wait()
    lines = [json.loads(line) for line in printed.splitlines()]
    assert {"at", "level", "from", "message"} <= lines[0].keys()
    assert "ana" not in printed
    assert stage.bridge.store.scheduling.lease_holder(connection.id) is None
    stage.daemon().tick()
    assert len(stage.runs()[connection.id]) == 1


@pytest.mark.postgres
def test_a_presence_ends_where_the_database_does_not_answer(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where its machine hangs: a daemon ends in ten seconds also then."""
    monkeypatch.setattr(locks, "UNLOCK_TIMEOUT_SECONDS", 0.1)
    with closing(Store(postgres_url)) as store, closing(Store(postgres_url)) as other:
        mine = store.scheduling.singleton_lock("daemon", "host/1", now=MONDAY)
        with other.database.read() as db:  # type: ignore[attr-defined]
            locked = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND database = %s"
            own = db.exec_driver_sql("SELECT oid FROM pg_database WHERE datname = current_database()").scalar_one()
            backend = db.exec_driver_sql(locked, (own,)).scalar_one()
        os.kill(backend, signal.SIGSTOP)
        try:
            end = threading.Thread(target=mine.close, daemon=True)
            end.start()
            end.join(20)
            assert not end.is_alive()
        finally:
            os.kill(backend, signal.SIGCONT)


def test_a_presence_ends_with_it_and_only_then(store: Store, database_url: str) -> None:
    with closing(Store(database_url)) as other:
        mine = store.scheduling.singleton_lock("daemon", "host/1", now=MONDAY)
        with pytest.raises(Exception, match="host/1, since 2026-10-19 05:00"):
            other.scheduling.singleton_lock("daemon", "host/2", now=MONDAY)
        assert mine.taken()
        mine.close()
        other.scheduling.singleton_lock("daemon", "host/2", now=MONDAY).close()


def test_a_source_has_no_more_at_once_than_it_may_and_none_waits_for_another(stage: Stage) -> None:
    for number in range(12):
        stage.add(f"user{number}", "UTC")
    now, most, lock = [0], [0], threading.Lock()

    def count(request: Request) -> Answer | None:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.02)
        with lock:
            now[0] -= 1
        return None

    stage.server.faults.append(count)
    stage.daemon().tick()
    assert 1 < most[0] <= 4
    assert [len(runs) for runs in stage.runs().values()] == [1] * 12


def test_what_is_overdue_at_a_start_comes_bit_by_bit(stage: Stage) -> None:
    connections = [stage.add(f"user{number}", "UTC") for number in range(5)]
    stage.daemon().tick()
    stage.now += timedelta(hours=9)
    daemon = stage.daemon(steady=time.monotonic)
    daemon.start()
    daemon.tick()
    assert sum(len(runs) == 2 for runs in stage.runs().values()) == 1
    stage.now += timedelta(seconds=10)
    daemon.tick()
    assert [len(stage.runs()[c.id]) for c in connections] == [2] * 5


def test_a_clock_that_jumps_neither_fires_twice_nor_starves(stage: Stage) -> None:
    stage.now += timedelta(hours=3)  # 08:00, awake
    connection = stage.add("ana", "UTC")
    passed = [0.0]
    daemon = stage.daemon(steady=lambda: passed[0])
    daemon.start()

    def later(seconds: float, clock: timedelta = timedelta(0)) -> int:
        passed[0] += seconds
        stage.now += timedelta(seconds=seconds) + clock
        daemon.tick()
        return len(stage.runs()[connection.id])

    assert later(0) == 1
    assert later(60, timedelta(days=3)) == 2
    assert stage.bridge.store.scheduling.claim(
        connection.id, "elsewhere/1", now=stage.now, lease=LEASE
    )  # by the wrong clock
    assert later(60, -timedelta(days=3)) == 2
    assert later(LEASE.total_seconds() + 1) == 3
    assert later(60) == 3
    assert later(SYNC_CADENCE.total_seconds()) == 4
    user = stage.users[0]
    given = stage.bridge.store.recommendations.full_between(user.id, since=MONDAY, until=MONDAY + timedelta(days=9))
    assert len({advice.moment for advice in given}) == len(given) == 2


def test_the_watch_sees_sleep_and_setting_and_no_trifles() -> None:
    now, steady = [MONDAY], [0.0]
    watch = ClockWatch(clock=lambda: now[0], steady=lambda: steady[0])
    found = []
    for clock, time_passed in ((0, 0), (60, 60), (60, 58), (3600, 10), (0, 60), (-86_400, 60)):
        now[0] += timedelta(seconds=clock)
        steady[0] += time_passed
        found.append(watch.jump().total_seconds())
    assert found == [0, 0, 0, 3590, 0, -86_460]


def test_a_scheduler_that_waits_for_a_time_set_back_is_called(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the scheduler it is yesterday again after its first tick."""
    daemon, looks = stage.daemon(), []

    class SetBack(daemon_clock()):  # type: ignore[misc]
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return super().now(tz) - timedelta(days=1 if looks else 0)

    monkeypatch.setattr("apscheduler.schedulers.base.datetime", SetBack)

    def look() -> None:
        looks.append(1)
        if len(looks) == 3:
            daemon.stopping.set()

    monkeypatch.setattr(type(daemon), "look", lambda _: look())
    monkeypatch.setattr("bridge.daemon.process.datetime", SetBack)
    monkeypatch.setattr("bridge.daemon.process.LATE_SECONDS", 0.2)
    ending = threading.Timer(30, daemon.stopping.set)
    ending.start()
    call_looks(daemon, every=0.5)
    ending.cancel()
    assert len(looks) == 3


def daemon_clock() -> Any:
    from apscheduler.schedulers import base

    return base.datetime


def test_structured_lines_hold_counts_and_no_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    line = logging.LogRecord("bridge.ingest.sync", logging.INFO, "", 0, "%s: %d new", ("whoop", 3), None)
    line.new = 3
    body = json.loads(log.JsonFormatter().format(line))
    assert (body["message"], body["new"], body["level"]) == ("whoop: 3 new", 3, "info")
