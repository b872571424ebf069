"""Repair after a clock that was ahead. What that clock put off is due again."""

from __future__ import annotations

from datetime import timedelta

from bridge.domain.types import Outcome
from bridge.ingest.outcomes import record_outcome
from bridge.leases import LEASE, Lease
from bridge.store import Store
from tests.world import NOW, living

HOUR = timedelta(hours=1)
LEAP = timedelta(days=33)


def test_what_a_clock_that_was_ahead_put_off_is_due_again(store: Store) -> None:
    with living(store, "whoop", "week") as world:
        world.sync()
        world.sync(at=NOW + LEAP)
        now, connection = NOW + HOUR, world.connection.id
        store.scheduling.limit_source("whoop", NOW + LEAP)
        assert store.scheduling.claim(connection, "dead/1", now=NOW + LEAP, lease=LEASE)
        assert store.scheduling.repair_clock(now=now, lease=LEASE) == 1
        assert [c.due_at for c in store.connections.of_user(world.user.id)] == [now]
        assert store.scheduling.rate_limited_until("whoop") == now + timedelta(days=1)
        assert store.scheduling.lease_count(now=now + LEASE - HOUR / 60) == 1
        assert store.scheduling.lease_count(now=now + LEASE) == 0
        assert store.scheduling.repair_clock(now=now, lease=LEASE) == 0


def test_a_repair_is_over_once_a_sync_ended_by_the_right_clock(store: Store) -> None:
    with living(store, "whoop", "week") as world:
        world.sync(at=NOW + LEAP)
        assert store.scheduling.repair_clock(now=NOW, lease=LEASE) == 1
        world.sync()
        due = [c.due_at for c in store.connections.of_user(world.user.id)]
        assert store.scheduling.repair_clock(now=NOW, lease=LEASE) == 0
        assert [c.due_at for c in store.connections.of_user(world.user.id)] == due


def test_a_clock_that_is_behind_makes_nothing_known_earlier(store: Store) -> None:
    with living(store, "whoop", "week") as world:
        for hours in range(5):
            at, ended = NOW + hours * HOUR, Outcome(source="whoop", connection="whoop", outcome="ok")
            record_outcome(Lease(store=store, connection=world.connection, holder="", now=at), ended)
        world.sync(at=NOW + 5 * HOUR)
        assert store.scheduling.repair_clock(now=NOW + HOUR / 2, lease=LEASE) == 1  # due, and nothing else
        assert store.reading.samples(world.user.id)
        assert not store.reading.samples(world.user.id, at=NOW + 4 * HOUR)
