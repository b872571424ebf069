"""One person whose Google account holds a week of health data."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bridge.store import Store
from tests.world import World, living


@pytest.fixture
def world(lite: Store) -> Iterator[World]:
    with living(lite, "google_health", "week") as found:
        yield found
