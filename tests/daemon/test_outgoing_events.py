"""Events for a program of the operator's: signed, sent once if taken, tried again in bounds, without titles."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import logging
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bridge.advice import outgoing_events
from bridge.daemon.due_tasks import Everybody, run_due_tasks, users_with_due_tasks
from bridge.domain.errors import SetupError
from bridge.domain.records import SAID, Deed, Recommendation
from bridge.domain.rendering import for_person
from bridge.domain.slots import moment_at
from bridge.recordings.server import Answer, LabServer, Request
from tests.daemon.stage import Stage, staged

SECRET = "a secret of sixteen or more"
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


class Receiver:
    """The operator's program: it keeps what comes, and answers ``status``."""

    def __init__(self) -> None:
        self.got: list[Request] = []
        self.status = 204

    def application(self, request: Request) -> Answer:
        self.got.append(request)
        return Answer(status=self.status, headers={"Location": "http://127.0.0.1:9/"})

    @property
    def bodies(self) -> list[Any]:
        return [json.loads(request.body) for request in self.got]


def settings(stage: Stage, **changed: Any) -> None:
    stage.bridge = replace(stage.bridge, settings=replace(stage.bridge.settings, **changed))


@pytest.fixture
def receiver() -> Receiver:
    return Receiver()


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, receiver: Receiver) -> Iterator[Stage]:
    """Ana, with an installation that tells the receiver."""
    with LabServer(receiver.application) as server, staged(tmp_path, monkeypatch) as found:
        found.add("ana", "Europe/Berlin")
        webhook = {"webhook": f"{server.url}/hook", "webhook_secret": SECRET, "allow_hosts": frozenset({"127.0.0.1"})}
        settings(found, **webhook)
        yield found


def run(stage: Stage, after: timedelta = timedelta(0)) -> None:
    """Do what is due for ana, as each tick of a daemon does."""
    now = stage.now + after
    for user in users_with_due_tasks(stage.bridge, Everybody(stage.bridge).at(now), now=now):
        run_due_tasks(stage.bridge, user, now=now)


def given(stage: Stage) -> Recommendation:
    user = stage.users[0]
    found = stage.bridge.store.recommendations.of_slot(user.id, moment_at(stage.now, user.zones))
    assert found is not None
    return found


def done(stage: Stage, after: timedelta) -> None:
    stage.bridge.store.recommendations.save_outcome(given(stage).id, Deed.DONE, SAID, at=stage.now + after)


def test_a_new_and_a_done_recommendation_are_told_once_each(stage: Stage, receiver: Receiver) -> None:
    run(stage)
    run(stage, MINUTE)
    done(stage, 2 * MINUTE)
    run(stage, 3 * MINUTE)
    run(stage, 4 * MINUTE)
    made, finished = receiver.bodies
    advice = given(stage)
    assert (made["type"], finished["type"]) == ("recommendation.made", "recommendation.done")
    assert made["user"] == "ana"
    assert made["data"]["id"] == finished["data"]["id"] == advice.id
    assert made["data"]["action"] == str(advice.action)
    assert made["timestamp"] == advice.created_at.isoformat()
    assert {"what", "reasons"} & set(made["data"]) == set()
    assert [request.headers["webhook-id"] for request in receiver.got] == [f"made-{advice.id}", f"done-{advice.id}"]


def test_whoever_has_the_secret_can_check_the_signature(stage: Stage, receiver: Receiver) -> None:
    run(stage)
    (request,) = receiver.got
    headers = request.headers
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + request.body
    expected = base64.b64encode(hmac.digest(SECRET.encode(), signed, hashlib.sha256)).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"


def test_a_secret_as_standard_webhooks_write_it_is_decoded() -> None:
    """The example of the specification: https://github.com/standard-webhooks/standard-webhooks."""
    key = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    told = outgoing_events.signature(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", b'{"test": 2432232314}')
    assert told == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_titles_are_told_only_where_they_are_allowed(stage: Stage, receiver: Receiver) -> None:
    settings(stage, webhook_titles="yes")
    run(stage)
    (body,) = receiver.bodies
    assert body["data"]["reasons"] == for_person(given(stage).facts)
    assert "what" in body["data"]


def test_what_is_not_taken_is_tried_again_less_and_less_often_and_given_up(
    stage: Stage, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    receiver.status = 503
    with caplog.at_level(logging.WARNING):
        for minute in range(0, 60 * 26, 5):
            user = stage.users[0]
            outgoing_events.users_waiting(stage.bridge, now=stage.now + minute * MINUTE)
            if minute == 0:
                run(stage)
            else:
                outgoing_events.deliver(stage.bridge, user, now=stage.now + minute * MINUTE)
    assert 8 <= len(receiver.got) <= 16
    assert {request.headers["webhook-id"] for request in receiver.got} == {f"made-{given(stage).id}"}
    assert "127.0.0.1" not in caplog.text
    receiver.status = 204
    outgoing_events.deliver(stage.bridge, stage.users[0], now=stage.now + 27 * HOUR)
    assert len(receiver.got) <= 16  # what is older than a day is dropped


def test_what_was_not_taken_goes_out_when_the_program_is_back(stage: Stage, receiver: Receiver) -> None:
    receiver.status = 500
    run(stage)
    receiver.status = 200
    run(stage, MINUTE)
    run(stage, 2 * MINUTE)
    assert len(receiver.got) == 2


def test_a_redirect_is_not_followed(stage: Stage, receiver: Receiver) -> None:
    receiver.status = 307
    run(stage)
    assert len(receiver.got) == 1
    assert stage.bridge.store.maintenance.last_done(f"{outgoing_events.TRIED}{stage.users[0].id}") == stage.now


def test_an_address_inside_the_network_is_not_reached(stage: Stage, receiver: Receiver) -> None:
    """Its host is looked up when an event is sent, so that a name cannot hide where it leads."""
    inside = stage.bridge.settings.webhook.replace("http://127.0.0.1", "https://localhost")
    settings(stage, webhook=inside, allow_hosts=frozenset())
    run(stage)
    assert receiver.got == []
    assert stage.bridge.store.maintenance.last_done(f"{outgoing_events.TRIED}{stage.users[0].id}") == stage.now


def test_it_is_off_by_default(stage: Stage, receiver: Receiver) -> None:
    settings(stage, webhook="")
    run(stage)
    assert outgoing_events.users_waiting(stage.bridge, now=stage.now) == set()
    assert receiver.got == []
    assert stage.bridge.store.maintenance.last_done(f"{outgoing_events.SENT}{stage.users[0].id}") is None


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"webhook": "http://example.org/hook"}, "must begin with https"),
        ({"webhook": "ftp://example.org"}, "must begin with https"),
        ({"webhook_secret": ""}, "BRIDGE_WEBHOOK_SECRET"),
        ({"webhook_secret": "short"}, "BRIDGE_WEBHOOK_SECRET"),
        ({"webhook_secret": "whsec_not base64, and long"}, "BRIDGE_WEBHOOK_SECRET"),
    ],
)
def test_settings_that_cannot_work_are_named(stage: Stage, wrong: dict[str, str], told: str) -> None:
    with pytest.raises(SetupError, match=told):
        outgoing_events.target_of(replace(stage.bridge.settings, **wrong))
