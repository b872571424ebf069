"""Spans and times of day in plain questions, and what is compared of two."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bridge.domain.errors import SetupError
from bridge.query.parse import Words, query_of
from bridge.query.plain import read
from bridge.query.understood import sentence
from tests.ask.corpus import TODAY, understood


def test_two_spans_are_compared() -> None:
    for text, since, until, against in (
        ("my sleep this month minus last month", "2026-11-01", "2026-11-30", "2026-10-01..2026-10-31"),
        ("Schlaf diesen minus letzten Monat", "2026-11-01", "2026-11-30", "2026-10-01..2026-10-31"),
        ("compare my stress before and after 1 June", "2026-06-01", None, "..2026-05-31"),
        ("HRV last week vs the two weeks before", "2026-11-16", "2026-11-22", "2026-11-02..2026-11-15"),
        ("am I sleeping better since 1 March", "2026-03-01", None, "..2026-02-28"),
    ):
        found = read(text, TODAY)
        assert (found.since, found.until, found.against) == (since, until, against), text


def test_periods_are_compared_and_lists_of_days_tell_their_dates() -> None:
    months = Words(
        what="steps", of="mean", since="2026-10-01", until="2026-10-31", where=[], against="2026-09-01..2026-09-30"
    )
    for text in (
        "compare my steps in October with September",
        "Vergleich mal die Schritte im Oktober mit denen im September",
    ):
        assert understood(text) == months
    days = Words(what="headache", of="count", by="day", since="2026-08-01", where=["headache > 0"])
    for text in ("show me all days with a headache since August", "Liste aller Tage mit Kopfweh seit August"):
        assert understood(text) == days
    top = Words(what="steps", of="max", top=3, since="2026-06-01", where=[])
    assert understood("die drei Tage mit den meisten Schritten seit Juni") == top
    assert understood("how many days with a headache since August") == replace(days, by=None)


def test_so_far_ends_now_and_both_sides_of_a_comparison_are_of_the_same_day() -> None:
    for text in (
        "hours spent in meetings so far this week",
        "wie viele Stunden war ich diese Woche bisher in Terminen",
    ):
        found = understood(text)
        assert found is not None
        assert (found.since, found.until) == ("2026-11-23", "2026-11-25")
    for text in ("HRV after training days compared with rest days", "HRV nach Trainingstagen verglichen mit Ruhetagen"):
        assert understood(text) == Words(what="hrv_rmssd", of="mean", where=[], against="before.workout.minutes > 0")
    assert understood("HRV on rest days vs after training days") is None
    friday = Words(what="nights.start", of="mean", where=["weekday = 6"])
    assert understood("average bedtime on Fridays") == friday
    assert understood("mittlere Bettzeit freitags") == friday
    woken = understood("on how many mornings did I wake before six in October?")
    assert woken is not None
    assert (woken.what, woken.of, woken.where) == ("nights", "count", ["night.end < 06:00"])


def test_clock_times_are_asked_for_and_compared() -> None:
    for text, what, of, where in (
        ("what time do I normally wake up on workdays", "nights.end", "mean", ["weekday <= 5"]),
        ("Um wie viel Uhr gehe ich sonntags im Schnitt ins Bett", "nights.start", "mean", ["weekday = 1"]),
        ("Wann wache ich im Schnitt am Wochenende auf", "nights.end", "mean", ["weekday >= 6"]),
        ("what time do I usually go for a run", "workouts.start", "mean", ["workout.sport = running"]),
        ("how often was I in bed before eleven", "nights", "count", ["night.start < 23:00"]),
        ("how many workouts started before 7 in the morning", "workouts", "count", ["workout.start < 07:00"]),
    ):
        found = read(text, TODAY)
        assert (found.what, found.of, found.where) == (what, of, where), text


def test_to_bed_on_a_day_is_of_the_night_that_follows() -> None:
    for text, day in (
        ("what time did I go to bed on Friday", "2026-11-21"),
        ("Wann bin ich gestern ins Bett gegangen", "2026-11-25"),
        ("what time did I go to bed last night", "2026-11-25"),
        ("when did I get up on Friday", "2026-11-20"),
        ("when did I go to bed on Wednesday", "2026-11-19"),  # asked on one: the latest that is past
        ("Wann bin ich am Mittwoch ins Bett gegangen", "2026-11-19"),
    ):
        found = read(text, TODAY)
        assert (found.since, found.until) == (day, day), text
    for text, where, against in (
        ("what time do I go to bed on Fridays", ["weekday = 6"], None),
        ("wann geh ich freitags ins Bett", ["weekday = 6"], None),
        ("bedtime on Friday nights", ["weekday = 6"], None),
        ("when do I get up on Fridays", ["weekday = 5"], None),
        ("how much later do I get to bed on Fridays than on other days", [], "weekday = 6"),
        ("wie viel später geh ich sonntags ins Bett als an anderen Tagen", [], "weekday = 1"),
    ):
        found = read(text, TODAY)
        assert (found.what in ("nights.start", "nights.end"), found.where, found.against) == (True, where, against), (
            text
        )
    assert read("bedtime by weekday", TODAY).by == "weekday"  # which are told by the evening
    for text, day in (
        ("what time did I go to bed on Friday", "on the evening of 20 Nov 2026"),
        ("when do I go to bed on Fridays", "on the evening of Friday"),
        ("when did I get up on Friday", "on 20 Nov 2026"),
    ):
        assert day in str(sentence(query_of(read(text, TODAY)))), text
    late = read("does evening training hurt my deep sleep", TODAY)
    assert late.against == "before.workout.start >= 18:00"
    assert read("first time I ran more than 15 km", TODAY).of == "first"


def test_the_night_of_what_was_done_by_day_is_the_one_that_follows() -> None:
    for text, where, against in (
        ("Wenn ich über 15000 Schritte mach, wie lang schlaf ich dann", ["before.steps > 15000"], None),
        ("when I walk over 15000 steps, how long do I sleep", ["before.steps > 15000"], None),
        ("how long do I sleep on days with stress over 60", ["before.stress > 60"], None),
        ("do I sleep longer on days with more than 10000 steps", [], "before.steps > 10000"),
        ("HRV on days with more than 10000 steps", ["steps > 10000"], None),
        ("steps on days when I slept at least 8 hours", ["asleep >= 480"], None),
        ("When I've trained during the day, what is my sleep score", ["before.workout.minutes > 0"], None),
    ):
        found = understood(text)
        assert found is not None, text
        assert (found.where, found.against) == (where, against), text


def test_the_last_span_alone_is_compared_with_this_one() -> None:
    for text, since, against in (
        ("has my resting pulse come down compared with last year", "2026-01-01", "2025-01-01..2025-12-31"),
        ("stress this month against the same month last year", "2026-11-01", "2025-11-01..2025-11-25"),
        ("Stress letzte Woche – höher als die Woche davor?", "2026-11-16", "2026-11-09..2026-11-15"),
    ):
        found = understood(text)
        assert found is not None, text
        assert (found.since, found.against) == (since, against), text
    for text, where in (
        ("average sleep Tuesday to Saturday", ["weekday = 2|3|4|5|6"]),
        (
            "resting heart rate the day after runs over 20 km",
            ["before.workout.distance > 20000", "before.workout.sport = running"],
        ),
        ("An wie vielen Donnerstagen gab es keine Besprechung", ["entries = 0", "weekday = 4"]),
    ):
        found = understood(text)
        assert found is not None, text
        assert found.where == where, text


def test_what_came_before_and_what_a_week_adds_up_to() -> None:
    for text, what, per, where, against in (
        ("is my HRV lower after two or more drinks", "hrv_rmssd", None, [], "before.alcohol >= 2"),
        (
            "how many weeks did I run at least 30 km",
            "workouts.distance",
            "week",
            ["value >= 30000", "workout.sport = running"],
            None,
        ),
        ("in how many months was my average sleep under 7 hours", "asleep", "month", ["value < 420"], None),
    ):
        found = understood(text)
        assert found is not None, text
        assert (found.what, found.per, found.where, found.against) == (what, per, where, against), text
    for text in ("stress after lunch", "Schlaf an meinem Geburtstag", "stress after choir"):
        assert understood(text) is None, text


def test_feasts_and_the_time_before_a_date_are_spans() -> None:
    for text, since, until, against in (
        ("sleep since Easter", "2026-04-05", None, None),
        ("Stress am Karfreitag", "2026-04-03", "2026-04-03", None),
        ("steps before 3 February and after that", "2026-02-03", None, "..2026-02-02"),
        ("average daily steps before I got the dog (20 March) and after it", "2026-03-20", None, "..2026-03-19"),
        ("did I sleep longer last night than usual", "2026-11-25", "2026-11-25", "..2026-11-24"),
    ):
        found = understood(text)
        assert found is not None, text
        assert (found.since, found.until, found.against) == (since, until, against), text
    assert understood("stress in December compared with November") is None  # of which year
    for text, since, until in (
        ("steps until the end of June", None, "2026-06-30"),
        ("sleep at Christmas", "2025-12-24", "2025-12-26"),
        ("sleep at the start of October", "2026-10-01", "2026-10-10"),
        ("Schritte Mitte Oktober", "2026-10-11", "2026-10-20"),
        ("steps over the past couple of months", "2026-09-26", "2026-11-25"),
        ("Schritte im vergangenen Jahr", "2025-01-01", "2025-12-31"),
    ):
        found = understood(text)
        assert found is not None, text
        assert (found.since, found.until) == (since, until), text
    assert read("HRV an Ruhetagen", TODAY).where == ["workouts = 0"]
    assert read("ist meine HRV nach Sport besser", TODAY).against == "before.workout.minutes > 0"


def test_names_of_times_and_what_began_with_a_date_are_left_out() -> None:
    for text, plainer in (
        ("stress in the exam weeks 3 to 14 July", "stress from 3 to 14 July"),
        ("how did my HRV develop since I moved house in March", "trend of my HRV since March"),
        ("Trend HRV seit Trainingsbeginn am 10. Februar", "Trend HRV seit dem 10. Februar"),
        ("more than eight thousand steps on how many days", "how many days with more than 8000 steps"),
        ("Tiefschlaf in der Nacht vom 3. auf den 4. Mai", "Tiefschlaf am 4. Mai"),
    ):
        assert understood(text) == understood(plainer) is not None, text


def test_stretches_of_the_year_are_spans() -> None:
    for text, since, until in (
        ("stress in advent", "2025-11-30", "2025-12-24"),
        ("Schritte in der Fastenzeit", "2026-02-18", "2026-04-04"),
        ("stress between Christmas and new years", "2025-12-25", "2026-01-01"),
        ("Stress zwischen den Jahren", "2025-12-27", "2025-12-30"),
        ("HRV lately", "2026-10-27", "2026-11-25"),
        ("steps the week before Easter", "2026-03-29", "2026-04-04"),
        ("HRV Trend seit dem Frühling", "2026-03-01", None),
    ):
        found = understood(text)
        assert found is not None, text
        assert (found.since, found.until) == (since, until), text


def test_a_question_of_one_time_is_not_answered_of_all() -> None:
    for text in (
        "how well did I sleep",
        "ich bin im Urlaub: wie viele Schritte im Schnitt",
        "als ich krank war: wie hoch war mein Ruhepuls im Schnitt",
        "I'm on holiday: how many steps on average",
        "what's happened to my resting HR",
        "what's happened to my resting HR in October",
        "was hat sich bei meinem Ruhepuls getan",
    ):
        assert understood(text) is None, text
    for text in (
        "Since I quit smoking on Feb 1st, what's happened to my resting HR?",
        "was hat sich seit dem 1. Februar bei meinem Ruhepuls getan",
    ):
        found = read(text, TODAY)
        assert (found.what, found.since, found.against) == ("resting_hr", "2026-02-01", "..2026-01-31"), text
    assert understood("I'm a nurse: how many steps on average") == understood("how many steps on average")
    assert understood("Ich bin Lehrerin: Schritte im Schnitt") == understood("Schritte im Schnitt")


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("shortest night since the end of August", "2026-08-31", None),
        ("kürzeste Nacht seit Ende August", "2026-08-31", None),
        ("shortest night since mid August", "2026-08-15", None),
        ("sleep since the end of last year", "2025-12-31", None),
        ("steps since the end of summer", "2026-08-31", None),
        ("Schritte seit Ende letzten Monats", "2026-10-31", None),
        ("steps since end of 2025", "2025-12-31", None),
        ("steps since the end of August until the end of September", "2026-08-31", "2026-09-30"),
        ("steps since 1 August until 30 September", "2026-08-01", "2026-09-30"),
        ("Schritte seit 1. August bis 30. September", "2026-08-01", "2026-09-30"),
        ("steps at the end of August", "2026-08-21", "2026-08-31"),
    ],
)
def test_since_the_end_of_a_span_begins_on_its_last_day(text: str, since: str, until: str | None) -> None:
    found = read(text, TODAY)
    assert (found.since, found.until, found.against) == (since, until, None)


@pytest.mark.parametrize(
    ("text", "what", "against"),
    [
        ("is my HRV better than a year ago", "hrv_rmssd", "2025-10-27..2025-11-25"),
        ("Ist meine HRV besser als vor einem Jahr?", "hrv_rmssd", "2025-10-27..2025-11-25"),
        ("is my resting pulse lower than 3 months ago", "resting_hr", "2026-07-27..2026-08-25"),
        ("schlafe ich länger als vor einem halben Jahr", "asleep", "2026-04-26..2026-05-25"),
        ("am I walking more than in summer?", "steps", "2026-06-01..2026-08-31"),
        ("gehe ich mehr als im Sommer", "steps", "2026-06-01..2026-08-31"),
    ],
)
def test_of_late_is_compared_with_the_same_length_of_time_so_long_ago(text: str, what: str, against: str) -> None:
    found = read(text, TODAY)
    assert (found.what, found.since, found.until, found.against) == (what, "2026-10-27", "2026-11-25", against)


@pytest.mark.parametrize(
    "text",
    [
        "steps on my birthday, 14 november",
        "steps on our anniversary (14 Nov)",
        "steps on my birthday, November 14",
        "Schritte an meinem Geburtstag, 14. November",
        "Schritte am Geburtstag (14. November)",
    ],
)
def test_the_name_of_a_day_before_its_date_is_no_condition(text: str) -> None:
    assert read(text, TODAY) == Words(what="steps", of="sum", since="2026-11-14", until="2026-11-14", where=[])


@pytest.mark.parametrize(
    "text",
    [
        "is my HRV better than a year ago on weekends",
        "is my HRV better than in summer on weekends",
        "schlafe ich am Wochenende länger als im Sommer nach Kaffee",
    ],
)
def test_a_span_behind_than_is_the_other_side_or_the_question_is_refused(text: str) -> None:
    try:
        found = read(text, TODAY, ["coffee"])
    except SetupError:
        return
    assert found.against is not None
    assert ".." in found.against


def test_two_ends_of_months_are_compared_as_spans() -> None:
    found = read("compare my sleep from the end of August with the end of September", TODAY)
    assert (found.since, found.until, found.against) == ("2026-08-21", "2026-08-31", "2026-09-21..2026-09-30")
