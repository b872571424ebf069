"""Words that change what a plain question asks: the whole of a span, the rest, deeper, of late, and two sides alike."""

from __future__ import annotations

from datetime import date

import pytest

from bridge.domain.errors import SetupError
from bridge.query.parse import Words
from bridge.query.plain import read
from tests.ask.corpus import TODAY

NOTED = ("alcohol", "coffee", "headache")
DECEMBER = date(2026, 12, 2)


def _asked(text: str, today: date = TODAY) -> Words:
    return read(text, today, NOTED)


@pytest.mark.parametrize(
    ("text", "what", "of"),
    [
        ("did I cycle more than 90 km last week", "workouts.distance", "sum"),
        ("bin ich letzte Woche mehr als 30 km geradelt", "workouts.distance", "sum"),
        ("have I exercised at least 4 hours this week", "workouts.minutes", "sum"),
        ("hatte ich im Oktober mehr als 20 Termine", "entries", "count"),
        ("did I have less than 12 hours of meetings last week", "entries.minutes", "sum"),
        ("did I finish more than 8 tasks in October", "tasks_done", "sum"),
        ("did I sleep less than 45 hours last week", "asleep", "sum"),
        ("did I swim at least four times in October", "workouts", "count"),
        ("bin ich im Oktober öfter als dreimal geschwommen", "workouts", "count"),
        ("have I run more than once this month", "workouts", "count"),
        ("did I do more than six workouts in October", "workouts", "count"),
        ("did I have more than two headaches in October", "headache", "count"),
    ],
)
def test_whether_a_span_had_so_much_is_told_by_its_whole_amount(text: str, what: str, of: str) -> None:
    found = _asked(text)
    assert (found.what, found.of, found.per) == (what, of, None)
    assert not any(sign in one for one in found.where for sign in ("<", ">=", "> 1", "> 2", "> 8"))


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("did I ever run more than 20 km", "workout.distance > 20000"),
        ("did I have a day with more than 6 meetings last week", "entries > 6"),
        ("did I sleep more than 7 hours on Saturday", "asleep > 420"),
        ("did I sleep more than 9 hours a night in October", "asleep > 540"),
    ],
)
def test_one_day_or_row_is_still_compared_by_itself(text: str, where: str) -> None:
    assert where in _asked(text).where


@pytest.mark.parametrize(
    ("text", "what", "against"),
    [
        ("do I sleep more deeply on weekends", "deep_sleep", "weekday >= 6"),
        ("schlafe ich am Wochenende tiefer", "deep_sleep", "weekday >= 6"),
        ("schlafe ich nach Kaffee weniger tief", "deep_sleep", "before.coffee > 0"),
        ("ist mein Ruhepuls am Wochenende tiefer", "resting_hr", "weekday >= 6"),
        ("war mein Schlaf werktags tiefer als am Wochenende", "deep_sleep", "weekday <= 5"),
        ("is my HRV lower on Mondays than during the rest of the week", "hrv_rmssd", "weekday = 1"),
        ("ist mein Ruhepuls montags höher als im Rest der Woche", "resting_hr", "weekday = 1"),
    ],
)
def test_deeper_is_of_deep_sleep_and_the_rest_of_the_week_is_of_every_week(text: str, what: str, against: str) -> None:
    found = _asked(text)
    assert (found.what, found.against, found.since) == (what, against, None)


@pytest.mark.parametrize(
    "text",
    [
        "is my HRV falling at the moment",
        "is my resting heart rate currently rising",
        "wird mein Ruhepuls gerade höher",
        "sinkt meine HRV derzeit",
    ],
)
def test_a_change_that_is_asked_of_now_is_one_of_late(text: str) -> None:
    found = _asked(text)
    assert (found.of, found.since, found.until) == ("trend", "2026-10-27", "2026-11-25")


@pytest.mark.parametrize(
    ("text", "since"),
    [
        ("has my resting heart rate changed since I moved at the end of August", "2026-08-31"),
        ("hat sich mein Schlaf verändert, seit ich Ende August umgezogen bin", "2026-08-31"),
        ("ist meine HRV besser, seit ich im Mai gekündigt habe", "2026-05-01"),
        ("has my HRV improved since I gave up sugar in May", "2026-05-01"),
    ],
)
def test_what_changed_since_something_was_done_is_compared_with_the_time_before(text: str, since: str) -> None:
    found = _asked(text)
    assert (found.of, found.since, (found.against or "")[:2], found.where) == ("mean", since, "..", [])


@pytest.mark.parametrize(
    ("text", "since"),
    [
        ("what do I have on 27 December", "2026-12-27"),
        ("was habe ich am 28. Dezember vor", "2026-12-28"),
        ("which appointments do I have in February", "2027-02-01"),
        ("was steht zwischen Weihnachten und Neujahr an", "2026-12-25"),
        ("how many appointments did I have on 27 December", "2025-12-27"),
        ("welche Termine hatte ich am 28. Dezember", "2025-12-28"),
        ("which appointments do I have in October", "2026-10-01"),
        ("what do I have on 27 December 2025", "2025-12-27"),
    ],
)
def test_a_day_without_a_year_is_that_of_the_year_to_come_where_it_is_nearer(text: str, since: str) -> None:
    assert _asked(text).since == since


def test_a_season_of_a_few_days_is_the_one_before() -> None:
    assert [_asked(one, DECEMBER).since for one in ("sleep in winter", "Schlaf im Winter", "sleep this winter")] == [
        *("2025-12-01", "2025-12-01", "2026-12-01")
    ]
    assert _asked("sleep since winter", DECEMBER).since == "2026-12-01"


@pytest.mark.parametrize(
    "text",
    [
        "do I sleep worse after gin than after beer",
        "schlafe ich nach Bier schlechter als nach Wein",
        "HRV nach Radfahren oder nach Yoga",
        "deep sleep on Tuesday and Thursday nights",
        "do I walk more in summer than in the rest of the year",
        "at what time of day is my resting heart rate lowest",
        "zu welcher Uhrzeit ist mein Stress am größten",
        "schlafe ich an Feiertagen länger",
        "Schlaf nach harten Trainings",
        "resting heart rate while standing",
    ],
)
def test_what_no_query_keeps_apart_is_refused(text: str) -> None:
    with pytest.raises(SetupError):
        _asked(text)


def test_which_sports_were_done_is_told_by_sport() -> None:
    found = _asked("was für Sport hab ich im August gemacht")
    assert (found.what, found.of, found.by, found.where) == ("workouts", "count", "sport", [])
