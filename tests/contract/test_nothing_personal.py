"""After good and bad days, logs, outcomes and the store are searched whole for personal texts.

Logs, outcomes and reasons hold no token, address, name or title. The database holds titles, which the person's week is
made of, and the calendar's own name at its vendor; it holds no token, nobody else's address, and nobody's name.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from bridge import log
from bridge.store import Store, codec
from tests.contract import bad_days as faults
from tests.contract.test_connectors import LIVE
from tests.world import World, later, living

ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
NAMES = {"first_name", "last_name", "displayName", "fullName", "display_name"}
LONG = 7  # shorter titles ("Gym") occur in ordinary words


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Store]:
    with closing(Store(f"sqlite:///{tmp_path / 'bridge.db'}")) as store:
        yield store


@pytest.mark.parametrize("source", LIVE)
def test_nothing_personal_is_logged_said_or_stored(
    kept: Store, source: str, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("urllib3.util.retry.Retry.sleep", lambda *_: None)
    log.configure(verbose=True)
    caplog.set_level(logging.INFO)
    with living(kept, source, "awkward") as world:
        tokens = set(_secrets(world))
        said = "".join(_lived(world, tokens))
        account = world.vendor.account
        titles = {e["title"] for e in world.contents()["events"] if len(e.get("title", "")) > LONG}
    said += caplog.text
    stored = "".join(_texts(tmp_path / "bridge.db"))
    names, addresses = set(_named(account)), set(_addresses(account))
    assert tokens
    assert not [secret for secret in tokens | names | addresses | titles if secret in said]
    assert not [secret for secret in tokens | names | (addresses - _calendars(account)) if secret in stored]


def _lived(world: World, tokens: set[str]) -> Iterator[str]:
    """Yield the texts that a person can be told in the course of bad days, whose tokens are added."""
    hours = 0
    for fault in (faults.too_many(1), faults.maintenance(500), faults.maintenance(200), None, None):
        world.server.faults[:] = [faults.from_the(2, fault)] if fault else []
        world.store.connections.connect(world.user.id, world.spec.name, world.connection.name, now=world.now)
        hours += 1
        yield str(later(world, hours=hours).sync())
        tokens.update(_secrets(world))
    world.vendor.revoke()
    yield str(later(world, hours=hours + 1).sync())
    yield str(world.store.ingest.set_aside(world.connection.id)) + str(world.store.connections.of_user(world.user.id))


def _secrets(world: World) -> Iterator[str]:
    """Every text of the stored token and of the settings that is secret."""
    token = world.account.token() or {}
    for name, value in [*token.items(), *world.account.settings.items()]:
        secret = "token" in name or "secret" in name or name in ("api_key", "url", "code")
        if secret and isinstance(value, str) and len(value) > 8 and not name.endswith("uri"):
            yield value


def _texts(path: Path) -> Iterator[str]:
    """Everything a database holds, payloads unpacked."""
    engine = sa.create_engine(f"sqlite:///{path}")
    found = sa.MetaData()
    found.reflect(engine)
    with engine.connect() as connection:
        for table in found.sorted_tables:
            for row in connection.execute(sa.select(table)).mappings():
                yield from (_plain(table.name, name, value) for name, value in row.items())
    engine.dispose()
    yield path.read_bytes().decode("latin-1")


def _plain(table: str, column: str, value: Any) -> str:
    if (table, column) == ("arrivals", "payload"):
        return json.dumps(codec.unpack(value), ensure_ascii=False)
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _named(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in NAMES and isinstance(inner, str) and len(inner) > 2:
                yield inner
            yield from _named(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _named(inner)


def _addresses(value: Any, name: str = "") -> Iterator[str]:
    """All but the identifiers of events, which look the same."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _addresses(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from _addresses(inner, name)
    elif isinstance(value, str) and name != "iCalUID" and not value.startswith("UID"):
        yield from ADDRESS.findall(value)


def _calendars(account: dict[str, Any]) -> set[str]:
    return {str(entry.get("id")) for entry in account.get("calendars", []) if isinstance(entry, dict)}
