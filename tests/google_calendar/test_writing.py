"""Accepted advice on a calendar of its own: written once whatever happens, moved, taken away, read back."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest

import lab
from bridge import installation, registry
from bridge.advice import feedback
from bridge.advice.labels import labelled
from bridge.calendar.busy import busy_union
from bridge.calendar.meetings import is_meeting
from bridge.calendar.plans import planned_shares
from bridge.config import load
from bridge.daemon.scheduler import Daemon
from bridge.domain.records import Feedback, FullRecommendation, Recommendation, User
from bridge.domain.slots import moment_at, slot_bounds
from bridge.ingest import connecting, runs
from bridge.recordings.server import Answer as Reply
from bridge.recordings.server import LabServer, Request
from bridge.store import Store
from lab.vendors.google_calendar import WRITE_SCOPE, Vendor
from rhythm_env.interface import ActionType, Answer
from tests.visitor import Visitor
from tests.world import KEY, NOW, aim

SOME = timedelta(minutes=5)


@dataclass
class Stage:
    """A person with a calendar account whose consent lets us write, and a clock that the test turns."""

    bridge: installation.Bridge
    server: LabServer
    vendor: Vendor
    now: datetime = NOW
    theirs: dict[str, Any] = field(default_factory=dict)  # what the person had before

    @property
    def user(self) -> User:
        return self.bridge.store.people.user("ana")

    def sync(self) -> None:
        """Some time later; the calendars of theirs are never touched."""
        self.now += SOME
        connection = self.bridge.store.connections.of_user(self.user.id)[0]
        assert runs.sync_connection(self.bridge, self.user, connection, at=self.now).outcome == "ok"
        assert {name: self.vendor.account["events"][name] for name in self.theirs} == self.theirs

    def advise(self, action: ActionType = ActionType.EXERCISE, **of: Any) -> Recommendation:
        moment = moment_at(self.now, self.user.zones)
        given = FullRecommendation(
            id=0,
            user_id=self.user.id,
            moment=moment,
            action=action,
            policy="toy@1",
            belief={},
            scores={},
            probabilities={},
            facts=(),
            observation={"timestep": moment.timestep, "meters": {}},
            created_at=self.now,
            expires_at=slot_bounds(moment, self.user.zones)[1],
            **of,
        )
        return self.bridge.store.recommendations.add(given)

    def answer(self, advice: Recommendation, answer: Answer, *, later: int | None = None) -> None:
        moved = None if later is None else advice.moment.shifted(later)
        feedback.give_feedback(
            self.bridge.store, self.user, advice.id, Feedback(answer=answer, moved_to=moved), now=self.now
        )

    def accepted(self, action: ActionType = ActionType.EXERCISE) -> Recommendation:
        advice = self.advise(action)
        self.answer(advice, Answer.ACCEPT)
        return advice

    def ours(self) -> list[dict[str, Any]]:
        """The events on calendars that were made for us; there is one such calendar at most."""
        made = self.vendor.account.get("made", [])
        assert len(made) <= 1
        return [event for calendar in made for event in self.vendor.events(calendar)]

    def writes(self) -> list[str]:
        return [line for line in self.server.asked if line.split()[0] in ("POST", "PUT", "DELETE", "PATCH")]


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    monkeypatch.setattr("time.sleep", lambda _: None)
    monkeypatch.setenv("BRIDGE_KEY", KEY)
    monkeypatch.setenv("BRIDGE_CLASSIFIER", "keywords")
    vendor = Vendor(lab.account("google_calendar", "week"))
    with ExitStack() as stack:
        server = stack.enter_context(LabServer(vendor.application))
        for name, value in vendor.settings(server.url).items():
            monkeypatch.setenv(f"BRIDGE_GOOGLE_CALENDAR_{name}".upper(), value)
        store = Store("sqlite://")
        stack.callback(store.close)
        theirs = copy.deepcopy(vendor.account["events"])
        stage = Stage(installation.Bridge(settings=load(), store=store), server, vendor, theirs=theirs)
        vendor.clock = lambda: stage.now
        user = store.people.add_user("ana", "Europe/Berlin", now=NOW)
        aim(store, user, now=NOW)
        connection = store.connections.connect(user.id, "google_calendar", "account", now=NOW)
        account = stage.bridge.account(connection, registry.spec("google_calendar"))
        account.save_token(vendor.grant(WRITE_SCOPE) | {connecting.WRITES_FIELD: True})
        yield stage


def slot_of(event: dict[str, Any]) -> tuple[datetime, datetime]:
    return datetime.fromisoformat(event["start"]["dateTime"]), datetime.fromisoformat(event["end"]["dateTime"])


def test_accepted_advice_is_written_once_where_there_is_room(stage: Stage) -> None:
    advice = stage.accepted()
    stage.sync()
    (event,) = stage.ours()
    start, end = slot_of(event)
    begin, over = slot_bounds(advice.moment, stage.user.zones)
    assert event["summary"] == "Exercise"
    assert begin <= NOW <= start < end <= over
    planned = labelled(stage.bridge, stage.user, start, end, at=stage.now)
    assert busy_union([o for o, _ in planned], start, end) == []
    stage.server.asked.clear()
    stage.sync()
    assert stage.writes() == []
    assert stage.ours() == [event]


def test_advice_with_a_time_is_written_at_that_time(stage: Stage) -> None:
    start = stage.now + timedelta(minutes=95)
    advice = stage.advise(kind="suggested", start=start, end=start + timedelta(minutes=25))
    stage.answer(advice, Answer.ACCEPT)
    stage.sync()
    (event,) = stage.ours()
    assert slot_of(event) == (start, start + timedelta(minutes=25))


def test_what_is_in_the_calendar_is_not_written_again(stage: Stage) -> None:
    start = stage.now + timedelta(minutes=95)
    stage.answer(stage.advise(kind="keep", start=start, end=start + timedelta(minutes=25)), Answer.ACCEPT)
    stage.sync()
    assert stage.ours() == []


def test_two_plans_of_one_slot_follow_each_other(stage: Stage) -> None:
    """A recommendation put off to a slot and one accepted in it begin at the same minute."""
    put_off = stage.advise()
    stage.answer(put_off, Answer.RESCHEDULE, later=1)
    stage.sync()
    stage.now = slot_bounds(put_off.moment.shifted(1), stage.user.zones)[0]
    stage.accepted(ActionType.LEARN)
    stage.sync()
    first, second = sorted(map(slot_of, stage.ours()))
    assert first[1] <= second[0]


def test_a_sync_that_is_under_way_keeps_its_lease(stage: Stage) -> None:
    """The daemon's threads are one holder, its people's thread and those that sync."""
    connection, store = stage.bridge.store.connections.of_user(stage.user.id)[0], stage.bridge.store
    stage.accepted()
    assert store.scheduling.claim(connection.id, stage.bridge.holder, now=stage.now, lease=SOME)
    assert not runs.write_plans(stage.bridge, stage.user, connection, at=stage.now)
    assert (store.scheduling.lease_holder(connection.id), stage.ours()) == (stage.bridge.holder, [])


def test_a_connection_without_consent_asks_for_no_settings(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """The made-up person's calendar comes from a recording."""
    connection = stage.bridge.store.connections.connect(stage.user.id, "google_calendar", "made up", now=stage.now)
    monkeypatch.setattr(type(stage.bridge), "account", None)
    assert runs.write_plans(stage.bridge, stage.user, connection, at=stage.now)


def test_nothing_is_written_where_nobody_agreed_to_it(stage: Stage) -> None:
    connection = stage.bridge.store.connections.of_user(stage.user.id)[0]
    account = stage.bridge.account(connection, registry.spec("google_calendar"))
    account.save_token(stage.vendor.grant())
    stage.accepted()
    stage.sync()
    assert (stage.writes(), stage.ours()) == ([], [])


def test_ignored_advice_and_such_without_an_answer_are_not_written(stage: Stage) -> None:
    stage.answer(stage.advise(), Answer.IGNORE)
    stage.sync()
    assert stage.writes() == []


def test_putting_it_off_moves_it_and_leaves_one(stage: Stage) -> None:
    advice = stage.accepted()
    stage.sync()
    (before,) = stage.ours()
    stage.answer(advice, Answer.RESCHEDULE, later=4)
    stage.sync()
    (after,) = stage.ours()
    assert after["id"] == before["id"]
    begin, over = slot_bounds(advice.moment.shifted(4), stage.user.zones)
    assert begin <= slot_of(after)[0] < slot_of(after)[1] <= over


def test_what_is_ignored_after_all_is_taken_away_and_may_come_back(stage: Stage) -> None:
    advice = stage.accepted()
    stage.sync()
    stage.answer(advice, Answer.IGNORE)
    stage.sync()
    assert stage.ours() == []
    stage.answer(advice, Answer.ACCEPT)
    stage.sync()
    assert [event["status"] for event in stage.ours()] == ["confirmed"]


def test_an_event_the_person_deletes_is_advice_they_ignored(stage: Stage) -> None:
    advice = stage.accepted()
    stage.sync()
    (event,) = stage.ours()
    stage.vendor.delete(stage.vendor.account["made"][0], event["id"])
    stage.now += timedelta(minutes=1)
    stage.sync()
    answered = stage.bridge.store.recommendations.by_id(advice.id)
    assert answered is not None
    assert answered.answer is Answer.IGNORE
    stage.sync()
    assert stage.ours() == []  # it does not come back


def test_tidying_up_afterwards_changes_no_answer(stage: Stage) -> None:
    advice = stage.accepted()
    stage.sync()
    (event,) = stage.ours()
    stage.now = slot_of(event)[1]
    stage.vendor.delete(stage.vendor.account["made"][0], event["id"])
    stage.sync()
    answered = stage.bridge.store.recommendations.by_id(advice.id)
    assert answered is not None
    assert answered.answer is Answer.ACCEPT


def test_an_event_the_person_moves_stays_where_they_put_it(stage: Stage) -> None:
    stage.accepted()
    stage.sync()
    (event,) = stage.ours()
    elsewhere = slot_of(event)[0] + timedelta(minutes=45)
    moved = event | {"start": {"dateTime": elsewhere.isoformat()}, "summary": "Run"}
    stage.vendor.put(stage.vendor.account["made"][0], moved)
    stage.sync()
    assert stage.ours() == [moved]


@pytest.mark.parametrize("lost", [True, False], ids=["the answer is lost", "the request is refused"])
@pytest.mark.parametrize("number", range(1, 5))
def test_whatever_fails_there_is_one_calendar_with_one_event(stage: Stage, number: int, lost: bool) -> None:
    """The request of that number fails, before or after it did what it says; the sync and the advice do not."""
    advice, left = stage.accepted(), number

    def fail(request: Request) -> Reply | None:
        nonlocal left
        looking = "showHidden" in request.query or "/events/" in request.path
        left -= request.method != "GET" or looking
        if left != 0 or (request.method == "GET" and not looking):
            return None
        if lost:
            stage.vendor.application(request)
        return Reply(status=503)

    stage.server.faults.append(fail)
    for _ in range(3):
        stage.sync()
    assert len(stage.ours()) == 1
    answered = stage.bridge.store.recommendations.by_id(advice.id)
    assert answered is not None
    assert answered.answer is Answer.ACCEPT


def test_a_new_consent_finds_the_calendar_again(stage: Stage) -> None:
    stage.accepted()
    stage.sync()
    connection = stage.bridge.store.connections.of_user(stage.user.id)[0]
    account = stage.bridge.account(connection, registry.spec("google_calendar"))
    account.save_token(stage.vendor.grant(WRITE_SCOPE) | {connecting.WRITES_FIELD: True})
    stage.sync()
    assert len(stage.ours()) == 1


def test_a_deleted_calendar_is_not_made_anew(stage: Stage) -> None:
    advice = stage.accepted()
    stage.sync()
    stage.vendor.remove_calendar(stage.vendor.account["made"][0])
    stage.answer(advice, Answer.IGNORE)
    stage.answer(advice, Answer.ACCEPT)
    stage.sync()
    stage.server.asked.clear()
    stage.sync()
    assert stage.writes() == []


@pytest.mark.parametrize("action", [ActionType.SOCIALIZE, ActionType.MEDITATE])
def test_what_was_written_is_read_back_as_what_was_accepted(stage: Stage, action: ActionType) -> None:
    """Once, with its action, as a share of the slot; and it is no meeting."""
    advice = stage.accepted(action)
    stage.sync()
    stage.sync()
    begin, over = slot_bounds(advice.moment, stage.user.zones)
    found = labelled(stage.bridge, stage.user, begin, over, at=stage.now)
    ours = [(o, label) for o, label in found if label.why == "you accepted it"]
    ((occurrence, label),) = ours
    assert (label.action, label.confidence) == (action, 1.0)
    assert not is_meeting(occurrence.event)
    share = (occurrence.end - occurrence.start) / (over - begin)
    assert planned_shares(ours, begin, over) == {action: pytest.approx(share)}


def test_the_daemon_writes_an_answer_without_waiting_for_a_sync(stage: Stage) -> None:
    daemon = Daemon(bridge=stage.bridge, clock=lambda: stage.now)
    advice = stage.advise()
    daemon.tick()
    stage.now += timedelta(minutes=1)
    stage.answer(advice, Answer.ACCEPT)
    stage.now += timedelta(minutes=1)
    stage.server.faults.append(lambda request: Reply(status=503) if request.method == "POST" else None)
    daemon.tick()
    assert stage.ours() == []
    stage.server.faults.clear()
    stage.now += timedelta(minutes=15)
    daemon.tick()
    assert len(stage.ours()) == 1


def test_an_answer_of_a_clock_that_was_ahead_is_written_once(stage: Stage) -> None:
    daemon = Daemon(bridge=stage.bridge, clock=lambda: stage.now)
    advice = stage.advise()
    daemon.tick()
    stage.now += timedelta(hours=1)
    stage.answer(advice, Answer.ACCEPT)
    stage.now -= timedelta(minutes=50)
    daemon.tick()
    asked = len(stage.server.asked)
    assert len(stage.ours()) == 1
    stage.now += SOME
    daemon.tick()
    assert len(stage.server.asked) == asked


def test_the_consent_to_write_is_asked_for_only_when_told_to(stage: Stage) -> None:
    for write in (False, True):
        visitor = Visitor()
        connection = connecting.connect(
            stage.bridge, stage.user, connecting.NewConsent(source="google_calendar", write=write), visitor
        )
        visitor.leave()
        assert (WRITE_SCOPE in visitor.shown["scope"]) is write
        account = stage.bridge.account(connection, registry.spec("google_calendar"))
        assert (account.token() or {})[connecting.WRITES_FIELD] is write
    assert connecting.disconnect(stage.bridge, stage.user, "google_calendar")
