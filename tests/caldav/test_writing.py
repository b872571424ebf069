"""Accepted advice in a calendar of its own at a real server: written once, moved, taken away, read back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from bridge.domain.errors import SetupError
from bridge.domain.types import Plan
from bridge.store import Store
from connectors.caldav import write as writing
from connectors.caldav.write import event_id, write
from rhythm_env.interface import ActionType
from tests.caldav.servers import Client
from tests.caldav.test_in_step import SERVERS, Follower, follower
from tests.world import NOW

HOUR = timedelta(hours=1)
PLAN = Plan(
    key="7",
    slot="2026-11-16/30",
    action=ActionType.EXERCISE,
    start=NOW + HOUR,
    end=NOW + 2 * HOUR,
    agreed_at=NOW - HOUR,
)


class Stage:
    """Somebody who follows a Radicale, and a client that looks there."""

    def __init__(self, one: Follower, client: Client) -> None:
        self.one, self.client = one, client
        self.path = f"{client.home}rhythm-bridge/"

    def write(self, *plans: Plan, now: datetime = NOW) -> list[str]:
        return list(write(self.one.account, plans, now=now))

    def entry(self, key: str = "7") -> str | None:
        """The text of a plan's event at the server, or None."""
        answer = self.client.ask("GET", f"{self.path}{event_id(key)}.ics")
        assert answer.status_code in (200, 404)
        return answer.text if answer.ok else None

    def etag(self) -> str:
        return self.client.ask("GET", f"{self.path}{event_id('7')}.ics").headers["ETag"]

    def change(self, before: str, after: str) -> None:
        """The person changes the event in their own program."""
        text = self.entry()
        assert text is not None
        assert before in text
        name = f"{self.path}{event_id('7')}.ics"
        answer = self.client.ask("PUT", name, text.replace(before, after), Content_Type="text/calendar")
        assert answer.ok

    def connect_anew(self) -> None:
        """A new consent, which knows nothing of what was written."""
        token = self.one.account.token() or {}
        kept = ("address", "login", "password", "hosts", "homes", "addresses")
        self.one.account.save_token({name: token[name] for name in kept})


@pytest.fixture(params=["radicale", *(pytest.param(one, marks=pytest.mark.slow) for one in ("xandikos", "sabredav"))])
def stage(lite: Store, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Stage]:
    with SERVERS[request.param](tmp_path) as running:
        client = Client(running)
        client.make("home")
        yield Stage(follower(lite, running), client)


def times(text: str | None) -> list[str]:
    return re.findall(r"DT(?:START|END):(\S+)", text or "")


def test_a_plan_is_written_once_and_moves_with_the_plan(stage: Stage) -> None:
    assert stage.write(PLAN) == []
    first, mark = stage.entry(), stage.etag()
    assert times(first) == ["20261120T100500Z", "20261120T110500Z"]
    assert "SUMMARY:Exercise" in str(first)
    assert stage.write(PLAN) == []
    assert stage.etag() == mark
    moved = replace(PLAN, slot="2026-11-16/31", start=PLAN.start + 4 * HOUR, end=PLAN.end + 4 * HOUR)
    assert stage.write(moved) == []
    assert times(stage.entry()) == ["20261120T140500Z", "20261120T150500Z"]


def test_what_the_person_moves_stays_where_they_put_it(stage: Stage) -> None:
    stage.write(PLAN)
    stage.change("DTSTART:20261120T100500Z", "DTSTART:20261120T102000Z")
    mark = stage.etag()
    assert stage.write(PLAN) == []
    assert stage.etag() == mark


def test_what_the_person_deletes_is_told_once_and_stays_away(stage: Stage) -> None:
    stage.write(PLAN)
    stage.client.delete(f"{stage.path}{event_id('7')}.ics")
    assert stage.write(PLAN) == ["7"]
    assert stage.entry() is None
    assert stage.write() == []
    agreed_again = replace(PLAN, agreed_at=NOW)
    assert stage.write(agreed_again) == []
    assert stage.entry() is not None


def test_what_is_withdrawn_is_taken_away_and_nothing_else(stage: Stage) -> None:
    other = replace(PLAN, key="8", start=PLAN.start + 3 * HOUR, end=PLAN.end + 3 * HOUR)
    stage.write(PLAN, other)
    theirs = f"{stage.path}theirs.ics"
    stage.client.put(
        theirs, "BEGIN:VEVENT", "UID:t", "DTSTAMP:20261101T000000Z", "DTSTART:20261120T130000Z", "END:VEVENT"
    )
    stage.write(other)
    assert stage.entry() is None
    assert stage.entry("8") is not None
    assert stage.client.ask("GET", theirs).ok
    stage.write()
    assert stage.entry("8") is None
    assert stage.client.ask("GET", theirs).ok


def test_an_event_without_our_mark_is_never_touched(stage: Stage) -> None:
    stage.write(PLAN)
    stage.change("X-RHYTHM-ADVICE:2026-11-16/30/EXERCISE\r\n", "")
    mark = stage.etag()
    stage.write(replace(PLAN, slot="2026-11-16/31"))
    assert stage.etag() == mark
    stage.write()
    assert stage.entry() is not None


def test_a_change_that_the_person_makes_meanwhile_wins(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between our look and our change: the condition keeps theirs, whether we would change the event or delete it."""
    stage.write(PLAN)
    look = writing._Rhythm._event

    def looked_too_early(self: writing._Rhythm, key: str) -> object:
        found = look(self, key)
        stage.change("SUMMARY:", "SUMMARY:Really ")
        return found

    monkeypatch.setattr(writing._Rhythm, "_event", looked_too_early)
    assert stage.write(replace(PLAN, slot="2026-11-16/31")) == []
    assert "SUMMARY:Really Exercise" in str(stage.entry())
    stage.write()
    assert "SUMMARY:Really Really Exercise" in str(stage.entry())


def test_a_new_consent_finds_the_calendar_and_the_event_again(stage: Stage) -> None:
    stage.write(PLAN)
    mark = stage.etag()
    stage.connect_anew()
    assert stage.write(PLAN) == []
    assert stage.etag() == mark


def test_a_calendar_that_the_person_deletes_is_not_made_anew(stage: Stage) -> None:
    stage.write(PLAN)
    stage.client.delete(stage.path)
    with pytest.raises(SetupError, match="--write"):
        stage.write(PLAN)
    assert stage.write(PLAN) == []
    assert stage.entry() is None


def test_what_was_written_is_read_back_as_what_was_accepted(stage: Stage) -> None:
    stage.write(PLAN)
    assert stage.one.sync().outcome == "ok"
    (event,) = stage.one.agenda()[0]["events"]
    assert (event["kind"], event["calendar"]) == ("advice:EXERCISE", "Rhythm")


def test_nobody_who_invites_can_say_that_something_was_accepted(stage: Stage) -> None:
    stage.client.put(
        f"{stage.client.home}home/invited.ics",
        *("BEGIN:VEVENT", "UID:i", "DTSTAMP:20261101T000000Z", "DTSTART:20261120T130000Z"),
        *("DTEND:20261120T140000Z", "X-RHYTHM-ADVICE:2026-11-16/30/EXERCISE", "END:VEVENT"),
    )
    assert stage.one.sync().outcome == "ok"
    (event,) = stage.one.agenda()[0]["events"]
    assert event["kind"] == "default"
