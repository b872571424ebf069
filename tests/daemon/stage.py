"""People behind one WHOOP server, and a daemon whose clock the test turns."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

import lab
from bridge import installation, registry
from bridge.config import load
from bridge.daemon.scheduler import Daemon
from bridge.domain.records import Connection, User
from bridge.recordings.server import Answer, LabServer, Request
from bridge.store import Store
from tests.world import KEY, aim, introduce

MONDAY = datetime(2026, 10, 19, 5, 0, tzinfo=UTC)  # 07:00 in Berlin; its clocks go back on the 25th
TICK = timedelta(minutes=10)


@dataclass
class Stage:
    """An installation, its vendor, and the time it is there.

    Where the vendor has no data, users are introduced, because without any data nothing is advised.
    """

    bridge: installation.Bridge
    server: LabServer
    vendor: Any
    now: datetime = MONDAY
    introduces: bool = False
    users: list[User] = field(default_factory=list)

    def add(self, name: str, zone: str) -> Connection:
        user = self.bridge.store.people.add_user(name, zone, now=self.now - timedelta(days=1))
        self.users.append(user)
        connection = self.bridge.store.connections.connect(user.id, "whoop", "account", now=self.now)
        self.bridge.account(connection, registry.spec("whoop")).save_token(self.vendor.grant())
        if self.introduces:
            introduce(self.bridge.store, user, now=self.now - timedelta(days=1))
        else:
            aim(self.bridge.store, user, now=self.now - timedelta(days=1))
        return connection

    def of_vendor(self) -> Connection:
        """Return the first user's connection to the vendor."""
        return next(c for c in self.bridge.store.connections.of_user(self.users[0].id) if c.source == "whoop")

    def daemon(self, **options: Any) -> Daemon:
        return Daemon(bridge=self.bridge, clock=lambda: self.now, **options)

    def watch_runs(self) -> None:
        """Note every sync, because one without news takes the place of the one before it."""
        values = "INSERT INTO seen_runs VALUES (new.connection_id, new.started);"
        with self.bridge.store.database.write() as db:
            db.exec_driver_sql("CREATE TABLE seen_runs (connection_id bigint, started bigint)")
            if db.dialect.name == "postgresql":
                body = f"$$ BEGIN {values} RETURN NULL; END $$"
                db.exec_driver_sql(f"CREATE FUNCTION see_run() RETURNS trigger LANGUAGE plpgsql AS {body}")
                on = "AFTER INSERT OR UPDATE ON sync_runs FOR EACH ROW EXECUTE FUNCTION see_run()"
                db.exec_driver_sql(f"CREATE TRIGGER seen_run {on}")
                return
            for what in ("INSERT", "UPDATE"):
                db.exec_driver_sql(f"CREATE TRIGGER seen_{what} AFTER {what} ON sync_runs BEGIN {values} END")

    def runs(self) -> dict[int, list[datetime]]:
        """Connection of the vendor -> when it was synced."""
        url = self.bridge.settings.database.replace("postgresql://", "postgresql+psycopg://")
        engine = sa.create_engine(url)
        with engine.connect() as db:
            runs = "SELECT r.connection_id, r.started FROM seen_runs r JOIN connections c ON c.id = r.connection_id"
            whoop = "JOIN sources s ON s.id = c.source_id WHERE s.name = 'whoop' ORDER BY r.started"
            rows = db.execute(sa.text(f"{runs} {whoop}")).all()
        engine.dispose()
        found: dict[int, list[datetime]] = {}
        for connection_id, started in rows:
            found.setdefault(connection_id, []).append(
                datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=started)
            )
        return found


@contextmanager
def stalled(server: LabServer) -> Iterator[threading.Event]:
    """Let the vendor hold every page back until the end. The event is set by the first request of a page."""
    reached, done = threading.Event(), threading.Event()

    def stall(request: Request) -> Answer | None:
        if "token" not in request.path:
            reached.set()
            done.wait(60)
        return None

    server.faults.append(stall)
    try:
        yield reached
    finally:
        done.set()
        server.faults.clear()


@contextmanager
def staged(folder: Path, monkeypatch: pytest.MonkeyPatch, *, url: str = "", case: str = "empty") -> Iterator[Stage]:
    monkeypatch.setenv("BRIDGE_DATABASE", url or f"sqlite:///{folder / 'bridge.db'}")
    monkeypatch.setenv("BRIDGE_KEY", KEY)
    monkeypatch.setenv("BRIDGE_ALLOW_HOSTS", "127.0.0.1")  # a person's messages go to a server of the test
    monkeypatch.setenv("BRIDGE_RATE", "whoop=10000")  # the limit is kept by the machine's clock, which nobody turns
    vendor = registry.resolve("lab.vendors.whoop:Vendor")(lab.account("whoop", case))
    with ExitStack() as stack:
        server = stack.enter_context(LabServer(vendor.application))
        for name, value in vendor.settings(server.url).items():
            monkeypatch.setenv(f"BRIDGE_WHOOP_{name}".upper(), value)
        settings = load()
        store = Store(settings.database)
        stack.callback(store.close)
        bridge = installation.Bridge(settings=settings, store=store)
        stage = Stage(bridge=bridge, server=server, vendor=vendor, introduces=case == "empty")
        stage.watch_runs()
        yield stage
