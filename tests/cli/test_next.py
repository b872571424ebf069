"""The next command, in ``bridge status`` and from the doctor: the one that helps."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bridge import app, health
from bridge.cli.care import next_step
from bridge.config import load
from bridge.ports import Connection, User
from bridge.store import open_store
from bridge.sync import finish
from bridge.types import Outcome
from tests.world import KEY, NOW


@pytest.fixture
def bridge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[app.Bridge]:
    monkeypatch.setenv("BRIDGE_DATABASE", f"sqlite:///{tmp_path / 'bridge.db'}")
    monkeypatch.setenv("BRIDGE_KEY", KEY)
    settings = load()
    with closing(open_store(settings.database)) as store:
        store.add_user("ana", "UTC", now=NOW)
        yield app.Bridge(settings=settings, store=store)


def connected(bridge: app.Bridge, name: str, outcome: str, *, consent: bool = True) -> tuple[User, Connection]:
    store, user = bridge.store, bridge.store.user("ana")
    connection = store.connect(user.id, "garmin", name, now=NOW)
    if consent:
        app.StoredAccount(connection.id, {}, store, bridge.vault).save_token({"api_key": "k"})
    ended = Outcome(source="garmin", connection=name, outcome=outcome)
    why = None if outcome == "ok" else "it went wrong"
    ended = dataclasses.replace(ended, skipped_because=why)
    finish(store, connection, ended, started=NOW, finished=NOW, recurring=name != "import")
    return user, store.connections(user.id)[0]


@pytest.mark.parametrize(
    ("name", "outcome", "consent", "command"),
    [
        ("account", "needs_login", True, "bridge connect garmin --user ana"),
        ("account", "stopped", True, "bridge sync --user ana --source garmin"),
        ("account", "failed", True, "bridge sync --user ana --source garmin"),
        ("account", "ok", False, "bridge connect garmin --user ana"),
        ("import", "failed", False, "bridge import PATH --user ana"),
        ("import", "ok", False, ""),
    ],
)
def test_the_next_command_helps(bridge: app.Bridge, name: str, outcome: str, consent: bool, command: str) -> None:
    user, connection = connected(bridge, name, outcome, consent=consent)
    assert next_step(bridge, user, connection, NOW) == command
    (finding,) = (one for one in health.examine() if one.check == "ana/garmin")
    assert (finding.next, finding.ok) == (command, command == "")
