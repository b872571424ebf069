"""The made-up person on the page: one click, from a recording, without any server beside the page."""

from __future__ import annotations

import socket
import time
from datetime import datetime, timedelta
from itertools import product
from zoneinfo import ZoneInfo

import pytest

from bridge import config
from bridge.advice import requests
from bridge.domain.records import Recommendation
from bridge.recordings import recorded_life
from bridge.web.pages import login
from tests.web.served import Place


def shown(place: Place, seconds: float = 60) -> None:
    """Ask for the made-up person, and wait until the page leads on."""
    visitor = place.visitor()
    visitor.get("/welcome")
    begun = visitor.post("/welcome/demo", data={"csrf": visitor.csrf})
    assert begun.status_code == 200, begun.text
    job = next(iter(place.made.state.page.jobs.running(None)), None)
    assert job is None or "Show me a made-up person" not in visitor.get("/welcome").text  # who comes back waits on
    until = time.monotonic() + seconds
    while job is not None and job.state == "running" and time.monotonic() < until:
        time.sleep(0.1)
    assert job is None or job.state == "done", job.text


def test_one_click_brings_a_person_whom_no_vendor_is_asked_about(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    addresses: list[object] = []
    connect = socket.socket.connect

    def noted(self: socket.socket, address: object) -> None:
        addresses.append(address)
        connect(self, address)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", noted)
    shown(place)
    assert {port for _, port, *_ in addresses} == {place.port}  # type: ignore[misc]
    store = place.bridge.store
    (user,) = store.people.users()
    assert user.name == recorded_life.DEMO_USER
    assert {c.source for c in store.connections.of_user(user.id)} == set(recorded_life.sources())
    assert all(store.connections.secret(c.id) is None and c.due_at is None for c in store.connections.of_user(user.id))
    assert len(store.reading.samples(user.id)) > 5000


def test_a_failure_leaves_nobody_behind(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded_life, "sources", lambda: ["garmin", "nowhere"])
    site = place.made.state.page
    job = login.begin_demo(site)
    until = time.monotonic() + 60
    while job.state == "running" and time.monotonic() < until:
        time.sleep(0.1)
    assert job.state == "failed"
    assert place.bridge.store.people.users() == []


MONDAY = datetime(2026, 11, 23, tzinfo=ZoneInfo("Europe/Berlin"))
ASLEEP, AT_YOGA = (2, 4, 0), (6, 9, 24)  # weekday, hour and minute at which Berlin's life has nothing to say
HOURS = [(day, hour, 24) for day, hour in product(range(7), range(1, 24, 5))]


@pytest.mark.parametrize(
    "begun", [[AT_YOGA], pytest.param([ASLEEP, *HOURS], marks=(pytest.mark.slow, pytest.mark.timeout(1800)))]
)
def test_there_is_a_card_whenever_one_begins(
    place: Place, monkeypatch: pytest.MonkeyPatch, begun: list[tuple[int, int, int]]
) -> None:
    monkeypatch.setattr(config, "local_zone", lambda: "Europe/Berlin")
    for day, hour, minute in begun:
        now = MONDAY + timedelta(days=day, hours=hour, minutes=minute)
        monkeypatch.setenv("BRIDGE_NOW", now.isoformat())
        shown(place, seconds=300)
        (user,) = place.bridge.store.people.users()
        for later in (now, now + timedelta(minutes=25)):
            found = requests.recommend(place.bridge, user, now=later)
            assert isinstance(found, Recommendation), (later, user.zones, found)
        if (day, hour, minute) == AT_YOGA:
            assert "They live in " in place.visitor().get("/").text
        place.bridge.store.people.forget(user.id)
