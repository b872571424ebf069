"""A calendar at a secret address: what is fetched, what disappears, and what is never said."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from bridge.errors import NeedsLogin, SetupError
from bridge.lab.server import Answer
from bridge.ports import Store
from bridge.store import open_store
from connectors.ics.consent import authorise, safe
from tests.world import World, later, living


@pytest.fixture
def world() -> Iterator[World]:
    store: Store = open_store("sqlite://")
    with living(store, "ics", "week") as world:
        assert world.sync().outcome == "ok"
        yield world
    store.close()


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


def test_a_failed_answer_changes_nothing(world: World) -> None:
    before = world.contents()
    for answer in (
        Answer(status=200, body=b"<html>log in</html>"),
        Answer(status=503),
        Answer(status=200, body=b"BEGIN:VCALENDAR\r\nhalf of it"),
    ):
        world.server.faults.append(lambda _, answer=answer: answer)  # type: ignore[misc]
        assert later(world, minutes=30).sync().outcome != "ok"
        world.server.faults.clear()
        assert world.contents() == before


def test_a_reset_address_asks_for_the_new_one(world: World, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger="bridge"):
        world.vendor.revoke()
        outcome = later(world, minutes=30).sync()
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


def test_the_address_is_asked_for_and_kept_sealed(world: World) -> None:
    world.account.settings["url"] = ""  # type: ignore[index]
    authorise(world.account, Typing(" webcal://example.com/private-1/basic.ics "))
    assert world.account.token() == {"url": "https://example.com/private-1/basic.ics"}
    sealed = world.store.secret(world.connection.id)
    assert sealed is not None
    assert b"private-1" not in sealed
    with pytest.raises(NeedsLogin):
        authorise(world.account, Typing(None))


@pytest.mark.parametrize("address", ["http://example.com/a.ics", "file:///etc/passwd", "calendar", "https://"])
def test_an_unsafe_address_is_refused(address: str) -> None:
    with pytest.raises(SetupError, match="begins with https"):
        safe(address)
