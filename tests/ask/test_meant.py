"""Words that change what a plain question asks: the whole of a span, the rest, deeper, of late, and two sides alike."""

from __future__ import annotations

from dataclasses import replace
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


@pytest.mark.parametrize(
    ("text", "what", "against"),
    [
        ("is my HRV lower when I sleep badly", "hrv_rmssd", "sleep_score"),
        ("is my resting pulse higher after short nights", "resting_hr", "asleep"),
        ("ist meine Kognition nach langen Nächten besser", "cognition", "asleep"),
        ("bin ich nach schlechten Nächten gestresster", "stress", "sleep_score"),
        ("is my stress higher when I have lots of appointments", "stress", "entries"),
        ("do I get migraines more often after short nights", "asleep", "migraine > 0"),
        ("habe ich nach langen Nächten öfter Migräne", "asleep", "migraine > 0"),
    ],
)
def test_a_vague_amount_is_compared_by_how_the_figures_go_together(text: str, what: str, against: str) -> None:
    found = read(text, TODAY, ("migraine",))
    assert (found.what, found.of, found.against, found.where) == (what, "mean", against, [])


@pytest.mark.parametrize(
    "text",
    [
        "what is my resting pulse after a short night",  # a mean, of which nights
        "do I sleep worse on days with lots of meetings",  # of the night that follows
        "were my meetings longer than 6 hours in total last week",  # of single ones, or of all
    ],
)
def test_a_vague_amount_is_no_condition(text: str) -> None:
    with pytest.raises(SetupError):
        _asked(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "is my HRV higher on Tuesday than on Friday",
            Words(what="hrv_rmssd", of="mean", by="weekday", where=["weekday = 2|5"]),
        ),
        (
            "Ruhepuls am Dienstag im Vergleich zum Freitag",
            Words(what="resting_hr", of="mean", by="weekday", where=["weekday = 2|5"]),
        ),
        (
            "did I sleep longer on Tuesday than on Friday",
            Words(what="asleep", of="mean", since="2026-11-24", until="2026-11-24", against="2026-11-20..2026-11-20"),
        ),
        (
            "wie lange war meine Wanderung am Sonntag",
            Words(
                what="workouts.minutes",
                of="sum",
                since="2026-11-22",
                until="2026-11-22",
                where=["workout.sport = hiking"],
            ),
        ),
        (
            "how long was my ride yesterday",
            Words(
                what="workouts.minutes",
                of="sum",
                since="2026-11-24",
                until="2026-11-24",
                where=["workout.sport = cycling"],
            ),
        ),
        (
            "average pulse in my last ride",
            Words(what="workouts.average_hr", of="last", where=["workout.sport = cycling"]),
        ),
        ("um welche Uhrzeit gehe ich freitags schlafen", Words(what="nights.start", of="mean", where=["weekday = 6"])),
        ("how long between going to bed and waking up", Words(what="in_bed", of="mean")),
        ("wie viel Zeit vergeht zwischen Zubettgehen und Aufstehen", Words(what="in_bed", of="mean")),
        (
            "how often did I swim this and last month",
            Words(
                what="workouts", of="count", since="2026-10-01", until="2026-11-30", where=["workout.sport = swimming"]
            ),
        ),
        ("range of my HRV in August", Words(what="hrv_rmssd", of="min,max", since="2026-08-01", until="2026-08-31")),
        (
            "worst night for deep sleep in October",
            Words(what="deep_sleep", of="min", since="2026-10-01", until="2026-10-31"),
        ),
        (
            "rides from July to now",
            Words(what="workouts", of="count", since="2026-07-01", where=["workout.sport = cycling"]),
        ),
        (
            "how far was Saturday's ride",
            Words(
                what="workouts.distance",
                of="sum",
                since="2026-11-21",
                until="2026-11-21",
                where=["workout.sport = cycling"],
            ),
        ),
        (
            "on how many days did I meditate in May",
            Words(what="days", of="count", since="2026-05-01", until="2026-05-31", where=["action = MEDITATE"]),
        ),
        (
            "HRV on the days I worked from home",
            Words(what="hrv_rmssd", of="mean", where=["titled home office > 0"]),
        ),
        (
            "what does my diary look like on Friday",
            Words(what="entries", of="count", by="row", since="2026-11-27", until="2026-11-27"),
        ),
        (
            "wie sieht mein Terminplan am Freitag aus",
            Words(what="entries", of="count", by="row", since="2026-11-27", until="2026-11-27"),
        ),
        (
            "hab ich mich im Mai oft mit Freunden getroffen",
            Words(what="entries", of="count", since="2026-05-01", until="2026-05-31", where=["action = SOCIALIZE"]),
        ),
        (
            "wie viel Pilates hab ich im Mai gemacht",
            Words(
                what="workouts.minutes",
                of="sum",
                since="2026-05-01",
                until="2026-05-31",
                where=["workout.sport = pilates"],
            ),
        ),
        (
            "earliest I got up in the past few weeks",
            Words(what="nights.end", of="min", since="2026-10-29", until="2026-11-25"),
        ),
        ("which tasks have I not done yet", Words(what="tasks", of="count", by="row", where=["task.state = open"])),
        (
            "was muss ich heute noch machen",
            Words(
                what="tasks", of="count", by="row", since="2026-11-25", until="2026-11-25", where=["task.state = open"]
            ),
        ),
        (
            "hatte ich im Mai mehr Kopfschmerzen als im Juli",
            Words(
                what="headache",
                of="count",
                since="2026-05-01",
                until="2026-05-31",
                where=["headache > 0"],
                against="2026-07-01..2026-07-31",
            ),
        ),
    ],
)
def test_turns_of_everyday_are_read(text: str, expected: Words) -> None:
    found = _asked(text)
    assert replace(found, where=sorted(found.where)) == replace(expected, where=sorted(expected.where))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "is my HRV lower since the clocks went back",
            Words(what="hrv_rmssd", of="mean", since="2026-10-25", against="..2026-10-24"),
        ),
        (
            "bin ich seit der Zeitumstellung gestresster",
            Words(what="stress", of="mean", since="2026-10-25", against="..2026-10-24"),
        ),
        (
            "HRV the week after the clocks went forward",
            Words(what="hrv_rmssd", of="mean", since="2026-03-30", until="2026-04-05"),
        ),
        (
            "how many days was I ill in May",
            Words(what="illness", of="count", since="2026-05-01", until="2026-05-31", where=["illness > 0"]),
        ),
        ("Ruhepuls an Tagen, an denen ich krank war", Words(what="resting_hr", of="mean", where=["illness > 0"])),
        ("wann hatte ich zuletzt Bauchschmerzen", Words(what="stomach ache", of="last", where=["stomach ache > 0"])),
        (
            "how often did I have backache in May",
            Words(what="back pain", of="count", since="2026-05-01", until="2026-05-31", where=["back pain > 0"]),
        ),
        (
            "sleep the week I was ill, 3rd to 9th of August",
            Words(what="asleep", of="mean", since="2026-08-03", until="2026-08-09"),
        ),
        (
            "how stressed was I on the day of my hearing, 12th August",
            Words(what="stress", of="mean", since="2026-08-12", until="2026-08-12"),
        ),
        ("how many days did I miss my goal of 9000 steps", Words(what="steps", of="count", where=["steps < 9000"])),
        (
            "an wie vielen Tagen habe ich mein Ziel von 9000 Schritten erreicht",
            Words(what="steps", of="count", where=["steps >= 9000"]),
        ),
        (
            "did I do more pilates in May than in April",
            Words(
                what="workouts",
                of="count",
                since="2026-05-01",
                until="2026-05-31",
                where=["workout.sport = pilates"],
                against="2026-04-01..2026-04-30",
            ),
        ),
        ("wie viele Tage am Stück habe ich jetzt trainiert", Words(what="workouts", of="streak")),
        (
            "schlafe ich schlechter, wenn ich abends nach neun noch trainiere",
            Words(what="sleep_score", of="mean", against="before.workout.start > 21:00"),
        ),
        (
            "is my stress higher than a month ago",
            Words(what="stress", of="mean", since="2026-10-27", until="2026-11-25", against="2026-09-26..2026-10-25"),
        ),
        (
            "how many days with alcohol but no coffee",
            Words(what="days", of="count", where=["alcohol > 0", "coffee = 0"]),
        ),
    ],
)
def test_what_was_noted_and_told_with_its_dates_is_read(text: str, expected: Words) -> None:
    found = _asked(text)
    assert replace(found, where=sorted(found.where)) == replace(expected, where=sorted(expected.where))
