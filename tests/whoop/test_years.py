"""A member of years: what a first sync costs, in which order it comes, and what is left of it when it is killed."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from math import ceil
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import pytest

from bridge import registry
from bridge.domain.metrics import Metric
from bridge.recordings.server import Answer, LabServer, Request
from bridge.store import Store
from lab.people.days import whoop_account
from lab.vendors.whoop import Vendor
from tests.world import NOW, World, later

FIVE_YEARS = 1850  # nights, and as many cycles but one; the made-up member naps and trains as well
PAGE = 25
COLLECTIONS = ("cycles", "sleeps", "recoveries", "workouts")


@contextmanager
def member(store: Store, days: int) -> Iterator[World]:
    """Somebody who has worn the band every night for so many days, about to sync for the first time."""
    account = whoop_account(NOW.date(), ZoneInfo("Europe/Berlin"), days, frozenset(), random.Random(days))
    vendor = Vendor(account)
    user = store.people.add_user("ana", "Europe/Berlin", now=NOW)
    connection = store.connections.connect(user.id, "whoop", "whoop", now=NOW)
    with LabServer(vendor.application) as server:
        spec = registry.spec("whoop")
        world = World(store=store, vendor=vendor, server=server, user=user, connection=connection, spec=spec, now=NOW)
        world.account.save_token(vendor.grant())
        yield world


@pytest.fixture
def lite() -> Iterator[Store]:
    with closing(Store("sqlite://")) as store:
        yield store


def fewest(account: dict[str, Any]) -> int:
    """The smallest number of pages that hold an account."""
    return sum(max(1, ceil(len(account[name]) / PAGE)) for name in COLLECTIONS)


@pytest.mark.slow
def test_five_years_cost_hardly_more_than_the_fewest_pages_and_then_one_request_a_collection(lite: Store) -> None:
    with member(lite, FIVE_YEARS) as world:
        outcome = world.sync()
        assert (outcome.outcome, outcome.set_aside) == ("ok", 0)
        assert outcome.new == sum(len(world.vendor.account[name]) for name in COLLECTIONS)
        assert len(world.server.asked) <= 1.05 * fewest(world.vendor.account)
        world.server.asked.clear()
        again = later(world, minutes=30).sync()
        assert (again.outcome, again.new, again.updated, again.deleted) == ("ok", 0, 0, 0)
        assert len(world.server.asked) == len(COLLECTIONS)


def test_the_days_that_count_come_before_the_years_that_were(lite: Store) -> None:
    """Refused after thirteen requests, every collection has brought the last 60 days."""
    with member(lite, 400) as world:
        world.server.faults.append(after(13, Answer(status=429, headers={"X-RateLimit-Reset": "60"})))
        assert world.sync().outcome == "failed"
        since = (NOW - timedelta(days=59)).date()
        for metric in (Metric.STRAIN, Metric.HRV_RMSSD):
            days = {sample.day for _, sample in lite.reading.samples(world.user.id, metrics=[metric], since=since)}
            assert len(days) >= 58, metric
        assert Counter(path for path in paths(world)).most_common()[0][1] <= 5


def test_years_come_newest_first_over_all_collections(lite: Store) -> None:
    with member(lite, 400) as world:
        world.server.faults.append(after(24, Answer(status=429)))
        world.sync()
        oldest = {
            kind: min(sample.start for _, sample in lite.reading.samples(world.user.id, metrics=[kind]))
            for kind in (Metric.STRAIN, Metric.HRV_RMSSD)
        }
        assert abs(oldest[Metric.STRAIN] - oldest[Metric.HRV_RMSSD]) < timedelta(days=60)


def test_killed_at_every_request_it_ends_as_if_it_had_not_been(lite: Store) -> None:
    """Each attempt gets one answer more than nothing new, then dies; the years arrive all the same, once."""
    with member(lite, 300) as world, closing(Store("sqlite://")) as other, member(other, 300) as undisturbed:
        undisturbed.sync()
        world.server.faults.append(dying := after(0, Answer(status=429)))
        for attempt in range(1, 200):
            dying.left = 1 + attempt % 7
            if world.sync(at=NOW + timedelta(minutes=attempt)).outcome == "ok":
                break
        assert world.contents() == undisturbed.contents()


def test_a_gap_of_months_without_the_band_stops_nothing(lite: Store) -> None:
    """Recoveries may then come long before their sleeps; they are read when these arrive."""
    with member(lite, 400) as world:
        gone = (NOW - timedelta(days=300), NOW - timedelta(days=115))
        account = world.vendor.account
        for name in COLLECTIONS:
            account[name] = [record for record in account[name] if not gone[0] < began(record) < gone[1]]
        outcome = world.sync()
        assert outcome.outcome == "ok"
        nights = len({r["sleep_id"] for r in account["recoveries"] if r["score_state"] == "SCORED"})
        assert len(lite.reading.samples(world.user.id, metrics=[Metric.HRV_RMSSD])) == nights
        assert lite.ingest.set_aside(world.connection.id) == []


def began(record: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(record.get("start") or record["created_at"])


def paths(world: World) -> list[str]:
    return [urlsplit(line.removeprefix("GET ")).path for line in world.server.asked]


class after:  # noqa: N801 - reads as what it does
    """Answers like this once so many requests have been let through."""

    def __init__(self, left: int, answer: Answer) -> None:
        self.left, self._answer = left, answer

    def __call__(self, request: Request) -> Answer | None:  # noqa: ARG002 - a fault's shape
        self.left -= 1
        return self._answer if self.left < 0 else None
