"""Bounds of wishes: a second clause that cuts a window, a cap of a month, an end without its subject, one request."""

from __future__ import annotations

from datetime import date
from itertools import product

import pytest

from bridge.wishes.examples import is_task, lacking
from bridge.wishes.hearing import heard
from bridge.wishes.hours import NotUnderstood
from bridge.wishes.told import sentence
from tests.wishes.corpus import nameless

TODAY = date(2026, 11, 30)
REFUSED = "refused"
CUT = {  # actions, a window, its sayings, and later clauses with the window that they leave
    "en": (
        ("sport", "learning"),
        (
            ("only in the evening", "but not after nine; not after nine; but never after 9 pm", "from 18:00 to 21:00"),
            (
                "only in the afternoon",
                "but not before three; not before 3 pm; but never before three",
                "15:00 to 18:00",
            ),
            (
                "only in the morning",
                "but not after ten; but never after 10 am; but not after ten though",
                "06:00 to 10:00",
            ),
        ),
    ),
    "de": (
        ("Sport", "Lernen"),
        (
            (
                "nur abends",
                "nach neun aber nicht mehr; aber nicht nach neun; nach 21 Uhr jedoch nicht",
                "18:00 to 21:00",
            ),
            ("nur nachmittags", "vor drei aber nicht; aber nicht vor drei; vor 15 Uhr aber nie", "15:00 to 18:00"),
            ("nur morgens", "nach zehn aber nicht mehr; aber nicht nach zehn", "06:00 to 10:00"),
        ),
    ),
}
REPEATED = {  # vetoes of some hours, and the days that repeat them
    "en": (
        "no work after 8 pm; no sport before 9 am; no tv between 2 and 4 pm",
        "also not on Fridays; not on Fridays either; also not on Saturdays and Sundays; not at the weekend either",
    ),
    "de": (
        "keine Arbeit nach 20 Uhr; kein Sport vor 9 Uhr; keine Serien zwischen 14 und 16 Uhr",
        "auch nicht freitags; auch freitags nicht; auch am Wochenende nicht; auch nicht am Samstag",
    ),
}


def _told(text: str) -> str:
    try:
        return sentence(nameless(heard(text, TODAY).said))
    except NotUnderstood:
        return REFUSED


@pytest.mark.parametrize("language", CUT)
def test_a_second_clause_cuts_the_window_of_the_first(language: str) -> None:
    actions, windows = CUT[language]
    told = {
        f"{action} {window}, {later}": left
        for action, (window, several, left) in product(actions, windows)
        for later in several.split("; ")
    }
    assert [text for text, left in told.items() if left not in _told(text)] == []


@pytest.mark.parametrize("language", REPEATED)
def test_also_not_on_some_days_repeats_the_hours(language: str) -> None:
    vetoes, days = (one.split("; ") for one in REPEATED[language])
    wrong = [f"{veto}, {day}" for veto, day in product(vetoes, days) if _told(f"{veto}, {day}") != _told(veto)]
    assert wrong == []


def test_also_not_on_a_day_adds_it_to_the_days_before() -> None:
    assert (
        _told("no work after 8 pm on Mondays, also not on Fridays")
        == "work not on Mondays and Fridays from 20:00 to 24:00"
    )
    assert _told("no sport on Mondays, also not in the evening") == REFUSED


@pytest.mark.parametrize(
    "text",
    [
        f"{cap} {period} {action}"
        for cap, period, action in (
            *product(
                ("höchstens einmal", "maximal zweimal"), ("im Monat", "pro Monat"), ("Sport", "Freunde", "Serien")
            ),
            *product(("at most twice", "at most once"), ("a month",), ("sport", "friends", "tv")),
        )
    ],
)
def test_a_cap_of_a_month_is_refused_with_the_reason(text: str) -> None:
    assert _told(text) == REFUSED
    assert (lacking(text) or ("",))[0] == "period"


@pytest.mark.parametrize(
    "text",
    [
        "alles fertig bis viertel vor sieben abends; bis 18:45 Uhr alles erledigt; um 18:45 Uhr ist alles fertig",
        "everything done by 6:45 pm; stop everything at 6:45 pm; I want everything finished by 6:45 pm",
    ],
)
def test_an_end_of_everything_is_not_of_work_only(text: str) -> None:
    meant = "everything that is suggested not after 18:45"
    assert {one: _told(one) for one in text.split("; ")} == dict.fromkeys(text.split("; "), meant)


@pytest.mark.parametrize(
    "text", ["done by 7:30 in the evening", "finished by 6 pm", "fertig bis 18 Uhr", "bis sechs fertig"]
)
def test_an_end_without_a_subject_asks_for_it(text: str) -> None:
    assert _told(text) == REFUSED
    assert (lacking(text) or ("",))[0] == "end"


@pytest.mark.parametrize(
    "text",
    [
        f"{lead}call {who} {when}"
        for lead, who, when in product(
            ("", "please ", "remind me to "), ("my mother", "Anna", "grandma"), ("tomorrow at ten", "at ten", "today")
        )
    ],
)
def test_a_request_to_call_once_is_a_task(text: str) -> None:
    assert _told(text) == REFUSED
    assert is_task(text, TODAY)


@pytest.mark.parametrize(
    ("texts", "meaning"),
    [
        ("call mum on Sundays at ten; sonntags um zehn Familie", "family time best on Sundays at 10:00, over by 12:00"),
        (
            "family on Sundays from eleven; Familie jeden Sonntag ab elf",
            "family time best on Sundays from 11:00 to 24:00",
        ),
        ("sport on Sundays from eleven; Sport sonntags ab elf", "exercise best on Sundays from 11:00 to 24:00"),
    ],
)
def test_family_and_sport_from_ten_are_by_day(texts: str, meaning: str) -> None:
    assert {text: _told(text) for text in texts.split("; ")} == dict.fromkeys(texts.split("; "), meaning)


@pytest.mark.parametrize(("text", "named"), [("sport every weekday", "exercise"), ("jeden Werktag Lernen", "learning")])
def test_every_weekday_is_five_times_a_week(text: str, named: str) -> None:
    assert _told(text).endswith(f"; {named} 5 times a week")


@pytest.mark.parametrize("reason", ["I've had the flu", "we had the flu", "I have had the measles"])
def test_what_is_kept_is_not_told_as_left_aside(reason: str) -> None:
    assert not any("sport" in one for one in heard(f"no sport until the 15th, {reason}", TODAY).aside)


@pytest.mark.parametrize("text", ["no sport, I've had the flu", "no tv, I was ill", "kein Sport, war krank"])
def test_what_passes_is_no_reason_for_ever(text: str) -> None:
    assert _told(text) == REFUSED


ALLOWED = {  # days on which a veto does not hold, or that the veto leaves anyway
    "unter der Woche keine Serien": "am Wochenende schon",
    "keine Serien unter der Woche": "am Wochenende ist es okay",
    "montags kein Sport": "dienstags schon",
    "kein Lernen am Mittwoch": "sonntags geht das",
}


def test_days_that_are_fine_anyway_leave_the_veto() -> None:
    assert {veto: _told(f"{veto}, {fine}") for veto, fine in ALLOWED.items()} == {one: _told(one) for one in ALLOWED}


@pytest.mark.parametrize("day", ["freitags", "am Wochenende", "sonntags"])
@pytest.mark.parametrize("wish", ["keine Serien nach 22 Uhr", "kein Sport vor 9 Uhr", "spätestens um elf schlafen"])
def test_days_that_are_fine_are_excepted_from_hours(wish: str, day: str) -> None:
    fine = "ist's egal" if "schlafen" in wish else "schon"
    assert _told(f"{wish}, {day} {fine}") == _told(f"{wish} außer {day}") != REFUSED


SAID = {
    "Mo bis Do nach der Arbeit keinen Sport mehr, ab 18 Uhr ist Schluss": "Mo bis Do kein Sport nach 18 Uhr",
    "freitags nach Feierabend kein Lernen, um 19 Uhr ist Schluss": "freitags kein Lernen nach 19 Uhr",
    "nach dem Essen um eins nix Geistiges mehr": "keine Fokusarbeit nach 13 Uhr",
    "kein Sport nach dem Mittagessen um halb zwei": "kein Sport nach 13:30",
    "auf keinen Fall lernen an meinem freien Tag, das ist der Donnerstag": "kein Lernen am Donnerstag",
    "kein Sport an meinen freien Tagen, das sind Mittwoch und Sonntag": "kein Sport mittwochs und sonntags",
    "never any exercise on Sundays and no work either": "no exercise on Sundays; no work on Sundays",
    "no tv on Mondays and no learning either": "no tv on Mondays; no learning on Mondays",
    "no naps or sleep during the day": "no naps during the day",
    "kein Sport bis zum 15., war krank": "kein Sport bis zum 15.",
    "no sport until the 15th, I've been ill": "no sport until the 15th",
    "vormittags konzentriert arbeiten, nachmittags den Kleinkram": "vormittags Fokusarbeit, nachmittags Papierkram",
}


def test_a_saying_is_understood_as_its_plain_form() -> None:
    told = {text: _told(text).partition("; left aside")[0] for text in SAID}
    assert told == {text: _told(plain) for text, plain in SAID.items()}
    assert REFUSED not in told.values()


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("Mittagsschlaf von halb eins bis eins", "naps best from 12:30 to 13:00"),
        ("kein Sport von halb eins bis halb zwei", "exercise not from 12:30 to 13:30"),
        ("freitagnachmittag hab ich immer frei", "work not on Fridays from 12:00 to 18:00"),
        ("Mittwochabend habe ich frei", "work not on Wednesdays from 18:00 to 24:00"),
        ("freitags habe ich frei", "work not on Fridays"),
    ],
)
def test_hours_at_midday_and_off_work_are_read(text: str, meaning: str) -> None:
    assert _told(text) == meaning


@pytest.mark.parametrize(
    "text",
    [
        "acht Std Arbeit pro Tag sind das Limit; höchstens zweimal im Monat Sport",
        "at most eight hours of work a day; four workouts a week but never two on the same day",
    ],
)
def test_a_limit_of_a_day_is_refused_with_the_reason(text: str) -> None:
    assert {one: (_told(one), (lacking(one) or ("",))[0]) for one in text.split("; ")} == dict.fromkeys(
        text.split("; "), (REFUSED, "period")
    )
