"""The law of words on texts put together: what each piece names is in what is understood, told, or all is refused."""

from __future__ import annotations

import random
from datetime import date, time
from itertools import product

import pytest

from bridge.wishes.hearing import Heard, heard
from bridge.wishes.hours import NotUnderstood
from bridge.wishes.told import sentence
from rhythm_env.interface import ActionType

A = ActionType
SAMPLE = 240  # texts of a language
Means = frozenset[ActionType | int | time]  # actions, days from Monday (0), and an hour that is an edge of a time
WISHES = {
    "en": (
        ("me time", A.ME_TIME),
        ("no paperwork", A.ADMIN_WORK),
        ("I'd like a run", A.EXERCISE),
        ("please keep tv away", A.BINGE_WATCH),
        ("time with the kids", A.FAMILY_TIME),
        ("let me study", A.LEARN),
        ("twenty minutes of meditation", A.MEDITATE),
        ("never naps", A.SLEEP),
    ),
    "de": (
        ("Zeit für mich", A.ME_TIME),
        ("kein Papierkram", A.ADMIN_WORK),
        ("ich möchte laufen", A.EXERCISE),
        ("bitte kein Fernsehen", A.BINGE_WATCH),
        ("Zeit mit den Kindern", A.FAMILY_TIME),
        ("lass mich lernen", A.LEARN),
        ("zwanzig Minuten Meditation", A.MEDITATE),
        ("nie ein Nickerchen", A.SLEEP),
    ),
}
TIMES = {
    "en": (("", None), ("in the morning", time(6)), ("before ten", time(10)), ("after 20:00", time(20))),
    "de": (("", None), ("abends", time(18)), ("vor zehn", time(10)), ("nach 20 Uhr", time(20))),
}
DAYS = {
    "en": (("", None), ("on Saturday", 5), ("every day but Wednesday", 2), ("any day except Friday", 4)),
    "de": (("", None), ("am Samstag", 5), ("jeden Tag außer Mittwoch", 2), ("an jedem Tag, nur nicht am Freitag", 4)),
}
SECONDS = {
    "en": (
        ("", None),
        ("and nothing social that day", A.SOCIALIZE),
        ("and no sport then", A.EXERCISE),
        (", but deep work on Monday", A.DEEP_WORK),
        (", reading in the evening", A.ME_TIME),
        ("and friends at eight", A.SOCIALIZE),
    ),
    "de": (
        ("", None),
        ("und an dem Tag nichts mit Leuten", A.SOCIALIZE),
        ("und dann kein Sport", A.EXERCISE),
        (", aber am Montag Fokusarbeit", A.DEEP_WORK),
        (", abends lesen", A.ME_TIME),
        ("und um acht Freunde", A.SOCIALIZE),
    ),
}
FILLERS = {"en": ("", "please", "honestly", "if you can"), "de": ("", "bitte", "ehrlich gesagt", "wenn es geht")}


def _made(language: str) -> list[tuple[str, list[tuple[str, ActionType | int | time]]]]:
    made = []
    for wish, at, day, second, filler in product(
        *(one[language] for one in (WISHES, TIMES, DAYS, SECONDS)), FILLERS[language]
    ):
        orders = ((wish, day, at), (at, wish, day), (day, at, wish))
        for order in orders:
            text = " ".join(filter(None, (filler, *(words for words, _ in order), second[0]))).replace(" ,", ",")
            made.append((text, [(words, means) for words, means in (*order, second) if means is not None]))
    return random.Random(11).sample(made, SAMPLE)


@pytest.mark.parametrize("language", ["en", "de"])
def test_what_each_piece_names_is_understood_or_told_or_all_is_refused(language: str) -> None:
    lost, read = [], 0
    for text, pieces in _made(language):
        try:
            found = heard(text, date(2026, 11, 26))
        except NotUnderstood:
            continue
        read += 1
        told = " ".join(found.aside)
        lost += [(text, words) for words, means in pieces if words not in told and not _names(found, means)]
    assert lost == []
    assert read > SAMPLE / 10  # and the rest refused


def _names(found: Heard, means: ActionType | int | time) -> bool:
    if isinstance(means, ActionType):
        return any(means in one.actions for one in found.said)
    if isinstance(means, time):
        hours = (*(edge for one in found.said for hours in one.hours for edge in hours), *(o.at for o in found.said))
        return means in hours or (means == time(10) and time(22) in hours)  # "before ten, reading in the evening"
    days = [one.days | (one.when.days if one.when is not None else frozenset()) for one in found.said]
    return any(0 < len(one) < 7 for one in days)


@pytest.mark.parametrize(
    ("texts", "meaning"),
    [
        (
            "me time saturday morning and no sport that day; Samstag früh Zeit für mich und an dem Tag kein Sport",
            "time for yourself best on Saturdays from 06:00 to 12:00; exercise not on Saturdays",
        ),
        (
            "weekend belongs to the family, no paperwork then; Wochenende gehört der Familie, da kein Papierkram",
            (
                "family time best on Saturdays and Sundays; "
                "office work and errands only on Mondays, Tuesdays, Wednesdays, Thursdays and Fridays"
            ),
        ),
        (
            "every day but Wednesday sport; on all days other than Wednesday: sport; jeden Tag außer Mittwoch Sport",
            "exercise 6 times a week; exercise not on Wednesdays",
        ),
        (
            "meditation every morning except Sunday; jeden Morgen meditieren außer Sonntag",
            (
                "meditation 6 times a week; "
                "meditation best on Mondays, Tuesdays, Wednesdays, Thursdays, Fridays and Saturdays from 06:00 to 12:00"
            ),
        ),
        ("any day but Wednesday is fine for sport", "exercise not on Wednesdays"),
    ],
)
def test_both_halves_of_a_text_are_understood(texts: str, meaning: str) -> None:
    found = [heard(text, date(2026, 11, 26)) for text in texts.split("; ")]
    assert [sentence(one.said, one.aside) for one in found] == [meaning] * len(found)


@pytest.mark.parametrize(
    "text",
    [
        "take a break every two hours",
        "alle zwei Stunden eine Pause",
        "walk at noon and at six",
        "spazieren mittags und um sechs",
    ],
)
def test_a_word_that_changes_nothing_and_is_not_told_refuses_the_text(text: str) -> None:
    with pytest.raises(NotUnderstood):
        heard(text, date(2026, 11, 26))
