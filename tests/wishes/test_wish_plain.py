"""Wishes as they are said at the kitchen table: held times, two halves, what is wanted less, and verbs without an e."""

from __future__ import annotations

from datetime import date

import pytest

from bridge.advice.wishing import say_wish
from bridge.domain.errors import SetupError
from bridge.store import Store
from bridge.wishes.examples import examples, lacking
from bridge.wishes.hearing import heard, understood
from bridge.wishes.hours import NotUnderstood
from bridge.wishes.told import sentence
from tests.day.test_outcomes import NOON

TODAY = date(2026, 11, 30)
ELSE_DINNER = "family time (dinner with the kids) best from 17:30 to 19:00; everything but family time not from "
PILATES = (
    "exercise ({}) best on Wednesdays at 18:00, over by 20:00; everything but exercise not on Wednesdays from 18:00"
)
SAID = {
    "dinner with the kids between 5:30 and 7, don't put anything else there": f"{ELSE_DINNER}17:30 to 19:00",
    "Pilates on Wednesdays at 6 pm, and nothing else that evening": PILATES.format("Pilates") + " to 24:00",
    "mittwochs um 18 Uhr Pilates, sonst nix an dem Abend": PILATES.format("Pilates") + " to 24:00",
    "Thursdays are choir, 7 to 10 pm, so keep me clear then": "everything that is suggested not on Thursdays from "
    '19:00 to 22:00; left aside: "Thursdays are choir"',
    "in bed at 11 instead of midnight": 'in bed by 23:00; left aside: "instead of midnight"',
    "um sechs aufstehen statt um sieben": 'up at 06:00; left aside: "statt um sieben"',
    "I'd rather meditate than watch a series in the evening": "meditation best from 18:00 to 24:00; left aside: "
    '"than watch a series"',
    "keep 7 to 9 in the morning for deep work mon-thu and leave Fridays for paperwork": "focused work best on Mondays, "
    "Tuesdays, Wednesdays and Thursdays from 07:00 to 09:00; office work and errands best on Fridays",
    "no work before 9 and nothing at all from 12 to 1": "work not before 09:00; everything that is suggested not from "
    "12:00 to 13:00",
    "deep work in the mornings, admin in the afternoons, neither on weekends": "focused work best from 06:00 to "
    "12:00; office work and errands best from 12:00 to 18:00; work only on Mondays, Tuesdays, Wednesdays, Thursdays "
    "and Fridays",
    "yoga at 18:30 for 45 minutes": "exercise (yoga) 45 minutes at a time; exercise (yoga) best at 18:30, "
    "over by 20:30",
    "abends 15 Minuten meditieren, außer samstags": "meditation 15 minutes at a time; meditation best on Mondays, "
    "Tuesdays, Wednesdays, Thursdays, Fridays and Sundays from 18:00 to 24:00",
    "mit meiner Frau sonntags spazieren": "family time (mit meiner Frau, spazieren) best on Sundays",
    "spätestens um elf ins Bett, freitags darf's später werden": "in bed by 23:00 on Mondays, Tuesdays, Wednesdays, "
    "Thursdays, Saturdays and Sundays",
    "mit Fieber im Bett, bis Donnerstag kein Sport und keine Arbeit": "never suggest exercise, until 3 December 2026; "
    'never suggest work, until 3 December 2026; left aside: "mit fieber im bett"',
    "samstags ausschlafen, vor zehn bitte nichts": "everything that is suggested not on Saturdays from 00:00 to 10:00",
    "no gym on the days I have choir, that's Monday": "exercise without gym, on Mondays; left "
    'aside: "days I have choir"',
    "den Papierkram würd ich gern auf Freitagvormittag legen": "office work and errands best on Fridays from 08:00 to "
    "12:00",
    "quiet hours from 1 to 3 pm": "everything that is suggested not from 13:00 to 15:00",
    "from Monday on, no sport": "never suggest exercise, from 7 December 2026 on",
    "no tv on days I teach, thats mon and wed": "watching series only on Tuesdays, Thursdays, Fridays, Saturdays "
    'and Sundays; left aside: "days I teach"',
    "I don't want to be up before 8 on Sundays": "not up before 08:00 on Sundays",
    "sleep in until 10 on my days off, tue and sat": "up at 10:00 on Tuesdays and Saturdays",
    "lights out at ten, no later than eleven on Fridays": "in bed by 22:00; in bed by 23:00 on Fridays",
    "at least seven and a half hours of sleep": "at least 7.5 hours in bed, of which a little less is sleep",
    "Saturdays with the kids, nothing else": "family time (kids) best on Saturdays; everything but family time "
    "not on Saturdays",
    "only films on Sundays": "watching series only on Sundays",
    "spin class only on Monday evenings": "exercise (spin class) best on Mondays from 18:00 to 24:00; exercise "
    "(spin class) not before 18:00; exercise without spin class, on Tuesdays, Wednesdays, Thursdays, Fridays, "
    "Saturdays and Sundays",
    "Wednesday afternoons belong to me": "time for yourself best on Wednesdays from 12:00 to 18:00",
    "der Freitagnachmittag gehört mir": "time for yourself best on Fridays from 12:00 to 18:00",
    "siesta from 2 to 3": "everything that is suggested not from 14:00 to 15:00",
    "Mittagsruhe von 13 bis 14 Uhr": "everything that is suggested not from 13:00 to 14:00",
    "von 14 bis 16 Uhr Ruhe, weil Oma schläft": "everything that is suggested not from 14:00 to 16:00; left aside: "
    '"schläft"',
    "lass meine Abende in Ruhe": "everything that is suggested not after 18:00",
    "no tv unless it's Saturday": "watching series only on Saturdays",
    "zweimal die Woche Sport, aber nicht unter der Woche": "exercise 2 times a week; exercise only on Saturdays and "
    "Sundays",
    "at most half an hour of tv on Sundays": "watching series at most 30 minutes at a time, on Sundays",
    "no yoga right after lunch": "exercise (yoga) not from 13:00 to 15:00",
    "direkt nach dem Mittagessen kein Sport": "exercise not from 13:00 to 15:00",
    "next week only two swims": "exercise (swims) at most 2 times a week, from 7 December 2026 to 13 December 2026",
    "nächste Woche dreimal Yoga": "exercise (Yoga) 3 times a week, from 7 December 2026 to 13 December 2026",
    "I've got a day off on 9 December": "never suggest work, on 9 December 2026",
    "at least one swim at the weekend": "exercise (swim) best on Saturdays and Sundays; exercise (swim) at least "
    "once a week",
    "mails only at 10 am and at 3 pm": "all office work and errands, not only mails, only from 10:00 to 12:00 and "
    "15:00 to 17:00",
    "Netflix nur 45 Minuten": "watching series at most 45 minutes at a time",
    "drei Ruhetage pro Woche": "exercise at most 4 times a week",
    "get up at six, Sundays whenever": "up at 06:00 on Mondays, Tuesdays, Wednesdays, Thursdays, Fridays and Saturdays",
    "mittwochs früh ins Bett, 21 Uhr": "in bed by 21:00 on Wednesdays",
    "lesen, wenn die Kinder schlafen": "time for yourself (lesen) best from 20:30 to 24:00",
    "Friday evening off from everything": "everything that is suggested not on Fridays from 18:00 to 24:00",
    "early shift Monday to Wednesday, so sport after 5 pm": "exercise best on Mondays, Tuesdays and Wednesdays from "
    "17:00 to 24:00",
    "work ends at four, then family": "work not after 16:00; family time best from 16:00 to 24:00",
    "um 18 Uhr Feierabend, danach Lesen": "work not after 18:00; time for yourself (Lesen) best from 18:00 to 24:00",
    "work only until noon on Fridays": "work not on Fridays from 12:00 to 24:00",
    "max 45 minutes of tv a day": "watching series at most 45 minutes a day",
    "nicht mehr als eine Stunde Fernsehen am Tag": "watching series at most 60 minutes a day",
    "nicht mehr als zwei Stunden Serien pro Tag": "watching series at most 120 minutes a day",
    "von 9 bis 10 keine Vorschläge da schläft der Kleine": "everything that is suggested not from 09:00 to 10:00; left "
    'aside: "schläft"',
    "nothing from 7 to 8 pm that's our dinner": "everything that is suggested not from 19:00 to 20:00; left aside: "
    '"that\'s our dinner"',
    "dienstags kein Yoga da hab ich Chor": 'exercise without Yoga, on Tuesdays; left aside: "da hab ich Chor"',
    "keine Freunde vor 18 Uhr, da arbeite ich noch": "seeing friends not before 18:00; left aside: "
    '"da arbeite ich noch"',
    "no tv in the morning, I have to work then": "watching series not from 06:00 to 12:00; left aside: "
    '"I have to work then"',
    "up by 6.15 every day": "up by 06:15",
    "wake me at nine on Sundays, otherwise seven": "up at 09:00 on Sundays; up at 07:00 on Mondays, Tuesdays, "
    "Wednesdays, Thursdays, Fridays and Saturdays",
    "telly off by 11": "watching series not after 23:00",
    "ab 21 Uhr den Fernseher aus": "watching series not after 21:00",
    "tidy up 20 minutes on Fridays": "office work and errands (tidy up) 20 minutes at a time; office work and errands "
    "(tidy up) best on Fridays",
    "donnerstagvormittags arbeite ich nie": "work not on Thursdays from 06:00 to 12:00",
    "eine halbe Stunde lesen, sobald die Kinder schlafen": "time for yourself (lesen) 30 minutes at a time; time for "
    "yourself (lesen) best from 20:30 to 24:00",
    "vom 4. bis 6. Dienstreise, keine Serien": "never suggest watching series, from 4 December 2026 to 6 December "
    '2026; left aside: "dienstreise"',
    "no more suggestions today": "at most 0 suggestions a day, on 30 November 2026",
    "my brother every other week": "family time (brother) once a week, every 2 weeks, counted from 30 November 2026",
    "my working days are Monday, Thursday and Saturday": "work only on Mondays, Thursdays and Saturdays",
    "swim on Monday mornings before work": "exercise (swim) best on Mondays from 06:00 to 08:00",
    "samstags mit den Kindern in den Zoo": "family time (mit den Kindern) best on Saturdays",
    "stretching at 9 pm for 10 minutes": "exercise (stretching) 10 minutes at a time; exercise (stretching) best at "
    "21:00, over by 23:00",
    "um 20 Uhr 45 Minuten Klavier": "time for yourself (Klavier) 45 minutes at a time; time for yourself (Klavier) "
    "best at 20:00, over by 22:00",
    "Serien bitte nicht später als 22 Uhr": "watching series not after 22:00",
    "focus work from 9 to 11, don't disturb me": "focused work (undisturbed) best from 09:00 to 11:00",
    "lecture from 10 to 12, no suggestions": "everything that is suggested not from 10:00 to 12:00; left aside: "
    '"lecture from 10 to 12"',
    "supper with my parents at 7 on Sundays": "family time (parents) best on Sundays at 19:00, over by 21:00",
    "keine Serien do bis so": "watching series only on Mondays, Tuesdays and Wednesdays",
    "bis zu meiner Operation am 14. Dezember kein Sport": "never suggest exercise, until 14 December 2026",
    "I want time for myself on Tuesdays": "time for yourself best on Tuesdays",
    "freitags um halb 5 Feierabend": "work not on Fridays from 16:30 to 24:00",
}
UNCLEAR = (
    "next week family",  # how often?
    "less gaming on weekdays, max one hour",  # nor more of it on weekdays
    "a rest day a week, on Mondays",
    "work only in the morning on Fridays",  # and no work on other days?
    "next week a day off",
    "a nap at one when I've had a late shift",
    "no sport Monday and Tuesday and Wednesday meditation",  # of which is Tuesday?
    "runs on Sundays, nothing else",
    "run for three hours every day between 7:00 and 7:30",
    "three runs a week, nothing else that evening",
    "I never work at weekends, except the first Saturday of the month",
    "no sport except this week",
    "morgen und am Mittwoch kein Sport",
    "no work before 9 am; everything that is suggested not from 12 to 1 pm",
)


@pytest.mark.parametrize("text", SAID)
def test_a_wish_in_plain_words_is_understood(text: str) -> None:
    found = heard(text, TODAY)
    assert sentence(found.said, found.aside) == SAID[text]


@pytest.mark.parametrize("text", UNCLEAR)
def test_what_may_be_meant_in_two_ways_is_refused(text: str) -> None:
    with pytest.raises(NotUnderstood):
        understood(text, TODAY)


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("I'd prefer yoga to running", "rank"),
        ("Familie geht vor Arbeit", "rank"),
        ("no sport if it rains", "condition"),
        ("if I slept badly, no gym", "condition"),
        ("wenn es regnet, kein Sport", "condition"),
        ("Let's make it 4 hours of Spanish per week", "period"),
        ("höchstens 35 Stunden Arbeit pro Woche", "period"),
    ],
)
def test_a_refusal_names_what_can_be_said_instead(text: str, about: str) -> None:
    found = lacking(text)
    assert found is not None
    assert found[0] == about
    assert all(understood(one, TODAY) for one in found[1])
    assert all(understood(one, TODAY) for one in examples(text))


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("We're on holiday from 20 December to 2 January", "bridge mode holiday --from 2026-12-20 --until 2027-01-02"),
        ("bin bis zum 20.12. krank", "bridge mode ill --until 2026-12-20"),
    ],
)
def test_days_that_are_different_are_answered_with_their_mode(store: Store, text: str, command: str) -> None:
    user = store.people.add_user("anna", "UTC", now=NOON)
    with pytest.raises(SetupError, match=command):
        say_wish(store, user, text, confirmed=True, now=NOON)
