"""Wishes made of a form and known words: none is misread, whatever stands together, and nearly all are understood."""

from __future__ import annotations

import random
from datetime import date
from pathlib import Path

import pytest

from bridge.wishes.hearing import understood
from bridge.wishes.hours import NotUnderstood
from tests.wishes.corpus import Meaning, meant, meant_by

TODAY = date(2026, 11, 26)
ACTIONS = {  # word -> action, by language
    "en": {
        "sport": "EXERCISE",
        "long runs": "EXERCISE",
        "tennis with Mark": "EXERCISE",
        "deep work": "DEEP_WORK",
        "sessions of focused work": "DEEP_WORK",
        "paperwork": "ADMIN_WORK",
        "tidying the kitchen": "ADMIN_WORK",
        "French vocabulary": "LEARN",
        "studying maths": "LEARN",
        "naps": "SLEEP",
        "breathing exercises": "MEDITATE",
        "time with my daughter": "FAMILY_TIME",
        "dinner with the grandparents": "FAMILY_TIME",
        "coffee with Anna": "SOCIALIZE",
        "drinks with the lads": "SOCIALIZE",
        "a good book": "ME_TIME",
        "telly": "BINGE_WATCH",
    },
    "de": {
        "Sport": "EXERCISE",
        "Lauftraining": "EXERCISE",
        "Tennis mit Mark": "EXERCISE",
        "konzentriertes Arbeiten": "DEEP_WORK",
        "Fokusarbeit": "DEEP_WORK",
        "Papierkram": "ADMIN_WORK",
        "Wohnung putzen": "ADMIN_WORK",
        "Französisch lernen": "LEARN",
        "Mathehausaufgaben": "LEARN",
        "Nickerchen": "SLEEP",
        "Atemübungen": "MEDITATE",
        "Zeit mit meiner Tochter": "FAMILY_TIME",
        "Kaffee bei Oma": "FAMILY_TIME",
        "Kaffee mit Anna": "SOCIALIZE",
        "Bier mit den Kumpels": "SOCIALIZE",
        "ein gutes Buch": "ME_TIME",
        "Netflix": "BINGE_WATCH",
    },
}
KINDS = ("long runs", "tennis with Mark", "French vocabulary", "a good book")  # not a whole action
KINDS += ("Lauftraining", "Tennis mit Mark", "Französisch lernen", "Mathehausaufgaben", "ein gutes Buch")
FORMS = {  # text -> meaning, where {a} is an action
    "en": {
        "{a} three times a week": "goal {A} 3",
        "please plan {a} at least twice a week": "goal {A} 2",
        "{a} every day": "goal {A} 7",
        "{a} on Tuesdays": "best {A} tue",
        "I'd like {a} on Mon, Wed and Fri": "best {A} mon wed fri",
        "{a} only at the weekend": "days {A} sat sun",
        "could you please keep {a} to the mornings": "hours {A} 06:00-12:00",
        "{a} only in the evenings, if possible": "hours {A} 18:00-00:00",
        "{a} only from 2 to 4:30 pm": "hours {A} 14:00-16:30",
        "{a} on Sunday afternoons": "best {A} sun 12:00-18:00",
    },
    "de": {
        "dreimal die Woche {a}": "goal {A} 3",
        "bitte mindestens zweimal pro Woche {a} einplanen": "goal {A} 2",
        "jeden Tag {a}": "goal {A} 7",
        "dienstags {a}": "best {A} tue",
        "ich möchte am Montag, Mittwoch und Freitag {a}": "best {A} mon wed fri",
        "{a} nur am Wochenende": "days {A} sat sun",
        "{a} bitte nur vormittags": "hours {A} 06:00-12:00",
        "{a} nur abends, wenn möglich": "hours {A} 18:00-00:00",
        "{a} nur von 14 bis 16:30 Uhr": "hours {A} 14:00-16:30",
        "Sonntagnachmittag {a}": "best {A} sun 12:00-18:00",
    },
}
ALONE = {  # which go beside any of them
    "en": {
        "log off at half past five": "hours WORK 00:00-17:30",
        "Fridays off": "days WORK mon tue wed thu sat sun",
        "no more than two suggestions a day": "suggestions 2",
    },
    "de": {
        "um halb sechs ist Feierabend": "hours WORK 00:00-17:30",
        "freitags habe ich frei": "days WORK mon tue wed thu sat sun",
        "höchstens zwei Vorschläge am Tag": "suggestions 2",
    },
}


def _made(language: str, seed: int) -> list[tuple[str, Meaning]]:
    chosen, made = random.Random(seed), []
    for word, action in ACTIONS[language].items():
        for form, means in FORMS[language].items():
            text, meaning = form.replace("{a}", word), means.replace("{A}", action)
            if word in KINDS:  # on the other days, what else is of the action may be suggested
                meaning = meaning.replace(f"days {action} sat sun", f"best {action} sat sun; without {action}")
            beside, other = chosen.choice([*ALONE[language].items()])
            if chosen.random() < 0.5:
                joint = {"en": " and ", "de": " und "}[language]
                text, meaning = chosen.choice([text + joint + beside, beside + joint + text]), f"{meaning}; {other}"
            made.append((text, meant_by(meaning)))
    return made


@pytest.mark.parametrize("language", ["en", "de"])
def test_no_wish_made_of_known_words_is_misread(language: str) -> None:
    made, wrong, refused = _made(language, 44), [], []
    for text, meaning in made:
        try:
            found = meant(understood(text))
        except NotUnderstood:
            refused.append(text)
            continue
        wrong += [text] if found != meaning else []
    assert not wrong
    assert len(refused) <= 0.05 * len(made), refused


DATED = {  # of any of them
    "en": ("{w} until the end of March", "in December {w}", "{w} this week", "{w} from May on"),
    "de": ("{w} bis Ende März", "im Dezember {w}", "{w} diese Woche", "{w} ab Mai"),
}


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_wish_for_some_days_is_read_as_that_of_all_days(language: str) -> None:
    chosen, wrong, refused = random.Random(7), [], []
    made = [(text, meaning) for text, meaning in _made(language, 45) if not any(one in text for one in ALONE[language])]
    for text, meaning in made:
        dated = chosen.choice(DATED[language]).replace("{w}", text)
        try:
            said = understood(dated, TODAY)
        except NotUnderstood:
            refused.append(dated)
            continue
        wrong += [dated] if meant(said) != meaning or not all(one.when for one in said) else []
    assert not wrong
    assert len(refused) <= 0.1 * len(made), refused


def test_what_no_wish_can_hold_is_refused() -> None:
    texts = (Path(__file__).parent / "refused.txt").read_text(encoding="utf-8").splitlines()
    taken = []
    for text in texts[1:]:
        try:
            understood(text)
        except NotUnderstood:
            continue
        taken.append(text)
    assert not taken
