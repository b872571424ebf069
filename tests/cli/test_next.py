"""The next command, in ``bridge status`` and from the doctor: the one that helps."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bridge import doctor, installation
from bridge.config import load
from bridge.domain.records import Connection, User
from bridge.domain.types import Outcome
from bridge.ingest.connecting import next_step
from bridge.ingest.outcomes import SYNC_CADENCE, record_outcome
from bridge.leases import Lease
from bridge.store import Store
from tests.world import KEY, NOW


@pytest.fixture
def bridge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[installation.Bridge]:
    monkeypatch.setenv("BRIDGE_DATABASE", f"sqlite:///{tmp_path / 'bridge.db'}")
    monkeypatch.setenv("BRIDGE_KEY", KEY)
    settings = load()
    with closing(Store(settings.database)) as store:
        store.people.add_user("ana", "UTC", now=NOW)
        yield installation.Bridge(settings=settings, store=store)


def connected(bridge: installation.Bridge, name: str, outcome: str, *, consent: bool = True) -> tuple[User, Connection]:
    store, user = bridge.store, bridge.store.people.user("ana")
    connection = store.connections.connect(user.id, "garmin", name, now=NOW)
    if consent:
        installation.StoredAccount(connection.id, {}, store, bridge.vault).save_token({"api_key": "k"})
    ended = Outcome(source="garmin", connection=name, outcome=outcome)
    why = None if outcome == "ok" else "it went wrong"
    ended = dataclasses.replace(ended, skipped_because=why)
    lease = Lease(store=store, connection=connection, holder="", now=NOW)
    record_outcome(lease, ended, cadence=None if name == "import" else SYNC_CADENCE)
    return user, store.connections.of_user(user.id)[0]


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
def test_the_next_command_helps(
    bridge: installation.Bridge, name: str, outcome: str, consent: bool, command: str
) -> None:
    user, connection = connected(bridge, name, outcome, consent=consent)
    assert next_step(bridge, user, connection, NOW) == command
    (finding,) = (one for one in doctor.examine() if one.check == "ana/garmin")
    assert (finding.next, finding.ok) == (command, command == "")
