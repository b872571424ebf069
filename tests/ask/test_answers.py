"""Answers to plain questions beyond the figure: yes or no, a pace, a rate with its sum, and entries for workouts."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

import pytest

from bridge.domain.metrics import Metric
from bridge.domain.records import User
from bridge.domain.types import Episode, EpisodeKind, Event, Sample
from bridge.installation import Bridge
from bridge.query import asking
from bridge.query.answered import Answer
from bridge.query.meaning import is_sure
from bridge.query.plain import read
from bridge.query.said import said
from tests.query.life import lived
from tests.query.wearer import NOW, land

__all__ = ["lived"]
Lived = tuple[Bridge, User]
HOUR = timedelta(hours=1)


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


@pytest.mark.parametrize(
    "text", ["sleep trend", "what is the trend of my sleep", "Schlaf-Trend", "Trend meines Schlafs"]
)
def test_a_trend_that_may_be_chance_says_so(lived: Lived, text: str) -> None:
    assert "which may be chance" in told(lived, text)[1]
    assert "chance" not in told(lived, "steps trend")[1]


@pytest.mark.parametrize(
    ("text", "sure"),
    [
        ("are my steps going up?", True),
        ("are my steps going down?", True),
        ("steps trend", True),
        ("Schritte-Trend", True),
        ("is my sleep getting longer?", False),
        ("sleep trend", False),
    ],
)
def test_a_trend_is_sure_where_its_verdict_is(lived: Lived, text: str, sure: bool) -> None:
    assert is_sure(told(lived, text)[0]) is sure


def test_a_speed_is_told_as_a_pace_and_reckoned_where_none_is_stored(lived: Lived) -> None:
    found, text = told(lived, "pace of my last run")
    assert found.value == pytest.approx(10)
    assert "10 km/h, 6:00 min/km" in text
    assert found.read_as == "by distance and time, as no speed is stored"


def test_last_night_is_the_finished_one_while_the_next_has_just_begun(lived: Lived) -> None:
    for text in ("how did I sleep last night?", "wie lange habe ich letzte nacht geschlafen"):
        for hour, last in ((2, 11), (9, 12)):
            at = datetime(2026, 1, 12, hour, 30, tzinfo=UTC)
            found = asking.plain(*lived, text, now=at)[0]
            assert found.query.since == date(2026, 1, last), (text, hour)
            assert bool(found.value or found.groups) == (last == 11), (text, hour)


def test_better_sleep_is_longer_sleep_where_no_source_tells_a_score(lived: Lived) -> None:
    found, _ = told(lived, "do I sleep better on weekends?")
    assert (found.query.subject.name, found.read_as) == (
        "asleep",
        "by time asleep, as none of your sources tells a sleep score",
    )
    asked, _ = told(lived, "average sleep score")
    assert (asked.query.subject.name, asked.value) == ("sleep_score", None)


@pytest.mark.parametrize("text", ["average hrv", "hrv in December", "is my hrv going up?"])
def test_variability_is_of_the_kind_that_a_source_tells(lived: Lived, text: str) -> None:
    days = [date(2025, 12, 1) + timedelta(days=n) for n in range(40)]
    at = [datetime.combine(day, time(6), tzinfo=UTC) for day in days]
    spots = [
        Sample(key=f"v{n}", metric=Metric.HRV_SDNN, start=start, offset=60, day=start.date(), value=50 + n)
        for n, start in enumerate(at)
    ]
    land(lived[0].store, lived[1], spots)
    found, _ = told(lived, text)
    assert (found.query.subject.name, found.read_as) == ("hrv_sdnn", "as HRV (SDNN)")
    assert found.value is not None


def test_shifts_are_titles_of_entries_unless_they_are_noted(lived: Lived) -> None:
    bridge, user = lived
    for day, title in ((22, "Night shift"), (24, "Nachtdienst"), (29, "Early shift")):
        start = datetime(2025, 12, day, 20, tzinfo=UTC)
        land(bridge.store, user, [Event(key=title, calendar="c", title=title, start=start, end=start + HOUR)])
    asked = {
        "how many night shifts did I work in December 2025?": ("entries", 1),
        "how many shifts did I have in December 2025": ("entries", 2),
        "wie viele Nachtdienste hatte ich im Dezember 2025": ("entries", 1),
        "average steps on night shift days": ("steps", 1_000),
        "did my bedtime shift over time": ("nights.start", None),
    }
    for text, (what, value) in asked.items():
        found, _ = told(lived, text, titles=True)
        assert found.query.subject.name == what, text
        assert value is None or found.value == value, text
    noted = read("do I sleep less after night shifts?", NOW.date(), ["night shift"])
    assert noted.against == "before.night shift > 0"


def test_a_sport_is_any_kind_of_it_where_none_has_its_plain_name(lived: Lived) -> None:
    bridge, user = lived
    assert told(lived, "how often did I swim in 2025")[1] == "none of your sources told a workout of swimming."
    start = datetime(2025, 12, 28, 10, tzinfo=UTC)
    swim = Episode(
        key="s",
        kind=EpisodeKind.WORKOUT,
        start=start,
        end=start + HOUR,
        offset=60,
        day=start.date(),
        label="lap_swimming",
    )
    land(bridge.store, user, [swim])
    found, text = told(lived, "how often did I swim in 2025")
    assert (found.value, text.startswith("you did 1 workout, of pool swimming, open water swimming, ")) == (1, True)
    assert told(lived, "how often did I cycle in 2025")[0].value == 1  # as one ride has that name


def test_what_is_not_noted_since_an_entry_is_said_to_be_not_noted(lived: Lived) -> None:
    found, _ = told(lived, "how often did I have back pain since my retreat")
    assert "you have not noted back pain yet" in str(found.reason)


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
    assert found.read_as == "counted in your calendar, as no such workouts are stored for that time"
    assert told(lived, "how often was I at the gym in 2024?")[0].untold  # where no title may be read
    land(bridge.store, user, [_at("Gym", NOW.date() + timedelta(days=days)) for days in (0, 1)])
    assert told(lived, "how often was I at the gym since 2024?", titles=True)[0].value == 2  # NOW is before today's


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("When is the dentist?", "the next entry named dentist is on 29 Nov 2026 at 13:00."),
        ("when is my dentist appointment?", "the next entry named dentist is on 29 Nov 2026 at 13:00."),
        ("Wann ist Zahnarzt?", "the next entry named Zahnarzt is on 3 Dec 2026 at 13:00."),
        ("Wann ist mein Flug?", "the next entry named Flug is on 4 Dec 2026 at 13:00."),
        ("When is the trip to Hamburg?", "the next entry named trip to Hamburg is on 5 Dec 2026 at 13:00."),
    ],
)
def test_an_entry_that_is_asked_for_by_its_name_is_the_next_one(lived: Lived, text: str, answer: str) -> None:
    bridge, user = lived
    days = {"Dentist": (date(2024, 3, 4), date(2026, 11, 29)), "Zahnarzt": (date(2026, 12, 3),)}
    days |= {"Flug LH 12": (date(2026, 12, 4),), "Trip to Hamburg": (date(2026, 12, 5),)}
    land(bridge.store, user, [_at(title, day) for title, of in days.items() for day in of])
    assert told(lived, text, titles=True)[1] == answer
    assert told(lived, "When was the dentist?", titles=True)[0].at == date(2024, 3, 4)


@pytest.mark.parametrize("text", ["When is the dentist?", "Wann ist Dentist?"])
def test_an_entry_that_does_not_come_again_is_the_last_one(lived: Lived, text: str) -> None:
    bridge, user = lived
    land(bridge.store, user, [_at("Dentist", date(2024, 3, day)) for day in (4, 11)])
    assert told(lived, text, titles=True)[0].at == date(2024, 3, 11)


def _at(title: str, day: date) -> Event:
    start = datetime.combine(day, time(12), tzinfo=UTC)
    return Event(key=f"{title}/{day}", calendar="c", title=title, start=start, end=start + timedelta(hours=1))


def test_a_note_counts_from_its_time_of_day_on(lived: Lived) -> None:
    bridge, user = lived
    days = {(20, 8): 2.0, (21, 16): 1.0, (22, 0): 3.0, (23, 9): 1.0}  # by the clock in Berlin, an hour later
    items = [
        Sample(
            key=f"coffee/{n}", metric=Metric.NOTED, start=datetime(2026, 11, *at, tzinfo=UTC), day=NOW.date(), value=v
        )
        for n, (at, v) in enumerate(days.items())
    ]
    land(bridge.store, user, items)
    for asked, value in (
        ("how many coffees did I have after 4 pm from 20 to 23 November", 4),
        ("how many coffees did I have in the afternoon in November", 1),
        ("wie viele Espressos hatte ich im November nach 18 Uhr", 3),
        ("how many coffees did I have before 10 am in November", 2),
        ("on how many days did I drink coffee after 4 pm in November", 1),
    ):
        found, text = told(lived, asked)
        assert found.value == value, asked
        assert text.endswith("by the times of your notes."), asked
    assert (
        told(lived, "wie viele Espressos hatte ich im November nach 18 Uhr")[0].read_as == "reading espressos → coffee"
    )


def test_the_longest_workout_is_told_by_time_where_no_distance_is_stored(lived: Lived) -> None:
    bridge, user = lived
    start = datetime(2026, 11, 3, 8, tzinfo=UTC)
    rowed = [
        Episode(
            key=f"row/{n}", kind=EpisodeKind.WORKOUT, start=start, end=start + n * HOUR, day=start.date(), label="Row"
        )
        for n in (1, 2)
    ]
    land(bridge.store, user, rowed)
    found = told(lived, "what was my longest rowing session")[0]
    assert (found.value, found.read_as) == (120, "by time, as no distance is stored")
    assert told(lived, "longest run")[0].read_as is None
    assert told(lived, "how far was my farthest rowing session")[0].value is None


def test_what_was_done_in_each_week_is_told_with_its_mean(lived: Lived) -> None:
    text = told(lived, "how many minutes of exercise per week from 22 December 2025 to 11 January 2026")[1]
    assert "6 h 45 min, in all" in text
    assert text.endswith("2 h 15 min a week on average.")
    assert told(lived, "how many workouts per week from 22 December 2025 to 11 January 2026")[1].endswith(
        "2 a week on average."
    )


def test_a_mean_of_weeks_leaves_out_those_that_the_span_cuts(lived: Lived) -> None:
    whole = told(lived, "how many workouts per week from 22 December 2025 to 11 January 2026")[1]
    for span in ("20 December 2025 to 11 January 2026", "22 December 2025 to 14 January 2026"):
        text = told(lived, f"how many workouts per week from {span}")[1]
        assert whole.endswith("2 a week on average.")
        assert text.endswith("2 a week on average, over the 3 whole weeks."), text
    assert "on average" not in told(lived, "how many workouts per week from 30 December 2025 to 11 January 2026")[1]
