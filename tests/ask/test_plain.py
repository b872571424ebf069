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
from bridge.query.plain import NotRead, read, read_both
from bridge.query.understood import sentence
from rhythm_env.interface import Meter
from tests.ask.corpus import TODAY, questions
from tests.query.test_rules import life
from tests.query.wearer import NOW, land

UNDERSTOOD_LEAST = 0.85


def understood(text: str) -> Words | None:
    """What is understood of a question, with its conditions in order, or None."""
    try:
        found = read(text, TODAY)
    except SetupError:
        return None
    return replace(found, where=sorted(found.where))


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


def test_a_name_that_was_noted_is_known() -> None:
    assert read("do I sleep less after late meetings", TODAY, ["late meetings"]).against == "before.late meetings > 0"
    assert read("Ruhepuls an Tagen mit Alkohol", TODAY, ["Alkohol"]).where == ["before.Alkohol > 0"]
    assert understood("do I sleep less after late meetings") is None
    for text in (
        "Tiefschlaf nach Alkohol im Vergleich zu den anderen Nächten",
        "Tiefschlaf in Nächten nach Alkohol verglichen mit Nächten ohne",
        "deep sleep on nights following Alkohol versus the rest",
    ):
        assert read(text, TODAY, ["Alkohol"]).against == "before.Alkohol > 0"
    assert read("deep sleep on days with Alkohol", TODAY, ["Alkohol"]).where == ["before.Alkohol > 0"]
    assert read("how often did I note wine in October", TODAY, ["wine"]).what == "wine"
    assert read("how often did I have a glass of wine", TODAY).what == "alcohol"


def test_a_class_of_entries_parts_days_for_what_is_not_of_the_night() -> None:
    found = read("do I score higher on connection on days with friends in the calendar than days without", TODAY)
    assert (found.what, found.against) == ("connection", "action = SOCIALIZE")
    assert read("how many calendar entries with family this month", TODAY).where == ["action = FAMILY_TIME"]
    night = understood("how long do I sleep on days with friends in my calendar")
    assert night is not None
    assert night.where == ["before.action = SOCIALIZE"]  # the night that follows
    classes = read("how many hours did I spend on admin vs deep work in Q3", TODAY)
    assert (classes.where, classes.by) == (["action = ADMIN_WORK|DEEP_WORK"], "action")


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


def test_of_a_night_its_length_is_compared() -> None:
    for text in ("how did I sleep this week compared to last week", "wie habe ich 2026 geschlafen verglichen mit 2025"):
        assert query_of(read(text, TODAY)).subject.name == "asleep", text


def test_focus_is_the_time_of_focused_work() -> None:
    for text in (
        "focus this week",
        "how much focus time did I have this week",
        "hours of focused work this week",
        "deep work this week",
        "how much did I focus this week",
        "Fokus diese Woche",
        "wie viele Stunden Fokus hatte ich diese Woche",
        "Fokuszeit diese Woche",
    ):
        found = read(text, TODAY)
        assert (found.what, found.of, found.where) == ("entries.minutes", "sum", ["action = DEEP_WORK"]), text
        assert "of focused work" in str(sentence(query_of(found))), text
    more = read("did I focus more than last week", TODAY)
    assert (more.what, more.against) == ("entries.minutes", "2026-11-16..2026-11-22")
    assert read("how often did I do deep work last week", TODAY).of == "count"
    assert read("how focused was I last week", TODAY).what == "cognition"
    assert read("focus at the computer last week", TODAY).what == "focus"


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
    assert understood("bedtime by weekday") is None  # of the evening, or of waking
    for text, day in (
        ("what time did I go to bed on Friday", "on the evening of 20 Nov 2026"),
        ("when do I go to bed on Fridays", "on the evening of Friday"),
        ("when did I get up on Friday", "on 20 Nov 2026"),
    ):
        assert day in str(sentence(query_of(read(text, TODAY)))), text
    late = read("does evening training hurt my deep sleep", TODAY)
    assert late.against == "before.workout.start >= 18:00"
    assert read("first time I ran more than 15 km", TODAY).of == "first"


def test_several_figures_and_totals_of_weeks_are_asked_for() -> None:
    for text, what, of, per in (
        ("how did I sleep last night", "night", "mean", None),
        ("alle fünf Meter gestern", "meters", "mean", None),
        ("time in bed vs asleep last week", "in_bed,asleep", "mean", None),
        ("average runs per week", "workouts", "mean", "week"),
        ("what is the most steps I took in a week", "steps", "max", "week"),
        ("wie viele Läufe habe ich im Schnitt pro Monat", "workouts", "mean", "month"),
    ):
        found = read(text, TODAY)
        assert (found.what, found.of, found.per) == (what, of, per), text


def test_a_word_that_is_said_to_be_noted_is_known() -> None:
    for text, what, where in (
        ('on court days (note "court"), what was my stress?', "stress", ["court > 0"]),
        ("wie oft hab ich im letzten Monat Spielplatz notiert", "spielplatz", ["spielplatz > 0"]),
        ("mean value of my practice note per weekday", "practice", []),
    ):
        found = understood(text)
        assert found is not None, text
        assert (found.what, found.where) == (what, where), text


def test_a_note_that_is_named_is_itself_where_not_its_class_alone_is_noted() -> None:
    for text, factors, where in (
        ("HRV on days tagged wine", ["alcohol", "wine"], "before.wine > 0"),
        ("HRV on days with alcohol", ["alcohol", "wine"], "before.alcohol > 0"),
        ("HRV on days tagged wine", [], "before.wine > 0"),
        ("HRV on days tagged wine", ["beer"], "before.wine > 0"),
        ("HRV on days tagged wine", ["Alkohol"], "before.Alkohol > 0"),
        ("HRV an Tagen mit dem Tag Wein", ["Bier"], "before.wein > 0"),
        ("HRV on days with beers", ["beer"], "before.beer > 0"),
        ("HRV on days with a beer", ["beers"], "before.beers > 0"),
        ("HRV on days with beer", ["wine"], "before.alcohol > 0"),  # which is not noted, as the answer says
        ("how often did I note a headache", [], "headache > 0"),
        ("when was the last time I wrote down a migraine", [], "migraine > 0"),
        ("Wann hab ich zuletzt Sauna eingetragen", [], "sauna > 0"),
        ("steps on days I marked as night shift, average", [], "night shift > 0"),
        ("Schritte an Tagen, die ich als Nachtschicht markiert habe", [], "nachtschicht > 0"),
    ):
        assert read(text, TODAY, factors).where == [where], (text, factors)


def test_what_things_cost_and_what_a_person_weighs_is_not_stored() -> None:
    for text in (
        "Wie viel hab ich im August für Sprit ausgegeben",
        "Wie viel hab ich im August für Wein ausgegeben",
        "how much did I spend on wine in August",
    ):
        assert understood(text) is None, text
    for text in ("what did I weigh on the first of May", "Wie entwickelt sich mein Gewicht", "what do the scales say"):
        with pytest.raises(SetupError, match="the bridge reads your weight from no source"):
            read(text, TODAY)
    assert read("how often did I do weight training", TODAY).where == ["workout.sport = gym"]


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


def test_days_are_limited_and_listed_and_the_last_value_is_told() -> None:
    for text, plainer in (
        ("On weekends this year, what's the median time I drop off?", "median bedtime on weekends this year"),
        (
            "Across all Tuesdays, how long are meetings a day on average",
            "meeting minutes on Tuesdays per day on average",
        ),
        ("sleep score, Monday to Thursday nights", "sleep score Tuesday to Friday"),  # by the day of waking
        ("Which days last week did I get past 12,000 steps?", "on which days last week more than 12,000 steps"),
        ("An welchen Tagen bin ich unter 3000 Schritten geblieben", "an welchen Tagen weniger als 3000 Schritte"),
        (
            "has my resting pulse been above 60 on any day in the last 14 days, and which",
            "on which days in the last 14 days was my resting pulse above 60",
        ),
        ("floors in total in January and February", "floors in total from 1 January to 28 February"),
        ("Durchschnittspuls bei allen meinen Yogaeinheiten", "Durchschnittspuls bei meinen Yogaeinheiten"),
        ("Anzahl fälliger Aufgaben diese Woche", "wie viele Aufgaben sind diese Woche fällig"),
    ):
        assert understood(text) == understood(plainer) is not None, text
    lengths = read("Werden meine Läufe länger? Minuten im Schnitt, Monat für Monat, dieses Jahr", TODAY)
    assert (lengths.what, lengths.of, lengths.by) == ("workouts.minutes", "mean", "month")
    assert read("the connection meter, latest reading", TODAY).of == "last"
    assert read("mein letzter Fortschrittswert", TODAY) == Words(what="progress", of="last", where=[])
    for text in ("how long does my deep sleep last", "latest heart rate", "steps in January and March in total"):
        assert understood(text) is None, text


def test_words_of_the_persons_own_entries_are_conditions() -> None:
    for text, what, where, against in (
        ("on court days, what was my stress?", "stress", ["titled court > 0"], None),
        ("Schlaf nach Konzertabenden", "asleep", ["before.titled konzert > 0"], None),
        ("Sleep on the night before a migraine day, average", "asleep", ["migraine > 0"], None),
        ("is my stress higher with choir than without", "stress", [], "titled choir > 0"),
    ):
        found = understood(text)
        assert found is not None, text
        assert (found.what, found.where, found.against) == (what, where, against), text
    for text in ("sleep on rainy days", "stress on my wife's court days", "how many rehearsals", "HRV choir"):
        assert understood(text) is None, text


def test_two_conditions_are_compared() -> None:
    for text, what, where, against in (
        ("do I take more steps on weekdays than on Sundays", "steps", [], "weekday <= 5 vs weekday = 7"),
        ("Compare rides under 10 km with longer ones for average speed", None, [], None),
        ("cognition after nights with under 6 hours of sleep versus with more", "cognition", [], "asleep < 360"),
        (
            "progress on days with more than 3 meetings vs on days with less than 2 meetings",
            "progress",
            [],
            "entries > 3 vs entries < 2",
        ),
    ):
        found = understood(text)
        assert (found and found.what, (found and found.where) or [], found and found.against) == (what, where, against)


def test_several_figures_the_highest_rows_and_periods_are_asked_for() -> None:
    for text, what, of, top, per, where in (
        ("min, max and mean of stress", "stress", "min,max,mean", None, None, []),
        ("three worst nights of the year", "sleep_score", "min", 3, None, []),
        ("my three longest runs", "workouts.distance", "max", 3, None, ["workout.sport = running"]),
        ("weeks with 3 or more workouts: how many", "workouts", "count", None, "week", ["value >= 3"]),
        (
            "In wie vielen Monaten hatte ich mehr als 100 Laufkilometer",
            "workouts.distance",
            "count",
            None,
            "month",
            None,
        ),
    ):
        found = understood(text)
        assert found is not None, text
        assert (found.what, found.of, found.top, found.per) == (what, of, top, per), text
        assert where is None or found.where == where, text


def test_remarks_and_names_of_notes_are_left_out() -> None:
    for text, plainer in (
        ("Total floors climbed in the past seven days. The lift was broken.", "total floors in the past seven days"),
        ("wie oft war ich im Herbst schwimmen, vermutlich peinlich selten", "wie oft war ich im Herbst schwimmen"),
        ("stress last week (ugh, deadlines)", "stress last week"),
    ):
        assert understood(text) == understood(plainer) is not None, text
    for text in (
        "steps last week, holidays not counted",
        "sleep last week, for my wife",
        "steps in May (only holidays)",
    ):
        assert understood(text) is None, text
    for text, where in (
        ("sleep on nights following a hospital visit, which I put down as 'hospital'", ["before.hospital > 0"]),
        ("serenity on raid days (tag: raid)", ["raid > 0"]),
        ("Ruhepuls am Tag nach dem Wirtshaus (Notiz Alkohol)", ["before.alcohol > 0"]),
    ):
        found = understood(text)
        assert found is not None, text
        assert found.where == where, text


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


def test_tasks_are_counted_by_what_is_said_of_them() -> None:
    for text, what, of in (
        ("how many tasks have I ticked off this week", "tasks_done", "sum"),
        ("tasks done last week", "tasks_done", "sum"),
        ("Wie viele Aufgaben sind überfällig und immer noch nicht erledigt", "tasks_overdue", "sum"),
        ("how many tasks are due tomorrow", "tasks_due", "sum"),
        ("Erledigte Aufgaben je Monat, seit Juli", "tasks_done", "sum"),
    ):
        found = understood(text)
        assert found is not None, text
        assert (found.what, found.of) == (what, of), text
    assert understood("how many tasks") is None  # done, due, or open
    assert understood("how many tasks were due last week, and how many of them did I do") is None


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


def test_what_a_day_holds_is_a_condition() -> None:
    for text, what, of, where in (
        ("stress on days with over 4 meetings", "stress", "mean", ["entries > 4"]),
        ("Stress Ø an Tagen mit >3 Meetings", "stress", "mean", ["entries > 3"]),
        ("on how many days did I sit in meetings for over five hours", "days", "count", ["entries.minutes > 300"]),
        ("how many days had no meeting at all in October", "days", "count", ["entries = 0"]),
        ("serenity on meeting-free days", "serenity", "mean", ["entries = 0"]),
        (
            "number of work entries over 2h",
            "entries",
            "count",
            ["action = DEEP_WORK|ADMIN_WORK", "entry.minutes > 120"],
        ),
        ("steps on days off", "steps", "mean", ["action != DEEP_WORK|ADMIN_WORK"]),
        ("on how many days was my vitality under 40", "vitality", "count", ["vitality < 0.4"]),
        ("how many meetings do I have tomorrow", "entries", "count", []),
    ):
        found = understood(text)
        assert found is not None, text
        assert (found.what, found.of, found.where) == (what, of, where), text
    assert understood("how many steps tomorrow") is None  # only of entries is told what is to come


def test_names_of_times_and_what_began_with_a_date_are_left_out() -> None:
    for text, plainer in (
        ("stress in the exam weeks 3 to 14 July", "stress from 3 to 14 July"),
        ("how did my HRV develop since I moved house in March", "trend of my HRV since March"),
        ("Trend HRV seit Trainingsbeginn am 10. Februar", "Trend HRV seit dem 10. Februar"),
        ("more than eight thousand steps on how many days", "how many days with more than 8000 steps"),
        ("Tiefschlaf in der Nacht vom 3. auf den 4. Mai", "Tiefschlaf am 4. Mai"),
    ):
        assert understood(text) == understood(plainer) is not None, text


def test_ranges_streaks_and_what_is_to_come_are_told_apart() -> None:
    for text, what, where in (
        ("how many runs between 5 and 8 km", "workouts", ["workout.distance >= 5000", "workout.distance <= 8000"]),
        ("Läufe von 5 bis 8 km, wie viele", "workouts", ["workout.distance >= 5000", "workout.distance <= 8000"]),
        ("nights of 6 to 7 hours of sleep: how many", "nights", ["asleep >= 360", "asleep <= 420"]),
        ("how many times have I got up before six", "nights", ["night.end < 06:00"]),
        ("wie oft bin ich vor halb sechs aufgestanden", "nights", ["night.end < 05:30"]),
        ("how many times did I get out of bed before 7", "nights", ["night.end < 07:00"]),
        ("how many days in a row did I make 8000 steps", "steps", ["steps >= 8000"]),
        ("wie viele Tage am Stück hab ich meine 8000 geschafft", "steps", ["steps >= 8000"]),
    ):
        found = understood(text)
        assert found is not None, text
        assert found.what == what, text
        assert {*where} <= {*found.where}, text
    for text in (
        "awake minutes in the week after the move",
        "Wachzeit in der Woche nach dem Umzug",
        "time with a heart rate above 150 in my boxing sessions",  # within them, or of whole ones
        "stress yesterday vs a normal Monday",
        "how long between getting into bed and getting up and sleep",
        "steps so far",  # of today, or of all days
        "on which days do I finish the most tasks",
        "resting heart rate before weekends",
        "average meeting start",
        "how much do I sleep compared to my friends",
        "schlafe ich mehr als meine Freunde",
        "how consistent is my sleep",
        "wie lange war ich im Bett und wie viel davon weg",
        "how often did I cry",  # of no entry
    ):
        assert understood(text) is None, text


def test_lists_what_comes_next_and_what_is_free_are_asked_for() -> None:
    for text, what, of, by, where in (
        ("what was in my diary on Monday", "entries", "count", "row", []),
        ("was steht nächste Woche im Kalender", "entries", "count", "row", []),
        ("which workouts did I do last week", "workouts", "count", "row", []),
        ("offene Aufgaben diese Woche", "tasks", "count", "row", ["task.state = open"]),
        ("how many days since my last run", "workouts", "ago", None, ["workout.sport = running"]),
        ("wie lange bin ich schon ohne Alkohol", "alcohol", "ago", None, ["alcohol > 0"]),
        ("longest time without any sport", "days", "streak", None, ["workouts = 0"]),
        (
            "how many free evenings did I have last week",
            "entries",
            "count",
            None,
            ["entry.start >= 18:00", "value = 0"],
        ),
        ("how many hours of choir did I have in May", "entries.minutes", "sum", None, ["entry.title ~ choir"]),
        ("was steht am Samstag im Kalender", "entries", "count", "row", []),
        ("steps during my trip to Lisbon", "steps", "mean", None, ["titled lisbon > 0"]),
        ("do I play ... no, how often did I golf in autumn", "workouts", "count", None, ["workout.sport = golf"]),
    ):
        found = understood(text)
        assert found is not None, text
        assert (found.what, found.of, found.by, found.where) == (what, of, by, where), text
    for text in ("what's on my calendar on Saturday", "was steht am Samstag im Kalender"):
        assert read(text, TODAY).since == "2026-11-28", text  # that is to come
    for text in (
        "how many hours did Karen spend in meetings",
        "how many words of French have I learned so far",
        "steps in my new shoes yesterday",
        "how many calories are in a pizza",
        "steps this weekend",  # that is to come
        "how many appointments have I got on Wednesday",  # today, or in a week
        "Höchster Ruhepuls in diesem Winter",  # which has not begun
    ):
        assert understood(text) is None, text


def test_two_questions_in_one_are_both_read_or_refused() -> None:
    both = read_both("how many times did I go rowing in October, and how far altogether", TODAY)
    assert both is not None
    assert [(one.what, one.of, one.since) for one in both] == [
        ("workouts", "count", "2026-10-01"),
        ("workouts.distance", "sum", "2026-10-01"),
    ]
    for text in (
        "are there nights with more than an hour awake, and how many were they",
        "how many runs over 10 km in May, and how far altogether",
        "how many steps, and how many floors in May",  # of which the time is
        "how many steps in May and why",
    ):
        assert read_both(text, TODAY) is None, text


def test_the_highest_rows_and_nights_are_asked_for_without_a_figure() -> None:
    for text, plainer in (
        ("top 5 days by calories", "top five days with the most calories"),
        ("die drei kürzesten Nächte seit Ostern", "die drei Nächte mit dem wenigsten Schlaf seit Ostern"),
        ("schlimmste Nacht der letzten zwei Wochen", "niedrigster Schlafwert der letzten zwei Wochen"),
        ("wie hab ich letzte Nacht geschlafen", "how did I sleep last night"),
        ("bin ich nach Sport schneller eingeschlafen", "Unterschied Einschlafdauer nach Sport und ohne"),
        ("sleep with wine vs without wine", "sleep with alcohol compared to nights without"),
        ("workout minutes per week since January, is there a trend", "trend of workout minutes by week since January"),
        ("do more meetings mean fewer tasks done", "correlation between meetings and tasks done"),
        (
            "je mehr Besprechungen desto weniger Todos erledigt",
            "Zusammenhang zwischen Besprechungen und erledigten Todos",
        ),
        ("which of the five meters is lowest right now", "all five meters right now"),
        ("Ruhepuls Werktag Wochenende", "Ruhepuls an Werktagen gegen Wochenende"),
        ("hours on the rowing machine since May", "hours of indoor rowing since May"),
        ("Vitalität an Wandertagen", "Vitalität an Tagen mit Wanderung"),
        ("is my sleep down since May", "trend of my sleep since May"),
        ("how often have I done two workouts in one day", "how many days with at least 2 workouts"),
        ("tage ohne sport im mai", "how many rest days in May"),
        ("longest day of meetings in October", "längster Sitzungstag im Oktober"),
        ("sleep before an exam", "sleep on the night before exam days"),
        ("boxen zuletzt", "when did I last do boxing"),
        ("runs faster than last year", "speed of runs this year compared to last year"),
        ("how regular is my bedtime", "wie regelmäßig geh ich ins Bett"),
        ("how many times did I hit 10k in October", "wie oft hab ich im Oktober die 10000 geschafft"),
        ("wann steh ich sonntags auf", "what time do I get up on Sundays"),
    ):
        assert understood(text) == understood(plainer), text
        assert understood(text) is not None, text


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


def test_words_that_are_no_titles_are_named_as_not_read() -> None:
    for text, word in (("Connection on days I see friends compared to when I'm alone in the calendar", "alone"),):
        with pytest.raises(NotRead) as refused:
            read(text, TODAY)
        assert refused.value.unread == [word]


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


@pytest.mark.parametrize(
    ("text", "what", "where"),
    [
        ("which day of the week do I walk the least", "steps", []),
        ("workouts without runs in October", "workouts", ["workout.sport != running"]),
        ("how many non-running workouts", "workouts", ["workout.sport != running"]),
        ("wie viele Trainings waren keine Läufe", "workouts", ["workout.sport != running"]),
        ("how many nights did I not sleep 7 hours", "nights", ["asleep < 420"]),
        ("in wie vielen Nächten habe ich keine 7 Stunden geschlafen", "nights", ["asleep < 420"]),
        ("how many runs no longer than 5 km", "workouts", ["workout.distance <= 5000", "workout.sport = running"]),
        ("longest break between workouts", "days", ["workouts = 0"]),
        ("längste Pause zwischen zwei Trainings", "days", ["workouts = 0"]),
        ("slep last week", "asleep", []),
        ("schalf letzte woche", "asleep", []),
    ],
)
def test_what_is_left_out_is_a_condition(text: str, what: str, where: list[str]) -> None:
    found = read(text, TODAY)
    assert (found.what, [*found.where]) == (what, where)
