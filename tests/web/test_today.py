"""What "today" is: the date on the person's clock, also after midnight, on every page and in every command."""

from __future__ import annotations

import json
from datetime import datetime, time, timedelta
from html import unescape
from pathlib import Path

import pytest

from bridge import installation
from bridge.advice import requests as advising
from bridge.advice import week as weeks
from bridge.advice.labels import of_days
from bridge.domain.records import Recommendation, User
from bridge.domain.wishes import NightWish, Wishes
from bridge.ingest import runs
from tests.apple_health.documents import document, slept
from tests.web.served import Place
from tests.web.test_week import todo

ENTRY = "BEGIN:VEVENT\r\nUID:{0}@example.org\r\nSUMMARY:{0}\r\nDTSTART:{1}00Z\r\nDTEND:{2}00Z\r\nEND:VEVENT\r\n"
ENTRIES = {  # in UTC, an hour before Berlin's clock; 23 November is a Monday
    "Brunch": ("20261122T1000", "20261122T1200"),
    "Fireworks": ("20261123T0300", "20261123T0330"),
    "Budget": ("20261123T0900", "20261123T1000"),
    "Sunrise": ("20261124T0300", "20261124T0400"),
    "Dentist": ("20261124T0900", "20261124T1000"),
}
NIGHTS = "2026-11-23T02:30:00+01:00", "2026-11-23T05:30:00+01:00"


@pytest.fixture(params=NIGHTS)
def night(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("BRIDGE_NOW", request.param)
    return str(request.param)


@pytest.fixture
def mina(place: Place, night: str, tmp_path: Path) -> User:
    moment = datetime.fromisoformat(night) - timedelta(days=1)
    user = place.bridge.store.people.add_user("mina", "Europe/Berlin", now=moment)
    text = "".join(ENTRY.format(name, *times) for name, times in ENTRIES.items())
    (tmp_path / "c.ics").write_text(f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//t//EN\r\n{text}END:VCALENDAR\r\n")
    (tmp_path / "t.ics").write_bytes(todo("Tax return", "20261123"))
    for file in ("c.ics", "t.ics"):
        runs.import_path(place.bridge, user, tmp_path / file, at=moment)
    return user


def test_every_page_means_the_same_day_after_midnight(place: Place, mina: User, night: str) -> None:
    visitor = place.visitor()
    head = visitor.get("/").text
    assert "Night into Monday" in head
    assert "23 November" in head
    assert "ue today: Tax return" in head
    corrected = visitor.get("/events").text
    ahead = "Fireworks", "Budget", "Sunrise"
    assert [name for name in ENTRIES if name in corrected] == list(ahead)
    week = visitor.get("/week").text
    assert "2026-W48" in week
    assert 'class="day is-today" aria-current="date"' in week
    today = week.partition("is-today")[2].partition("</li>")[0]
    assert "Monday" in today
    plan = visitor.get("/day?date=today").text
    assert "Monday, 23 November" in plan
    assert "Budget" in plan
    assert "Dentist" not in plan
    place.bridge.store.people.set_language(mina.id, "de", now=installation.now())
    assert "Nacht auf Montag" in visitor.get("/").text


def test_documents_and_commands_mean_the_same_day_after_midnight(place: Place, mina: User, night: str) -> None:
    bridge, now = place.bridge, installation.now()
    _, _, entries = of_days(bridge, mina, 1, at=now)
    assert [occurrence.event.title for occurrence, _ in entries] == ["Fireworks", "Budget", "Sunrise"]
    _, end, entries = of_days(bridge, mina, 2, at=now)
    assert entries[-1][0].event.title == "Dentist"
    assert end == datetime.fromisoformat("2026-11-25T06:00:00+01:00")
    assert str(weeks.monday_of(None, now, mina.zones)) == "2026-11-23"
    made = json.loads(place.visitor().get("/api/v1/today").text)
    assert [event["title"] for slot in made["slots"] for event in slot["events"]] == ["Fireworks", "Budget", "Sunrise"]


def test_the_headline_waits_for_a_night_that_is_wished_long_as_the_plan_does(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRIDGE_NOW", "2026-11-20T09:30:00+01:00")
    user = place.bridge.store.people.add_user("mina", "Europe/Berlin", now=installation.now() - timedelta(days=40))
    nights = [f"2026-11-{day:02}" for day in range(1, 20)]
    rows = [slept("AsleepCore", f"{day} 00:10:00 +0100", f"{day} 08:00:00 +0100") for day in nights]
    (tmp_path / "export.xml").write_bytes(document(*rows).content)
    runs.import_path(place.bridge, user, tmp_path / "export.xml", at=installation.now())
    place.bridge.store.connections.connect(user.id, "apple_health", "push", now=installation.now())
    assert "Your watch has not sent last night yet" in unescape(place.visitor().get("/").text)
    wishes = Wishes(night=NightWish(up=time(11)))
    place.bridge.store.people.save_wishes(user.id, wishes, now=installation.now())
    assert "Your watch has not sent last night yet" not in unescape(place.visitor().get("/").text)


def test_a_suggestion_whose_time_is_over_is_not_ahead(
    place: Place, demo: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = advising.recommend(place.bridge, demo, now=installation.now())
    assert isinstance(given, Recommendation)
    now = installation.now()
    place.bridge.store.recommendations.retime(given.id, now, now + timedelta(minutes=3))
    assert "Still ahead" in place.visitor().get("/history").text
    monkeypatch.setenv("BRIDGE_NOW", (now + timedelta(minutes=4)).isoformat())
    assert "Still ahead" not in place.visitor().get("/history").text
