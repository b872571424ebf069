"""The time of day of the next, first and last entry or workout, and which of today's entries are still to come."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bridge.domain.records import User
from bridge.domain.types import Event
from bridge.installation import Bridge
from bridge.query import asking
from bridge.query.plain import read
from bridge.query.said import said
from tests.ask.corpus import TODAY
from tests.query.life import lived
from tests.query.wearer import land

__all__ = ["lived"]
Lived = tuple[Bridge, User]
DAY = datetime(2026, 11, 28, tzinfo=UTC)  # an hour behind Berlin
# Title -> hours after midnight in UTC, and length in hours.
ENTRIES = {"Dentist": (8, 1), "Team meeting": (13, 1), "Choir": (18, 2), "Planning meeting": (24 + 9, 2)}


@pytest.fixture
def planned(lived: Lived) -> Lived:
    """A life with three entries on a day, and one on the next."""
    for title, (hour, hours) in ENTRIES.items():
        start = DAY + timedelta(hours=hour)
        end = start + timedelta(hours=hours)
        land(lived[0].store, lived[1], [Event(key=title, calendar="c", title=title, start=start, end=end)])
    return lived


def told(lived: Lived, text: str, hour: int) -> str:
    return str(said(asking.plain(*lived, text, now=DAY + timedelta(hours=hour), titles=True)[0]))


@pytest.mark.parametrize(
    ("text", "hour", "at"),
    [
        ("when is my next appointment", 10, "on 28 Nov 2026 at 14:00, Team meeting"),
        ("what is my next appointment", 14, "on 28 Nov 2026 at 19:00, Choir"),
        ("at what time is my next meeting", 14, "on 29 Nov 2026 at 10:00, Planning meeting"),
        ("when does my first meeting tomorrow start", 10, "on 29 Nov 2026 at 10:00, Planning meeting"),
        ("when was my last appointment", 17, "on 28 Nov 2026 at 14:00, Team meeting"),
        ("wann ist mein nächster Termin", 10, "on 28 Nov 2026 at 14:00, Team meeting"),
        ("wann beginnt morgen mein erster Termin", 10, "on 29 Nov 2026 at 10:00, Planning meeting"),
        ("wann war mein letzter Termin", 17, "on 28 Nov 2026 at 14:00, Team meeting"),
        ("when is choir", 10, "the next entry named choir is on 28 Nov 2026 at 19:00"),
    ],
)
def test_the_next_entry_has_not_begun_and_the_last_one_has(planned: Lived, text: str, hour: int, at: str) -> None:
    assert at in told(planned, text, hour)


def test_a_next_entry_that_has_begun_is_none(planned: Lived) -> None:
    found = asking.plain(*planned, "when is my next choir appointment", now=DAY + timedelta(hours=19), titles=True)[0]
    assert found.value is None


def test_a_free_evening_of_today_stays_taken_once_its_entry_has_begun(planned: Lived) -> None:
    found = asking.plain(*planned, "when is my next free evening", now=DAY + timedelta(hours=19), titles=True)[0]
    assert str(found.at) == "2026-11-29"


@pytest.mark.parametrize(
    ("text", "field", "of"),
    [
        ("when did I finish my last workout", "end", "last"),
        ("when did my last run end", "end", "last"),
        ("what time did I finish my first workout yesterday", "end", "first"),
        ("wann war mein letztes Training zu Ende", "end", "last"),
        ("what time was my last workout", "start", "last"),
    ],
)
def test_when_a_workout_ended_is_no_begin(text: str, field: str, of: str) -> None:
    found = read(text, TODAY)
    assert (found.what, found.of) == (f"workouts.{field}", of)


def test_the_last_workout_has_its_time(lived: Lived) -> None:
    assert told(lived, "when was my last workout", 9).startswith("the last of workouts, on 4 Jan 2026 at 10:00")


def test_the_short_form_asks_for_what_is_to_come_like_the_long_one() -> None:
    for text in ("when {} my first appointment on Thursday", "when {} my first meeting on Monday"):
        spans = [read(text.format(verb), TODAY, []) for verb in ("is", "was")]
        short = read(text.replace("when {}", "when's"), TODAY, [])
        assert (short.since, short.until) == (spans[0].since, spans[0].until) != (spans[1].since, spans[1].until)
