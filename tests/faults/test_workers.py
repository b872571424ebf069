"""Workers that are killed, and a database that goes away: everything due is done all the same, once."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Iterator

import pytest

from bridge.store import Store
from lab.postgres_cluster import cluster, restart
from tests.jobs.fleet import Fleet, fleet_at, until

pytestmark = pytest.mark.postgres


@pytest.fixture
def own_server(postgres_server: str) -> Iterator[str]:  # which skips where there is no PostgreSQL
    """A cluster that nobody else uses, for it is going to be stopped."""
    with cluster("-c max_connections=100") as server:
        yield f"{server}/postgres"


def finish(fleet: Fleet) -> None:
    """Whatever happened: all that is due gets done, and the store says exactly what the vendors do."""

    def done() -> bool:
        fleet.replace_fallen()
        return fleet.unsynced() == 0 and fleet.waiting() == 0

    assert until(done, seconds=120)
    assert until(lambda: fleet.advised() == fleet.users, seconds=60)
    assert set(fleet.stop()) <= {0, -signal.SIGTERM}  # the latter has not yet begun
    assert fleet.counted() == (0, 0)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_worker_killed_and_the_database_restarted_in_the_middle(own_server: str) -> None:
    Store(own_server).close()
    with fleet_at(own_server, 3) as fleet:
        first, _ = fleet.start(), fleet.start()
        assert until(lambda: fleet.unsynced() < 9, seconds=60)
        fleet.kill(first)
        restart(own_server.removesuffix("/postgres"))
        fleet.start()
        finish(fleet)


@pytest.mark.faults
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("seed", range(2))
def test_twenty_five_kills_and_five_restarts(own_server: str, seed: int) -> None:
    """Two workers at any time; one of them is killed a random moment after everything became due again."""
    rng = random.Random(seed)
    Store(own_server).close()
    with fleet_at(own_server, 8) as fleet:
        for _ in range(2):
            fleet.start()
        assert until(lambda: fleet.unsynced() < 24, seconds=60)
        for kill in range(25):
            fleet.replace_fallen()
            fleet.kill(rng.choice([worker for worker in fleet.workers if worker.poll() is None]))
            fleet.start()
            if kill % 5 == 4:
                restart(own_server.removesuffix("/postgres"))
            fleet.due_again()
            time.sleep(rng.random() * 6)
        finish(fleet)
