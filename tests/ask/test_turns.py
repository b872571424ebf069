"""Turns of plain questions: vague amounts, weekdays against each other, illness, goals, and who is next."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bridge.domain.errors import SetupError
from bridge.query.answered import Answer, Group
from bridge.query.meaning import stands_for
from bridge.query.parse import Words, query_of
from bridge.query.plain import read
from bridge.query.said import said
from tests.ask.corpus import TODAY

NOTED = ("alcohol", "coffee", "headache")


def _asked(text: str) -> Words:
    return read(text, TODAY, NOTED)


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


def test_the_latest_bedtime_of_the_weekdays_is_that_of_an_evening() -> None:
    words = _asked("on which weekday do I go to bed latest")
    assert (words.what, words.of, words.by) == ("nights.start", "mean", "weekday")
    query = query_of(words)
    late, early = Group(key="1", value=35.0, n=4), Group(key="2", value=1415.0, n=4)  # of waking on Monday and Tuesday
    told = said(Answer(query=query, value=5.0, unit=query.subject.unit, n=8, groups=(late, early)))
    assert "the highest is Sunday with 00:35, the lowest is Monday with 23:35" in str(told)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("when is my next appointment with the plumber", "entry.title ~ plumber"),
        ("when's the next plumber's visit", "entry.title ~ plumber"),
        ("wann ist mein nächster Termin beim Friseur", "entry.title ~ friseur"),
    ],
)
def test_with_whom_the_next_entry_is_names_it(text: str, where: str) -> None:
    assert _asked(text).where == [where]


def test_moving_is_told_by_steps() -> None:
    assert (_asked("do I move less on weekends").what, _asked("bewege ich mich montags mehr").what) == (
        "steps",
        "steps",
    )


@pytest.mark.parametrize(
    ("text", "what", "by"),
    [
        ("did I sleep through last night", "awake", None),
        ("hab ich gestern Nacht durchgeschlafen", "awake", None),
        ("my top four sports this year by minutes", "workouts.minutes", "sport"),
        ("meine Top 4 Sportarten in diesem Jahr", "workouts", "sport"),
    ],
)
def test_sleeping_through_is_told_by_minutes_awake_and_sports_by_sport(text: str, what: str, by: str | None) -> None:
    assert (_asked(text).what, _asked(text).by, _asked(text).top) == (what, by, None)


@pytest.mark.parametrize(
    "text",
    [
        "did I reach my sleep need yesterday",
        "hab ich meinen Schlafbedarf gestern gedeckt",
        "longest ride without a pause",
        "how long is my next meeting",
        "wie lange dauert mein nächster Termin",
    ],
)
def test_what_is_compared_with_no_figure_is_refused(text: str) -> None:
    with pytest.raises(SetupError):
        _asked(text)


def test_a_mean_by_week_says_that_a_begun_week_counts() -> None:
    query = query_of(_asked("how many workouts per week on average since March"))
    told = stands_for(Answer(query=query, value=3.0, unit="workouts", n=9), "workouts per week", TODAY)
    assert str(told) == "a week or month that has only begun counts as a whole one"


def test_a_month_of_last_year_is_one_span() -> None:
    spans = {(one.since, one.until) for one in map(_asked, ("sleep last year in May", "Schlaf letztes Jahr im Mai"))}
    assert spans == {("2025-05-01", "2025-05-31")}


def test_an_amount_of_one_day_is_a_condition_and_no_list_of_days() -> None:
    found = _asked("does more than three coffees on one day show in my stress")
    assert (found.by, found.where) == (None, ["coffee > 3"])
