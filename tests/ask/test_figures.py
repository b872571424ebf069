"""Figures in plain questions: several at once, the highest rows, days in a row and two conditions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bridge.query.parse import Words
from bridge.query.plain import read, read_both
from tests.ask.corpus import TODAY, understood

OCTOBER = Words(what="steps", of="sum", since="2026-10-01", until="2026-10-31", where=[])
DRUNK = replace(OCTOBER, what="alcohol", of="count")
MEDITATED = Words(what="entries", of="last", until="2026-11-25", where=["action = MEDITATE"])
UP = Words(what="nights.end", of="mean", since="2026-11-22", until="2026-11-22", where=[])


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


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("hw many steps did I take in October", OCTOBER),
        ("wei viele Schritte hatte ich im Oktober", OCTOBER),
        ("how many times did I drink in October?", replace(DRUNK, where=["alcohol > 0"])),
        ("wie oft habe ich im Oktober getrunken", replace(DRUNK, where=["alcohol > 0"])),
        ("When did I last meditate", MEDITATED),
        ("Wann hab ich das letzte Mal meditiert?", MEDITATED),
        ("Wieviel Uhr bin ich am Sonntag aufgestanden?", UP),
    ],
)
def test_turns_of_drinks_of_the_last_time_and_with_a_slip(text: str, meant: Words) -> None:
    assert read(text, TODAY, ["alcohol"]) == meant
