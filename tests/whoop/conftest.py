"""A member behind WHOOP's server, with a database in a file: the server's threads look into it too."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge.store import Store
from tests.world import World, living


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """Thirty-four nights, of which nothing has been fetched yet."""
    store = Store(f"sqlite:///{tmp_path / 'bridge.db'}")
    with living(store, "whoop", "awkward") as world:
        yield world
    store.close()
