"""Kept in step, whatever is changed at Google and wherever a sync dies: always what a new user would be given."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bridge import registry
from bridge.calendar.expansion import expand
from bridge.ingest.sync import sync
from bridge.recordings.server import Answer, LabServer, Request
from bridge.store import Store
from lab.people.calendar_edits import account
from lab.vendors.google import refusal
from lab.vendors.google_calendar import Vendor
from tests.google_calendar.hand import Hand
from tests.world import NOW, World

WINDOW = {"since": datetime(2026, 7, 1, tzinfo=UTC), "until": datetime(2027, 7, 1, tzinfo=UTC)}


class Killed(Exception):
    """Stands for the end of the process: nothing catches it."""


@contextmanager
def followed(vendor: Vendor, url: str) -> Iterator[World]:
    """A new user of that vendor."""
    with closing(Store(url)) as store, LabServer(vendor.application) as server:
        user = store.people.add_user("ana", "Europe/Berlin", now=NOW)
        connection = store.connections.connect(user.id, "google_calendar", "account", now=NOW)
        spec = registry.spec("google_calendar")
        world = World(store=store, vendor=vendor, server=server, user=user, connection=connection, spec=spec, now=NOW)
        world.account.save_token(vendor.grant())
        yield world


def agendas(world: World) -> tuple[list[Any], list[tuple[Any, ...]]]:
    """The events a store holds, and what takes place within a year."""
    events = [event for _, event in world.store.reading.events(world.user.id, **WINDOW)]
    found = expand(events, **WINDOW, zones=world.user.zones)
    return world.contents()["events"], [(o.key, o.event.title, o.start, o.end) for o in found]


def same_as_new(world: World) -> None:
    with followed(world.vendor, "sqlite://") as fresh:
        assert fresh.sync().outcome == "ok"
        expected = agendas(fresh)
    held = agendas(world)
    assert len(held[0]) == len(expected[0])
    assert held == expected


def disturbed(world: World, hand: Hand, rng: random.Random) -> str:
    """A sync during which things go on being changed, and which may be killed where a page has landed."""

    def landed(stream: str, records: int) -> None:
        if rng.random() < 0.3:
            hand.change()
        if rng.random() < 0.2:
            raise Killed

    try:
        return sync(world.source(), world.store, holder="test/1", now=world.now, on_page=landed).outcome
    except Killed:
        return "killed"


def trouble(rng: random.Random) -> Any:
    """Now and then a dead token, in the middle of a listing too, or too many requests."""

    def fault(request: Request) -> Answer | None:
        if not request.path.startswith("/calendar"):
            return None
        if "syncToken" in request.query and rng.random() < (0.2 if "pageToken" in request.query else 0.03):
            return refusal(410, "fullSyncRequired")
        busy = refusal(403, "rateLimitExceeded") if rng.random() < 0.5 else refusal(429, "rateLimitExceeded")
        return busy if rng.random() < 0.03 else None

    return fault


def live(world: World, rng: random.Random, changes: int) -> None:
    """So many changes with syncs in between, disturbed and not; in the end all is quiet."""
    hand, step = Hand(world.vendor, rng), timedelta(minutes=30)
    world.server.faults.append(trouble(rng))
    while changes > 0:
        some = min(rng.randrange(1, 8), changes)
        changes -= some
        for _ in range(some):
            hand.change()
        world.vendor.tells_exceptions = rng.random() < 0.5
        if rng.random() < 0.03:
            world.vendor.expire_sync_tokens()
        world = replace(world, now=world.now + step)
        if disturbed(world, hand, rng) == "ok" and rng.random() < 0.4:
            world = replace(world, now=world.now + step)
            if world.sync().outcome == "ok":
                same_as_new(world)
    world.server.faults.clear()
    assert replace(world, now=world.now + step).sync().outcome == "ok"


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_a_small_life_stays_in_step(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    rng = random.Random(seed)
    vendor = Vendor(account(120, rng))
    vendor.page_size = rng.choice((3, 7, 2500))
    with followed(vendor, "sqlite://") as world:
        live(world, rng, changes=60)
        same_as_new(world)
