"""One person whose account is synced by a bridge that has an address, for the tests of vendors' webhooks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import lab
from bridge import installation, registry
from bridge.config import load
from bridge.domain.records import Connection, User
from bridge.ingest import runs
from bridge.recordings.server import LabServer
from bridge.store import Store
from tests.whoop.test_webhooks import listening
from tests.world import KEY, NOW, contents, vendor_of

ARRIVE = NOW + timedelta(minutes=10)  # when webhooks come in


@dataclass
class Stage:
    """A person, the vendor's server, and a clock that the test turns."""

    bridge: installation.Bridge
    server: LabServer
    vendor: Any
    source: str
    now = NOW

    @property
    def user(self) -> User:
        return self.bridge.store.people.user("ana")

    @property
    def connection(self) -> Connection:
        (found,) = self.bridge.store.connections.of_user(self.user.id)
        return found

    @property
    def account(self) -> installation.StoredAccount:
        return self.bridge.account(self.connection, registry.spec(self.source))

    def sync(self, **later: float) -> list[str]:
        """Sync some time later, which must go well. Return what the vendor was asked."""
        self.now += timedelta(**later)
        self.vendor.now = self.now
        self.server.asked.clear()
        assert runs.sync_connection(self.bridge, self.user, self.connection, at=self.now).outcome == "ok"
        return list(self.server.asked)

    def with_url(self, url: str | None) -> None:
        self.bridge = replace(self.bridge, settings=replace(self.bridge.settings, url=url))

    def notices(self) -> list[tuple[str, str]]:
        """(stream, key) of the notices that the next sync follows."""
        return [(one.stream, one.key) for one in self.bridge.store.ingest.notices(self.connection.id)]

    def contents(self) -> dict[str, list[Any]]:
        return contents(self.bridge.store, self.user)


@contextmanager
def staged(source: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    """A stage for a source, whose bridge listens at its address."""
    monkeypatch.setenv("BRIDGE_HOME", str(folder))
    monkeypatch.setenv("BRIDGE_KEY", KEY)
    monkeypatch.setenv("BRIDGE_CLASSIFIER", "keywords")
    monkeypatch.setenv("BRIDGE_NOW", ARRIVE.isoformat())
    vendor: Any = vendor_of(source)(lab.account(source, "week"))
    with ExitStack() as stack:
        server = stack.enter_context(LabServer(vendor.application))
        for name, value in vendor.settings(server.url).items():
            monkeypatch.setenv(f"BRIDGE_{source}_{name}".upper(), value)
        store = Store(f"sqlite:///{folder / 'bridge.db'}")
        stack.callback(store.close)
        bridge = installation.Bridge(settings=load(), store=store)
        user = store.people.add_user("ana", "Europe/Berlin", now=NOW)
        connection = store.connections.connect(user.id, source, "account", now=NOW)
        bridge.account(connection, registry.spec(source)).save_token(vendor.grant())
        stage = Stage(bridge, server, vendor, source)
        stage.with_url(stack.enter_context(listening(bridge)))
        yield stage
