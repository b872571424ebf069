"""What "today" is: the date on the person's clock, also after midnight, on every page and in every command."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from bridge import installation
from bridge.advice import week as weeks
from bridge.advice.labels import of_days
from bridge.domain.records import User
from bridge.ingest import runs
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
    assert "Night to Monday" in head
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
