"""Kept in step, whatever is changed at Microsoft: always what a new user would be given."""

from __future__ import annotations

import random
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bridge.store import Store
from tests.microsoft_calendar.conftest import CALENDAR, Life, moment, occurrence
from tests.world import living

BEGIN = datetime(2026, 11, 16, 8, tzinfo=UTC)


class Hand:
    """Somebody who adds, changes, moves and deletes single events, series and occurrences at random."""

    def __init__(self, life: Life, seed: int) -> None:
        self.life, self.rng, self.made = life, random.Random(seed), 0

    def change(self) -> None:
        self.rng.choice([self.add, self.add_series, self.edit, self.delete, self.except_, self.expire])()

    def _at(self) -> datetime:
        return BEGIN + timedelta(days=self.rng.randrange(30), minutes=15 * self.rng.randrange(30))

    def _new(self, **more: Any) -> dict[str, Any]:
        self.made += 1
        at = self._at()
        known = {
            "id": f"made{self.made}=",
            "@odata.etag": 'W/"1"',
            "type": "singleInstance",
            "iCalUId": f"u{self.made}",
        }
        times = {"start": moment(at), "end": moment(at + timedelta(hours=1))}
        return known | times | {"subject": f"Thing {self.made}", "isAllDay": False, "isCancelled": False} | more

    def add(self) -> None:
        self.life.vendor.put(CALENDAR, self._new(isCancelled=self.rng.random() < 0.2))

    def add_series(self) -> None:
        master = self._new(type="seriesMaster")
        at = self._at()
        for number in range(self.rng.randrange(1, 5)):
            one = occurrence(at + timedelta(days=number), key=f"{master['id']}{number}", master=master["id"])
            self.life.vendor.put(CALENDAR, one)
        self.life.vendor.put(CALENDAR, master)

    def _any(self, *kinds: str) -> dict[str, Any] | None:
        found = [one for one in self.life.vendor.events(CALENDAR) if one["type"] in kinds]
        return self.rng.choice(found) if found else None

    def edit(self) -> None:
        if one := self._any("singleInstance", "seriesMaster", "exception"):
            at = self._at()
            moved = (
                {} if one["type"] == "seriesMaster" else {"start": moment(at), "end": moment(at + timedelta(hours=2))}
            )
            self.life.vendor.put(CALENDAR, one | moved | {"subject": f"Changed {self.rng.random()}"})

    def delete(self) -> None:
        if one := self._any("singleInstance", "seriesMaster", "exception", "occurrence"):
            self.life.vendor.delete(CALENDAR, one["id"], tells_occurrences=self.rng.random() < 0.5)

    def except_(self) -> None:
        """Turn an occurrence into an exception of its series, under the same id."""
        if one := self._any("occurrence"):
            self.life.vendor.put(CALENDAR, self._new(type="exception") | {n: one[n] for n in ("id", "seriesMasterId")})

    def expire(self) -> None:
        if self.rng.random() < 0.3:
            self.life.vendor.expire_links()


@pytest.mark.parametrize("seed", range(4))
def test_random_changes_come_to_what_a_new_user_is_given(seed: int) -> None:
    with closing(Store("sqlite://")) as store, living(store, "microsoft_calendar", "week") as world:
        life = Life(world)
        life.vendor.page_size = 3
        hand = Hand(life, seed)
        for minutes in range(10, 250, 10):
            for _ in range(hand.rng.randrange(4)):
                hand.change()
            life.vendor.tells_masters = hand.rng.random() < 0.7
            assert life.sync(minutes=minutes) == "ok"
            life.same_as_new(minutes=minutes)
