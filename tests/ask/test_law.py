"""Each word that narrows a question changes its reading, or the question is refused: none is passed over."""

from __future__ import annotations

import pytest

from bridge.domain.errors import SetupError
from bridge.query.parse import Words
from bridge.query.plain import read, read_both
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


PARTS = 5  # in which the questions are narrowed, so that each ends in time on a busy machine


def _read(text: str) -> Words | None:
    try:
        return read(text, TODAY)
    except SetupError:
        return None


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("language", ["en", "de"])
def test_no_word_that_narrows_a_question_is_passed_over(language: str, part: int) -> None:
    asked = [(text, found) for text, _ in questions(language)[::3] if (found := _read(text)) is not None]
    assert len(asked) > 80
    passed = []
    for n, (text, found) in list(enumerate(asked))[part::PARTS]:
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


@pytest.mark.parametrize(
    "text",
    [
        "When did I go to bed latest this month, and how long did I sleep then?",
        "wann bin ich diesen Monat am spätesten ins Bett, und wie lange hab ich dann geschlafen?",
        "highest resting heart rate in October, and what did I note that day?",
        "höchster Ruhepuls im Oktober, und was hatte ich an dem Tag notiert?",
        "Schwimmen war ich zuletzt wann, und wann davor",
        "did I do yoga last week, and when",
    ],
)
def test_a_second_question_that_is_not_answered_is_refused(text: str) -> None:
    assert (_read(text), read_both(text, TODAY)) == (None, None)


@pytest.mark.parametrize(
    ("text", "of"),
    [
        ("lowest resting heart rate since January, and when was that", "min"),
        ("niedrigster Ruhepuls seit Januar, und wann war das", "min"),
        ("did I do yoga last week, and how many times", "count"),
    ],
)
def test_a_second_question_that_the_first_answers_is_read_with_it(text: str, of: str) -> None:
    assert (found := _read(text)) is not None
    assert found.of == of


@pytest.mark.parametrize(
    "text",
    [
        "hours of meetings last week, and on which day were there most",
        "wie viele Stunden Meetings letzte Woche und an welchem Tag am meisten",
    ],
)
def test_a_second_question_does_not_take_the_place_of_the_first(text: str) -> None:
    assert _read(text) is None
    assert (both := read_both(text, TODAY)) is not None
    assert [(one.what, one.of, one.per) for one in both] == [
        ("entries.minutes", "sum", None),
        ("entries.minutes", "max", "day"),
    ]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("does more walking mean I sleep longer", "more"),
        ("does less coffee mean I sleep longer", "less"),
        ("more coffee, less sleep?", "more"),
        ("do more workouts mean more deep sleep", "more"),
        ("does longer running mean I sleep longer", "longer"),
        ("is my HRV higher when I exercise more", "more"),
        ("do I sleep longer when I run more", "more"),
        ("am I sleeping more when I cycle a lot", "a lot"),
        ("how many days with a lot of coffee in October", "a lot"),
        ("is there a link between more running and longer sleep", "more"),
        ("weniger Alkohol, mehr Tiefschlaf?", "weniger"),
        ("schlafe ich besser mit weniger Alkohol", "weniger"),
        ("mehr Yoga, weniger Ruhepuls?", "mehr"),
        ("je mehr Kaffee, desto weniger Schlaf", "mehr"),
        ("how does running more affect my sleep", "more"),
    ],
)
def test_an_amount_is_not_read_as_whether_there_was_any(text: str, word: str) -> None:
    with pytest.raises(SetupError, match=f"not how much of it there was; leave out the word {word},"):
        read(text, TODAY, ["coffee", "alcohol"])


@pytest.mark.parametrize(
    ("text", "against"),
    [
        ("do I sleep longer on running days", "before.workout.sport = running"),
        ("how much less do I sleep after coffee", "before.coffee > 0"),
        ("do I sleep more with alcohol", "before.alcohol > 0"),
        ("wie viel weniger schlafe ich nach Alkohol", "before.alcohol > 0"),
        ("do I walk more on days with workouts?", "workout.minutes > 0"),
    ],
)
def test_more_of_what_is_compared_narrows_nothing_else(text: str, against: str) -> None:
    assert read(text, TODAY, ["coffee", "alcohol"]).against == against
