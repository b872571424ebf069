"""Withings's notifications: subscribed with the person's own address, believed by it alone, and followed by a pull."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import requests

from bridge.domain.errors import Forged
from bridge.ingest import connecting
from bridge.recordings.server import Answer
from connectors.withings.webhook import KEPT, notice, token_of
from lab.vendors import CLIENT
from lab.vendors.withings import MEMBER
from tests.hooked import ARRIVE, Stage, staged
from tests.world import NOW

SECRET = CLIENT["client_secret"]
OLD_DAY = "2026-10-20"
OLD = {"date": OLD_DAY, "timezone": "Europe/Berlin", "steps": 4321}


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    with staged("withings", tmp_path, monkeypatch) as stage:
        yield stage


def address(stage: Stage) -> str:
    return f"{stage.bridge.settings.url}/hooks/withings/{token_of(str(MEMBER), SECRET)}"


def subscribed(stage: Stage) -> set[tuple[str, str]]:
    return set(stage.vendor.notifications.open)


def about_notify(asked: list[str]) -> int:
    return asked.count("POST /notify")


def steps(stage: Stage, day: str) -> list[float]:
    return [s["value"] for s in stage.contents()["samples"] if (s["metric"], s["day"]) == ("steps", day)]


def test_the_first_sync_subscribes_sleep_and_activity_to_the_persons_own_address(stage: Stage) -> None:
    assert about_notify(stage.sync()) == 3  # a list, and two subscriptions
    assert subscribed(stage) == {(address(stage), "16"), (address(stage), "44")}
    assert stage.connection.member == str(MEMBER)
    assert about_notify(stage.sync(minutes=30)) == 0


def test_a_subscription_that_withings_dropped_is_opened_again_within_a_day(stage: Stage) -> None:
    stage.sync()
    del stage.vendor.notifications.open[address(stage), "44"]
    assert about_notify(stage.sync(hours=25)) == 2
    assert (address(stage), "44") in subscribed(stage)


def test_a_notification_makes_the_connection_due_and_brings_a_day_of_weeks_ago(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    stage.sync()
    assert stage.connection.due_at == NOW + timedelta(minutes=30)
    stage.vendor.account["activity"].append(OLD)
    assert stage.vendor.notifications.send("16", date=OLD_DAY) == [200]
    assert stage.connection.due_at == ARRIVE
    stage.sync(minutes=10)
    assert steps(stage, OLD_DAY) == [4321]
    assert stage.notices() == []
    said = [record.getMessage() for record in caplog.records if record.name != "uvicorn.access"]  # the tests' server
    assert "withings: a notice for 1 connections, new to 1" in said
    assert not [text for text in said if token_of(str(MEMBER), SECRET) in text]


def test_what_a_notification_says_is_not_believed(stage: Stage) -> None:
    stage.sync()
    before = stage.contents()
    night = {"startdate": 1794524400, "enddate": 1794552000, "total_sleep_time": 60, "action": "delete"}
    assert stage.vendor.notifications.send("44", **night) == [200]
    assert stage.notices() == [("sleep", ""), ("sleep", "2026-11")]
    stage.sync(minutes=10)
    assert stage.contents() == before


def test_the_same_notification_sent_again_is_one(stage: Stage) -> None:
    stage.sync()
    for _ in range(3):
        stage.vendor.notifications.send("16", date=OLD_DAY)
    assert stage.notices() == [("activity", ""), ("activity", "2026-10")]
    stage.sync(minutes=10)
    stage.vendor.notifications.send("16", date=OLD_DAY)
    assert stage.notices() == []


@pytest.mark.parametrize("tail", ["363", f"363-{'0' * 64}", token_of("364", "other"), token_of("363", ""), "x"])
def test_an_address_that_was_not_told_to_withings_is_refused(stage: Stage, tail: str) -> None:
    stage.sync()
    said = {"userid": "363", "appli": "16", "date": OLD_DAY}
    answer = requests.post(f"{stage.bridge.settings.url}/hooks/withings/{tail}", data=said, timeout=5)
    assert answer.status_code == 401
    assert "363" not in answer.text
    assert stage.notices() == []
    assert stage.connection.due_at == NOW + timedelta(minutes=30)


def test_without_a_token_there_is_no_such_address_and_a_signed_source_takes_none(stage: Stage) -> None:
    base = f"{stage.bridge.settings.url}/hooks"
    for path in ("withings", "whoop/363", "ics/363"):
        assert requests.post(f"{base}/{path}", data={"userid": "363"}, timeout=5).status_code == 404
    assert requests.get(f"{base}/whoop/363", timeout=5).status_code == 404


@pytest.mark.parametrize(
    "said", [{}, {"userid": "364", "appli": "16"}, {"userid": "363", "appli": "1"}, {"userid": "363"}, {"appli": "16"}]
)
def test_a_stranger_an_odd_category_and_an_empty_message_are_taken_and_passed_over(
    stage: Stage, said: dict[str, str]
) -> None:
    stage.sync()
    answer = requests.post(address(stage), data=said or b"", timeout=5)
    assert (answer.status_code, answer.json()) == (200, {"new": 0})
    assert stage.notices() == []


def test_withings_tries_the_address_by_head(stage: Stage) -> None:
    for method in ("HEAD", "GET"):
        assert requests.request(method, address(stage), timeout=5).status_code == 200
    stage.with_url("http://127.0.0.1:1")  # where nothing listens
    assert about_notify(stage.sync()) == 2
    assert subscribed(stage) == set()


def test_a_lost_notification_costs_half_an_hour_and_nothing_else(stage: Stage) -> None:
    stage.sync()
    stage.vendor.notifications.open.clear()
    stage.vendor.account["activity"][-1]["steps"] = 9999
    assert stage.connection.due_at == NOW + timedelta(minutes=30)
    stage.sync(minutes=30)
    assert steps(stage, stage.vendor.account["activity"][-1]["date"]) == [9999]


@pytest.mark.parametrize("status", [400, 500])
def test_a_refused_subscription_costs_no_sync(stage: Stage, status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    stage.server.faults.append(lambda r: Answer(status=status) if r.path == "/notify" else None)
    stage.sync()
    assert subscribed(stage) == set()
    stage.server.faults.clear()
    stage.sync(minutes=30)
    assert len(subscribed(stage)) == 2


def test_another_address_of_the_bridge_takes_the_place_of_the_former(stage: Stage) -> None:
    stage.sync()
    former = address(stage)
    stage.with_url((stage.bridge.settings.url or "").replace("127.0.0.1", "localhost"))
    stage.sync(minutes=30)
    assert subscribed(stage) == {(address(stage), "16"), (address(stage), "44")}
    assert former != address(stage)


@pytest.mark.parametrize("url", [None, "http://bridge.example.org"])
def test_without_an_https_address_nothing_is_asked_for(stage: Stage, url: str | None) -> None:
    stage.with_url(url)
    asked = stage.sync()
    assert about_notify(asked) == 0


def test_without_an_address_there_are_none_and_those_open_end(stage: Stage) -> None:
    stage.sync()
    other = ("https://other.example.com/withings", "44")
    stage.vendor.notifications.open[other] = ""
    stage.with_url(None)
    assert about_notify(stage.sync(minutes=30)) == 2
    assert subscribed(stage) == {other}
    assert about_notify(stage.sync(minutes=30)) == 0


def test_disconnecting_ends_them_and_what_still_comes_is_passed_over(stage: Stage) -> None:
    stage.sync()
    there = address(stage)
    connecting.disconnect(stage.bridge, stage.user, "withings")
    assert subscribed(stage) == set()
    said = {"userid": MEMBER, "appli": 16, "date": OLD_DAY}
    assert requests.post(there, data=said, timeout=5).json() == {"new": 0}


def test_a_refreshed_consent_remembers_the_subscriptions(stage: Stage) -> None:
    stage.sync()
    stage.vendor.tokens_expire()
    asked = stage.sync(minutes=30)
    assert "POST /v2/oauth2" in asked
    assert about_notify(asked) == 0
    assert (stage.account.token() or {})[KEPT]["address"] == address(stage)


LAB = {"client_secret": SECRET}


def read(body: bytes, token: str = token_of("363", SECRET), secret: str = SECRET) -> Any:
    return notice({}, body, settings={"client_secret": secret}, now=datetime(2026, 11, 20, tzinfo=UTC), token=token)


@pytest.mark.parametrize(
    ("said", "keys"),
    [
        (b"date=2026-11-01", ["", "2026-11"]),
        (b"startdate=1790800000&enddate=1794552000", ["", "2026-09", "2026-11"]),
        (b"startdate=1795100000&enddate=1795130000", [""]),
        (b"startdate=soon&enddate=" + b"9" * 40, [""]),
        (b"date=2024-01-01", [""]),
        (b"date=2031-01-01", [""]),
        (b"date=2026-13-01", [""]),
        (b"", [""]),
    ],
)
def test_months_beyond_the_last_week_are_read_in_both_notations(said: bytes, keys: list[str]) -> None:
    assert [one.key for one in read(b"userid=363&appli=44&" + said)] == keys


def test_however_many_dates_are_named_the_notices_of_a_minute_are_few() -> None:
    """Somebody who got hold of the address cannot use up the application's requests."""
    found = [read(f"userid=363&appli=44&date={date(2020, 1, 1) + timedelta(days=n)}".encode()) for n in range(4000)]
    assert len({one.trace for notices in found for one in notices}) == 14


@pytest.mark.parametrize("body", [b"\xff", b"&".join(b"a=1" for _ in range(50)), b"userid=363&appli=44&appli=x"])
def test_odd_bodies_are_no_notices(body: bytes) -> None:
    assert read(body) is None


def test_without_a_secret_nothing_is_believed() -> None:
    with pytest.raises(Forged):
        read(b"userid=363&appli=44", token_of("363", ""), secret="")
