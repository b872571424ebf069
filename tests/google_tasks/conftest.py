"""A person with two task lists, synced once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bridge.store import Store
from tests.world import World, living

HOME, WORK = "MDEtaG9tZQ", "MDItd29yaw"


@pytest.fixture
def world(lite: Store) -> Iterator[World]:
    with living(lite, "google_tasks", "week") as world:
        assert world.sync().outcome == "ok"
        world.server.asked.clear()
        yield world


def titles(world: World) -> set[str]:
    return {task["title"] for task in world.contents()["tasks"]}
