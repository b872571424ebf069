"""A calendar at a secret address: what is fetched, what disappears, and what is never said."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta

import pytest
import requests

from bridge.domain.errors import NeedsLogin, SetupError, SourceChanged
from bridge.http import egress
from bridge.recordings.server import Answer, Request
from bridge.store import Store
from connectors.ics.client import authorise, safe
from tests.ics.components import AT_EIGHT, calendar, vevent, vtodo
from tests.world import World, later, living

END = "END:VCALENDAR"


@pytest.fixture
def lite() -> Iterator[Store]:
    store = Store("sqlite://")
    yield store
    store.close()


@pytest.fixture
def world(lite: Store) -> Iterator[World]:
    with living(lite, "ics", "week") as world:
        assert world.sync().outcome == "ok"
        yield world


def test_an_unchanged_calendar_is_not_read_again(world: World) -> None:
    outcome = later(world, minutes=30).sync()
    assert (outcome.outcome, outcome.new, outcome.unchanged, outcome.deleted) == ("ok", 0, 0, 0)
    world.vendor.etags = False
    assert later(world, minutes=60).sync().unchanged == 0  # the same bytes


def test_a_change_replaces_and_what_vanished_is_gone(world: World) -> None:
    lines = [line.replace("Vereinsfahrt", "Vereinsfahrt nach Bonn") for line in world.vendor.account["text"]]
    begin = lines.index("UID:agm@example.com") - 1
    end = lines.index("END:VEVENT", begin)
    world.vendor.put(lines[:begin] + lines[end + 1 :])
    outcome = later(world, minutes=30).sync()
    assert (outcome.updated, outcome.deleted) == (1, 1)
    titles = {event["title"] for event in world.contents()["events"]}
    assert "Vereinsfahrt nach Bonn" in titles
    assert "Mitgliederversammlung" not in titles


def test_one_request_serves_both_streams(world: World) -> None:
    world.server.asked.clear()
    assert later(world, minutes=30).sync().outcome == "ok"
    world.vendor.put([*world.vendor.account["text"][:-1], *vevent(AT_EIGHT, uid="new"), *vtodo(uid="new"), END])
    assert later(world, minutes=60).sync().new == 2
    assert len(world.server.asked) == 2


def test_a_stream_that_did_not_land_is_read_again(lite: Store) -> None:
    with living(lite, "ics", "week") as world:
        with closing(world.connector()) as connector:
            (events,) = connector.pull("event", None, now=world.now)
        with closing(world.connector()) as connector:  # the process died here
            (same,) = connector.pull("event", events.cursor, now=world.now)
            (tasks,) = connector.pull("task", None, now=world.now)
        assert (len(events.records), same.records, same.covers) == (4, (), None)
        assert len(tasks.records) == 2
        assert tasks.cursor == events.cursor == same.cursor


def test_a_time_of_change_alone_is_enough(world: World) -> None:
    world.vendor.etags = False
    stamped = {"Last-Modified": "Thu, 19 Nov 2026 10:00:00 GMT", "Content-Type": "text/calendar"}

    def answer(request: Request) -> Answer:
        if request.headers.get("if-modified-since") == stamped["Last-Modified"]:
            return Answer(status=304)
        return Answer(body=calendar(*vevent(AT_EIGHT)), headers=stamped)

    world.server.faults.append(answer)
    assert later(world, minutes=30).sync().new == 1
    assert later(world, minutes=60).sync().streams == {"event": 0, "task": 0}


def test_the_same_calendar_is_read_again_with_new_addresses_of_mine(world: World) -> None:
    before = world.contents()["events"]
    world.vendor.settings = lambda url, old=world.vendor.settings: old(url) | {"addresses": "ben@example.com"}
    again = replace(world, now=world.now + timedelta(minutes=30))  # with settings of its own
    assert again.sync().updated > 0
    assert again.contents()["events"] != before
    assert again.sync().streams == {"event": 0, "task": 0}


def test_an_emptied_calendar_is_empty(world: World) -> None:
    world.vendor.put(["BEGIN:VCALENDAR", "VERSION:2.0", END])
    assert later(world, minutes=30).sync().deleted == 6
    contents = world.contents()
    assert contents["events"] == contents["tasks"] == []


def test_a_new_name_leaves_nothing_behind(world: World) -> None:
    before = [event["title"] for event in world.contents()["events"]]
    text = [line.replace("CALNAME:Laufverein", "CALNAME:Verein") for line in world.vendor.account["text"]]
    world.vendor.put(text)
    assert later(world, minutes=30).sync().deleted == 6
    events = world.contents()["events"]
    assert sorted(event["title"] for event in events) == sorted(before)
    assert {event["calendar"] for event in events} == {"Verein"}


def test_a_new_address_leaves_nothing_behind(world: World) -> None:
    world.vendor.revoke()
    world.vendor.account["text"] = ["BEGIN:VCALENDAR", "VERSION:2.0", *vevent(AT_EIGHT), END]
    world.account.save_token(world.vendor.grant())
    assert later(world, minutes=30).sync().outcome == "ok"
    assert [event["key"] for event in world.contents()["events"]] == ["calendar/1"]


def test_a_redirect_is_followed_with_its_conditions(world: World) -> None:
    moved = world.vendor.grant()["url"]

    def fault(request: Request) -> Answer | None:
        return Answer(status=302, headers={"Location": moved}) if request.path == "/old" else None

    world.server.faults.append(fault)
    world.account.save_token({"url": f"{world.server.url}/old"})
    outcome = later(world, minutes=30).sync()
    assert (outcome.outcome, outcome.unchanged) == ("ok", 0)


@pytest.mark.parametrize(
    "target", ["http://example.com/a.ics", "file:///etc/passwd", "http://127.0.0.1:1/", "https://[", "/again"]
)
def test_an_unsafe_redirect_is_not_followed(world: World, target: str) -> None:
    before = world.contents()
    world.server.faults.append(lambda _: Answer(status=301, headers={"Location": target}))
    world.server.asked.clear()
    outcome = later(world, minutes=30).sync()
    assert outcome.outcome == "failed"
    assert len(world.server.asked) == (6 if target == "/again" else 1)
    outcome = later(world, minutes=30).persist()
    assert outcome.outcome == "stopped"
    assert "private-" not in str(outcome)
    assert world.contents() == before


def test_an_encrypted_address_is_never_followed_to_a_plain_one(world: World) -> None:
    world.account.save_token({"url": "https://example.com/private-1/basic.ics"})
    source = world.connector()
    with closing(source), pytest.raises(SourceChanged, match="unencrypted"):
        source._server._next("https://example.com/private-1/basic.ics", world.server.url)


@pytest.mark.parametrize(
    "inward", ["https://127.0.0.1/a.ics", "https://[::1]/", "https://192.168.1.1/", "https://10.0.0.7"]
)
def test_nobody_outside_leads_us_to_our_own_network(world: World, inward: str) -> None:
    """A redirect is followed by the same session. It reaches no internal address, not even an allowed one."""
    world.account.save_token({"url": "https://8.8.8.8/private-1/basic.ics"})
    with closing(replace(world, allow_hosts=frozenset({egress.host_of(inward)})).connector()) as source:
        assert source._server._next("https://8.8.8.8/private-1/basic.ics", "https://1.1.1.1/a") == "https://1.1.1.1/a"
        with pytest.raises(requests.ConnectionError, match="no permitted address"):
            source._server._get(inward, {})
    world.account.save_token({"url": "https://192.168.1.1/a.ics"})
    with closing(world.connector()) as source:
        assert source._server._next("https://192.168.1.1/a.ics", "https://192.168.1.2/a") == "https://192.168.1.2/a"


def test_one_without_end_is_refused(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("connectors.ics.client.CALENDAR_MAX_BYTES", 500)
    world.vendor.put([*world.vendor.account["text"][:-1], *vevent(AT_EIGHT), END])
    outcome = later(world, minutes=30).persist()
    assert outcome.outcome == "stopped"
    assert "20 MB" in str(outcome.skipped_because)


def test_a_busy_server_says_when(world: World) -> None:
    world.server.faults.append(lambda _: Answer(status=429, headers={"Retry-After": "120"}))
    second = later(world, minutes=30)
    outcome = second.sync()
    assert outcome.outcome == "failed"
    assert outcome.retry_at is not None
    assert timedelta(0) <= outcome.retry_at - (second.now + timedelta(minutes=2)) < timedelta(seconds=30)


def test_a_failed_answer_changes_nothing(world: World) -> None:
    before = world.contents()
    for answer in (
        Answer(status=200, body=b"<html>log in</html>"),
        Answer(status=503),
        Answer(status=200, body=b"BEGIN:VCALENDAR\r\nhalf of it"),
        Answer(status=200, body=calendar(*vevent(AT_EIGHT))[:-20]),
        Answer(status=200, body=b""),
    ):
        world.server.faults.append(lambda _, answer=answer: answer)  # type: ignore[misc]
        assert later(world, minutes=30).sync().outcome != "ok"
        world.server.faults.clear()
        assert world.contents() == before


def test_a_reset_address_asks_for_the_new_one(world: World, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger="bridge"):
        world.vendor.revoke()
        outcome = later(world, minutes=30).persist()
    assert outcome.outcome == "needs_login"
    secret = world.account.token_field("url").rpartition("private-")[2][:32]
    assert secret not in caplog.text + str(outcome)


class Typing:
    """Somebody at a terminal."""

    def __init__(self, answer: str | None) -> None:
        self.answer = answer

    def open(self, url: str) -> None: ...
    def paste(self) -> str | None:
        return None

    def ask(self, question: str) -> str | None:  # noqa: ARG002
        return self.answer


def test_the_address_is_asked_for_tried_and_kept_sealed(world: World) -> None:
    there = world.vendor.grant()["url"]
    world.account.settings["url"] = ""  # type: ignore[index]
    world.server.asked.clear()
    authorise(world.account, Typing(f" {there} "))
    assert world.account.token() == {"url": there, "hosts": ["127.0.0.1"]}
    assert len(world.server.asked) == 1
    assert later(world, minutes=30).sync().outcome == "ok"
    sealed = world.store.connections.secret(world.connection.id)
    assert sealed is not None
    assert b"private-" not in sealed
    with pytest.raises(NeedsLogin):
        authorise(world.account, Typing(None))


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (Answer(body=b"<!doctype html><p>Your calendar"), "something else than a calendar, such as a web page"),
        (Answer(body=b""), "something else than a calendar"),
        (Answer(status=404), "Copy the whole secret address"),
        (Answer(status=401), "Copy the whole secret address"),
        (Answer(status=503), "nothing was connected"),
        (Answer(status=302, headers={"Location": "http://example.com/a.ics"}), "redirects to an unencrypted address"),
    ],
)
def test_an_address_without_a_calendar_is_not_kept(world: World, answer: Answer, told: str) -> None:
    before = world.account.token()
    world.server.faults.append(lambda _: answer)
    world.account.settings["url"] = ""  # type: ignore[index]
    with pytest.raises(SetupError, match=told) as refusal:
        authorise(world.account, Typing(world.vendor.grant()["url"]))
    assert world.account.token() == before
    assert "private-" not in str(refusal.value)


def test_an_address_inside_the_network_is_not_even_asked(world: World) -> None:
    world.account.settings["url"] = ""  # type: ignore[index]
    world.server.asked.clear()
    with pytest.raises(SetupError, match="BRIDGE_ALLOW_HOSTS"):
        authorise(replace(world, allow_hosts=frozenset()).account, Typing(world.vendor.grant()["url"]))
    assert world.server.asked == []


@pytest.mark.parametrize(
    "address",
    [
        "http://example.com/a.ics",
        "file:///etc/passwd",
        "calendar",
        "https://",
        "https://[",
        "https://example.com:99999999/a.ics",
        "https://example.com/a b.ics",
        "webcal:",
        "",
    ],
)
def test_an_unsafe_address_is_refused(address: str) -> None:
    with pytest.raises(SetupError, match="begins with https"):
        safe(address)
