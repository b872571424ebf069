"""Plain questions: what is understood of the written ones, what is refused, and that answers are those of the query."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta

import pytest
from typer.testing import CliRunner

from bridge.cli import app
from bridge.domain.errors import SetupError
from bridge.domain.languages import languages
from bridge.domain.titles import METER_TITLES
from bridge.installation import open_bridge
from bridge.query.parse import Words, query_of
from bridge.query.plain import NotRead, read
from bridge.query.understood import sentence
from rhythm_env.interface import Meter
from tests.ask.corpus import TODAY, questions, understood
from tests.query.life import life
from tests.query.wearer import NOW, land

UNDERSTOOD_LEAST = 0.85


@pytest.mark.parametrize("half", [0, 1])
@pytest.mark.parametrize("language", ["en", "de"])
def test_written_questions_are_understood_or_refused_but_never_misread(language: str, half: int) -> None:
    asked = questions(language)[half::2]
    assert len(asked) == 150
    found = [(text, understood(text), meant and replace(meant, where=sorted(meant.where))) for text, meant in asked]
    assert [(text, got) for text, got, meant in found if got not in (None, meant)] == []
    with_meaning = [got for _, got, meant in found if meant]
    assert sum(got is not None for got in with_meaning) >= UNDERSTOOD_LEAST * len(with_meaning)


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_word_that_is_not_known_is_never_passed_over(language: str) -> None:
    for text, _ in questions(language)[::7]:
        words = text.rstrip("?").split()
        for at in (1, len(words) // 2, len(words)):
            found = understood(" ".join([*words[:at], "blumenkohl", *words[at:]]))
            told = [] if found is None else [found.what, *found.where, found.since or "", found.against or ""]
            assert found is None or any("blumenkohl" in one for one in told), (text, at)


@pytest.mark.parametrize(
    "text",
    [
        "average steps per week",  # of days, or of weeks
        "wie viele Schritte bin ich gestern beim Laufen gegangen",
        "how long are my runs",  # in all, or each
        "lowest heart rate during workouts",  # of the means, or of all moments
        "how many steps after workouts",  # of that day, or of the next
        "share of nights with more than 8 hours of sleep on weekends",  # of all nights, or of those of weekends
        "how many steps do I walk",  # a day, or in all
        "the day after a night under 5 hours, how many steps do I do",
        "highest weekly steps",  # of weeks, or of a day in each
        "how many workouts have I planned this week",  # those to come are none of the recorded
        "what was my best resting heart rate",
        "May I see my average steps",
        "min sleep",  # the least, or minutes
        "how many workouts were completed before 8 am",  # begun is not completed
        "how much has my HRV increased since June",  # in all, or a week
        "how much did I run last week",  # how far, how long, or how often
        "sleep from Monday to Tuesday",  # the last ones, or those of every week
        "total HRV last week",
        "sleep on the 31st",  # there is none in November
        "which month did I run the most",  # how far, how long, or how often
        "how much time did I spend in bed last week",
        "sleep without meetings",
        "how many steps " + "very " * 80 + "yesterday",
        "",
    ],
)
def test_what_may_mean_two_things_is_refused(text: str) -> None:
    assert understood(text) is None


def test_what_is_said_in_other_words_is_understood_alike() -> None:
    for text, plainer in (
        ("how much REM do I usually get on a Sunday night", "average REM on Sunday nights"),
        ("wie viel REM in einer Sonntagnacht", "REM in Sonntagnächten"),
        ("sleep efficiency: best five nights", "five best nights by sleep efficiency"),
        ("fünf beste Nächte nach Schlafeffizienz", "five best nights by sleep efficiency"),
        ("Anteil Tiefschlaf an der ganzen Nacht", "share of deep sleep"),
        ("first time I logged a climbing session", "when did I first go rock climbing"),
        ("hab ich diese Woche überhaupt Sport gemacht", "how many workouts this week"),
        ("an welchen Wochentagen erledige ich die meisten Aufgaben", "tasks done on average by weekday"),
        ("how long do I spend in a meeting on average", "how long are my meetings on average"),
        ("was there a meeting on Monday", "number of meetings on Monday"),
        ("how long do I usually sit in meetings on Fridays", "minutes of meetings per day on average on Fridays"),
        ("Wie lange sitze ich freitags normalerweise in Terminen", "minutes of meetings per day on average on Fridays"),
        ("how many workouts longer than an hour and a half", "how many workouts longer than 90 minutes"),
        ("Nächte mit mehr als siebeneinhalb Stunden Schlaf", "Nächte mit mehr als 450 Minuten Schlaf"),
        ("nights with 7h30 or more of sleep", "nights with at least 450 minutes of sleep"),
        ("how many steps do I take on an average Saturday", "how many steps do I take on Saturdays on average"),
        ("how long do I usually sleep at the weekend", "average sleep on weekends"),
        ("Schritte in den letzten 3 Tagen zusammen", "Schritte in den letzten 3 Tagen insgesamt"),
        ("wie viel mehr schlafe ich an Samstagen", "schlafe ich samstags mehr"),
        ("Gesamtstrecke meiner letzten 3 Läufe", "Strecke meiner letzten 3 Läufe insgesamt"),
        ("how many calories per workout on average", "average calories of my workouts"),
        ("total distance by sport", "total distance of workouts by sport"),
        ("how fast was my last run", "speed of my last run"),
        ("on which weekday is my HRV highest", "HRV by weekday"),
        ("In welchem Monat war mein Ruhepuls am niedrigsten", "Ruhepuls pro Monat"),
        ("which month had the most steps", "steps per month"),
        ("How does my HRV on weekends compare with weekdays", "is my HRV higher on weekends than on weekdays"),
        ("Stress am Wochenende im Vergleich zu Werktagen", "Unterschied Stress am Wochenende und an Werktagen"),
        ("is my resting pulse going up or down since June", "trend of resting heart rate since June"),
        ("bin ich beim Joggen schneller geworden", "Trend Geschwindigkeit beim Laufen"),
        ("How many days did I hit more than 10000 steps", "how many days with more than 10k steps"),
        ("how much REM on nights that start after midnight", "rem sleep when i went to bed after midnight"),
        ("time spent per sport in the last half year", "hours of workouts by sport in the last 6 months"),
        ("Trainings nach Sportart zählen", "Anzahl Trainings pro Sportart"),
        ("wie viel Zeit laut Kalender mit der Familie", "wie viele Stunden Familie im Kalender"),
        ("date of my last workout", "when was my last workout"),
        (
            "wann hatte ich zum ersten Mal mehr als 25000 Schritte an einem Tag",
            "when did I first have more than 25k steps",
        ),
        ("how many workouts did I do in total last year", "how many workouts did I do last year"),
        ("how much sport did I do this week", "how many minutes of workouts did I do this week"),
        ("HRV mit Kaffee und ohne", "HRV mit und ohne Kaffee"),
        ("schlafe ich an Tagen mit Alkohol schlechter, also kürzer", "schlafe ich an Tagen mit Alkohol kürzer"),
        ("Zeit im Bett von Montag bis Freitag, im Mittel", "Zeit im Bett werktags im Mittel"),
        ("progress in the last week of October vs the first", "progress 25 to 31 October vs 1 to 7 October"),
        (
            "sleep after less than 6000 steps vs more than 9000",
            "sleep after less than 6000 steps vs more than 9000 steps",
        ),
        ("average REM in nights shorter than 6 hours", "average REM in nights with less than 6 hours of sleep"),
        ("whats my resting hart rate been like this week", "my resting heart rate this week"),
        ("did I do any yoga last week, and how many times", "how often did I do yoga last week"),
        ("how many evenings with wine last week", "how many days with wine last week"),
        ("Steps so far this week?", "total steps this week"),
        ("an welchen Tagen hab ich gar keinen Sport gemacht", "on which days did I not work out"),
        ("do I go to bed later on Fridays than on Sundays", "Gehe ich freitags später ins Bett als sonntags"),
        ("an wie vielen Abenden war ich mit Freunden unterwegs", "how many evenings did I spend with friends"),
        ("Wie viele Stunden trieb ich letzten Monat Sport", "wie viele Stunden Training letzten Monat"),
        ("average deep sleep on Sunday", "average deep sleep on Sundays"),
        ("total sleep in the past seven nights", "total sleep in the last seven nights"),
        ("how often do I see my friends", "wie oft treffe ich Freunde"),
    ):
        assert understood(text) == understood(plainer) is not None, text


def test_commands_are_no_questions() -> None:
    for text in (
        "Lege einen Termin für Freitag an",
        "schedule a run for Friday",
        "delete my runs",
        "add a meeting tomorrow",
    ):
        assert understood(text) is None, text


def test_small_words_may_stand_within_a_phrase() -> None:
    for text, plainer in (
        ("how many minutes on average do my workouts last, by sport", "average minutes of workouts by sport"),
        ("HRV on the nights which I went to bed after midnight", "HRV on nights when I went to bed after midnight"),
        ("An den Tagen, an denen ich denn trainiert habe, wie hoch war da mein Stress", "Stress an Tagen mit Training"),
    ):
        assert understood(text) == understood(plainer) is not None, text


def test_of_a_night_its_length_is_compared() -> None:
    for text in ("how did I sleep this week compared to last week", "wie habe ich 2026 geschlafen verglichen mit 2025"):
        assert query_of(read(text, TODAY)).subject.name == "asleep", text


def test_what_is_not_known_is_named_and_a_near_question_is_offered() -> None:
    for text, unread, near in (
        ("minutes of walking frobnicated", ["frobnicated"], "how many workouts did I do in the last 30 days?"),
        ("average Stress frobnicated yesterday", ["frobnicated"], "average stress in the last 30 days"),
        ("active minutes per day when I work from home", ["home"], "average zone minutes in the last 30 days"),
        ("Etagen insgesamt quietschend", ["quietschend"], "stockwerke im Schnitt in den letzten 30 Tagen"),
        ("Welche Termine sind quietschend", ["quietschend"], "wie viele Termine habe ich diese Woche?"),
        ("Mein schnellster Zwanziger im Park", ["Zwanziger", "Park"], "wie viel Tiefschlaf hatte ich letzte Woche?"),
    ):
        with pytest.raises(NotRead) as refused:
            read(text, TODAY)
        assert (list(refused.value.unread), refused.value.near) == (unread, near)
        assert read(near, TODAY)


def test_a_slip_of_the_pen_is_mended_where_one_word_is_near() -> None:
    for slip, right in (
        ("avrage deep sleeep in Novemeber", "average deep sleep in November"),
        ("durchschnitlicher Ruhepuls im Oktobr", "durchschnittlicher Ruhepuls im Oktober"),
    ):
        assert understood(slip) == understood(right) is not None
    for text in ("how many stops yesterday", "mean heard rate"):
        assert understood(text) is None, text


def test_causes_advice_and_what_will_be_are_refused() -> None:
    for text in (
        "what is making me so stressed",
        "why is my HRV low",
        "should I sleep more after coffee",
        "will I sleep well tomorrow",
        "is my resting heart rate normal",
        "how much did they sleep last night",
        "how many kids do I have",
        "what is stress",
        "how often did I note nothing",
        "is it the coffee that ruins my sleep",
        "hat der Kaffee meinen Schlaf ruiniert",
        "warum schlafe ich nach Alkohol schlechter",
        "soll ich weniger Kaffee trinken",
        "wie viel haben sie geschlafen",
    ):
        assert understood(text) is None, text


def test_the_sentence_says_every_part() -> None:
    query = query_of(
        Words(
            what="workouts.minutes",
            of="sum",
            since="2026-10-01",
            until="2026-10-31",
            last=3,
            by="week",
            where=["workout.sport = running"],
        )
    )
    said = str(sentence(query))
    for part in ("sum", "minutes", "workouts", "1 Oct 2026", "31 Oct 2026", "last 3", "running", "week"):
        assert part in said
    assert all(sentence(query).in_language(language) for language in languages())


@pytest.fixture
def ana(database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installation with a life of three weeks."""
    monkeypatch.setenv("BRIDGE_DATABASE", database_url)
    monkeypatch.setenv("BRIDGE_NOW", NOW.isoformat())
    with open_bridge() as bridge:
        user = bridge.store.people.add_user("ana", "Europe/Berlin", now=NOW - timedelta(days=900))
        land(bridge.store, user, list(life()))
        yield


def test_the_answer_is_that_of_the_query(ana: None) -> None:
    run = CliRunner().invoke
    asked = run(app, ["ask", "how many nights with less than 430 minutes of sleep", "--user", "ana", "--json"])
    told = json.loads(asked.stdout)
    typed = run(app, ["query", "nights", "--where", "asleep < 430", "--user", "ana", "--json"])
    assert told.pop("understood")
    assert told["said"] == "there were 9 such nights."
    assert told == json.loads(typed.stdout)
    said = run(app, ["ask", "what time do I usually fall asleep", "--user", "ana"]).stdout
    assert "You fell asleep at 22:11, on average, over 21 nights." in said
    late = json.loads(run(app, ["ask", "what was my latest bedtime", "--user", "ana", "--json"]).stdout)
    evening = date.fromisoformat(late["at"]) - timedelta(days=1)
    assert f"on the evening of {evening:%-d %b %Y}" in late["said"]
    shown = run(app, ["ask", "average deep sleep by weekday", "--user", "ana"]).stdout
    assert "Understood: the mean of deep sleep, by weekday." in shown
    assert "Monday" in shown
    told = run(app, ["ask", "average deep sleep on weekends", "--user", "ana", "--json"]).stdout
    assert "deep sleep, on Saturday, Sunday" in json.loads(told)["understood"]
    assert "the highest is" in shown
    assert "█" in shown
    assert "▁" in run(app, ["ask", "deep sleep", "--user", "ana"]).stdout
    refused = run(app, ["ask", "why am I tired", "--user", "ana"])
    assert "bridge ask" in str(refused.exception)


def test_the_names_of_the_meters_on_the_page_are_meters_in_questions() -> None:
    asked = {"de": "Wie war meine {} letzte Woche?", "en": "How was my {} last week?"}
    for language, question in asked.items():
        for meter in Meter:
            found = understood(question.format(METER_TITLES[meter].in_language(language)))
            assert found is not None
            assert found.what == str(meter).lower()
    for text in ("Wie viel Energie habe ich gestern verbrannt?", "Wie viel Energie verbrauche ich am Tag?"):
        burned = understood(text)
        assert burned is not None
        assert burned.what == "total_energy"


@pytest.mark.parametrize("text", ["average HRV SDNN", "HRV (SDNN) im Schnitt", "sdnn"])
def test_a_kind_of_variability_is_asked_by_its_name(text: str) -> None:
    assert read(text, TODAY).what == "hrv_sdnn"


@pytest.mark.parametrize(
    "text", ["why is my vitality low?", "warum ist meine Gelassenheit so niedrig", "how come progress fell"]
)
def test_the_cause_of_a_meter_is_told_where_it_stands(text: str) -> None:
    with pytest.raises(SetupError, match="bridge meters"):
        read(text, TODAY)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("sleep on days I only ran", "only"),
        ("an wie vielen Tagen war ich nur laufen", "only"),
    ],
)
def test_a_word_that_no_query_can_mean_is_named(text: str, word: str) -> None:
    with pytest.raises(NotRead) as refused:
        read(text, TODAY)
    assert word in refused.value.unread
