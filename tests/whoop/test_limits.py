"""The limit that all accounts of one WHOOP app share: nobody asks beyond it, and nobody before it is renewed."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import timedelta

import pytest

from bridge import installation
from bridge.auth.vault import Vault
from bridge.leases import LEASE
from bridge.recordings.server import Answer, Request
from bridge.store import Store
from tests.world import KEY, NOW, World, later, living


def neighbour(world: World) -> World:
    """Another member of the same app, at the same server."""
    user = world.store.people.add_user("ben", "Europe/Berlin", now=NOW)
    connection = world.store.connections.connect(user.id, "whoop", "whoop", now=NOW)
    other = replace(world, user=user, connection=connection)
    token = installation.StoredAccount(connection.id, {}, world.store, Vault([KEY]))
    token.save_token(world.vendor.grant())
    return other


@pytest.mark.slow
def test_the_request_after_the_last_allowed_one_is_not_made(world: World) -> None:
    world.vendor.allowed, world.vendor.window = 5, 1.5
    moment, outcomes = world.now, []
    for _ in range(8):
        outcome = world.sync(at=moment)
        outcomes.append(outcome.outcome)
        if outcome.outcome == "ok":
            break
        assert outcome.retry_at is not None
        time.sleep((outcome.retry_at - moment).total_seconds())
        moment = outcome.retry_at
    assert outcomes[-1] == "ok"
    assert len(outcomes) >= 2
    assert world.vendor.refused == 0


def test_a_429_silences_every_account_until_the_vendors_time(store: Store) -> None:
    with living(store, "whoop", "week") as world:
        other = neighbour(world)
        world.server.faults.append(busy)
        refused = world.sync()
        assert refused.retry_at is not None
        world.server.faults.clear()
        world.server.asked.clear()
        early = other.sync(at=refused.retry_at - timedelta(seconds=1))
        assert (early.outcome, early.retry_at) == ("failed", refused.retry_at)
        assert (
            store.scheduling.claim_due("x/1", now=refused.retry_at - timedelta(seconds=1), lease=LEASE, limit=9) == []
        )
        assert world.server.asked == []
        due = store.scheduling.claim_due("x/1", now=refused.retry_at, lease=LEASE, limit=9)
        assert {connection.id for connection in due} == {world.connection.id, other.connection.id}
        for connection in due:
            store.scheduling.release(connection.id, "x/1")
        assert other.sync(at=refused.retry_at).outcome == "ok"


def test_an_account_in_the_middle_stops_when_another_comes_to_the_end(store: Store) -> None:
    """Its page has landed; the next one is not asked for."""
    with living(store, "whoop", "week") as world:

        def another_is_refused(request: Request) -> Answer | None:
            if len(world.server.asked) == 2:
                store.scheduling.limit_source("whoop", world.now + timedelta(minutes=1))
            return None

        world.server.faults.append(another_is_refused)
        outcome = world.sync()
        assert (outcome.outcome, outcome.retry_at) == ("failed", world.now + timedelta(minutes=1))
        assert len(world.server.asked) == 2
        world.server.faults.clear()
        assert later(world, minutes=1).sync().outcome == "ok"


def busy(request: Request) -> Answer | None:
    headers = {"X-RateLimit-Reset": "90", "X-RateLimit-Remaining": "0"}
    return Answer(status=429, headers=headers) if request.path.startswith("/developer") else None
