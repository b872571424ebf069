"""Every live source through every bad day of its vendor, after which nothing is lost or doubled.

The table they are held to is in CONTRIBUTING ("How a sync works"). Each fault strikes at the first request and in the
middle; afterwards the vendor is well again, the connection is synced when it is due, and the store must equal that of
somebody who was never disturbed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import timedelta
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import pytest

from bridge import http
from bridge.ingest.outcomes import backoff
from bridge.recordings.server import Fault
from bridge.store import Store
from connectors.google import auth
from tests.contract import bad_days as faults
from tests.contract.laws import access
from tests.contract.test_connectors import LIVE
from tests.world import World, living, vendor_of

RESET = 77  # seconds
PATIENCE = 0.5  # seconds our clients wait in these tests
Make = Callable[[World], Fault]
FAULTS: dict[str, tuple[Make, set[str]]] = {
    "429 with a time": (lambda _: faults.too_many(RESET), {"failed"}),
    "500": (lambda _: faults.maintenance(500), {"failed"}),
    "503": (lambda _: faults.maintenance(503), {"failed"}),
    "no answer": (lambda _: faults.silent(4 * PATIENCE), {"failed"}),
    "half an answer": (lambda world: faults.cut_off(world.vendor.application), {"failed"}),
    "a page for people": (lambda _: faults.maintenance(200), {"failed"}),
    "another format": (lambda world: faults.rewritten(world.vendor.application, faults.renamed), {"failed"}),
}
POSITIONS = (1, pytest.param(3, marks=pytest.mark.slow))  # of the first request that goes wrong


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "TIMEOUT", (PATIENCE, PATIENCE))
    monkeypatch.setattr(auth, "ANSWER_MAX_SECONDS", PATIENCE)
    monkeypatch.setattr("urllib3.util.retry.Retry.sleep", lambda *_: None)  # the quick retries are not what is tested


@contextmanager
def short(store: Store, source: str) -> Iterator[World]:
    """The awkward account, with settings that are read anew."""
    with living(store, source, "awkward") as world:
        yield replace(world)


@cache
def undisturbed(source: str) -> tuple[dict[str, list[Any]], int]:
    """Return the store's content without a bad day, and how many requests that took."""
    with closing(Store("sqlite://")) as store, short(store, source) as world:
        assert world.sync().outcome == "ok"
        return world.contents(), len(world.server.asked)


def struck(source: str) -> list[str]:
    return [name for name in FAULTS if name != "another format" or vendor_of(source).speaks_json]


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize(("source", "fault"), [(source, name) for source in LIVE for name in struck(source)])
def test_a_bad_day_ends_as_the_table_says_and_heals(lite: Store, source: str, fault: str, position: int) -> None:
    make, outcomes = FAULTS[fault]
    contents, requests = undisturbed(source)
    if position > requests:
        pytest.skip(f"a first sync of {source} takes {requests} requests")
    with short(lite, source) as world:
        world.server.faults.append(faults.from_the(position, make(world)))
        bad = world.sync()
        assert bad.outcome in outcomes, bad.skipped_because
        connection = world.store.connections.of_user(world.user.id)[0]
        assert connection.paused is None
        assert connection.last_error
        due = _due(world, fault, bad)
        world.server.faults.clear()
        healed = world.sync(at=due)
        assert healed.outcome == "ok", healed.skipped_because
        assert world.contents() == contents


def _due(world: World, fault: str, bad: Any) -> Any:
    """Return when the connection is due again, at the vendor's time or after our own pause."""
    if fault == "429 with a time":
        assert bad.retry_at is not None
        assert bad.retry_at >= world.now + timedelta(seconds=RESET)
        return bad.retry_at
    return world.now + backoff(world.connection, world.now)


@pytest.mark.parametrize("source", LIVE)
def test_a_withdrawn_consent_stops_until_the_person_has_logged_in_again(lite: Store, source: str) -> None:
    contents, _ = undisturbed(source)
    with short(lite, source) as world:
        world.vendor.revoke()
        refused = world.persist()
        assert refused.outcome == "needs_login"
        assert f"bridge connect {source}" in str(refused.skipped_because)
        assert world.store.connections.of_user(world.user.id)[0].due_at is None
        world.account.save_token(world.vendor.grant())
        world.store.connections.connect(world.user.id, source, source, now=world.now)
        assert world.sync().outcome == "ok"
        assert world.contents() == contents


@pytest.mark.parametrize("source", [source for source in LIVE if access.tokens_end(source)])
def test_a_clock_that_differs_from_the_vendors_costs_one_refresh_and_no_consent(lite: Store, source: str) -> None:
    """By our clock the token lives on, by the vendor's it has ended."""
    contents, _ = undisturbed(source)
    with short(lite, source) as world:
        world.vendor.tokens_expire()
        assert world.sync().outcome == "ok"
        assert world.contents() == contents
        assert sum("token" in urlsplit(line.split(" ")[1]).path for line in world.server.asked) <= 1
