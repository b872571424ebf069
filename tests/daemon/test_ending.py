"""The daemon's end is in time, whatever the database does, and a look ends whatever goes wrong in it."""

from __future__ import annotations

import socket
import sqlite3
import struct
import threading
import time
import urllib.request
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest
import sqlalchemy as sa

from bridge.daemon import health
from bridge.daemon.health import serve_health
from bridge.daemon.process import call_looks
from bridge.daemon.scheduler import Daemon
from bridge.daemon.worker_pool import WorkerPool
from tests.daemon.stage import Stage


class Away:
    """A presence at a database that does not answer."""

    def __init__(self) -> None:
        self.back = threading.Event()

    def taken(self) -> bool:
        return self.back.wait(30)

    def close(self) -> None:
        self.back.set()


def test_leases_are_not_given_back_at_any_price(stage: Stage, tmp_path: Path) -> None:
    daemon, done = stage.daemon(), threading.Event()
    daemon.pool.start("whoop", lambda: done.wait(30))
    with closing(sqlite3.connect(tmp_path / "bridge.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")  # as for VACUUM, or a rebuild
        begun = time.monotonic()
        assert not daemon.stop(0.1)
        assert time.monotonic() - begun < 10
    done.set()


def test_a_look_that_hangs_is_left_behind(stage: Stage) -> None:
    with closing(Away()) as away:
        daemon = stage.daemon(singleton=away)
        threading.Timer(0.5, daemon.stopping.set).start()
        call_looks(daemon, every=0.2)
        assert not daemon.stop(0.1)


def test_a_look_ends_where_the_database_goes_away_in_the_middle(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    engine = stage.bridge.store.database.engine  # type: ignore[attr-defined]
    with engine.begin() as db:
        db.execute(sa.text("DROP TABLE singletons"))
    daemon = stage.daemon()
    daemon.tick()
    assert daemon.looked_at == stage.now
    assert "housekeeping: unexpected OperationalError" in caplog.text


def test_a_thread_that_cannot_be_begun_is_not_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left(_: object) -> None:
        raise RuntimeError("can't start new thread")

    pool = WorkerPool(lambda _: 1)
    with monkeypatch.context() as patched:
        patched.setattr("threading.Thread.start", none_left)
        with pytest.raises(RuntimeError):
            pool.start("whoop", list)
    assert pool.busy() == {}


def test_who_asks_how_it_is_and_leaves_makes_no_traceback(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    gone, told = threading.Event(), threading.Event()
    monkeypatch.setattr(health.log, "filters", [lambda _: told.set() or True])

    def clock() -> datetime:
        gone.wait(20)
        return stage.now

    daemon = Daemon(bridge=stage.bridge, clock=clock)
    with serve_health(daemon, "127.0.0.1:0", every=1) as port:
        with socket.create_connection(("127.0.0.1", port or 0)) as asking:
            asking.sendall(b"GET /health HTTP/1.0\r\n\r\n")
            asking.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        gone.set()
        assert told.wait(20)
    assert capfd.readouterr().err == ""


@pytest.mark.skipif(not Path("/proc/net/if_inet6").exists(), reason="this machine has no IPv6")
def test_health_is_told_by_ipv6_too(stage: Stage) -> None:
    with (
        serve_health(stage.daemon(), "[::1]:0", every=1) as port,
        urllib.request.urlopen(f"http://[::1]:{port}/health", timeout=20) as answer,
    ):
        assert answer.status == 200
