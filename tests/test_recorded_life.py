"""The recorded life comes to any day with its weekdays and clock changes, and asks nobody."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge import installation
from bridge.advice.recommend import load_snapshot
from bridge.domain.types import EpisodeKind
from bridge.recordings import recorded_life
from bridge.recordings.recorded_life import DEMO_TIME, DEMO_USER, DEMO_ZONE, land, moved
from lab.people.record_life import MONDAY, mark

BERLIN = ZoneInfo(DEMO_ZONE)


@pytest.fixture
def bridge(monkeypatch: pytest.MonkeyPatch) -> Iterator[installation.Bridge]:
    monkeypatch.setenv("BRIDGE_DATABASE", "sqlite://")
    with installation.open_bridge() as opened:
        yield opened


@pytest.mark.parametrize(
    "day",
    [
        "2026-08-24",  # the first recorded morning
        "2026-08-30",  # and the last
        "2026-10-25",  # the clock went back in the night before
        "2026-11-25",
        "2027-03-28",  # and forward
        "2027-04-02",
    ],
)
def test_every_record_lands_on_any_day(bridge: installation.Bridge, day: str) -> None:
    at = datetime.combine(date.fromisoformat(day), DEMO_TIME, BERLIN)
    user = bridge.store.people.add_user(DEMO_USER, DEMO_ZONE, now=at)
    first = [land(bridge, user, source, at=at) for source in recorded_life.sources()]
    again = [land(bridge, user, source, at=at) for source in recorded_life.sources()]
    assert {outcome.source for outcome in first} == {
        *("apple_health", "garmin", "google_calendar", "google_tasks", "ics", "whoop")
    }
    assert all((o.outcome, o.updated, o.deleted, o.set_aside) == ("ok", 0, 0, 0) and o.new > 0 for o in first)
    assert all((o.outcome, o.new, o.updated, o.unchanged) == ("ok", 0, 0, 0) for o in again)
    known = load_snapshot(bridge, user, at=at)
    assert max(sample.start for _, sample in known.samples) <= at
    assert max(episode.end for _, episode in known.episodes) <= at
    nights = [e for source, e in known.episodes if e.kind is EpisodeKind.SLEEP and source == "whoop"]
    assert at.date() in {night.day for night in nights}
    assert len({night.day for night in nights}) >= 70
    assert all(night.start.astimezone(BERLIN).hour in (21, 22, 23, 0, 1, 2) for night in nights)
    standups = [o.start.astimezone(BERLIN) for o, _ in known.agenda if o.event.title == "Team standup"]
    assert {(start.hour, start.minute) for start in standups} == {(9, 15)}
    assert {start.weekday() for start in standups} == {0, 1, 2, 3, 4}


def test_nothing_asks_the_real_vendors(bridge: installation.Bridge) -> None:
    at = datetime(2026, 11, 25, 10, 5, tzinfo=BERLIN)
    user = bridge.store.people.add_user(DEMO_USER, DEMO_ZONE, now=at)
    for source in recorded_life.sources():
        land(bridge, user, source, at=at)
    for connection in bridge.store.connections.of_user(user.id):
        assert bridge.store.connections.secret(connection.id) is None
        assert connection.due_at is None


TIMES = [
    ({"start": "2026-08-24T21:30:00.120Z", "timezone_offset": "+02:00"}, "2026-11-23T22:30:00.120Z"),
    ({"start": 1787857200.0, "offset": 120}, 1795723200),
    ({"start": "2026-08-24T21:30:00+02:00"}, "2026-11-23T21:30:00+01:00"),
    ({"start": "2026-08-24"}, "2026-11-23"),
    ({"start": "2026-08-24T00:00:00.000Z"}, "2026-11-23T00:00:00.000Z"),
    ({"start": "RRULE:FREQ=WEEKLY;UNTIL=20260824T190000Z"}, "RRULE:FREQ=WEEKLY;UNTIL=20261123T200000Z"),
    ({"start": "EXDATE;TZID=Europe/Berlin:20260824T210000"}, "EXDATE;TZID=Europe/Berlin:20261123T210000"),
    ({"start": "abc_20260824T190000Z"}, "abc_20261123T200000Z"),
    ({"startLocal": "2026-08-24T21:30:00.0"}, "2026-11-23T21:30:00.0"),
    ({"startGMT": "2026-08-24 19:30:00"}, "2026-11-23 20:30:00"),
    ({"start": 1787857200123}, 1795723200123),
]


@pytest.mark.parametrize(("record", "wanted"), TIMES)
def test_a_time_moves_by_weeks_of_the_persons_clock(record: dict[str, Any], wanted: Any) -> None:
    marked = mark(record)
    assert moved(marked, MONDAY) == record
    later = moved(marked, MONDAY + timedelta(weeks=13))
    assert next(iter(later.values())) == wanted
    if "timezone_offset" in record:
        assert later["timezone_offset"] == "+01:00"
    if "offset" in record:
        assert later["offset"] == 60


@given(seconds=st.integers(1_780_000_000, 1_790_000_000), weeks=st.integers(-200, 400))
def test_marks_keep_the_wall_clock_and_come_back(seconds: int, weeks: int) -> None:
    at = datetime.fromtimestamp(seconds, UTC)
    record = {"at": at.isoformat(), "epochs": {str(seconds): [seconds * 1000 + 7, 3.5, None, True]}, "n": 10_129_001}
    marked = mark(record)
    assert moved(marked, MONDAY) == record
    assert json.loads(json.dumps(marked)) == marked
    wall = at.astimezone(BERLIN).replace(tzinfo=None) + timedelta(weeks=weeks)
    there = wall.replace(tzinfo=BERLIN).astimezone(UTC)
    assert datetime.fromisoformat(moved(marked, MONDAY + timedelta(weeks=weeks))["at"]) == there


def test_the_recording_is_small() -> None:
    assert sum(path.stat().st_size for path in recorded_life.LIFE_FOLDER.iterdir()) < 400_000
