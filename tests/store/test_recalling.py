"""After a clock that was ahead: what it put off comes, and what landed by it is known."""

from __future__ import annotations

from datetime import timedelta

from bridge import installation
from bridge.config import load
from bridge.domain.types import Outcome
from bridge.ingest import runs
from bridge.ingest.outcomes import record_outcome
from bridge.leases import LEASE
from bridge.store import Store
from tests.world import NOW, World, living

HOUR = timedelta(hours=1)


def strain(world: World, score: float) -> None:
    cycle = world.vendor.account["cycles"][0]
    cycle["score"]["strain"] = score
    cycle["updated_at"] = NOW.isoformat().replace("+00:00", "Z")


def test_what_landed_while_the_clock_was_ahead_is_known_now(store: Store) -> None:
    with living(store, "whoop", "week") as world:
        world.sync()
        first = store.reading.samples(world.user.id)
        strain(world, 19.5)
        assert world.sync(at=NOW + timedelta(days=3)).updated == 1
        user, now = world.user.id, NOW + HOUR
        assert store.reading.samples(user, at=now) == first
        store.scheduling.limit_source("whoop", NOW + timedelta(days=33))
        assert store.scheduling.repair_clock(now=now, lease=LEASE) == 1
        known = store.reading.samples(user)
        assert store.reading.samples(user, at=now) == known != first
        assert store.reading.samples(user, at=NOW) == first
        assert [c.due_at for c in store.connections.of_user(user)] == [now]
        assert store.scheduling.rate_limited_until("whoop") == now + timedelta(days=1)
        assert store.scheduling.repair_clock(now=now, lease=LEASE) == 0
        runs.rebuild(installation.Bridge(settings=load(), store=store), world.user, None)
        assert store.reading.samples(user, at=now) == known


def test_a_clock_that_is_behind_makes_nothing_known_earlier(store: Store) -> None:
    with living(store, "whoop", "week") as world:
        for hours in range(5):
            at, ended = NOW + hours * HOUR, Outcome(source="whoop", connection="whoop", outcome="ok")
            record_outcome(store, world.connection, ended, started=at, finished=at)
        world.sync(at=NOW + 5 * HOUR)
        assert store.scheduling.repair_clock(now=NOW + HOUR / 2, lease=LEASE) == 1  # due, and nothing else
        assert store.reading.samples(world.user.id)
        assert not store.reading.samples(world.user.id, at=NOW + 4 * HOUR)
