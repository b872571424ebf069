"""Google's pushes: believed by their token, they make the next sync come at once; channels are renewed and ended."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
import requests

import lab
from bridge import installation, registry
from bridge.config import load
from bridge.domain.errors import Forged
from bridge.domain.records import Connection
from bridge.ingest import connecting, runs
from bridge.recordings.server import Answer as Reply
from bridge.recordings.server import LabServer, Request
from bridge.store import Store
from connectors.google.calendar.channels import notice, token_of
from lab.vendors.google import refusal
from lab.vendors.google_calendar import Vendor
from lab.vendors.google_channels import Channel
from tests.whoop.test_webhooks import listening
from tests.world import KEY, NOW

DAY = timedelta(days=1)


@dataclass
class Stage:
    """A person with a calendar account, a bridge with an address, and a clock that the test turns."""

    bridge: installation.Bridge
    server: LabServer
    vendor: Vendor
    now: datetime = NOW

    @property
    def connection(self) -> Connection:
        (found,) = self.bridge.store.connections.of_user(self.bridge.store.people.user("ana").id)
        return found

    @property
    def open(self) -> list[Channel]:
        return sorted(self.vendor.channels.open.values(), key=lambda one: one.calendar)

    def sync(self, **later: float) -> list[str]:
        """Some time later; what of it concerned channels."""
        self.now += timedelta(**later)
        self.server.asked.clear()
        user = self.bridge.store.people.user("ana")
        assert runs.sync_connection(self.bridge, user, self.connection, at=self.now).outcome == "ok"
        return [line.split("?")[0] for line in self.server.asked if "watch" in line or "channels" in line]

    def with_url(self, url: str | None) -> Stage:
        settings = replace(self.bridge.settings, url=url)
        return replace(self, bridge=replace(self.bridge, settings=settings))

    def change(self) -> None:
        (calendar, *_) = [one.calendar for one in self.open]
        events = self.vendor.events(calendar)
        self.vendor.put(calendar, {**events[0], "summary": "moved", "updated": "2026-11-20T09:30:00.000Z"})


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    monkeypatch.setattr("time.sleep", lambda _: None)
    monkeypatch.setenv("BRIDGE_KEY", KEY)
    monkeypatch.setenv("BRIDGE_CLASSIFIER", "keywords")
    monkeypatch.setenv("BRIDGE_NOW", (NOW + timedelta(minutes=10)).isoformat())  # when pushes come in
    vendor = Vendor(lab.account("google_calendar", "awkward"))
    with ExitStack() as stack:
        server = stack.enter_context(LabServer(vendor.application))
        for name, value in vendor.settings(server.url).items():
            monkeypatch.setenv(f"BRIDGE_GOOGLE_CALENDAR_{name}".upper(), value)
        store = Store(f"sqlite:///{tmp_path / 'bridge.db'}")
        stack.callback(store.close)
        bridge = installation.Bridge(settings=load(), store=store)
        stage = Stage(bridge, server, vendor)
        user = store.people.add_user("ana", "Europe/Berlin", now=NOW)
        connection = store.connections.connect(user.id, "google_calendar", "account", now=NOW)
        bridge.account(connection, registry.spec("google_calendar")).save_token(vendor.grant())
        stage = stage.with_url(stack.enter_context(listening(bridge)))
        vendor.clock = lambda: stage.now
        yield stage


def test_each_calendar_gets_a_channel_once(stage: Stage) -> None:
    first = stage.sync()
    assert len(stage.open) == len(first) > 1
    assert stage.sync(minutes=30) == []
    assert {one.address for one in stage.open} == {f"{stage.bridge.settings.url}/hooks/google_calendar"}


def test_a_change_makes_the_connection_due_and_the_next_sync_brings_it(stage: Stage) -> None:
    stage.sync()
    assert stage.connection.due_at == NOW + timedelta(minutes=30)
    stage.change()
    assert stage.connection.due_at == NOW + timedelta(minutes=10)  # now
    stage.sync(minutes=10)
    titles = {
        e.title
        for _, e in stage.bridge.store.reading.events(
            stage.connection.user_id, since=NOW - 999 * DAY, until=NOW + 999 * DAY
        )
    }
    assert "moved" in titles
    assert stage.bridge.store.ingest.notices(stage.connection.id) == []


def test_channels_are_renewed_before_they_end_and_old_ones_stopped(stage: Stage) -> None:
    stage.sync()
    before = {one.name for one in stage.open}
    asked = stage.sync(days=6.1)
    assert [line for line in asked if "watch" in line]
    assert asked.count("POST /calendar/v3/channels/stop") == len(before)
    assert not before & {one.name for one in stage.open}
    assert all(one.until - stage.now > DAY for one in stage.open)
    stage.change()
    assert stage.bridge.store.ingest.notices(stage.connection.id)  # the new ones are believed, and ours


def test_a_calendar_that_comes_or_goes_changes_the_channels(stage: Stage) -> None:
    stage.sync()
    before = [one.calendar for one in stage.open]
    stage.vendor.account["events"]["new@example.com"] = []
    stage.vendor.put_calendar({"id": "new@example.com", "summary": "n", "selected": True, "accessRole": "owner"})
    stage.vendor.remove_calendar(before[-1])
    stage.sync(hours=7)
    assert [one.calendar for one in stage.open] == sorted([*before[:-1], "new@example.com"])


def test_without_an_address_there_are_none_and_those_open_end(stage: Stage) -> None:
    assert stage.with_url(None).sync() == []
    stage.sync(minutes=5)
    assert stage.open
    assert "POST /calendar/v3/channels/stop" in stage.with_url(None).sync(minutes=5)
    assert stage.open == []
    assert stage.with_url(None).sync(minutes=5) == []


def test_disconnecting_ends_them(stage: Stage) -> None:
    stage.sync()
    connecting.disconnect(stage.bridge, stage.bridge.store.people.user("ana"), "google_calendar")
    assert stage.open == []


@pytest.mark.parametrize("status", [400, 403, 404, 500])
def test_a_calendar_that_cannot_be_watched_is_synced_all_the_same(stage: Stage, status: int) -> None:
    def refuse(request: Request) -> Reply | None:
        return Reply(status=status, body={}) if request.path.endswith("/watch") else None

    stage.server.faults.append(refuse)
    stage.sync()
    assert stage.open == []
    stage.server.faults.clear()
    stage.sync(hours=7)
    assert stage.open


def test_a_calendar_that_is_shut_is_watched_by_nobody_and_costs_no_other(stage: Stage) -> None:
    shut = min(one["id"] for one in stage.vendor.account["calendars"] if one.get("primary"))

    def refuse(request: Request) -> Reply | None:
        about = unquote(request.path).partition("/calendars/")[2].startswith(f"{shut}/events")
        return refusal(403, "forbidden") if about else None

    stage.server.faults.append(refuse)
    stage.sync()
    assert [one.calendar for one in stage.open] == ["family@group.example.com"]
    assert stage.sync(minutes=30) == []


def test_forged_pushes_are_refused_over_the_wire(stage: Stage) -> None:
    stage.sync()
    channel = stage.open[0]
    good = {
        "X-Goog-Channel-ID": channel.name,
        "X-Goog-Channel-Token": channel.token,
        "X-Goog-Resource-State": "exists",
        "X-Goog-Message-Number": "7",
    }
    wrong = [
        {"X-Goog-Channel-Token": "x"},
        {"X-Goog-Channel-Token": ""},
        {"X-Goog-Channel-ID": f"{channel.name}0"},
        {"X-Goog-Channel-Token": token_of(channel.name, "")},
    ]
    for change in wrong:
        assert _push(stage, good | change) == (401, None)
    assert stage.connection.due_at == NOW + timedelta(minutes=30)
    assert [_push(stage, good) for _ in range(2)] == [(200, 1), (200, 0)]  # the same message again is no news
    assert _push(stage, good | {"X-Goog-Resource-State": "sync"}) == (200, 0)


def _push(stage: Stage, headers: dict[str, str]) -> tuple[int, Any]:
    answer = requests.post(f"{stage.bridge.settings.url}/hooks/google_calendar", headers=headers, data=b"", timeout=5)
    return answer.status_code, answer.json().get("new")


def test_without_a_secret_nothing_is_believed() -> None:
    headers = {"x-goog-channel-id": "a-1", "x-goog-channel-token": token_of("a-1", ""), "x-goog-message-number": "1"}
    with pytest.raises(Forged):
        notice(headers, b"", settings={"client_secret": ""}, now=NOW)


def test_a_lost_message_costs_half_an_hour_and_nothing_else(stage: Stage) -> None:
    stage.sync()
    stage.vendor.channels.muted = True
    stage.change()
    assert stage.connection.due_at == NOW + timedelta(minutes=30)
    stage.sync(minutes=30)
    found = stage.bridge.store.reading.events(stage.connection.user_id, since=NOW - 999 * DAY, until=NOW + 999 * DAY)
    assert "moved" in {event.title for _, event in found}
