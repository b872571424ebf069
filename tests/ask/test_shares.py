"""The share of days with something done, a reading of an hour, and a bare day of the month that is to come."""

from __future__ import annotations

from datetime import date

import pytest

from bridge.domain.errors import SetupError
from bridge.query.parse import Words
from bridge.query.plain import read

TODAY = date(2026, 12, 1)  # a Tuesday


def _asked(text: str) -> Words:
    return read(text, TODAY)


@pytest.mark.parametrize(
    ("text", "what", "where"),
    [
        ("on what percent of days did I exercise", "days", "workouts > 0"),
        ("on what percentage of days did I go for a run", "days", "workouts.running > 0"),
        ("on what share of days in October did I have an appointment", "days", "entries > 0"),
        ("what percent of days in August did I walk 9,000 steps", "steps", "steps >= 9000"),
        ("an wie viel Prozent der Tage war ich beim Sport", "days", "workouts > 0"),
        ("wie viel Prozent der Tage im Oktober waren trainingsfrei", "days", "workouts = 0"),
        ("Anteil der Tage im August ohne Training", "days", "workouts = 0"),
    ],
)
def test_a_share_of_days_is_of_all_days(text: str, what: str, where: str) -> None:
    found = _asked(text)
    assert (found.what, found.of, list(found.where)) == (what, "share", [where])


@pytest.mark.parametrize("text", ["what percent of Mondays did I exercise", "percent of days with runs and meetings"])
def test_a_share_by_two_conditions_is_refused(text: str) -> None:
    with pytest.raises(SetupError):
        _asked(text)


def test_a_share_of_workouts_is_still_of_workouts() -> None:
    found = _asked("what percentage of my workouts were runs")
    assert (found.what, found.of, list(found.where)) == ("workouts", "share", ["workout.sport = running"])


@pytest.mark.parametrize(
    ("text", "what", "day"),
    [
        ("what was my heart rate at 3pm yesterday", "heart_rate from 15:00 before 16:00", "2026-11-30"),
        ("what was my heart rate at 8 am on Sunday", "heart_rate from 08:00 before 09:00", "2026-11-29"),
        ("wie war mein Puls gestern um 17 Uhr", "heart_rate from 17:00 before 18:00", "2026-11-30"),
        ("Puls am 5. November um 9 Uhr", "heart_rate from 09:00 before 10:00", "2026-11-05"),
    ],
)
def test_a_reading_at_a_time_is_that_of_the_hour_that_follows(text: str, what: str, day: str) -> None:
    found = _asked(text)
    assert (found.what, found.of, found.since, found.until) == (what, "mean", day, day)


@pytest.mark.parametrize("text", ["what is my heart rate at 3pm", "Puls um 15 Uhr"])
def test_a_reading_at_a_time_needs_its_day(text: str) -> None:
    with pytest.raises(SetupError):
        _asked(text)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("do I have anything in the calendar on the 24th?", "2026-12-24"),
        ("how many meetings do I have on the 3rd", "2026-12-03"),
        ("was steht am 24. an", "2026-12-24"),
        ("what did I do on the 24th", "2026-11-24"),
        ("how many meetings did I have on the 20th", "2026-11-20"),
    ],
)
def test_a_day_of_the_month_of_the_calendar_is_to_come_unless_it_was(text: str, day: str) -> None:
    found = _asked(text)
    assert (found.what, found.since, found.until) == ("entries", day, day)


@pytest.mark.parametrize(
    ("text", "what", "day"),
    [
        ("how long was I awake in the night to Sunday", "awake", "2026-11-29"),
        ("deep sleep in the night from Friday to Saturday", "deep_sleep", "2026-11-28"),
    ],
)
def test_a_night_to_a_day_is_of_that_day_of_waking(text: str, what: str, day: str) -> None:
    found = _asked(text)
    assert (found.what, found.since, found.until) == (what, day, day)


def test_a_mean_per_session_is_that_of_the_workouts() -> None:
    found = _asked("energy used on average per strength session")
    assert (found.what, found.of, list(found.where)) == (
        "workouts.energy",
        "mean",
        ["workout.sport = strength training"],
    )
