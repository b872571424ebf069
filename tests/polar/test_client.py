"""Polar: consent by HTTP Basic, registration of the person, and what a record means."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from bridge.domain.errors import NeedsLogin, TryLater
from bridge.domain.metrics import Metric
from bridge.domain.types import Episode, Item, RawRecord
from bridge.recordings.server import Answer
from bridge.store import Store
from connectors.polar import client
from connectors.polar.client import normalise
from tests.world import Agreeing, World, later, living

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


def items(stream: str, payload: dict[str, Any], parent: RawRecord | None = None) -> list[Item]:
    return list(normalise(RawRecord(stream=stream, key="1", payload=payload), parent))


def nights(world: World) -> set[str]:
    return {night["key"] for night in world.contents()["episodes"] if night["kind"] == "sleep"}


def test_a_consent_is_asked_for_used_and_withdrawn(world: World) -> None:
    world.vendor.revoke()
    assert world.sync().outcome == "needs_login"
    client.authorise(world.account, Agreeing())
    assert not {"refresh_token", "expires_at"} & set(world.account.token() or {})  # it is used until it is refused
    assert world.sync().outcome == "ok"
    assert client.revoke(world.account)
    assert world.sync().outcome == "needs_login"
    assert not client.revoke(world.account)


def test_a_person_is_registered_once_and_without_it_refused_everything(world: World) -> None:
    world.vendor.member = None
    refused = world.sync()
    assert refused.outcome != "ok"
    assert nights(world) == set()
    client.authorise(world.account, Agreeing())
    member = world.vendor.member
    assert member
    client.authorise(world.account, Agreeing())  # 409: registered before
    assert world.vendor.member == member
    assert world.persist().outcome == "ok"


def test_a_registration_that_fails_is_said(world: World) -> None:
    world.server.faults.append(lambda request: Answer(status=503) if request.path == "/v3/users" else None)
    with pytest.raises(TryLater, match=r"busy.*; try again later: bridge connect polar"):
        client.authorise(world.account, Agreeing())


def test_an_answer_without_a_token_is_said(world: World) -> None:
    world.server.faults.append(lambda request: Answer(body=b"[1]") if request.path == "/v2/oauth2/token" else None)
    with pytest.raises(NeedsLogin, match="gave no token"):
        client.authorise(world.account, Agreeing())


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
