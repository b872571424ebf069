"""Google Calendar's refusals, each for what has to happen next, and its tokens while they are used."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import unquote

import pytest

from bridge.http import transport
from bridge.ingest.outcomes import backoff
from bridge.recordings.server import Answer, Request
from connectors.google import auth
from lab.vendors.google import refusal
from tests.world import World, later


def refuse(world: World, answer: Answer) -> None:
    """Every request of the API from now on; tokens are still given."""
    world.server.faults[:] = [lambda request: None if request.path == "/token" else answer]


def spoil(world: World) -> None:
    """The stored access token has ended an hour ago."""
    ended = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
    world.account.save_token((world.account.token() or {}) | {"expiry": ended})


@pytest.mark.parametrize("reason", ["rateLimitExceeded", "userRateLimitExceeded"])
def test_too_many_requests_come_as_403_and_are_tried_later(world: World, reason: str) -> None:
    refuse(world, refusal(403, reason))
    outcome = later(world, minutes=30).sync()
    assert (outcome.outcome, outcome.retry_at) == ("failed", None)
    connection = world.store.connections.of_user(world.user.id)[0]
    assert connection.paused is None
    failed = world.now + timedelta(minutes=30)
    assert connection.due_at == failed + backoff(world.connection, failed)
    assert len(world.server.asked) == 1  # a minute is the scheduler's to wait
    world.server.faults.clear()
    assert later(world, minutes=60).sync().outcome == "ok"


def test_the_servers_own_time_counts(world: World) -> None:
    refuse(world, refusal(403, "rateLimitExceeded", Retry_After="120"))
    assert world.sync().retry_at == world.now + timedelta(seconds=120)


def test_a_used_up_day_is_left_alone_for_hours(world: World) -> None:
    refuse(world, refusal(403, "quotaExceeded"))
    outcome = world.sync()
    assert (outcome.outcome, outcome.retry_at) == ("failed", world.now + timedelta(hours=6))


def test_an_api_that_is_not_enabled_is_named(world: World) -> None:
    refuse(world, refusal(403, "accessNotConfigured"))
    outcome = world.persist()
    assert outcome.outcome == "stopped"
    assert "Google Calendar API is not enabled" in str(outcome.skipped_because)


def test_a_consent_that_does_not_reach_needs_login(world: World) -> None:
    refuse(world, refusal(403, "insufficientPermissions"))
    assert world.persist().outcome == "needs_login"


def test_a_calendar_whose_owner_took_access_back_costs_no_other(world: World) -> None:
    shut, other = sorted({event["calendar"] for event in world.contents()["events"]})[:2]
    world.server.faults[:] = [
        lambda r: refusal(403, "forbidden") if unquote(r.path).endswith(f"{shut}/events") else None
    ]
    outcome = later(world, minutes=30).sync()
    assert (outcome.outcome, outcome.deleted > 0) == ("ok", True)
    left = {event["calendar"] for event in world.contents()["events"]}
    assert shut not in left
    assert other in left


def test_where_every_calendar_is_shut_it_is_the_consent(world: World) -> None:
    before = world.contents()["events"]
    world.server.faults[:] = [lambda request: refusal(403, "forbidden") if "/events" in request.path else None]
    assert world.persist().outcome == "needs_login"
    assert world.contents()["events"] == before


def test_a_consent_that_is_given_while_the_one_before_is_renewed_stays(world: World) -> None:
    spoil(world)
    account = replace(world).account

    def give() -> None:
        with account.refresh_lock():
            account.save_token((account.token() or {}) | {"writes": True})

    giving = threading.Thread(target=give)

    def meanwhile(request: Request) -> None:
        if request.path == "/token" and giving.ident is None:
            giving.start()
            giving.join(0.3)  # it has to wait for the renewal

    world.server.faults.append(meanwhile)
    assert world.sync().outcome == "ok"
    giving.join(10)
    assert (world.account.token() or {})["writes"] is True


def test_an_ended_token_is_refreshed_once_and_stored_before_it_is_used(world: World) -> None:
    spoil(world)
    before = world.account.token() or {}
    seen: list[tuple[str, str]] = []

    def look(request: Request) -> Answer | None:
        if request.path != "/token":
            sent = request.headers["authorization"].removeprefix("Bearer ")
            seen.append((sent, (world.account.token() or {})["token"]))
        return None

    world.server.faults.append(look)
    assert later(world, minutes=30).sync().outcome == "ok"
    assert world.server.asked.count("POST /token") == 1
    assert all(sent == stored != before["token"] for sent, stored in seen)
    after = world.account.token() or {}
    assert {n: after[n] for n in ("refresh_token", "scopes")} == {n: before[n] for n in ("refresh_token", "scopes")}
    assert datetime.fromisoformat(after["expiry"]) > datetime.now(UTC) + timedelta(minutes=50)


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """Every client that is opened; closed at the end, whoever should have done it."""
    opened: list[Any] = []
    begin = auth._Http.__init__

    def remembering(client: Any, **options: Any) -> None:
        begin(client, **options)
        opened.append(client)

    monkeypatch.setattr(auth._Http, "__init__", remembering)
    yield opened
    for client in opened:
        client.close()


WAYS = pytest.mark.parametrize("ended", [True, False], ids=["an ended token", "a token that is refused"])


@WAYS
def test_a_dead_consent_needs_login(world: World, connections: list[Any], ended: bool) -> None:
    if ended:
        spoil(world)
    world.vendor.revoke()
    outcome = later(world, minutes=30).sync()
    assert outcome.outcome == "needs_login"
    assert "bridge connect google_calendar" in str(outcome.skipped_because)
    assert "In production" in str(outcome.skipped_because)  # the seven days of an app in testing
    connection = world.store.connections.of_user(world.user.id)[0]
    assert connection.paused == outcome.skipped_because
    assert connection.due_at is None


def test_a_refused_refresh_opens_no_connection_beside_the_shared_ones(world: World, connections: list[Any]) -> None:
    spoil(world)
    world.vendor.revoke()
    world.sync()
    assert connections
    (shared,) = {adapter for client in connections for adapter in client._session.adapters.values()}
    assert isinstance(shared, transport.Kept)
    assert len(shared.poolmanager.pools) <= 10  # urllib3's bound


@WAYS
@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_token_server_costs_no_consent(world: World, connections: list[Any], status: int, ended: bool) -> None:
    if ended:
        spoil(world)
    world.vendor.tokens_expire()
    busy = Answer(status=status, body={"error": "temporarily_unavailable"})
    world.server.faults.append(lambda request: busy if request.path == "/token" else None)
    assert later(world, minutes=30).sync().outcome == "failed"
    world.server.faults.clear()
    assert later(world, minutes=60).sync().outcome == "ok"


def test_a_token_server_that_answers_with_a_page_costs_no_consent(world: World, connections: list[Any]) -> None:
    spoil(world)
    busy = Answer(status=503, body=b"<html>busy</html>", headers={"Content-Type": "text/html"})
    world.server.faults.append(lambda request: busy if request.path == "/token" else None)
    assert later(world, minutes=30).sync().outcome == "failed"


def test_without_a_consent_nothing_is_asked(world: World) -> None:
    world.account.save_token({})
    assert world.sync().outcome == "needs_login"
    assert world.server.asked == []
