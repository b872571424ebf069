"""A person's own word on their events outranks every classifier."""

from __future__ import annotations

import doctest
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.calendar import corrections
from bridge.calendar.corrections import alike, applied, held_by, runs
from bridge.calendar.expansion import series_of
from bridge.domain.records import Correction
from bridge.domain.types import Event, Label, Occurrence
from rhythm_env.interface import ActionType
from tests.pace import paces

NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)
GUESS = Label(action=ActionType.ADMIN_WORK, confidence=0.99, by="linear@1", why="learnt")


def occurrence(title: str | None, key: str = "k", **fields: str) -> Occurrence:
    end = NOW + timedelta(hours=1)
    event = Event(key=key, calendar="c", title=title, start=NOW, end=end, **fields)  # type: ignore[arg-type]
    return Occurrence(key=key, event=event, start=NOW, end=end)


def said(series: str, title: str | None, action: ActionType | None = ActionType.EXERCISE) -> Correction:
    return Correction(series=series, title=title, action=action, made_at=NOW)


def label(one: Occurrence, *made: Correction) -> Label:
    return applied([one], [GUESS], made)[0]


def test_worked_examples() -> None:
    assert doctest.testmod(corrections).failed == 0


def test_a_series_is_one_on_all_calendars_or_a_master_and_its_exceptions() -> None:
    assert series_of(occurrence("x", series="uid@host").event) == "uid@host"
    assert series_of(occurrence("x", key="m").event) == series_of(occurrence("x", key="m_1", master="m").event) == "c/m"


def test_what_was_said_of_a_series_holds_whatever_it_is_called() -> None:
    found = label(occurrence("Renamed"), said("c/k", "Block"))
    assert (found.action, found.confidence, found.by) == (ActionType.EXERCISE, 1.0, "you")
    assert label(occurrence(None), said("c/k", None, None)).action is None


@pytest.mark.parametrize("title", ["Block A", "block a", "Block A (2)", "Block  A!", "BLOCK A"])
def test_it_holds_for_the_same_title_elsewhere(title: str) -> None:
    found = label(occurrence(title, key="other"), said("c/k", "Block A"))
    assert (found.action, found.by, found.confidence) == (ActionType.EXERCISE, "you", 0.95)


def test_it_holds_for_similar_titles_and_for_no_others() -> None:
    one = said("c/k", "Swim training Thursday")
    assert label(occurrence("Swim training Thursdays", key="x"), one).by == "you"
    assert label(occurrence("Sales training", key="x"), one) is GUESS
    assert label(occurrence(None, key="x"), one) is GUESS
    assert label(occurrence("🏊", key="x"), said("c/k", "🏋")) is GUESS


@pytest.mark.parametrize(
    ("corrected", "other"),
    [
        ("Call with Bob", "Call with Mom"),
        ("Meeting with Sara", "Meeting with Mark"),
        ("Dinner with client", "Dinner with Clara"),
        ("Block A", "Block B"),
    ],
)
def test_the_same_with_somebody_else_is_another_thing(corrected: str, other: str) -> None:
    assert alike(runs(corrected), runs(other)) >= corrections.SIMILAR
    assert label(occurrence(other, key="x"), said("c/k", corrected)) is GUESS
    assert label(occurrence(f"{corrected} again", key="x"), said("c/k", corrected)).by == "you"


@pytest.mark.parametrize("title", ["🏊", "1:1", "5000"])
def test_a_title_without_words_is_like_itself(title: str) -> None:
    assert label(occurrence(title, key="x"), said("c/k", title)).by == "you"
    assert label(occurrence(title, key="x"), said("c/k", None)) is GUESS


def test_words_that_differ_in_a_vowel_that_is_a_mark_are_others() -> None:
    assert label(occurrence("दान", key="x"), said("c/k", "दिन")) is GUESS


def test_it_counts_where_nothing_else_was_said() -> None:
    made = [said("c/a", "Gym"), said("c/b", "Gym class", ActionType.LEARN), said("c/c", "Gym", None)]
    events = [occurrence("Gym", key=key).event for key in ("a", "b", "c", "d")]
    assert [held_by(events, f"c/{key}", made) for key in "abc"] == [2, 1, 1]


def test_of_titles_that_are_equally_near_the_newest_decides() -> None:
    made = (said("c/2", "Block A (2)", ActionType.LEARN), said("c/1", "block A", ActionType.SOCIALIZE))
    assert label(occurrence("Block A", key="x"), *made).action is ActionType.LEARN


def test_many_corrections_of_a_year_of_titles_take_no_seconds() -> None:
    """Three thousand entries of 300 titles, 400 corrections: looked up one by one they took some six seconds."""
    names = [f"{a} {b} {c}" for a in ("Weekly", "Long", "First") for b in range(10) for c in range(10)]
    titles = ["".join(chr(97 + int(d)) if d.isdigit() else d for d in name) + " planning session" for name in names]
    made = [said(f"c/{n}", f"Review of {titles[n % 300]} {n}") for n in range(400)]
    calendar = [occurrence(titles[n % 300], key=f"o{n}") for n in range(3000)]
    assert paces(lambda: applied(calendar, [GUESS] * len(calendar), made), tries=2) < 1500


def test_the_nearest_of_several_decides() -> None:
    made = (said("c/1", "Chess club", ActionType.SOCIALIZE), said("c/2", "Chess club lessons", ActionType.LEARN))
    assert label(occurrence("Chess club lesson", key="x"), *made).action is ActionType.LEARN
    assert label(occurrence("Chess club", key="x"), *made).action is ActionType.SOCIALIZE


@given(st.text(max_size=40), st.text(max_size=40))
def test_likeness_is_mutual_and_whole_for_oneself(one: str, other: str) -> None:
    a, b = runs(one), runs(other)
    assert 0 <= alike(a, b) == alike(b, a) <= 1
    assert alike(a, a) in (0.0, 1.0)
