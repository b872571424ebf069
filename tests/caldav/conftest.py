"""A person with two calendars behind the lab's CalDAV server, fetched once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bridge.store import Store
from tests.world import World, living


@pytest.fixture
def world(lite: Store) -> Iterator[World]:
    with living(lite, "caldav", "week") as world:
        assert world.sync().outcome == "ok"
        world.server.asked.clear()
        yield world
