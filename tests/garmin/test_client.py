"""Garmin's Personal API over HTTP: what a sync asks for, keys and tokens, and answers that hold nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing

import pytest

from bridge.domain.errors import NeedsLogin, TryLater
from bridge.recordings.server import Answer, Request
from bridge.store import Store
from connectors.garmin.client import Garmin, authorise
from tests.world import World, later, living


@pytest.fixture
def world() -> Iterator[World]:
    store: Store = Store("sqlite://")
    with living(store, "garmin", "week") as world:
        assert world.sync().outcome == "ok"
        world.server.asked.clear()
        yield world
    store.close()


def test_the_second_sync_asks_for_the_trailing_week_only(world: World) -> None:
    """Nine dates of two daily endpoints (a week before the last pull, to tomorrow), one request for each range."""
    outcome = later(world, minutes=30).sync()
    assert (outcome.new, outcome.updated) == (0, 0)
    daily = [line for line in world.server.asked if "dailySleep" in line or "dailyHeartRate" in line]
    assert len(daily) == 2 * 9
    assert len(world.server.asked) == len(daily) + 4


def test_a_running_days_totals_wait_and_a_score_that_settles_is_updated(world: World) -> None:
    today = "2026-11-20"
    steps = [s["day"] for s in world.contents()["samples"] if s["metric"] == "steps"]
    assert today not in steps
    night = world.vendor.account["sleeps"][today]
    night["dailySleepDTO"]["sleepScores"]["overall"]["value"] = 33
    assert later(world, minutes=30).sync().updated == 1
    scores = [e["values"].get("sleep_score") for e in world.contents()["episodes"] if e["day"] == today]
    assert scores == [33.0]


def test_after_a_clock_that_was_ahead_what_changed_is_found(world: World) -> None:
    assert later(world, days=40).sync().outcome == "ok"
    world.vendor.account["sleeps"]["2026-11-20"]["dailySleepDTO"]["sleepScores"]["overall"]["value"] = 33
    assert later(world, minutes=30).sync().updated == 1


def test_who_was_away_for_longer_than_a_first_sync_reads_loses_nothing(world: World) -> None:
    cursor = json.dumps({"until": "2026-11-21"})
    with closing(Garmin(world.account)) as garmin:
        assert list(garmin.pull("hrv", cursor, now=later(world, days=200).now))
    asked = [line.split("/daily/")[1] for line in world.server.asked if "/hrv/daily/" in line]
    assert asked[0].partition("/")[0] == "2026-11-14"


def test_a_token_that_ended_is_exchanged_and_kept(world: World) -> None:
    before = world.account.token_field("access_token")
    world.vendor.tokens_expire()
    assert later(world, minutes=30).sync().outcome == "ok"
    assert world.account.token_field("access_token") != before
    assert sum("/token" in line for line in world.server.asked) == 1


def test_a_key_given_while_the_token_ends_stays(world: World) -> None:
    with closing(world.connector()) as connector:
        world.vendor.revoke()  # the person has made another key, and connects with it
        world.account.save_token(world.vendor.grant())
        assert list(connector.pull("summary", None, now=world.now))
    assert world.account.token_field("api_key") == world.vendor.key


def test_an_activity_deleted_at_garmin_disappears_and_a_page_that_is_missing_deletes_none(world: World) -> None:
    had = workouts(world)
    listed = world.vendor.account["activities"]
    world.server.faults.append(lambda r: Answer(status=404, body={}) if "/activities" in r.path else None)
    assert later(world, minutes=30).sync().deleted == 0
    world.server.faults.clear()
    gone = listed.pop()
    assert later(world, minutes=60).sync().deleted == 1
    assert len(workouts(world)) == len(had) - 1, gone


def workouts(world: World) -> list[object]:
    return [e for e in world.contents()["episodes"] if e["kind"] == "workout"]


def test_a_deleted_key_asks_for_a_new_one(world: World) -> None:
    world.vendor.revoke()
    outcome = later(world, minutes=30).sync()
    assert outcome.outcome == "needs_login"
    assert "bridge connect garmin" in str(outcome.skipped_because)


@pytest.mark.parametrize(("path", "status", "outcome"), [("dailySleep", 400, "ok"), ("hrv", 400, "stopped")])
def test_a_date_may_be_refused_but_a_range_may_not(world: World, path: str, status: int, outcome: str) -> None:
    """No data of one date is nothing to worry about; a refused range would be a hole that nobody sees."""

    def refuse(request: Request) -> Answer | None:
        return Answer(status=status, body={}) if path in request.path else None

    world.server.faults.append(refuse)
    assert later(world, minutes=30).persist().outcome == outcome


def test_an_empty_object_is_no_data_and_deletes_nothing(world: World) -> None:
    before = world.contents()["episodes"]
    world.server.faults.append(lambda request: Answer(body={}) if "/token" not in request.path else None)
    outcome = later(world, minutes=30).sync()
    assert (outcome.outcome, outcome.set_aside) == ("ok", 0)
    assert world.contents()["episodes"] == before


class Typing:
    """Somebody at a terminal."""

    def __init__(self, answer: str | None) -> None:
        self.answer, self.opened = answer, ""

    def open(self, url: str) -> None:
        self.opened = url

    def paste(self) -> str | None:
        return None

    def ask(self, question: str) -> str | None:
        assert "key" in question
        return self.answer


def test_the_key_is_asked_for_tried_and_sealed(world: World) -> None:
    settings = {**world.account.settings, "api_key": ""}
    world.account.settings = settings
    person = Typing(world.vendor.key)
    authorise(world.account, person)
    assert person.opened.startswith("https://connect.garmin.com/")
    assert world.account.token_field("api_key") == world.vendor.key
    sealed = world.store.connections.secret(world.connection.id)
    assert sealed is not None
    assert world.vendor.key.encode() not in sealed
    for answer in (None, "wrong"):
        with pytest.raises(NeedsLogin, match="bridge connect garmin"):
            authorise(world.account, Typing(answer))
    world.server.faults.append(lambda _: Answer(status=503))
    with pytest.raises(TryLater, match="; try again later: bridge connect garmin"):
        authorise(world.account, person)
