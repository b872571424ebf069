"""Each word that narrows a question changes its reading, or the question is refused: none is passed over."""

from __future__ import annotations

import pytest

from bridge.domain.errors import SetupError
from bridge.query.parse import Words
from bridge.query.plain import read
from tests.ask.corpus import TODAY, questions

NARROW = {
    "en": (
        *("in March 2024", "on Mondays", "before noon", "after 6 pm", "without alcohol", "with a headache"),
        *("outdoors", "indoors", "at work", "at home", "in Berlin", "with Anna", "never", "except Sundays"),
        *("longer than an hour", "on days with a workout", "abroad", "while travelling", "of my wife"),
        *("from Strava", "every second week", "after 9000 steps", "until May", "in the shade"),
    ),
    "de": (
        *("im März 2024", "montags", "vor zwölf Uhr", "nach 18 Uhr", "ohne Alkohol", "mit Kopfschmerzen"),
        *("draußen", "drinnen", "bei der Arbeit", "zu Hause", "in Berlin", "mit Anna", "nie", "außer sonntags"),
        *("länger als eine Stunde", "an Tagen mit Training", "allein", "im Ausland", "auf Reisen", "meiner Frau"),
        *("von Strava", "jede zweite Woche", "nach 9000 Schritten", "bis Mai", "im Schatten"),
    ),
}


def _read(text: str) -> Words | None:
    try:
        return read(text, TODAY)
    except SetupError:
        return None


@pytest.mark.parametrize("language", ["en", "de"])
def test_no_word_that_narrows_a_question_is_passed_over(language: str) -> None:
    asked = [(text, found) for text, _ in questions(language)[::3] if (found := _read(text)) is not None]
    assert len(asked) > 80
    passed = []
    for n, (text, found) in enumerate(asked):
        for narrow in NARROW[language][n % 4 :: 4]:  # each question with a quarter of them
            both = f"{text.rstrip('?')} {narrow}"
            if narrow.split()[-1].casefold() not in text.casefold() and _read(both) == found:
                passed.append(both)
    assert passed == []


@pytest.mark.parametrize(
    ("text", "narrow"),
    [
        ("do I sleep less after runs", "at night"),
        ("schlafe ich nach Läufen weniger", "nachts"),
        ("wie viele Trainings letzte Woche", "zu Hause"),
        ("what do I have on Friday", "in the evening"),
        ("was habe ich am Freitag vor", "abends"),
    ],
)
def test_a_part_of_the_day_is_not_passed_over(text: str, narrow: str) -> None:
    assert _read(text) is not None
    assert _read(f"{text} {narrow}") != _read(text)
