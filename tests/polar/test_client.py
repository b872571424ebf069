"""Polar: consent by HTTP Basic, lists that hold the last weeks, the wait it asks for, and what a record means."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
import requests

from bridge.domain.errors import BadRecord, NeedsLogin
from bridge.domain.metrics import Metric
from bridge.domain.types import Episode, Item, RawRecord
from bridge.recordings.server import Answer
from bridge.store import Store
from connectors.polar import consent
from connectors.polar.normalise import normalise
from tests.world import World, later, living

NIGHT = {
    "date": "2026-11-20",
    "sleep_start_time": "2026-11-19T23:00:00+01:00",
    "sleep_end_time": "2026-11-20T07:00:00+01:00",
    "light_sleep": 13500,
    "deep_sleep": 5400,
    "rem_sleep": 6300,
    "unrecognized_sleep_stage": 600,
}
EXERCISE = {"start_time": "2026-11-20T00:30:00", "start_time_utc_offset": 60, "duration": "PT1H2M3.5S"}
RECHARGE = {"date": "2026-11-20", "heart_rate_variability_avg": 48, "nightly_recharge_status": 4}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with closing(Store(f"sqlite:///{tmp_path / 'bridge.db'}")) as store, living(store, "polar", "week") as world:
        yield world


class Agreeing:
    """Somebody who agrees at once, and pastes where they were sent."""

    def open(self, url: str) -> None:
        self.sent = requests.get(url, timeout=10, allow_redirects=False).headers["Location"]

    def paste(self) -> str | None:
        return self.sent

    def ask(self, question: str) -> str | None:
        raise AssertionError(question)


def items(stream: str, payload: dict[str, Any], parent: RawRecord | None = None) -> list[Item]:
    return list(normalise(RawRecord(stream=stream, key="1", payload=payload), parent))


def nights(world: World) -> set[str]:
    return {night["key"] for night in world.contents()["episodes"] if night["kind"] == "sleep"}


def test_a_consent_is_asked_for_used_and_withdrawn(world: World) -> None:
    world.vendor.revoke()
    assert world.sync().outcome == "needs_login"
    consent.authorise(world.account, Agreeing())
    assert set(world.account.token() or {}) == {"access_token", "token_type"}  # not the member's id
    assert world.sync().outcome == "ok"
    assert not consent.revoke(world.account)  # the description names no way


@pytest.mark.parametrize("body", [b"", b"[1]", b'{"access_token": 5}', b"<html>"])
def test_an_answer_without_a_token_is_said(world: World, body: bytes) -> None:
    world.server.faults.append(lambda request: Answer(body=body) if request.path == "/v2/oauth2/token" else None)
    with pytest.raises(NeedsLogin, match="gave no token"):
        consent.authorise(world.account, Agreeing())


def test_the_wait_that_polar_asks_for_is_kept(world: World) -> None:
    world.server.faults.append(lambda _: Answer(status=429, headers={"RateLimit-Reset": "5000"}))
    assert world.sync().outcome == "failed"
    due = world.store.connections.of_user(world.user.id)[0].due_at
    assert due is not None
    assert due - world.now >= timedelta(seconds=5000)


def test_what_left_a_list_of_the_last_weeks_is_kept(world: World) -> None:
    assert world.sync().outcome == "ok"
    before = nights(world)
    assert before
    for stream, rows in world.vendor.account.items():
        if isinstance(rows, list):
            moved = 60 if stream != "exercises" else 50
            rows[:] = [_later(row, moved) for row in rows]
    after = later(world, days=60)
    assert after.sync().outcome == "ok"
    assert before < nights(after)


def _later(row: dict[str, Any], days: int) -> dict[str, Any]:
    """Return a row some days later under an id of its own."""

    def value(name: str, told: Any) -> Any:
        if name == "id":
            return f"{told}-later"
        if not isinstance(told, str) or not told.startswith("2026-"):
            return told
        return str(date.fromisoformat(told[:10]) + timedelta(days=days)) + told[10:]

    return {name: value(name, told) for name, told in row.items()}


def test_a_night_that_was_taken_back_vanishes(world: World) -> None:
    assert world.sync().outcome == "ok"
    gone = world.vendor.account["sleep"].pop(-3)["date"]
    after = later(world, hours=1)
    assert after.sync().outcome == "ok"
    assert gone not in nights(after)


def test_a_recharge_takes_the_time_of_its_night_and_without_one_its_date() -> None:
    night = RawRecord(stream="sleep", key="2026-11-20", payload=NIGHT)
    unread = RawRecord(stream="sleep", key="2026-11-20", payload=NIGHT | {"sleep_end_time": None})
    [timed] = items("nightly_recharge", RECHARGE, night)
    assert (timed.start.hour, timed.end.hour if timed.end else None, timed.offset) == (22, 6, 60)
    for parent in (None, unread):
        [dated] = items("nightly_recharge", RECHARGE, parent)
        assert (dated.day, dated.offset) == (timed.day, None)


def test_minutes_of_no_known_stage_are_asleep() -> None:
    [night] = items("sleep", NIGHT)
    assert isinstance(night, Episode)
    assert night.values[Metric.ASLEEP] == 430
    unknown = {"light_sleep": 0, "deep_sleep": 0, "rem_sleep": 0, "unrecognized_sleep_stage": 25_200}
    [night] = items("sleep", NIGHT | unknown)
    assert isinstance(night, Episode)
    assert night.values == {Metric.ASLEEP: 420, Metric.IN_BED: 480}


def test_an_exercise_is_of_the_day_that_the_clock_showed() -> None:
    [workout] = items("exercises", EXERCISE)
    assert isinstance(workout, Episode)
    assert (workout.start.isoformat(), workout.day) == ("2026-11-19T23:30:00+00:00", date(2026, 11, 20))
    assert workout.end - workout.start == timedelta(hours=1, minutes=2, seconds=3.5)


@pytest.mark.parametrize("odd", ["", "PT", "P1D", "PT1S1H", "an hour", "PT99999H", None, 3120])
def test_a_duration_that_is_none_is_set_aside(odd: Any) -> None:
    with pytest.raises(BadRecord, match="duration"):
        items("exercises", EXERCISE | {"duration": odd})


@pytest.mark.parametrize("odd", [None, 0.5, 1000, "60"])
def test_an_offset_that_is_none_is_set_aside(odd: Any) -> None:
    with pytest.raises(BadRecord, match="start_time_utc_offset"):
        items("exercises", EXERCISE | {"start_time_utc_offset": odd})
