"""Wishes whose days and hours stand apart, whose reason would be a wish alone, and which begin with their occasion."""

from __future__ import annotations

import pytest

from bridge.wishes.hearing import heard
from bridge.wishes.hours import NotUnderstood
from bridge.wishes.told import sentence
from tests.wishes.corpus import nameless

SAID = {
    # What takes place is kept clear, if that is asked for
    "school pick up is at 3.15 on mon, tue and wed, keep it free": (
        "everything that is suggested not on Mondays, Tuesdays and Wednesdays from 15:15 to 16:15"
    ),
    "donnerstagabend lesekreis, halt das frei": "everything that is suggested not on Thursdays from 18:00 to 24:00",
    "evening prayers at 7, please leave that gap": "everything that is suggested not from 19:00 to 20:00",
    "a walk after lunch": "exercise best from 13:00 to 15:00",
    "I start at 6 so in bed by 9": "in bed by 21:00",
    # Days and hours in either order belong together, also where they were said of something else
    "The salon is open Tuesday to Friday, 9 to 5, that's when I'm working": (
        "work only on Tuesdays, Wednesdays, Thursdays and Fridays; work only from 09:00 to 17:00"
    ),
    "Von 9 bis 18 Uhr bin ich im Laden, Montag bis Freitag, das ist meine Arbeitszeit": (
        "work only on Mondays, Tuesdays, Wednesdays, Thursdays and Fridays; work only from 09:00 to 18:00"
    ),
    "I work from 7 to 3, Monday to Thursday": (
        "work only from 07:00 to 15:00; work only on Mondays, Tuesdays, Wednesdays and Thursdays"
    ),
    "keine Arbeit von 9 bis 12, Montag bis Freitag": (
        "work not on Mondays, Tuesdays, Wednesdays, Thursdays and Fridays from 09:00 to 12:00"
    ),
    "Fridays I've got band practice, so no paperwork after six that day": (
        "office work and errands not on Fridays from 18:00 to 24:00"
    ),
    "Samstags treff ich Freunde, also Bettzeit 1 Uhr an dem Tag": "in bed by 01:00 on Saturdays",
    "Mondays, in the evening, no tv": "watching series not on Mondays from 18:00 to 24:00",
    "On Sundays, no sport before nine": "exercise not on Sundays from 00:00 to 09:00",
    "Montags, 14 bis 16 Uhr: kein Sport": "exercise not on Mondays from 14:00 to 16:00",
    "My brother visits on Sundays, 2 to 4, no work then": "work not on Sundays from 14:00 to 16:00",
    # A reason is no wish of its own
    "Abends lese ich, deshalb kein Fernsehen nach 20 Uhr": "watching series not after 20:00",
    "In the mornings I write, so no email before noon": "all office work and errands, not only email, not before 12:00",
    "run five times a week, the marathon is in October": "exercise 5 times a week",
    # The morning after an eve, but a workday itself
    "Sunday to Thursday bed at ten, alarm at six": (
        "in bed by 22:00 on Mondays, Tuesdays, Wednesdays, Thursdays and Sundays; "
        "up at 06:00 on Mondays, Tuesdays, Wednesdays, Thursdays and Fridays"
    ),
    "am Wochenende um eins ins Bett, um zehn aufstehen": (
        "in bed by 01:00 on Saturdays and Sundays; up at 10:00 on Saturdays and Sundays"
    ),
    "in bed by eleven, on Fridays by midnight, up at seven": "in bed by 23:00; in bed by 00:00 on Fridays; up at 07:00",
    "bed at ten, except on Saturdays when midnight is fine": "in bed by 22:00; in bed by 00:00 on Saturdays",
    "in bed by 10:30 on weekdays, midnight otherwise": (
        "in bed by 22:30 on Mondays, Tuesdays, Wednesdays, Thursdays and Fridays; in bed by 00:00 on Saturdays and "
        "Sundays"
    ),
    "Freitags mache ich um zwei Feierabend, sonst um fünf": (
        "work not on Fridays from 14:00 to 24:00; "
        "work not on Mondays, Tuesdays, Wednesdays, Thursdays, Saturdays and Sundays from 17:00 to 24:00"
    ),
    "um zehn ins Bett, außer freitags": (
        "in bed by 22:00 on Mondays, Tuesdays, Wednesdays, Thursdays, Saturdays and Sundays"
    ),
    # Early and late are the first and the last hours of a part of the day
    "deep work in the early morning": "focused work best from 06:00 to 09:00",
    "joggen am späten Vormittag": "exercise best from 10:00 to 12:00",
    "yoga in the late afternoon": "exercise best from 15:00 to 18:00",
    "spätabends keine Arbeit": "work not after 21:00",
    # With its occasion before it
    "If I take a nap at all, then no later than 3 pm": "naps not after 15:00",
    "Falls du mir Sport vorschlägst, dann nie nach 20 Uhr": "exercise not after 20:00",
    "Wenn ich lerne, dann mindestens 45 Minuten": "learning at least 45 minutes at a time",
    "The hall is free from 6 to 7 pm, so that's the only slot for yoga": "exercise only from 18:00 to 19:00",
    "sport should not start before 8 am": "exercise not before 08:00",
    "Wenn schon Sport, dann vor neun": "exercise not after 09:00",
    "Sollte ich fernsehen, dann höchstens bis 22 Uhr": "watching series not after 22:00",
    "Was das Lesen angeht: mindestens eine halbe Stunde": "time for yourself at least 30 minutes at a time",
    # Roundabout
    "Meditation ist für mich gestorben": "never suggest meditation",
    "Zwei Läufe die Woche und nicht mehr": "exercise at most 2 times a week",
    "Fernsehen kann mir gestohlen bleiben": "never suggest watching series",
    "nach 21 Uhr will ich nichts mehr von dir hören": "everything that is suggested not after 21:00",
    "go quiet from 9 pm to 8 am": "everything that is suggested only from 08:00 to 21:00",
    "Die Regel, dass sonntags kein Sport sein soll, gilt nicht mehr": "exercise on Sundays again",
    "I've changed my mind about the tv limit, take it out again": "forget what you wished for watching series",
    "yoga is for Mondays, I love it then": "exercise best on Mondays",
}
REFUSED = (
    "If I nap, it rains",
    "no sport before nine, otherwise at ten",
    "On weekends, tv only after eight",
    "If it rains, not after 3 pm",
    "Wenn es regnet, dann nur morgens Sport",
    "I no longer go there, so yoga that day",
    "no tv on Sundays, I love it then",
    "my free evening is Tuesday, so that's the only time for friends",
    "bedtime half past ten except Saturday, when I see friends",
    "run five times a week until October",
    # A clause that tells which is no reason
    "Vor zehn nichts, wofür man denken muss. Ich bin ein Nachtmensch",
    "Nichts nach 20 Uhr, was laut ist",
    "nothing before ten, for which I have to think",
    "Nothing after eight, which is loud",
    # A second count
    "Pro Woche einmal Ballett und einmal was für die Kondition",
    "Once a week ballet and once something for stamina",
    "einmal die Woche Ballett und einmal Yoga",
    "ballet once a week and yoga once a week",
    # In one piece, without a length
    "Die Ablage kommt immer am Donnerstag dran, am Stück",
    "Papierkram gebündelt am Donnerstag",
    "Paperwork always on Thursday, in one go",
    # Calls of which is not said whom they are with
    "Telefonate gebündelt zwischen 10 und 11:30",
    "Telefonate zwischen 10 und 11:30",
    "phone calls between 10 and 11:30",
)

BACKGROUNDS = {  # in which days and hours are said of something else, in either order
    "en": "I'm in the shop {D}, {H}; the shop is open {H}, {D}; {D} I have choir, {H}; {D}, {H}: choir",
    "de": "Ich bin {D} im Laden, {H}; der Laden hat {H} auf, {D}; {D} habe ich Chor, {H}; Oma kommt {D}, {H}",
}
THEN = {
    "en": {
        "so that's when I'm working": "work only on {d}; work only from {h}",
        "so no tv then": "watching series not on {d} from {h}",
        "so reading then": "time for yourself best on {d} from {h}",
        "so no sport that day": "exercise only on Mondays, Fridays, Saturdays and Sundays",
    },
    "de": {
        "das ist meine Arbeitszeit": "work only on {d}; work only from {h}",
        "also kein Fernsehen dann": "watching series not on {d} from {h}",
        "also dann lesen": "time for yourself best on {d} from {h}",
        "also kein Sport an dem Tag": "exercise only on Mondays, Fridays, Saturdays and Sundays",
    },
}


def test_what_stands_apart_is_brought_together() -> None:
    assert {text: sentence(nameless(heard(text).said)) for text in SAID} == SAID


def test_days_and_hours_of_a_background_are_both_kept() -> None:
    times = {"en": ("Tuesday to Thursday", "1 to 5 pm"), "de": ("dienstags bis donnerstags", "13 bis 17 Uhr")}
    for language, backgrounds in BACKGROUNDS.items():
        days, hours = times[language]
        for background in backgrounds.split("; "):
            for then, meaning in THEN[language].items():
                text = f"{background.format(D=days, H=hours)}, {then}"
                meant = meaning.format(d="Tuesdays, Wednesdays and Thursdays", h="13:00 to 17:00")
                assert sentence(nameless(heard(text).said)) == meant, text


def test_a_reason_that_would_be_a_wish_alone_is_told() -> None:
    found = heard("Ich will abends abschalten, also nach 19 Uhr kein Papierkram mehr")
    assert (len(found.said), found.aside) == (1, ("Ich will abends abschalten",))
    for text in ("no work after 7 in the evening, and let me read more", "bowling Tuesdays, otherwise stay in please"):
        with pytest.raises(NotUnderstood):
            heard(text)  # a second wish is no reason


def test_the_hour_of_getting_up_that_gives_the_ground_is_told() -> None:
    for text, told in (
        (
            "Ich steh als Bäcker um halb drei auf, also spätestens 19 Uhr schlafen",
            "Ich steh als Bäcker um halb drei auf",
        ),
        ("I get up at five, so in bed by 7 pm", "I get up at five"),
        ("Baker here, up at 2. In bed by 7 pm", "up at 2"),
        ("Ich bin Bäcker und steh um 2.30 Uhr auf, deshalb um sieben ins Bett", "steh um 2.30 Uhr auf"),
    ):
        found = heard(text)
        assert sentence(nameless(found.said)) == "in bed by 19:00"
        assert found.aside[-1] == told


def test_an_occasion_that_may_never_come_is_refused() -> None:
    assert [text for text in REFUSED if _is_read(text)] == []


def _is_read(text: str) -> bool:
    try:
        return bool(heard(text).said)
    except NotUnderstood:
        return False
