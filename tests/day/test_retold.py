"""A suggestion ahead is looked at anew when new data change what it rests on."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

import pytest

from bridge import installation, registry
from bridge.advice import recommend
from bridge.domain.guard import Guard
from bridge.domain.records import Recommendation, Silence, User
from bridge.domain.rendering import for_person
from bridge.domain.wishes import Wishes
from bridge.ingest import runs
from bridge.installation import Bridge
from rhythm_env.interface import ActionType

TODAY, DAY = date(2026, 11, 20), timedelta(days=1)  # a Friday
NOON = datetime(2026, 11, 20, 12, 30, tzinfo=UTC)
COLUMNS = (
    "Cycle start time,Cycle end time,Cycle timezone,Workout start time,Workout end time,Duration (min),Activity name,"
    "Activity Strain,Energy burned (cal),Max HR (bpm),Average HR (bpm)"
)


def swims(folder: Path, days: dict[date, time]) -> Path:
    rows = []
    for day, at in days.items():
        start, end = datetime.combine(day, at), datetime.combine(day, at) + timedelta(minutes=50)
        cycle = f"{day - DAY} 23:00:00,{day} 23:00:00,UTC+00:00"
        rows.append(f"{cycle},{start:%Y-%m-%d %H:%M:%S},{end:%Y-%m-%d %H:%M:%S},50,Swimming,8.0,400,148,118")
    (folder / "workouts.csv").write_text("\n".join([COLUMNS, *rows]) + "\n")
    return folder / "workouts.csv"


@pytest.fixture
def home(tmp_path: Path) -> Iterator[tuple[Bridge, User]]:
    """Somebody who swims on Tuesdays and Fridays at 17:00, and wants to twice a week."""
    with installation.open_bridge() as bridge:
        user = bridge.store.people.add_user("ana", "UTC", now=NOON - DAY)
        goal = Wishes(never=frozenset(ActionType) - {ActionType.EXERCISE}, goals={ActionType.EXERCISE: 2})
        bridge.store.people.save_wishes(user.id, goal, now=NOON - DAY)
        usual = {TODAY - k * DAY: time(17) for k in range(7, 60) if (TODAY - k * DAY).weekday() in (1, 4)}
        runs.import_path(bridge, user, swims(tmp_path, usual), at=NOON - timedelta(hours=1))
        yield bridge, user


def ask(home: tuple[Bridge, User], at: datetime) -> Recommendation | Silence:
    bridge, user = home
    guard = Guard(explore=0.0, silent=False)
    return recommend.recommend(bridge, user, registry.policy("heuristic"), now=at, guard=guard)


def bring(home: tuple[Bridge, User], folder: Path, days: dict[date, time]) -> None:
    bridge, user = home
    runs.import_path(bridge, user, swims(folder, days), at=NOON + timedelta(minutes=2))


def test_sport_that_an_import_shows_as_done_is_suggested_no_more(home: tuple[Bridge, User], tmp_path: Path) -> None:
    made = ask(home, NOON)
    assert isinstance(made, Recommendation)
    assert made.start is not None
    assert made.start > NOON + timedelta(hours=1)
    bring(home, tmp_path, {TODAY: time(10, 10)})
    again = ask(home, NOON + timedelta(minutes=5))
    assert isinstance(again, Silence)
    assert again.facts[0].kind == "trained"
    bridge, _ = home
    assert bridge.store.recommendations.by_id(made.id).superseded_at is not None


def test_what_a_suggestion_counts_is_as_of_the_newest_data(home: tuple[Bridge, User], tmp_path: Path) -> None:
    made = ask(home, NOON)
    assert isinstance(made, Recommendation)
    assert any("0 of 2" in text for text in for_person(made.facts)), for_person(made.facts)
    bring(home, tmp_path, {TODAY - 3 * DAY: time(17)})
    again = ask(home, NOON + timedelta(minutes=5))
    assert isinstance(again, Recommendation)
    assert again.id == made.id
    texts = for_person(again.facts)
    assert any("1 of 2" in text for text in texts), texts
    assert any("3 days ago" in text for text in texts), texts
    bridge, _ = home
    assert bridge.store.recommendations.by_id(made.id).facts == again.facts
