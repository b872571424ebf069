"""Spoken turns of plain questions: parted verbs, small words, sides of a comparison and what a figure is told by."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bridge.domain.errors import SetupError
from bridge.query.parse import Words
from bridge.query.plain import NotRead, read
from tests.ask.corpus import TODAY, questions

NOTED = ["alcohol", "coffee"]


def _ordered(words: Words) -> Words:
    return replace(words, where=sorted(words.where), mended=())


@pytest.mark.parametrize(("text", "meant"), [*questions("spoken_en"), *questions("spoken_de")])
def test_a_spoken_question_is_read_as_meant(text: str, meant: Words) -> None:
    assert _ordered(read(text, TODAY, NOTED)) == _ordered(meant)


@pytest.mark.parametrize(
    "text",
    [
        "Hab ich im Oktober die 7000 Schritte kein einziges Mal verfehlt?",  # no entry of that name
        "Schritte, wenn ich am nächsten Tag Frühdienst hab",  # of the day before, which no condition says
        "werd ich morgen früh wach?",
        "which month had the fewest workouts?",  # one without any has no row
        "welcher Monat hatte die wenigsten Trainings?",
        "which weekday has the fewest meetings?",
        "when did my last meeting end on Friday?",  # only when it began is told
        "wann endete am Freitag die letzte Besprechung?",
        "Kopfschmerzen seit Oktober gegen Juli bis September",  # of how many days none was noted, nothing says
        "steps before workdays",
        "bedtime before workdays and before weekends",  # the one or the other, or how they differ
        "kein Kaffee und trotzdem schlecht geschlafen, gab es solche Tage?",  # no difference is asked
        "hilft mir Yoga beim Laufen?",  # nor how often each was done
        "on what share of weekends did I run?",  # nor how many runs were on weekends
        "on how many weekends did I run?",
        "sleep after a run compared with days without a workout",  # the others are days without a run
        "do I sleep less between shifts?",
        "do I wake up less after wine?",  # how long I am awake, or when I get up
        "how many days with a heart rate over 120?",  # of single readings, or of the day's mean
        "coffee at 4 and my deep sleep",
        "steps since 3 months ago",
        "does the number of appointments affect my sleep?",  # how many, or whether there were any
        "do I sleep worse with coffee before 9",  # in the morning, or in the evening
        "does coffee after 10 affect my sleep",
        "did I sleep better last week",  # than when
        "wie viele Schritte macht man am Tag?",
        "how long do I sleep after two night shifts in a row?",
        "wann hab ich zuletzt unter 5 Stunden geschlafen und wie lange",  # in that night
    ],
)
def test_what_no_query_says_is_refused(text: str) -> None:
    with pytest.raises((NotRead, SetupError)):
        read(text, TODAY, [*NOTED, "headache"])
