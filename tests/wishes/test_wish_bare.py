"""Wishes whose days, hours or reasons stand where they are easily read of something else."""

from __future__ import annotations

from datetime import date

import pytest

from bridge.wishes.hearing import heard
from bridge.wishes.hours import NotUnderstood
from bridge.wishes.told import sentence

TODAY = date(2026, 12, 1)
WORKDAYS = "Mondays, Tuesdays, Wednesdays, Thursdays and Fridays"
OTHERS = "learning, exercise, meditation, family time, seeing friends, time for yourself and watching series"
READ = {
    # permitted on all days but some, which is no goal
    "all days except Thursday are ok for the gym": "exercise without gym, on Thursdays",
    "every day but Sunday is fine for sport": "exercise not on Sundays",
    "learning is okay any day except Mondays": "learning not on Mondays",
    "Jeden Tag außer Sonntag ist Bewegung ok": "exercise not on Sundays",
    "alle Tage außer mittwochs ist Lernen in Ordnung": "learning not on Wednesdays",
    # hours in which something alone is wanted, before and after the days
    "between 9 and 5 only work stuff on weekdays": f"{OTHERS} not on {WORKDAYS} from 09:00 to 17:00",
    "Werktags zwischen acht und vier bloß Arbeitssachen": f"{OTHERS} not on {WORKDAYS} from 08:00 to 16:00",
    # reasons that name an action or days off
    "Don't put learning in the evening, I can't concentrate then": "learning not after 18:00",
    "no deep work after 3 pm, I can't focus any more": "focused work not after 15:00",
    "abends kein Lernen, da kann ich mich nicht konzentrieren": "learning not after 18:00",
    "Lernen nur dienstags und donnerstags, da hab ich frei": "learning only on Tuesdays and Thursdays",
    "sport only on Fridays, I'm off then": "exercise only on Fridays",
    # nothing goes with somebody
    "Wochentags vor acht geht mit den Kleinen nix": (
        f"everything that is suggested not on {WORKDAYS} from 00:00 to 08:00"
    ),
    "nach 20 Uhr läuft bei uns mit den Kindern nichts": "everything that is suggested not after 20:00",
    # days of seven, days apart, what begins the day, and what comes first
    "exercise on five days out of seven": "exercise 5 times a week",
    "meditation 4 days of 7": "meditation 4 times a week",
    "an fünf von sieben Tagen Sport": "exercise 5 times a week",
    "a rest day after every workout": "exercise with a free day between two times",
    "Keine zwei Trainingstage hintereinander": "exercise with a free day between two times",
    "Nach jedem Sporttag einen Ruhetag": "exercise with a free day between two times",
    "Always start the day with meditation": "meditation best from 06:00 to 09:00; meditation 7 times a week",
    "begin each day with learning": "learning best from 06:00 to 09:00; learning 7 times a week",
    "Fang den Tag bitte mit Meditation an": "meditation best from 06:00 to 09:00; meditation 7 times a week",
    "family time beats everything on Saturday": "family time best on Saturdays",
    "friends come first on Fridays": "seeing friends best on Fridays",
    "Familie hat am Wochenende Vorrang vor allem anderen": "family time best on Saturdays and Sundays",
    # what tires, and daylight with its hour
    "nach 20 Uhr nichts Anstrengendes mehr": "focused work and exercise not after 20:00",
    "nothing strenuous after 8 pm": "focused work and exercise not after 20:00",
    "exercise whenever, just not in the dark, so before 4pm": "exercise not after 16:00",
}
REFUSED = (
    "no sport, nothing before nine",  # of sport, or of all?
    "no tv, nothing on Sundays",
    "no series and nothing after ten",
    "kein Sport, vor neun nichts",
    "keine Serien, sonntags nichts",
    "mornings are for learning, exam on the 18th",
    "abends Lernen, Klausur am 18.",
    "Sport immer morgens, außer samstags, da erst ab elf",
)


@pytest.mark.parametrize("text", READ)
def test_each_time_is_read_of_what_it_is_of(text: str) -> None:
    assert sentence(heard(text, TODAY).said) == READ[text]


@pytest.mark.parametrize("text", REFUSED)
def test_a_time_of_something_else_makes_a_text_refused(text: str) -> None:
    with pytest.raises(NotUnderstood):
        heard(text, TODAY)
