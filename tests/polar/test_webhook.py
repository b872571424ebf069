"""Polar's webhook: created once for the application, its messages believed when signed, and followed by a pull."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import requests
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bridge import registry
from bridge.domain.errors import Forged
from bridge.ingest import connecting
from bridge.recordings.server import Answer
from connectors.polar.webhook import notice
from lab.vendors.polar import MEMBER, SENT_AT, Webhook
from tests.hooked import ARRIVE, Stage, staged
from tests.world import NOW, Agreeing

OLD_DAY = "2026-10-20"
OLD = {"start_time": f"{OLD_DAY}T00:00:00", "end_time": f"{OLD_DAY}T23:59:00", "steps": 4321, "active_calories": 300}
SAID = {"event": "ACTIVITY_SUMMARY", "user_id": MEMBER, "date": OLD_DAY, "timestamp": SENT_AT}


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    with staged("polar", tmp_path, monkeypatch) as stage:
        yield stage


def webhook(stage: Stage) -> Webhook:
    found: Webhook = stage.vendor.webhooks.open
    return found


def asked_of(asked: list[str]) -> list[str]:
    return [line for line in asked if "/v3/webhooks" in line]


def steps(stage: Stage, day: str) -> list[float]:
    return [s["value"] for s in stage.contents()["samples"] if (s["metric"], s["day"]) == ("steps", day)]


def test_the_first_sync_creates_the_webhook_and_keeps_its_key_sealed(stage: Stage, tmp_path: Path) -> None:
    assert asked_of(stage.sync()) == ["GET /v3/webhooks", "POST /v3/webhooks"]
    assert webhook(stage).url == f"{stage.bridge.settings.url}/hooks/polar"
    assert set(webhook(stage).events) == {"SLEEP", "EXERCISE", "ACTIVITY_SUMMARY"}
    assert stage.connection.member == str(MEMBER)
    assert webhook(stage).key.encode() not in (tmp_path / "bridge.db").read_bytes()
    assert asked_of(stage.sync(minutes=30)) == []
    assert asked_of(stage.sync(hours=25)) == ["GET /v3/webhooks"]


def test_a_message_makes_the_connection_due_and_brings_a_day_of_weeks_ago(stage: Stage) -> None:
    stage.sync()
    assert stage.connection.due_at == NOW + timedelta(minutes=30)
    stage.vendor.account["activities"].append(OLD)
    assert webhook(stage).send(SAID) == 200
    assert stage.connection.due_at == ARRIVE
    assert f"GET /v3/users/activities?from={OLD_DAY}&to={OLD_DAY}" in stage.sync(minutes=10)
    assert steps(stage, OLD_DAY) == [4321]
    assert stage.notices() == []


@pytest.mark.parametrize("event", ["SLEEP", "EXERCISE"])
def test_a_list_that_is_read_whole_is_read_once_and_loses_nothing(stage: Stage, event: str) -> None:
    stage.sync()
    before = stage.contents()
    night = stage.vendor.account["sleep"][-1]["date"]
    assert webhook(stage).send({**SAID, "event": event, "date": night, "entity_id": "x", "url": "http://x/"}) == 200
    assert len(stage.notices()) == 1
    asked = stage.sync(minutes=10)
    assert sum("sleep" in line for line in asked) == 1
    assert stage.contents() == before


def test_the_same_message_again_is_no_news_also_after_it_was_followed(stage: Stage) -> None:
    stage.sync()
    for _ in range(2):
        assert webhook(stage).send(SAID) == 200
    assert len(stage.notices()) == 1
    stage.sync(minutes=10)
    assert webhook(stage).send(SAID) == 200
    assert stage.notices() == []


def test_a_message_with_another_key_or_none_is_refused(stage: Stage) -> None:
    stage.sync()
    headers, body = webhook(stage).signed(SAID)
    assert webhook(stage).send(SAID, key="other") == 401
    for wrong in (headers | {"Polar-Webhook-Signature": ""}, {"Content-Type": "application/json"}):
        assert requests.post(webhook(stage).url, data=body, headers=wrong, timeout=5).status_code == 401
    assert requests.post(webhook(stage).url, data=body + b" ", headers=headers, timeout=5).status_code == 401
    assert stage.notices() == []
    assert stage.connection.due_at == NOW + timedelta(minutes=30)


@pytest.mark.parametrize(
    "change",
    [
        {"user_id": MEMBER + 1},
        {"user_id": str(MEMBER)},
        {"user_id": True},
        {"event": "PHYSICAL_INFORMATION"},
        {"event": None},
        {"event": "PING"},
    ],
)
def test_a_stranger_and_what_is_not_used_are_taken_and_passed_over(stage: Stage, change: dict[str, Any]) -> None:
    stage.sync()
    assert webhook(stage).send(SAID | change) == 200
    assert stage.notices() == []


def test_a_lost_message_costs_half_an_hour_and_nothing_else(stage: Stage) -> None:
    stage.sync()
    stage.vendor.webhooks.open = None
    stage.vendor.account["activities"][-1]["steps"] = 9999
    assert stage.connection.due_at == NOW + timedelta(minutes=30)
    stage.sync(minutes=30)
    assert steps(stage, stage.vendor.account["activities"][-1]["start_time"][:10]) == [9999]


@pytest.mark.parametrize("status", [401, 409, 500])
def test_a_refused_webhook_costs_no_sync(stage: Stage, status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    stage.server.faults.append(lambda r: Answer(status=status) if r.path == "/v3/webhooks" else None)
    stage.sync()
    assert webhook(stage) is None
    stage.server.faults.clear()
    stage.sync(minutes=30)
    assert webhook(stage)


def test_an_address_that_does_not_answer_gets_no_webhook(stage: Stage) -> None:
    stage.with_url("http://127.0.0.1:1")
    stage.sync()
    assert webhook(stage) is None


def test_a_webhook_that_was_switched_off_is_switched_on_again_within_a_day(stage: Stage) -> None:
    stage.sync()
    webhook(stage).active = False
    assert asked_of(stage.sync(hours=25)) == ["GET /v3/webhooks", "POST /v3/webhooks/activate"]
    assert webhook(stage).active


def test_a_webhook_whose_key_is_lost_is_replaced(stage: Stage) -> None:
    stage.sync()
    former = webhook(stage).name
    stage.bridge.store.connections.save_client("polar webhook", None, now=NOW)
    assert webhook(stage).send(SAID) == 401
    stage.sync(minutes=30)
    assert webhook(stage).name != former
    assert webhook(stage).send(SAID) == 200
    assert len(stage.notices()) == 1


def test_another_programs_webhook_is_left_alone(stage: Stage) -> None:
    stage.vendor.webhooks.open = theirs = Webhook(url="https://other.example.com/", events=["SLEEP"])
    assert asked_of(stage.sync()) == ["GET /v3/webhooks"]
    assert webhook(stage) is theirs
    connecting.disconnect(stage.bridge, stage.user, "polar")
    assert webhook(stage) is theirs


def test_another_address_of_the_bridge_takes_the_place_of_the_former(stage: Stage) -> None:
    stage.sync()
    stage.with_url((stage.bridge.settings.url or "").replace("127.0.0.1", "localhost"))
    stage.sync(minutes=30)
    assert webhook(stage).url == f"{stage.bridge.settings.url}/hooks/polar"
    assert webhook(stage).send(SAID) == 200
    assert len(stage.notices()) == 1


@pytest.mark.parametrize("url", [None, "http://bridge.example.org"])
def test_without_an_https_address_nothing_is_asked_for(stage: Stage, url: str | None) -> None:
    stage.with_url(url)
    asked = stage.sync()
    assert asked_of(asked) == []


def test_without_an_address_it_is_deleted(stage: Stage) -> None:
    stage.sync()
    stage.with_url(None)
    stage.sync(minutes=30)
    assert webhook(stage) is None
    assert asked_of(stage.sync(minutes=30)) == []


def test_it_stays_for_the_second_person_and_ends_with_the_last(stage: Stage) -> None:
    stage.sync()
    store, spec = stage.bridge.store, registry.spec("polar")
    ben = store.people.add_user("ben", "Europe/Berlin", now=NOW)
    other = store.connections.connect(ben.id, "polar", "account", now=NOW)
    stage.bridge.account(other, spec).save_token(stage.vendor.grant())
    connecting.disconnect(stage.bridge, ben, "polar")
    assert webhook(stage)
    connecting.disconnect(stage.bridge, stage.user, "polar", keep=True)
    assert webhook(stage) is None
    assert store.connections.clients() == {}


def test_disconnecting_takes_the_person_out_of_the_applications_users(stage: Stage) -> None:
    stage.sync()
    assert connecting.disconnect(stage.bridge, stage.user, "polar")
    assert f"DELETE /v3/users/{MEMBER}" in stage.server.asked
    assert stage.vendor.member is None


def test_a_consent_names_the_person(stage: Stage) -> None:
    registry.resolve((stage.connection and registry.spec("polar").authorises) or "")(stage.account, Agreeing())
    assert (stage.account.token() or {})["x_user_id"] == MEMBER


MADE = Webhook(url="https://bridge.example.com/hooks/polar", events=["SLEEP"])


def read(said: dict[str, Any], *, key: str = MADE.key, late: timedelta = timedelta(0), body: bytes = b"") -> Any:
    headers, signed = MADE.signed(said)
    lower = {name.lower(): value for name, value in headers.items()}
    return notice(lower, body or signed, settings={}, now=ARRIVE + late, kept={"key": key})


def test_one_that_is_too_old_or_dated_ahead_or_not_dated_is_refused() -> None:
    assert read(SAID, late=timedelta(days=6)).key == OLD_DAY
    for late in (timedelta(days=8), -timedelta(hours=2)):
        with pytest.raises(Forged):
            read(SAID, late=late)
    with pytest.raises(Forged):
        read({**SAID, "timestamp": "soon"})


@pytest.mark.parametrize("day", [None, "yesterday", "../exercises", 7])
def test_a_date_that_is_none_never_becomes_part_of_an_address(day: Any) -> None:
    assert read(SAID | {"date": day}).key == str(ARRIVE.date())


def test_without_a_key_nothing_is_believed() -> None:
    for key in ("", "other"):
        with pytest.raises(Forged):
            read(SAID, key=key)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(min_value=0), byte=st.integers(1, 255))
def test_one_changed_byte_is_refused(place: int, byte: int) -> None:
    body = json.dumps(SAID).encode()
    spot = place % len(body)
    changed = body[:spot] + bytes([body[spot] ^ byte]) + body[spot + 1 :]
    with pytest.raises(Forged):
        read(SAID, body=changed)
