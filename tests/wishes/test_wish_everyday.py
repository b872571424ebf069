"""Everyday wishes: one kind instead of another, sleeping in, a feast, tomorrow, and what others are to do."""

from __future__ import annotations

from datetime import date

import pytest

from bridge.wishes.hearing import heard, understood
from bridge.wishes.hours import NotUnderstood
from bridge.wishes.told import sentence

TODAY = date(2026, 11, 30)
WEEKDAYS = "Mondays, Tuesdays, Wednesdays, Thursdays and Fridays"
TOMORROW, CHRISTMAS = "on 1 December 2026", "from 24 December 2026 to 26 December 2026"
SAID = {
    "swimming instead of running in December": (
        'exercise without running, from 1 December 2026 to 31 December 2026; left aside: "swimming"'
    ),
    "Yoga statt Joggen, das Knie zwickt": 'exercise without Joggen; left aside: "Knie zwickt", "Yoga"',
    "in the evenings I'd prefer me time to learning": (
        'time for yourself best from 18:00 to 24:00; left aside: "to learning"'
    ),
    "morgen kein Sport, hab Muskelkater": f'never suggest exercise, {TOMORROW}; left aside: "muskelkater"',
    "kein Sport morgen": f"never suggest exercise, {TOMORROW}",
    "morgen früh um 6 raus": f"up at 06:00, {TOMORROW}",
    "kein Sport am Morgen": "exercise not from 06:00 to 12:00",
    "please let me sleep in on Sundays": "not up before 09:00 on Sundays",
    "morgen ausschlafen": f"not up before 09:00, {TOMORROW}",
    "statt Joggen lieber schwimmen": 'exercise without Joggen; left aside: "schwimmen"',
    "am Wochenende will ich ausschlafen": "not up before 09:00 on Saturdays and Sundays",
    "no work over Christmas": f"never suggest work, {CHRISTMAS}",
    "über Weihnachten keine Arbeit": f"never suggest work, {CHRISTMAS}",
    "no sport and no deep work between Dec 24 and Jan 2": (
        "never suggest exercise, from 24 December 2026 to 2 January 2027; "
        "never suggest focused work, from 24 December 2026 to 2 January 2027"
    ),
    "no work on my birthday, 14 December": "never suggest work, on 14 December 2026",
    "am 14. Dezember hab ich Geburtstag, keine Arbeit": (
        'never suggest work, on 14 December 2026; left aside: "hab ich geburtstag"'
    ),
    "up at half six, Monday to Friday": f"up at 06:30 on {WEEKDAYS}",
    "um halb sechs aufstehen, Montag bis Freitag": f"up at 05:30 on {WEEKDAYS}",
    "nothing before 10 on my days off": "everything that is suggested not on Saturdays and Sundays from 00:00 to 10:00",
    "not in bed later than midnight, even on weekends": "in bed by 00:00",
    "fewer suggestions on weekends, two are enough": "at most 2 suggestions a day, on Saturdays and Sundays",
    "nicht so viele Vorschläge am Wochenende, zwei reichen": "at most 2 suggestions a day, on Saturdays and Sundays",
    "no series during the week, only fri and sat": "watching series only on Fridays and Saturdays",
    "keine Serien unter der Woche, nur Freitag und Samstag": "watching series only on Fridays and Saturdays",
    "quiet Sundays, no work at all": "work not on Sundays",
    "ruhige Abende bitte, keine Arbeit nach 18 Uhr": "work not after 18:00",
    "take it easy on sport till Christmas, once a week is enough": (
        "exercise at most once a week, until 24 December 2026"
    ),
    "mach langsam mit Sport, einmal die Woche reicht": "exercise at most once a week",
    "make work end at 4:30 on Wednesdays": "work not on Wednesdays from 16:30 to 24:00",
    "dinner is 6 to 7, leave that alone": "everything that is suggested not from 18:00 to 19:00",
    "höchstens zwei Folgen am Abend, also anderthalb Stunden": "watching series at most 90 minutes a day",
    "nach der Arbeit erstmal eine Stunde für mich": (
        "time for yourself 60 minutes at a time; time for yourself best from 17:00 to 20:00"
    ),
    "einmal die Woche ein freier Abend": "no suggestions from 18:00 to 24:00 on one day of a week",
    "jeden Abend nach dem Essen spazieren": (
        "exercise (spazieren) best from 19:00 to 21:00; exercise (spazieren) 7 times a week"
    ),
    "start slowly on Mondays, no deep work before 10": "focused work not on Mondays from 00:00 to 10:00",
    "kein Fernsehen vor 20 Uhr, damit die Kinder schlafen": (
        'watching series not before 20:00; left aside: "damit die Kinder schlafen"'
    ),
    "mein Training soll morgens sein": "exercise best from 06:00 to 12:00",
}
REFUSED = (
    "die Nachbarn sollen abends leiser sein",
    "abends sollen die Kinder leiser sein",
    "the kids should be in bed by eight",
    "I want my husband to call on Sundays",
    "ich will, dass die Nachbarn abends leiser sind",
    "reading instead of Netflix",  # one action instead of another: never, or less?
    "lieber spazieren als laufen",
    "take it easy with sport",
    "jeden Morgen kein Sport",
)


@pytest.mark.parametrize("text", SAID)
def test_an_everyday_wish_is_said_back(text: str) -> None:
    found = heard(text, TODAY)
    assert sentence(found.said, found.aside) == SAID[text]


@pytest.mark.parametrize("text", REFUSED)
def test_what_others_are_to_do_or_has_two_meanings_is_refused(text: str) -> None:
    with pytest.raises(NotUnderstood):
        understood(text, TODAY)
