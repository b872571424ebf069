"""Everyday turns of plain questions: sums of a span, single nights, days of a week, and what is still to come."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import date

import pytest

from bridge.domain.errors import SetupError
from bridge.query.asking import widened
from bridge.query.model import SUMMED
from bridge.query.parse import Words, subject_of
from bridge.query.plain import NotRead, read
from tests.ask.corpus import TODAY

AVERAGED = ("on average", "per day", "usually")


def asked(text: str, today: date = TODAY) -> Words:
    return read(text, today)


@pytest.mark.parametrize(
    "name",
    [
        *("steps", "floors", "distance", "active calories", "calories", "active zone minutes", "cardio minutes"),
        *("peak minutes", "fat burn minutes", "mindful minutes", "stand hours", "running distance", "yoga minutes"),
    ],
)
def test_what_adds_up_is_summed_over_a_span_and_averaged_where_that_is_said(name: str) -> None:
    for span in ("this week", "in October", "yesterday", "since Monday"):
        found = asked(f"{name} {span}")
        assert subject_of(found.what).added
        assert (found.of, found.where) == ("sum", [one for one in found.where if "sport" in one]), (name, span)
    for said in AVERAGED:
        assert asked(f"{name} this week {said}").of == "mean", (name, said)


def test_every_figure_that_adds_up_follows_the_one_rule() -> None:
    for name in sorted(SUMMED - {"contacts", "messages", "ascent", "focus"}):  # ascent and focus are of rows
        plain = name.replace("tasks_", "tasks ").replace("_", " ")
        assert asked(f"{plain} last week").of == "sum", name


@pytest.mark.parametrize(
    "text", ["resting heart rate this week", "HRV last week", "stress in October", "sleep last week"]
)
def test_what_does_not_add_up_is_averaged(text: str) -> None:
    assert asked(text).of == "mean"


@pytest.mark.parametrize(
    ("text", "waking"),
    [
        ("how was the night from 27 to 28 October", "2026-10-28"),
        ("deep sleep in the night from 3 to 4 November", "2026-11-04"),
        ("how did I sleep in the night from Friday to Saturday", "2026-11-21"),
        ("how long did I sleep last Friday night", "2026-11-21"),
        ("how was last night", "2026-11-25"),
        ("how was Friday night", "2026-11-21"),
        ("wie war die Nacht vom 27. auf den 28. Oktober", "2026-10-28"),
        ("Tiefschlaf in der Nacht vom 3. zum 4. November", "2026-11-04"),
        ("wie hab ich in der Nacht von Freitag auf Samstag geschlafen", "2026-11-21"),
        ("wie hab ich letzten Freitag nachts geschlafen", "2026-11-21"),
        ("wie war letzte Nacht", "2026-11-25"),
        ("wie war die Nacht zum 12. November", "2026-11-12"),
    ],
)
def test_one_night_is_that_of_its_day_of_waking(text: str, waking: str) -> None:
    found = asked(text)
    assert (found.since, found.until) == (waking, waking)


@pytest.mark.parametrize("text", ["sleep in the night from 3 to 5 November", "how was the night from Friday to Sunday"])
def test_a_night_over_two_days_is_none(text: str) -> None:
    with suppress(NotRead):
        assert asked(text).what != "night"


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("sleep Monday to Wednesday last week", "2026-11-16", "2026-11-18"),
        ("total steps from Monday to Friday last week", "2026-11-16", "2026-11-20"),
        ("last week Monday to Thursday, how long did I sleep", "2026-11-16", "2026-11-19"),
        ("Schritte von Montag bis Freitag letzte Woche zusammengezählt", "2026-11-16", "2026-11-20"),
        ("Schlaf diese Woche von Montag bis Dienstag", "2026-11-23", "2026-11-24"),
    ],
)
def test_days_of_one_week_are_a_span(text: str, since: str, until: str) -> None:
    found = asked(text)
    assert (found.since, found.until, list(found.where)) == (since, until, [])


def test_two_days_of_a_week_are_no_span() -> None:
    for text in ("steps on Monday and Wednesday last week", "Schritte am Montag und Mittwoch letzte Woche"):
        with pytest.raises(NotRead):
            asked(text)


@pytest.mark.parametrize(
    ("text", "day", "where"),
    [
        ("am I free on Tuesday?", "2026-12-01", []),
        ("am I free this afternoon", "2026-11-25", ["entry.start >= 12:00", "entry.start < 18:00"]),
        ("what's on tomorrow", "2026-11-26", []),
        ("hab ich am Dienstag frei?", "2026-12-01", []),
        ("bin ich Freitagabend frei?", "2026-11-27", ["entry.start >= 18:00"]),
        ("was steht Montag nachmittag an", "2026-11-30", ["entry.start >= 12:00", "entry.start < 18:00"]),
        ("hab ich am Samstag irgendwas", "2026-11-28", []),
    ],
)
def test_being_free_is_told_by_the_entries_of_the_day_to_come(text: str, day: str, where: list[str]) -> None:
    found = asked(text)
    assert (found.what, found.by, found.since, found.until) == ("entries", "row", day, day)
    assert list(found.where) == where


@pytest.mark.parametrize(
    ("text", "per"),
    [
        ("how often do I run per week", "week"),
        ("how many times a week do I swim", "week"),
        ("how often do I do yoga in a month", "month"),
        ("wie oft geh ich in der Woche schwimmen", "week"),
        ("wie oft laufe ich pro Woche", "week"),
    ],
)
def test_how_often_a_week_asks_for_a_rate(text: str, per: str) -> None:
    found = asked(text)
    assert (found.what, found.of, found.per, found.by) == ("workouts", "mean", per, None)
    assert not any("weekday" in one for one in found.where)


def test_contractions_of_german_are_read() -> None:
    for text, plainer in (
        (
            "wie viele Nächte unter sechs Stunden gab's diesen Monat?",
            "wie viele Nächte unter sechs Stunden diesen Monat",
        ),
        ("gibt's einen Zusammenhang zwischen Schritten und Schlaf", "Zusammenhang zwischen Schritten und Schlaf"),
    ):
        assert asked(text) == asked(plainer)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("hab ich nach Alkohol schlechter geschlafen als ohne, also kürzer?", "asleep"),
        ("did I sleep worse after alcohol than without, so shorter", "asleep"),
        ("hab ich nach Alkohol schlechter geschlafen als ohne", "sleep_score"),
    ],
)
def test_worse_and_therefore_shorter_asks_for_the_length(text: str, what: str) -> None:
    assert asked(text).what == what


def test_whether_one_did_a_sport_is_counted_in_its_span() -> None:
    for text in ("did I do yoga this week", "did I go to the gym on Monday", "bin ich gestern gelaufen"):
        found = asked(text)
        assert (found.what, found.of) == ("workouts", "count")
        assert found.since


def test_a_note_is_known_by_its_name_in_each_language() -> None:
    assert read("Schlaf nach Wein", TODAY, ["wine", "alcohol"]).where == ["before.wine > 0"]
    assert read("wie viele Nachtschichten diese Woche", TODAY, ["night shift"]).what == "night shift"


def test_a_pace_is_told_of_the_speed() -> None:
    for text in ("pace of my last run in min/km", "Tempo beim letzten Lauf in Minuten pro Kilometer"):
        assert (asked(text).what, asked(text).of) == ("workouts.speed", "last")


def test_when_one_slept_last_and_whether_one_is_ill() -> None:
    assert (asked("when did I last sleep").what, asked("wann habe ich zuletzt geschlafen").of) == ("nights", "last")
    for text in ("am I ill", "bin ich krank?"):
        with pytest.raises(SetupError, match="stands on Today"):
            asked(text)


@pytest.mark.parametrize(
    ("text", "waking"),
    [
        ("war ich gestern vor Mitternacht im Bett", "2026-11-25"),
        ("did I go to bed before eleven yesterday", "2026-11-25"),
        ("did I go to bed before midnight last night", "2026-11-25"),
    ],
)
def test_to_bed_yesterday_is_the_night_that_followed(text: str, waking: str) -> None:
    found = asked(text)
    assert (found.since, found.until) == (waking, waking)


@pytest.mark.parametrize(
    ("text", "against"),
    [
        ("Schlaf diese Woche verglichen mit letzter Woche", "2026-11-16..2026-11-22"),
        ("does coffee change my HRV?", "before.coffee > 0"),
        ("verändert Kaffee meine HRV?", "before.coffee > 0"),
    ],
)
def test_everyday_comparisons_are_read(text: str, against: str) -> None:
    assert read(text, TODAY, ["coffee"]).against == against


def test_several_words_of_a_note_have_another_number() -> None:
    found = read("resting heart rate after night shifts compared to other days", TODAY, ["night shift"])
    assert found.against == "before.night shift > 0"


def test_an_unknown_thing_is_no_slip_of_a_small_word() -> None:
    with pytest.raises(NotRead):
        asked("wie viele Meilen bin ich diesen Monat gelaufen")


@pytest.mark.parametrize(
    ("text", "since"),
    [
        ("mittlerer Ruhepuls seit Monatsanfang", "2026-11-01"),
        ("mittlerer Ruhepuls seit Wochenbeginn", "2026-11-23"),
        ("mittlerer Ruhepuls seit Jahresanfang", "2026-01-01"),
        ("mittlerer Ruhepuls ab Beginn des Quartals", "2026-10-01"),
        ("average resting heart rate since the start of the week", "2026-11-23"),
        ("average resting heart rate since the beginning of the quarter", "2026-10-01"),
    ],
)
def test_a_span_that_runs_from_its_begin_names_no_entry(text: str, since: str) -> None:
    assert asked(text).since == since


@pytest.mark.parametrize("text", ["Ruhepuls seit Wochenmitte", "Ruhepuls seit Quartalsende", "HRV since the week"])
def test_no_word_of_a_span_is_taken_for_the_title_of_an_entry(text: str) -> None:
    with suppress(SetupError):
        assert "titled" not in str(asked(text)), text


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("wie oft gym zwischen 1.10. und 31.10.?", "2026-10-01", "2026-10-31"),
        ("wie oft gym zwischen 1.10. und 31.1.?", "2025-10-01", "2026-01-31"),
        ("wie oft gym von Oktober bis Januar", "2025-10-01", "2026-01-31"),
        ("how many times did I hit the gym from October to January", "2025-10-01", "2026-01-31"),
        ("how many workouts from 1.10. to 31.10.?", "2026-10-01", "2026-10-31"),
        ("how many workouts between 1.10. and 31.10.2026", "2026-10-01", "2026-10-31"),
    ],
)
def test_between_two_dates_is_one_span(text: str, since: str, until: str) -> None:
    found = asked(text)
    assert (found.since, found.until, found.against) == (since, until, None)


@pytest.mark.parametrize(
    ("text", "against"),
    [
        ("Ist die HRV am Montag niedriger als sonst?", "weekday = 1"),
        ("Ist mein Ruhepuls am Samstag höher als sonst?", "weekday = 6"),
        ("Schlafe ich am Freitag länger als an anderen Tagen?", "weekday = 5"),
        ("is my HRV on Monday lower than on other days?", "weekday = 1"),
        ("War die HRV am Montag niedriger als sonst?", "..2026-11-22"),
        ("was my HRV lower on Monday than usual?", "..2026-11-22"),
        ("is my HRV lower on days with alcohol?", "before.alcohol > 0"),
        ("Ist mein Ruhepuls an Tagen mit Alkohol höher?", "before.alcohol > 0"),
        ("sinkt meine HRV nach Alkohol?", "before.alcohol > 0"),
        ("is my resting heart rate higher on days with more than 10000 steps?", "steps > 10000"),
        ("hängt Alkohol mit schlechterem Schlaf zusammen?", "before.alcohol > 0"),
    ],
)
def test_the_present_asks_of_every_week_and_a_thing_taken_of_the_night_after(text: str, against: str) -> None:
    assert asked(text).against == against


@pytest.mark.parametrize(
    ("text", "per", "where"),
    [
        ("how many minutes of exercise do I get on Fridays on average?", "day", ["weekday = 5"]),
        ("Wie viele Minuten Sport mache ich freitags im Schnitt?", "day", ["weekday = 5"]),
        ("Summe der Trainingsminuten am Wochenende, letzter Monat", None, ["weekday >= 6"]),
        ("steps at weekends last month", None, ["weekday >= 6"]),
    ],
)
def test_weekdays_are_a_condition_beside_an_average_or_a_longer_span(text: str, per: str, where: list[str]) -> None:
    found = asked(text)
    assert (found.per, found.where) == (per, where)


def test_the_longest_night_is_that_of_the_longest_sleep() -> None:
    for text in ("could you tell me which night of this year was my longest?", "welche Nacht war die längste?"):
        assert (asked(text).what, asked(text).of) == ("asleep", "max")


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("what tasks are due on Friday?", "2026-11-27"),
        ("welche Aufgaben sind am Freitag fällig?", "2026-11-27"),
        ("Which appointments are on Friday?", "2026-11-27"),
        ("Welche Termine sind am Freitag?", "2026-11-27"),
        ("what tasks were due on Friday?", "2026-11-20"),
        ("welche Aufgaben waren am Freitag fällig?", "2026-11-20"),
        ("Welche Termine waren am Freitag?", "2026-11-20"),
        ("was there a meeting on Monday", "2026-11-23"),
    ],
)
def test_what_is_planned_on_a_weekday_is_to_come_unless_the_verb_is_past(text: str, day: str) -> None:
    assert (asked(text).since, asked(text).until) == (day, day)


@pytest.mark.parametrize(
    "text",
    [
        *("what is my resting heart rate right now", "what is my resting heart rate currently"),
        *(
            "Was ist mein Ruhepuls gerade?",
            "Wie hoch ist mein Ruhepuls aktuell?",
            "what is my current resting heart rate",
        ),
    ],
)
def test_a_figure_of_a_day_that_is_asked_of_now_is_the_last_one(text: str) -> None:
    assert (asked(text).what, asked(text).of) == ("resting_hr", "last")


@pytest.mark.parametrize(
    ("text", "until"),
    [
        ("how many meetings did I have this week", "2026-11-25"),
        ("wie viele Termine hatte ich diese Woche", "2026-11-25"),
        ("wie viele Termine habe ich diese Woche gehabt", "2026-11-25"),
        ("how many meetings do I have this week", "2026-11-29"),
        ("how many meetings are in my calendar this week", "2026-11-29"),
        ("wie viele Termine habe ich diese Woche", "2026-11-29"),
        ("how many hours of deep work did I plan this week", "2026-11-29"),
        ("how many meetings did I have last week", "2026-11-22"),
    ],
)
def test_entries_of_the_past_tense_end_today(text: str, until: str) -> None:
    assert asked(text).until == until


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("is my HRV going up since January?", Words(what="hrv_rmssd", of="trend", since="2026-01-01")),
        (
            "which month did I run the furthest in?",
            Words(what="workouts.distance", of="sum", by="month", where=["workout.sport = running"]),
        ),
        ("highest average heart rate in any workout", Words(what="workouts.average_hr", of="max")),
        (
            "höchste Durchschnittsherzfrequenz beim Laufen",
            Words(what="workouts.average_hr", of="max", where=["workout.sport = running"]),
        ),
        (
            "average walk length on Saturdays",
            Words(what="workouts.minutes", of="mean", where=["weekday = 6", "workout.sport = walking"]),
        ),
        (
            "an wie vielen Tagen hab ich mehr als eine halbe Stunde Sport gemacht",
            Words(what="workouts.minutes", of="count", per="day", where=["value > 30"]),
        ),
        (
            "on how many days did I run more than 10 km",
            Words(what="workouts.distance", of="count", per="day", where=["workout.sport = running", "value > 10000"]),
        ),
        ("geh ich mehr Schritte, wenn ich besser schlafe", Words(what="steps", of="mean", against="sleep_score")),
        ("do I walk more when I sleep longer", Words(what="steps", of="mean", against="asleep")),
        (
            "Energie beim Schwimmen zusammen",
            Words(what="workouts.energy", of="sum", where=["workout.sport = swimming"]),
        ),
        (
            "wie lang war meine letzte Wanderung in km",
            Words(what="workouts.distance", of="last", where=["workout.sport = hiking"]),
        ),
        ("steps by month", Words(what="steps", of="mean", by="month")),
        ("Schritte nach Monaten", Words(what="steps", of="mean", by="month")),
        ("total steps by month", Words(what="steps", of="sum", by="month")),
        ("steps per month", Words(what="steps", of="sum", by="month")),
    ],
)
def test_everyday_turns_are_read(text: str, expected: Words) -> None:
    found = asked(text)
    assert replace(found, where=sorted(found.where)) == replace(expected, where=sorted(expected.where))


@pytest.mark.parametrize(
    "text",
    [
        "Schritte an regulären Arbeitstagen Mo-Fr seit dem 1.6.",
        "Schlaf an grauen Tagen",
        "HRV nach kalten Nächten",
        "erzähl mir was über meinen Schlaf",
        "tell me something about my sleep",
    ],
)
def test_an_unknown_adjective_names_no_entry_and_an_open_request_is_no_question(text: str) -> None:
    with pytest.raises(NotRead, match="bridge ask"):
        asked(text)


@pytest.mark.parametrize(
    "text",
    [
        "how many beers per week on average since September",
        "average number of beers a week since September",
        "auf wieviele Bier komm ich pro Woche, so im Mittel seit September",
        "wie viele Bier im Schnitt pro Woche seit September",
    ],
)
def test_what_is_noted_per_week_on_average_is_of_the_sums_of_weeks(text: str) -> None:
    found = asked(text)
    assert (found.what, found.of, found.per, found.by) == ("alcohol", "mean", "week", None)


@pytest.mark.parametrize(
    ("text", "what", "of", "per", "where"),
    [
        ("avrage steps on days w/o a workout", "steps", "mean", None, ["workouts = 0"]),
        ("nights in a row w/o alcohol", "nights", "streak", None, ["before.alcohol = 0"]),
        ("current streak of nights over 7h", "nights", "streak", None, ["asleep > 420"]),
        ("how many nights in a row right now have I slept over 7 hours", "nights", "streak", None, ["asleep > 420"]),
        ("aktuelle Serie von Nächten über 7 Stunden", "nights", "streak", None, ["asleep > 420"]),
        ("seit wann schreib ich eigentlich Migräne auf", "migraine", "first", None, ["migraine > 0"]),
        ("seit wann notiere ich Kaffee", "coffee", "first", None, ["coffee > 0"]),
        ("wie lange bin ich jetzt schon nicht mehr gelaufen", "workouts", "ago", None, ["workout.sport = running"]),
        ("wie lange hab ich letzte Woche echt geschlafen", "asleep", "mean", None, []),
        ("weeks with no workout at all this year", "workouts", "count", "week", ["value = 0"]),
        ("how many weeks without a workout this year", "workouts", "count", "week", ["value = 0"]),
        ("wie viele Wochen ohne Training dieses Jahr", "workouts", "count", "week", ["value = 0"]),
    ],
)
def test_short_and_spoken_turns_are_read(text: str, what: str, of: str, per: str | None, where: list[str]) -> None:
    found = asked(text)
    assert (found.what, found.of, found.per, found.where) == (what, of, per, where)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("how many beers did I have in October", ["beers → alcohol"]),
        ("wie viele Bier hatte ich im Oktober", ["bier → alcohol"]),
        ("how much alcohol did I drink in October", []),
        ("HRV after drinking", []),
        ("how many coffees did I have in October", []),
    ],
)
def test_a_drink_that_is_read_as_all_of_its_class_is_said(text: str, said: list[str]) -> None:
    assert widened(read(text, TODAY, ["alcohol", "coffee"]), text) == said


def test_a_drink_that_is_noted_itself_is_not_widened() -> None:
    text = "how many beers did I have in October"
    assert widened(read(text, TODAY, ["alcohol", "beer"]), text) == []
