"""Answers to plain questions beyond the figure: yes or no, a pace, a rate with its sum, and entries for workouts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bridge.domain.records import User
from bridge.domain.types import Event
from bridge.installation import Bridge
from bridge.query import asking
from bridge.query.answered import Answer
from bridge.query.said import said
from tests.query.test_rules import lived
from tests.query.wearer import NOW, land

__all__ = ["lived"]
Lived = tuple[Bridge, User]


def told(lived: Lived, text: str, *, titles: bool = False) -> tuple[Answer, str]:
    found = asking.plain(*lived, text, now=NOW, titles=titles)[0]
    return found, str(said(found))


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        ("are my steps going up?", "yes: steps changes by "),
        ("are my steps going down?", "no: steps changes by "),
        ("are my steps getting better?", "yes: steps changes by "),
        ("is my deep sleep getting shorter?", "no: "),
        ("what is the trend of my steps", "steps changes by "),
    ],
)
def test_a_question_of_yes_or_no_is_answered_so(lived: Lived, text: str, begins: str) -> None:
    found, text = told(lived, text)
    assert text.startswith(begins)
    assert found.interval is None


def test_what_may_be_chance_is_not_known(lived: Lived) -> None:
    assert told(lived, "is my sleep getting longer?")[1].startswith("not known, it may be chance: ")


def test_a_speed_is_told_as_a_pace_and_reckoned_where_none_is_stored(lived: Lived) -> None:
    found, text = told(lived, "pace of my last run")
    assert found.value == pytest.approx(10)
    assert "10 km/h, 6:00 min/km" in text
    assert found.read_as == "by distance and time, as no speed is stored"


def test_a_rate_is_told_with_its_sum(lived: Lived) -> None:
    found, text = told(lived, "how often do I run per week")
    assert f"{2 / found.n:.3g}, in a week, on average, 2 in all" in text


def test_entries_answer_for_workouts_that_are_not_stored(lived: Lived) -> None:
    bridge, user = lived
    begins = [datetime(2024, 3, day, 18, tzinfo=UTC) for day in (4, 6, 11)]
    events = [
        Event(key=f"e{n}", calendar="c", title=title, start=at, end=at + timedelta(hours=1))
        for n, (title, at) in enumerate(zip(("Gym", "Gym with Ali", "Dentist"), begins, strict=True))
    ]
    land(bridge.store, user, events)
    found, _ = told(lived, "how often was I at the gym in 2024?", titles=True)
    assert (found.query.subject.name, found.value) == ("entries", 2)
    assert found.read_as == "of calendar entries, as no workouts are stored of then"
    assert told(lived, "how often was I at the gym in 2024?")[0].value is None  # where no title may be read
