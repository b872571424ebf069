"""A time that is wanted beside one that is not: "evenings, not mornings" in every order, with and without a comma."""

from __future__ import annotations

from datetime import date
from itertools import permutations, product

import pytest

from bridge.wishes.hearing import heard
from bridge.wishes.hours import NotUnderstood
from bridge.wishes.told import sentence

TODAY = date(2026, 11, 30)
ACTIONS = {"en": ("sport", "meditation", "learning"), "de": ("Sport", "Meditation", "Lernen")}
PAIRS = {  # what is wanted, what is not, and what is understood
    "en": (
        ("in the evening", "in the morning", "best from 18:00 to 24:00", "not from 06:00 to 12:00"),
        ("in the afternoon", "in the evening", "best from 12:00 to 18:00", "not after 18:00"),
        ("on Mondays", "on Tuesdays", "best on Mondays", "not on Tuesdays"),
        ("on Saturdays", "on Sundays", "best on Saturdays", "not on Sundays"),
        ("in the evening", "on Fridays", "best from 18:00 to 24:00", "not on Fridays"),
    ),
    "de": (
        ("abends", "morgens", "best from 18:00 to 24:00", "not from 06:00 to 12:00"),
        ("nachmittags", "abends", "best from 12:00 to 18:00", "not after 18:00"),
        ("montags", "dienstags", "best on Mondays", "not on Tuesdays"),
        ("samstags", "sonntags", "best on Saturdays", "not on Sundays"),
        ("abends", "freitags", "best from 18:00 to 24:00", "not on Fridays"),
    ),
}
ORDERS = {
    "en": (
        "{x} {a} not {b}; {x} {a}, not {b}; {x} {a} and not {b}; {x} {a} but not {b}; {x} {a} never {b}",
        "{x} not {b} but {a}; no {x} {b}, but {a}; {x} {a}, {b} not",
    ),
    "de": (
        "{x} {a} nicht {b}; {x} {a}, nicht {b}; {x} {a} und nicht {b}; {x} {a}, aber nicht {b}; {x} {a} nie {b}",
        "{x} nicht {b} sondern {a}; {x} nicht {b}, sondern {a}; {x} {a}, {b} nicht",
    ),
}
ALIKE = {"in the evening on Fridays", "abends freitags"}  # of an hour and a day, which no "but" turns round


@pytest.mark.parametrize("language", ["en", "de"])
def test_what_is_wanted_is_never_barred(language: str) -> None:
    either, turned = (texts.split("; ") for texts in ORDERS[language])
    missed = []
    for x, (a, b, best, barred) in product(ACTIONS[language], PAIRS[language]):
        for order in (*either, *(turned if f"{a} {b}" not in ALIKE else ())):
            text = order.format(x=x, a=a, b=b)
            told = sorted(one.split(" ", 1)[1] for one in _told(text).split("; "))
            missed += [(text, told)] if told != [best, barred] else []
    assert missed == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("sport on Mondays not in the morning", "exercise not on Mondays from 06:00 to 12:00"),
        ("Serien unter der Woche nicht nach 22 Uhr", "watching series not on Mondays, Tuesdays, Wednesdays, Thursdays"),
        ("Sport montags nicht vor 10", "exercise not on Mondays from 00:00 to 10:00"),
        ("sport never in the morning only in the evening", "exercise not before 18:00"),
        ("no sport in the morning, in the evening yes", "exercise not from 06:00 to 12:00; exercise best from 18:00"),
        ("kein Sport morgens, abends gern", "exercise not from 06:00 to 12:00; exercise best from 18:00"),
        ("sport three times a week not on Sundays", "exercise 3 times a week; exercise not on Sundays"),
        ("jeden Tag meditieren nicht morgens", "meditation 7 times a week; meditation not from 06:00 to 12:00"),
        ("lernen zwischen 16 und 18 Uhr nicht abends", "learning best from 16:00 to 18:00; learning not after 18:00"),
        ("sport at 6 pm not on Fridays", "exercise best at 18:00, over by 20:00; exercise not on Fridays"),
        ("Serien ab 20 Uhr nicht sonntags", "watching series best from 20:00 to 24:00; watching series not on Sundays"),
        ("kein Sport montags, aber mittwochs", "exercise not on Mondays; exercise best on Wednesdays"),
        ("kein Sport morgens, abends ist besser", "exercise not from 06:00 to 12:00; exercise best from 18:00"),
        ("no sport in the morning, instead in the evening", "exercise not from 06:00 to 12:00; exercise best from 18"),
        ("Sport morgens statt abends", "exercise best from 06:00 to 12:00"),
    ],
)
def test_days_and_hours_of_one_veto_stay_together(text: str, told: str) -> None:
    assert _told(text).startswith(told)


@pytest.mark.parametrize(
    "text",
    [
        "suggestions in the evening not in the morning",
        "Anrufe nachmittags nicht vormittags",
        "no sport in the mornings, evenings only",
    ],
)
def test_what_is_wanted_of_all_suggestions_or_calls_is_asked_again(text: str) -> None:
    with pytest.raises(NotUnderstood):
        heard(text, TODAY)


BESIDE = {  # what is wished, its time alone, and what is understood of each
    "en": (
        ("focused work only", "in the morning", "focused work only from 06:00 to 12:00"),
        ("errands", "in the afternoon", "office work and errands (errands) best from 12:00 to 18:00"),
        ("learning only", "on weekdays", "learning only on Mondays, Tuesdays, Wednesdays, Thursdays and Fridays"),
        ("friends", "on Saturdays", "seeing friends best on Saturdays"),
        ("no tv", "in the evening", "watching series not after 18:00"),
        ("no sport", "in the morning", "exercise not from 06:00 to 12:00"),
    ),
    "de": (
        ("konzentriert arbeiten nur", "am Vormittag", "focused work only from 06:00 to 12:00"),
        ("Kleinkram", "nachmittags", "office work and errands best from 12:00 to 18:00"),
        ("Lernen nur", "unter der Woche", "learning only on Mondays, Tuesdays, Wednesdays, Thursdays and Fridays"),
        ("Freunde", "samstags", "seeing friends best on Saturdays"),
        ("kein Fernsehen", "abends", "watching series not after 18:00"),
        ("kein Sport", "morgens", "exercise not from 06:00 to 12:00"),
    ),
}


@pytest.mark.parametrize("language", ["en", "de"])
def test_two_wishes_each_with_its_own_time_stay_two(language: str) -> None:
    missed = []
    for one, other in permutations(BESIDE[language], 2):
        (first, at, told), (second, then, also) = one, other
        orders = [f"{first} {at}, {second} {then}"]
        orders += [] if "nur" in second or "only" in second else [f"{first} {at}, {then} {second}"]
        missed += [(text, _told(text)) for text in orders if _told(text) != f"{told}; {also}"]
    assert missed == []


@pytest.mark.parametrize(
    "text",
    [
        "Mein freier Tag ist der Dienstag, samstags arbeite ich",
        "my day off is Tuesday, Saturday is a work day",
        "I work Saturdays and have Tuesdays off",
        "frei habe ich mittwochs, sonntags wird gearbeitet",
        "I'm off on Tuesdays and Saturdays I work",
        "swimming on Mondays and Tuesdays with my daughter",
        "sport on Mondays, Tuesdays yoga",
        "Sport nur morgens, abends Yoga",
        "sport in the morning and in the evening yoga",
        "I work mornings, afternoons are free",
        "mornings are free, afternoons work",
    ],
)
def test_days_of_two_actions_that_cannot_both_be_kept_are_refused(text: str) -> None:
    with pytest.raises(NotUnderstood):
        heard(text, TODAY)


def _told(text: str) -> str:
    found = heard(text, TODAY)
    return sentence(found.said, found.aside)


@pytest.mark.parametrize(
    "veto", ["kein Sport am Montag", "keine Serien montags", "no sport on Mondays", "never learning on Mondays"]
)
@pytest.mark.parametrize(
    "turn", ["dienstags gerne", "am Freitag hingegen gern", "on Tuesdays however gladly", "Sundays gladly"]
)
def test_a_veto_takes_no_day_along_that_is_gladly_wished(veto: str, turn: str) -> None:
    with pytest.raises(NotUnderstood):
        heard(f"{veto}, {turn}")


def test_a_lie_in_is_no_day_off() -> None:
    (said,) = heard("nothing before ten on Saturdays").said
    for reason in ("I want my lie-in", "that's my lie in"):
        try:
            assert heard(f"nothing before ten on Saturdays, {reason}").said == (said,)
        except NotUnderstood:
            continue
