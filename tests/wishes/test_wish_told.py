"""Wishes beside what a text only tells, times kept for one thing alone, and several wishes said in one breath."""

from __future__ import annotations

from datetime import date

import pytest

from bridge.wishes.hearing import heard
from bridge.wishes.hours import NotUnderstood
from bridge.wishes.told import sentence

TODAY = date(2026, 11, 24)  # a Tuesday
OTHERS = (
    "focused work, office work and errands, learning, exercise, meditation, seeing friends, time for yourself and "
    "watching series"
)

BESIDE = {  # text -> the wish of it, beside what it tells
    "no learning after 8 pm, otherwise I can't switch off": "learning not after 20:00",
    "no gym on Tuesdays, my legs are sore from the weekend": "exercise without gym, on Tuesdays",
    "kein Lernen am Freitag, da bin ich noch kaputt von der Woche": "learning not on Fridays",
    "zwischen 17 und 18 Uhr keine Vorschläge, da badet mein Mann das Baby": (
        "everything that is suggested not from 17:00 to 18:00"
    ),
    "drei Wochen lang bitte kein Krafttraining, Leistenbruch": (
        "exercise without Krafttraining, from 24 November 2026 to 14 December 2026"
    ),
    "after dinner I'm useless, no learning then": "learning not after 19:00",
    "Montags gehe ich zum Stammtisch, da brauche ich abends nichts anderes": (
        "everything that is suggested not on Mondays from 18:00 to 24:00"
    ),
    "Mittwoch und Freitag hole ich die Zwillinge ab, ab 15 Uhr also Familie": (
        "family time best on Wednesdays and Fridays from 15:00 to 24:00"
    ),
    "Vom 5.12. bis 9.12. habe ich Urlaub, da will ich nicht arbeiten": (
        "never suggest work, from 5 December 2026 to 9 December 2026"
    ),
    "my talk is on 9 December, so no series until then": "never suggest watching series, until 9 December 2026",
    "no sport on Tuesdays, I have a match on Sundays": "exercise not on Tuesdays",
    "no series on Fridays, we watch on Saturdays": "watching series not on Fridays",
    "no sport on Saturday, I have a match on Sunday": "never suggest exercise, on 28 November 2026",
    "am Donnerstag bitte kein Lernen, ich habe einen Zahnarzttermin": "never suggest learning, on 26 November 2026",
}
ALONE = {  # text -> what alone is wanted
    "Fridays after 4 belong to my wife": (
        "family time (wife) best on Fridays from 16:00 to 24:00; "
        "everything but family time not on Fridays from 16:00 to 24:00"
    ),
    "keep Saturdays free for family": "family time best on Saturdays; everything but family time not on Saturdays",
    "nach 22 Uhr nichts außer schlafen": "everything that is suggested not after 22:00",
    "nothing after 10 pm except sleep": "everything that is suggested not after 22:00",
    "tomorrow only family": f"never suggest {OTHERS}, on 25 November 2026",
    "vom 24. bis 26. Dezember nur Familie": f"never suggest {OTHERS}, from 24 December 2026 to 26 December 2026",
}
SEVERAL = {  # text -> the wishes that it says in one breath
    "no learning, no work and no series after 9 pm": (
        "learning not after 21:00; work not after 21:00; watching series not after 21:00"
    ),
    "keep the weekend free of learning and meditation": (
        "learning only on Mondays, Tuesdays, Wednesdays, Thursdays and Fridays; "
        "meditation only on Mondays, Tuesdays, Wednesdays, Thursdays and Fridays"
    ),
    "four suggestions on weekdays and one on Sundays": (
        "at most 4 suggestions a day, on Mondays, Tuesdays, Wednesdays, Thursdays and Fridays; "
        "at most one suggestion a day, on Sundays"
    ),
    "give me six suggestions": "at most 6 suggestions a day",
    "montags zwei Vorschläge": "at most 2 suggestions a day, on Mondays",
    "I don't want learning two days in a row": "learning with a free day between two times",
    "bitte keine zwei Tage hintereinander Lernen": "learning with a free day between two times",
    "nach Feierabend kein Lernen": "learning not after 17:00",
    "no learning before breakfast": "learning not before 08:00",
    "übermorgen keine Arbeit nach 14 Uhr": "work not after 14:00, on 26 November 2026",
    "from tomorrow until 3 December no series": (
        "never suggest watching series, from 25 November 2026 to 3 December 2026"
    ),
    "heute Abend gar nichts mehr": "everything that is suggested not after 18:00, on 24 November 2026",
}
WORDED = {  # text -> the wish of it, in words that stand for others
    "learning every other day is enough": "learning with a free day between two times",
    "learning not earlier than 9 and not later than 18": "learning only from 09:00 to 18:00",
    "no cycling or other sport from 2 to 4 pm": "exercise not from 14:00 to 16:00",
    "in January finish work at 5 every day": "work not after 17:00, from 1 January 2027 to 31 January 2027",
    "mittwochs ab 13 Uhr ist Schluss mit Arbeit": "work not on Wednesdays from 13:00 to 24:00",
    "leave dinner free from 7 to 8 pm": "everything that is suggested not from 19:00 to 20:00",
    "setz den Wecker auf halb acht": "up at 07:30",
    "samstags ohne Wecker": "not up before 09:00 on Saturdays",
    "ich will weder montags noch freitags vor sechs geweckt werden": "not up before 06:00 on Mondays and Fridays",
    "nicht so viel Lernen, 2 mal reicht": "learning at most 2 times a week",
    "two more suggestions would be fine, make it five": "at most 5 suggestions a day",
    "fünf Vorschläge am Sonntag, unter der Woche vier": (
        "at most 5 suggestions a day, on Sundays; "
        "at most 4 suggestions a day, on Mondays, Tuesdays, Wednesdays, Thursdays and Fridays"
    ),
    "morgen ganz viel Zeit für mich": "time for yourself best on Wednesdays, on 25 November 2026",
    "learning before work, say at 7.15": "learning best at 07:15, over by 09:15",
    "I'm with my kids from 3 to 6, family then and nothing else": (
        "family time (kids) best from 15:00 to 18:00; everything but family time not from 15:00 to 18:00"
    ),
    "at least 9 hours of sleep": "at least 9 hours in bed, of which a little less is sleep",
    "no series in March, the show is over": "never suggest watching series, from 1 March 2027 to 31 March 2027",
    "wegen der Kälte im Januar Sport nur nach 10 Uhr": (
        "exercise not before 10:00, from 1 January 2027 to 31 January 2027"
    ),
    "not up before 8 during the holidays (dec 20 to jan 3)": (
        "not up before 08:00, from 20 December 2026 to 3 January 2027"
    ),
    "from Friday I start work at 8 and stop at 4": "work only from 08:00 to 16:00, from 27 November 2026 on",
}
NOT_ASIDE = """
no sport on Mondays, unless I feel like it; kein Sport am Montag, falls ich müde bin
no gym on Mondays because it is closed this month; no tv on workdays, that is Wednesday to Sunday
tell my boss that I need Friday off; sag meiner Chefin, dass ich Montag frei brauche
my kids nap, no sport then
block TikTok after 8; sperr Instagram ab 22 Uhr; disable netflix in the evening
mornings are for the twins, so family time until 9; die Übungen kürzer, 20 Minuten, dann Pause
Sundays: family only; unter der Woche nur ein Film; no sport and no tv on Sundays"""


@pytest.mark.parametrize(("text", "wish"), [*ALONE.items(), *SEVERAL.items(), *WORDED.items()])
def test_wishes_in_one_breath_are_each_understood(text: str, wish: str) -> None:
    assert sentence(heard(text, TODAY).said) == wish


@pytest.mark.parametrize(("text", "wish"), BESIDE.items())
def test_a_wish_is_read_beside_what_a_text_tells_and_that_is_said(text: str, wish: str) -> None:
    found = heard(text, TODAY)
    assert sentence(found.said) == wish
    assert found.aside


@pytest.mark.parametrize("text", [one.strip() for line in NOT_ASIDE.strip().splitlines() for one in line.split(";")])
def test_what_may_turn_a_wish_round_is_not_left_aside(text: str) -> None:
    with pytest.raises(NotUnderstood):
        heard(text, TODAY)
