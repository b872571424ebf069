"""The law of the grammar: a word that limits a wish changes what is understood, is told, or makes it refused."""

from __future__ import annotations

import random
from datetime import date
from itertools import product

import pytest

from bridge.wishes.hearing import Heard, heard
from bridge.wishes.hours import NotUnderstood
from tests.wishes.corpus import wishes

TODAY = date(2026, 11, 26)
SAMPLE = 30  # wishes of a language
LIMITS = {
    "en": (
        "if it rains",
        "unless I am tired",
        "half",
        "sometimes",
        "almost",
        "instead of yoga",
        "without my wife",
        "outdoors",
    ),
    "de": (
        "falls es regnet",
        "außer ich bin müde",
        "halb",
        "manchmal",
        "fast",
        "statt Yoga",
        "ohne meine Frau",
        "kaum",
    ),
}

BESIDE = {  # what a wish holds for or with, which no wish can keep: 12 x 5 x 3 texts of a language
    "en": (
        """after nights, after a late shift, before the weekend, until Easter, until my exams, after a long day,
        after the day, on holiday, for a while, most days, this term, after Mondays""",
        "no sport before 9 am; no tv after ten pm; nothing before 8 am; family on Sundays; no work on Sundays",
    ),
    "de": (
        """nach Regen, nach Montagen, vor dem Wochenende, bis Ostern, bis ich gesund bin, nach der Spätschicht,
        im Dienst, nach dem Tag, im Notfall, meistens, an manchen Tagen, je nach Wetter""",
        "kein Sport vor 9 Uhr; nach 22 Uhr kein Fernsehen; vor 8 Uhr nichts; um 23 Uhr ins Bett; sonntags keine Arbeit",
    ),
}


@pytest.mark.parametrize("language", ["en", "de"])
def test_what_no_wish_can_keep_is_told_or_makes_it_refused(language: str) -> None:
    among, texts = BESIDE[language]
    silent = []
    for plain, word in product(texts.split("; "), map(str.strip, among.split(","))):
        (alone,) = {one for one in (_heard(plain),) if one is not None}
        for text in (f"{word}, {plain}", f"{word} {plain}", f"{plain} {word}"):
            found = _heard(text)
            told = found is None or word.split()[-1].lower() in " ".join(found.aside).lower()
            silent += [text] if not told and found.said == alone.said else []
    assert silent == []


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_word_that_limits_is_accounted_for(language: str) -> None:
    texts = [text for text, meaning in wishes(language) if meaning]
    missed = []
    for text in random.Random(44).sample(texts, SAMPLE):
        plain = _heard(text)
        for limit in LIMITS[language] if plain is not None else ():
            missed += [new for new in (f"{text} {limit}", f"{limit} {text}") if _heard(new) == plain]
    assert missed == []


def _heard(text: str) -> Heard | None:
    try:
        return heard(text, TODAY)
    except NotUnderstood:
        return None
