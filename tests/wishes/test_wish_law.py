"""The law of the grammar: a word that limits a wish changes what is understood, is told, or makes it refused."""

from __future__ import annotations

import random
from datetime import date

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
