"""A person whose calendars are at a Microsoft Graph that the test may change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest

from bridge.store import Store
from lab.vendors.microsoft_calendar import Vendor
from tests.world import World, later, living

CALENDAR = "AAMkAGI2calendar="
STANDUP = "AAMkstandup="


@dataclass
class Life:
    """A world with a calendar, and what its store holds."""

    world: World

    @property
    def vendor(self) -> Vendor:
        found: Vendor = self.world.vendor
        return found

    def sync(self, **span: float) -> str:
        outcome = later(self.world, **span).sync()
        return outcome.outcome if outcome.skipped_because is None else outcome.skipped_because

    def events(self) -> dict[str, dict[str, Any]]:
        """Return id -> event."""
        return {one["key"].rpartition("/")[2]: one for one in self.world.contents()["events"]}

    def asked(self, part: str) -> list[str]:
        return [line for line in self.world.server.asked if part in line]

    def same_as_new(self, **span: float) -> None:
        """What is held is what a new user would be given."""
        from tests.contract.laws.stage import fresh

        assert self.world.contents() == fresh(later(self.world, **span))


def occurrence(start: datetime, *, key: str, master: str = STANDUP, minutes: int = 15) -> dict[str, Any]:
    return {
        "id": key,
        "@odata.etag": 'W/"1"',
        "type": "occurrence",
        "seriesMasterId": master,
        "start": moment(start),
        "end": moment(start + timedelta(minutes=minutes)),
    }


def moment(at: datetime) -> dict[str, str]:
    return {"dateTime": at.strftime("%Y-%m-%dT%H:%M:%S.0000000"), "timeZone": "UTC"}


@pytest.fixture
def life(lite: Store) -> Iterator[Life]:
    with living(lite, "microsoft_calendar", "week") as world:
        yield Life(world)
