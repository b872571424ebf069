"""A person with two calendars they look at, fetched once; the server has forgotten what it was asked for that."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge.store import Store
from tests.world import World, living


@pytest.fixture
def lite(tmp_path: Path) -> Iterator[Store]:
    """A database in a file: the server's threads look into it too."""
    store = Store(f"sqlite:///{tmp_path / 'bridge.db'}")
    yield store
    store.close()


@pytest.fixture
def world(lite: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.setattr("time.sleep", lambda _: None)  # the client's own quick retries
    with living(lite, "google_calendar", "awkward") as world:
        assert world.sync().outcome == "ok"
        world.server.asked.clear()
        yield world
