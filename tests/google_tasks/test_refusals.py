"""Refusals of Google Tasks, and the answer to each: later, log in again, enable the API, or a list less."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any
from urllib.parse import unquote

import pytest
import requests

from bridge.domain.errors import NeedsLogin
from bridge.recordings.server import Answer, Fault, Request
from bridge.store import Store
from connectors.google.tasks.client import authorise
from lab.vendors.google import refusal
from tests.google_tasks.conftest import HOME, WORK, titles
from tests.world import World, later, living


def newer(status: int, word: str, *reasons: str) -> Answer:
    """An error as newer Google APIs write it: no ``errors``, reasons among other ``details``."""
    details: list[dict[str, Any]] = [{"@type": "type.googleapis.com/google.rpc.Help", "links": []}]
    details += [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason} for reason in reasons]
    return Answer(status=status, body={"error": {"code": status, "message": "no", "status": word, "details": details}})


def bare(status: int, word: str) -> Answer:
    return Answer(status=status, body={"error": {"code": status, "message": "no", "status": word}})


def always(answer: Answer, *, about: str = "/tasks/v1/") -> Fault:
    return lambda request: answer if about in unquote(request.path) else None


@pytest.mark.parametrize(
    "answer",
    [
        refusal(403, "rateLimitExceeded"),
        refusal(403, "userRateLimitExceeded"),
        newer(403, "RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED"),
        bare(403, "RESOURCE_EXHAUSTED"),
        bare(429, "RESOURCE_EXHAUSTED"),
        Answer(status=429, body=[]),
        Answer(status=403, body={"error": {"status": "RESOURCE_EXHAUSTED", "errors": [None], "details": "none"}}),
    ],
)
def test_a_rate_limit_in_any_shape_comes_back_later(world: World, answer: Answer) -> None:
    world.server.faults.append(always(answer))
    assert later(world, minutes=30).sync().outcome == "failed"


def test_a_used_up_quota_waits_for_hours(world: World) -> None:
    world.server.faults.append(always(refusal(403, "quotaExceeded")))
    outcome = later(world, minutes=30).sync()
    assert outcome.outcome == "failed"
    assert outcome.retry_at == world.now + timedelta(minutes=30, hours=6)


@pytest.mark.parametrize(
    "answer", [refusal(403, "accessNotConfigured"), newer(403, "PERMISSION_DENIED", "SERVICE_DISABLED")]
)
def test_an_api_that_is_off_is_named(world: World, answer: Answer) -> None:
    world.server.faults.append(always(answer))
    outcome = later(world, minutes=30).persist()
    assert outcome.outcome == "stopped"
    assert outcome.skipped_because == (
        "the Google Tasks API is not enabled in your Google project: enable it, then: bridge sync --user NAME"
    )


@pytest.mark.parametrize("answer", [refusal(403, "insufficientPermissions"), bare(403, "PERMISSION_DENIED")])
def test_a_consent_for_something_else_needs_a_login(world: World, answer: Answer) -> None:
    world.server.faults.append(always(answer))
    outcome = later(world, minutes=30).persist()
    assert outcome.outcome == "needs_login"
    assert "bridge connect google_tasks" in str(outcome.skipped_because)


def removed_between(world: World) -> Fault:
    """The list is removed after the lists were read and before its tasks are."""

    def fault(request: Request) -> Answer | None:
        if unquote(request.path).endswith(f"/{WORK}/tasks"):
            world.vendor.remove_list(WORK)
        return None

    return fault


@pytest.mark.parametrize("status", [404, 400])
def test_a_list_removed_in_between_takes_its_tasks_along(world: World, status: int) -> None:
    world.vendor.unknown_list = status
    world.server.faults.append(removed_between(world))
    second = later(world, minutes=30)
    outcome = second.sync()
    assert outcome.outcome == "ok"
    assert titles(second) == {"Call the plumber", "Renew passport", "Water the plants"}


@pytest.mark.parametrize("status", [404, 400])
def test_a_refusal_of_a_list_that_is_there_deletes_nothing(world: World, status: int) -> None:
    before = world.contents()
    world.server.faults.append(always(refusal(status, "invalid"), about=f"/{HOME}/tasks"))
    assert later(world, minutes=30).persist().outcome == "stopped"
    assert world.contents() == before


def test_a_time_too_long_ago_means_the_whole_list_again(world: World) -> None:
    gone = refusal(410, "updatedMinTooLongAgo")
    world.server.faults.append(lambda request: gone if "updatedMin" in request.query else None)
    world.vendor.account["tasks"][HOME] = world.vendor.account["tasks"][HOME][:1]  # without a tombstone
    second = later(world, minutes=30)
    outcome = second.sync()
    assert (outcome.outcome, outcome.deleted) == ("ok", 2)
    assert "Water the plants" not in titles(second)


def test_410_to_a_whole_listing_stops(world: World) -> None:
    world.server.faults.append(always(refusal(410, "updatedMinTooLongAgo")))
    assert later(world, minutes=30).persist().outcome == "stopped"


def test_an_expired_token_is_refreshed_and_a_withdrawn_consent_is_not(world: World) -> None:
    world.vendor.tokens_expire()
    assert later(world, minutes=30).sync().outcome == "ok"
    world.vendor.revoke()
    assert later(world, minutes=60).sync().outcome == "needs_login"


def test_what_landed_stays_when_the_next_list_fails(lite: Store) -> None:
    with living(lite, "google_tasks", "week") as world:
        world.server.faults.append(always(Answer(status=503), about=f"/{WORK}/tasks"))
        assert world.sync().outcome == "failed"
        assert titles(world) == {"Call the plumber", "Renew passport", "Water the plants"}
        world.server.faults.clear()
        world.server.asked.clear()
        assert later(world, minutes=15).sync().new == 3
        asked = {line.split("/")[4]: "updatedMin" in line for line in world.server.asked if "/tasks?" in line}
        assert asked == {HOME: True, WORK: False}  # the one goes on, the other begins


class Following:
    """Somebody who agrees in a browser."""

    def open(self, url: str) -> None:
        threading.Thread(target=lambda: requests.get(url, timeout=5), daemon=True).start()

    def paste(self) -> str | None:
        return None

    def ask(self, question: str) -> str | None:  # noqa: ARG002
        return None


def test_consent_asks_for_tasks_alone(world: World) -> None:
    authorise(world.account, Following())
    token = world.account.token()
    assert token is not None
    assert token["scopes"] == ["https://www.googleapis.com/auth/tasks.readonly"]
    assert later(world, minutes=30).sync().outcome == "ok"
    (asked,) = [line for line in world.server.asked if "/o/oauth2/auth" in line]
    assert "calendar" not in asked


@pytest.mark.parametrize("how", ["another scope", "refused"])
def test_a_consent_that_is_refused_or_incomplete_changes_nothing(world: World, how: str) -> None:
    before = world.account.token()
    if how == "refused":
        world.vendor.account["refuses"] = True
    else:
        world.vendor.granted_scope = "https://www.googleapis.com/auth/calendar.readonly"
    with pytest.raises(NeedsLogin, match="bridge connect google_tasks"):
        authorise(world.account, Following())
    assert world.account.token() == before
