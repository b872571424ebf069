"""Sayings of everyday wishes: "less", bounds said back, dates in short, slips in small words, reasons without "I"."""

from __future__ import annotations

from datetime import date
from itertools import product

import pytest

from bridge.wishes.hearing import heard
from bridge.wishes.hours import NotUnderstood
from bridge.wishes.told import sentence

TODAY = date(2026, 11, 30)
REFUSED = "refused"
LESS = {  # how it is asked, what for, how often, and what is understood
    "en": (
        ("less {x}, {n}", "not so much {x}, {n}", "{x} {most}"),
        (("sport", "exercise"), ("tv", "watching series"), ("learning", "learning")),
        (
            ("twice a week is plenty", "at most twice a week", "at most 2 times a week"),
            ("max three times a week", "max three times a week", "at most 3 times a week"),
            ("at most two evenings a week", "at most two evenings a week", "at most 2 times a week"),
            ("30 minutes at most", "30 minutes at most", "at most 30 minutes at a time"),
        ),
    ),
    "de": (
        ("weniger {x}, {n}", "nicht so viel {x}, {n}", "{x} {most}"),
        (("Sport", "exercise"), ("Fernsehen", "watching series"), ("Lernen", "learning")),
        (
            ("zweimal die Woche reicht", "höchstens zweimal die Woche", "at most 2 times a week"),
            ("maximal dreimal die Woche", "maximal dreimal die Woche", "at most 3 times a week"),
            ("höchstens zwei Abende die Woche", "höchstens zwei Abende die Woche", "at most 2 times a week"),
            ("maximal 30 Minuten", "maximal 30 Minuten", "at most 30 minutes at a time"),
        ),
    ),
}
REASONS = {
    "en": (
        ("no sport this week", "no deep work on Mondays", "no friends until Friday", "no tv on 5 December"),
        "too many meetings; need peace and quiet; we're at a wedding; got an exam; i'm ill; we're moving; too tired",
    ),
    "de": (
        ("diese Woche kein Sport", "kein Deep Work montags", "keine Freunde bis Freitag", "keine Serien am 5. Dez."),
        "bin erkältet; zu viele Besprechungen; brauche Ruhe; hab Muskelkater; zu viel los; bin verreist; habe Besuch",
    ),
}
SAME = (  # as the first saying, in other words
    "no tv after 10 pm; no tv afer 10 pm; no tv aftr 10 pm; no tv atfer 10 pm",
    "no sport before 9; no sport befor 9; no sport befroe 9",
    "nach 20 Uhr kein Sport; nahc 20 Uhr kein Sport",
    "keine Mails zwischen 12 und 14 Uhr; keine Mails zwichen 12 und 14 Uhr",
    "no sport on 5 December; no sport on 5 dec; no sport on Dec 5th; no sport on the 5th; no sport on 5th dec.",
    "kein Sport am 5. Dezember; kein Sport am 5.; am 5. kein Sport; kein Sport am 5. Dez.",
    "kein Sport bis 3. Januar; kein Sport bis 3. Jan.; kein Sport bis 3. Jan",
    "no work from 21 December to 3 January; I'm off from 21 dec to 3 jan; off 21 dec to 3 jan; no work 21 dec - 3 jan",
    "keine Arbeit vom 21.12. bis 6.1.; ich habe vom 21.12. bis 6.1. frei; frei vom 21. Dez bis 6. Jan",
    "dreimal die Woche Sport, jeweils 45 Minuten; 3 mal die Woche Sport, je 45 min; 3x die Woche Sport à 45 Minuten",
    "sport three times a week, 45 minutes each; 3 times a week sport, each 45 min",
    "ab 20:30 Zeit für mich; ab halb neun Zeit für mich, wenn die Kinder im Bett sind",
    "reading from 8 pm; reading from 8 when the kids are asleep",
)


def _told(text: str) -> str:
    try:
        found = heard(text, TODAY)
    except NotUnderstood:
        return REFUSED
    return sentence(found.said)


@pytest.mark.parametrize("language", ["en", "de"])
def test_less_is_bounded_by_how_often_it_is_enough(language: str) -> None:
    orders, things, counts = LESS[language]
    missed = []
    for order, (x, named), (n, most, told) in product(orders, things, counts):
        text = order.format(x=x, n=n, most=most)
        missed += [(text, _told(text))] if _told(text) != f"{named} {told}" else []
    assert missed == []


@pytest.mark.parametrize(
    "text",
    [
        "less work",
        "less work, four days a week",
        "less sport on Mondays",
        "weniger Arbeit",
        "weniger Arbeit, 6 Stunden am Tag",
    ],
)
def test_less_of_work_or_of_a_weekday_asks_for_a_count(text: str) -> None:
    assert _told(text) == REFUSED


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_reason_without_a_subject_is_left_aside(language: str) -> None:
    wishes, reasons = REASONS[language]
    missed = []
    for wish, reason in product(wishes, reasons.split("; ")):
        try:
            found = heard(f"{wish}, {reason}", TODAY)
        except NotUnderstood:
            missed.append((wish, reason))
            continue
        alike = found.said == heard(wish, TODAY).said and reason.split()[-1].lower() in " ".join(found.aside).lower()
        missed += [] if alike else [(wish, reason)]
    assert missed == []


@pytest.mark.parametrize("texts", SAME)
def test_other_words_say_the_same(texts: str) -> None:
    assert len({_told(text) for text in texts.split("; ")} - {REFUSED}) == 1
    assert REFUSED not in {_told(text) for text in texts.split("; ")}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("see friends at least once a week", "seeing friends at least once a week"),
        ("Freunde treffen mind. zweimal die Woche", "seeing friends at least 2 times a week"),
        ("see friends once a week", "seeing friends once a week"),
        (
            "at least 7 hours of sleep, and up by 6",
            "at least 7 hours in bed, of which a little less is sleep; up by 06:00",
        ),
        ("werktags spätestens um 7 aufstehen", "up by 07:00 on Mondays, Tuesdays, Wednesdays, Thursdays and Fridays"),
        ("up at 6", "up at 06:00"),
        (
            "deep work 2 hours every morning except Fridays",
            (
                "focused work 120 minutes at a time; focused work 6 times a week; "
                "focused work best on Mondays, Tuesdays, Wednesdays, Thursdays, Saturdays and Sundays from 06:00 to "
                "12:00"
            ),
        ),
        (
            "jeden Tag außer sonntags 20 Minuten Meditation",
            "meditation 20 minutes at a time; meditation 6 times a week; meditation not on Sundays",
        ),
        ("no more than 30 min of tv every day except Friday", REFUSED),
        ("emails at 7 because the kids are asleep", "office work and errands (emails) best at 07:00, over by 09:00"),
        ("no sport before 9 when the kids are asleep", "exercise not before 09:00"),
        ("walk with jan 3 times a week", "exercise (walk, jan) 3 times a week"),
    ],
)
def test_what_is_said_is_said_back(text: str, told: str) -> None:
    assert _told(text) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "Samstagvormittag Einkäufe und Erledigungen",
            "all office work and errands, not only Einkäufe and Erledigungen, best on Saturdays from 08:00 to 12:00",
        ),
        ("swimming and running on Saturdays", "all exercise, not only swimming and running, best on Saturdays"),
        ("swimming on Saturdays", "exercise (swimming) best on Saturdays"),
        ("mum and dad on Sundays", "family time (mum and dad) best on Sundays"),
    ],
)
def test_two_kinds_of_a_thing_are_told_as_all_of_it(text: str, told: str) -> None:
    assert _told(text) == told
