"""WHOOP's tokens while they are used: an hour of access, a refresh token that dies when it is used."""

from __future__ import annotations

import time
from typing import Any

import pytest

from bridge.auth import oauth
from bridge.recordings.server import Answer, Request
from connectors.whoop import SPEC
from tests.world import World, later

TOKENS = "/oauth/oauth2/token"


def refreshes(world: World) -> int:
    return world.server.asked.count(f"POST {TOKENS}")


def swap(world: World) -> dict[str, Any]:
    """Spend the refresh token and keep the new pair, as another process would."""
    token = world.account.token() or {}
    pair = oauth.refreshed(world.account, SPEC, token)
    world.account.save_token(pair)
    return pair


def test_an_expired_token_is_refreshed_once_for_the_whole_sync(world: World) -> None:
    before = world.account.token() or {}
    world.vendor.tokens_expire()
    assert world.sync().outcome == "ok"
    assert refreshes(world) == 1
    after = world.account.token() or {}
    assert after["refresh_token"] != before["refresh_token"]
    assert after["expires_at"] > time.time() + 3000
    assert later(world, minutes=30).sync().outcome == "ok"
    assert refreshes(world) == 1


def test_a_refresh_is_asked_for_as_whoop_wants_it(world: World) -> None:
    world.vendor.tokens_expire()
    spent = (world.account.token() or {})["refresh_token"]
    forms: list[dict[str, str]] = []
    world.server.faults.append(lambda request: forms.append(request.form) if request.path == TOKENS else None)
    assert world.sync().outcome == "ok"
    client = {"client_id": "lab-client", "client_secret": "lab-secret"}
    assert forms == [client | {"grant_type": "refresh_token", "refresh_token": spent, "scope": "offline"}]


def test_a_new_token_that_is_refused_is_not_refreshed_again(world: World) -> None:
    world.server.faults.append(lambda request: None if request.path == TOKENS else Answer(status=401))
    assert world.sync().outcome == "needs_login"
    assert len(world.server.asked) == 3
    assert refreshes(world) == 1


def test_a_token_about_to_end_is_refreshed_before_it_is_refused(world: World) -> None:
    world.account.save_token(
        (world.account.token() or {}) | {"expires_at": time.time() + oauth.SWAP_AHEAD_SECONDS - 10}
    )
    assert world.sync().outcome == "ok"
    assert world.server.asked[0] == f"POST {TOKENS}"
    assert refreshes(world) == 1


def test_a_rotated_pair_is_stored_before_it_is_used(world: World) -> None:
    """Whenever a request arrives, its token is the stored one: a crash at that moment costs nothing."""
    world.vendor.tokens_expire()
    seen: list[tuple[str, str]] = []

    def look(request: Request) -> Answer | None:
        if request.path != TOKENS:
            sent = request.headers["authorization"].removeprefix("Bearer ")
            seen.append((sent, (world.account.token() or {})["access_token"]))
        return None

    world.server.faults.append(look)
    assert world.sync().outcome == "ok"
    assert len({sent for sent, _ in seen}) == 2  # before and after the refresh
    assert all(sent == stored for sent, stored in seen)


def test_a_withdrawn_consent_pauses_until_the_person_has_logged_in(world: World) -> None:
    world.sync()
    world.vendor.revoke()
    outcome = later(world, minutes=30).sync()
    assert outcome.outcome == "needs_login"
    assert "bridge connect whoop" in str(outcome.skipped_because)
    connection = world.store.connections.of_user(world.user.id)[0]
    assert connection.paused == outcome.skipped_because
    assert connection.due_at is None
    assert refreshes(world) == 1  # one attempt, no storm


def test_without_a_token_nothing_is_asked(world: World) -> None:
    world.account.save_token({})
    assert world.sync().outcome == "needs_login"
    assert world.server.asked == []


def test_a_pair_that_another_process_swapped_is_used_instead_of_spent(world: World) -> None:
    connector = world.connector()
    theirs = swap(world)
    world.vendor._access = {theirs["access_token"]: time.time() + 3600}  # the pair we hold is dead
    pages = list(connector.pull("workout", None, now=world.now))
    connector.close()
    assert len(pages[0].records) == 3
    assert refreshes(world) == 1  # theirs
    assert world.account.token() == theirs


def test_a_lost_race_for_the_refresh_does_not_cost_the_consent(world: World) -> None:
    """Another process spends the refresh token after we have looked and before our own request arrives."""
    world.vendor.tokens_expire()
    theirs: list[dict[str, Any]] = []

    def overtake(request: Request) -> Answer | None:
        if request.path == TOKENS:
            world.server.faults.clear()
            theirs.append(swap(world))
        return None

    world.server.faults.append(overtake)
    assert world.sync().outcome == "ok"
    assert refreshes(world) == 2
    assert world.account.token() == theirs[0]
    assert world.store.connections.of_user(world.user.id)[0].paused is None


NO_TOKENS = [
    Answer(status=429, body=b"<html>busy</html>", headers={"Content-Type": "text/html"}),
    Answer(status=429, body={"error": "too_many_requests"}),
    Answer(status=500, body={"error": "server_error"}),
    Answer(status=503, body=b"<html>busy</html>", headers={"Content-Type": "text/html"}),
    Answer(body=b"<html>welcome to this hotel</html>", headers={"Content-Type": "text/html"}),
    Answer(body=b""),
    Answer(body=b"null"),
    Answer(body=[]),
    Answer(body={"access_token": "a", "token_type": "bearer", "expires_in": "soon"}),
]


@pytest.mark.parametrize("answer", NO_TOKENS, ids=lambda answer: f"{answer.status} {str(answer.body)[:20]}")
def test_what_a_busy_token_server_says_costs_no_consent(world: World, answer: Answer) -> None:
    world.vendor.tokens_expire()
    before = world.account.token()
    world.server.faults.append(lambda request: answer if request.path == TOKENS else None)
    outcome = world.sync()
    assert outcome.outcome == "failed"
    assert "token server" in str(outcome.skipped_because)
    assert world.account.token() == before
    world.server.faults.clear()
    assert world.sync().outcome == "ok"
