"""The dates of a wish: weeks by their count, ranges of days, feasts, and a reason beside them."""

from __future__ import annotations

from datetime import date

import pytest

from bridge.domain.occasions import Occasion
from bridge.wishes.hearing import heard, understood
from bridge.wishes.hours import NotUnderstood
from bridge.wishes.told import sentence

TODAY = date(2026, 11, 30)
MONDAY, NEXT = date(2026, 11, 30), date(2026, 12, 7)
LAST = date(2027, 1, 3)  # of week 53, which an odd week follows
DATED = {
    "every other weekend, starting this one: no work": Occasion(every=2, first=MONDAY),
    "The boys are here every other weekend, starting this one: no work then": Occasion(every=2, first=MONDAY),
    "every other Saturday, starting next week, no work": Occasion(every=2, first=NEXT),
    "every other Friday from 8 December on no work": Occasion(every=2, first=NEXT, since=date(2026, 12, 8)),
    "jeden zweiten Samstag keine Arbeit, ab nächster Woche": Occasion(every=2, first=NEXT),
    "in odd weeks I've got the kids, so no sport after four": Occasion(every=2, first=MONDAY, until=LAST),
    "in geraden Kalenderwochen hab ich die Kinder, da kein Sport nach vier": Occasion(every=2, first=NEXT, until=LAST),
    "no work from 12 December to 3 January": Occasion(since=date(2026, 12, 12), until=date(2027, 1, 3)),
    "kein Sport vom 3. bis 8. Januar": Occasion(since=date(2027, 1, 3), until=date(2027, 1, 8)),
    "keine Arbeit (23.12. bis 8.1.)": Occasion(since=date(2026, 12, 23), until=date(2027, 1, 8)),
    "no work on Christmas Eve": Occasion(since=date(2026, 12, 24), until=date(2026, 12, 24)),
    "an Silvester keine Arbeit": Occasion(since=date(2026, 12, 31), until=date(2026, 12, 31)),
    "no sport until Christmas": Occasion(until=date(2026, 12, 24)),
    "bis Neujahr kein Sport": Occasion(until=date(2026, 12, 31)),
    "zwei Wochen kein Sport": Occasion(since=TODAY, until=date(2026, 12, 13)),
    "on the 12th I want no suggestions": Occasion(since=date(2026, 12, 12), until=date(2026, 12, 12)),
    "I've got Saturday 12th off, no work then": Occasion(since=date(2026, 12, 12), until=date(2026, 12, 12)),
    "kein Sport am Samstag, den 12.": Occasion(since=date(2026, 12, 12), until=date(2026, 12, 12)),
    "28 to 30 december off": Occasion(since=date(2026, 12, 28), until=date(2026, 12, 30)),
    "Dec 28-30 no work": Occasion(since=date(2026, 12, 28), until=date(2026, 12, 30)),
    "the 30th and 31st off": Occasion(since=date(2026, 12, 30), until=date(2026, 12, 31)),
    "leave the 5th, 6th and 7th free": Occasion(since=date(2026, 12, 5), until=date(2026, 12, 7)),
    "am 30. und 31. hab ich frei": Occasion(since=date(2026, 12, 30), until=date(2026, 12, 31)),
    "am 9.12. und 10.12. keine Serien": Occasion(since=date(2026, 12, 9), until=date(2026, 12, 10)),
    "keine Arbeit vom Montag, den 28. bis 3. Januar": Occasion(since=date(2026, 12, 28), until=date(2027, 1, 3)),
    "guests from 11 to 13 December, no tv": Occasion(since=date(2026, 12, 11), until=date(2026, 12, 13)),
    "morgen frei, also um 10 Uhr Sport": Occasion(since=date(2026, 12, 1), until=date(2026, 12, 1)),
    "pause everything for 10 days": Occasion(since=TODAY, until=date(2026, 12, 9)),
}


@pytest.mark.parametrize("text", DATED)
def test_a_wish_holds_on_the_days_that_are_said(text: str) -> None:
    assert {one.when for one in understood(text, TODAY)} == {DATED[text]}


def test_even_weeks_stay_even_until_the_end_of_a_long_year() -> None:
    (one,) = understood("in even weeks no sport", TODAY)
    days = [date.fromordinal(at) for at in range(TODAY.toordinal(), LAST.toordinal() + 1)]
    assert one.when is not None
    assert all(one.when.holds(day) == (day.isocalendar().week % 2 == 0) for day in days)
    assert not one.when.holds(date(2027, 1, 11))  # of week 2, but the third after week 52


@pytest.mark.parametrize(
    "text",
    [
        "no sport tomorrow and on Wednesday",
        "every other Saturday this week no work",
        "no work on Monday 12 December",  # a Saturday
        "kein Sport am 10. und 17. Dezember",
        "I'm forty on 12 December, three runs a week",
    ],
)
def test_a_wish_that_would_hold_on_no_day_is_refused(text: str) -> None:
    with pytest.raises(NotUnderstood):
        understood(text, TODAY)


@pytest.mark.parametrize("text", ["my back hurts, no weights this week", "I'm ill, no weights this week"])
def test_a_reason_may_stand_before_a_wish_of_some_days(text: str) -> None:
    found = heard(text, TODAY)
    assert (found.said[0].kind, len(found.aside)) == ("without", 1)
    with pytest.raises(NotUnderstood):
        understood("no sport on Mondays, the pool is closed until May", TODAY)


@pytest.mark.parametrize(
    "text",
    [
        "jeden Dezember kein Sport am Abend",
        "every year in December no sport in the evening",
        "jedes Jahr im Dezember kein Sport am Abend",
    ],
)
def test_a_month_is_told_as_one_of_every_year(text: str) -> None:
    assert sentence(understood(text, TODAY)) == "exercise not after 18:00, every year in December"


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("im Dezember kein Sport am Abend", (date(2026, 12, 1), date(2026, 12, 31))),
        ("no sport in the evening in December", (date(2026, 12, 1), date(2026, 12, 31))),
        ("in November no sport", (TODAY, TODAY)),
        ("im Dezember und Januar kein Sport", (date(2026, 12, 1), date(2027, 1, 31))),
        ("am Donnerstag schon um 15 Uhr Schluss mit Arbeit", (date(2026, 12, 3), date(2026, 12, 3))),
        ("we have Monday off", (date(2026, 12, 7), date(2026, 12, 7))),
        ("I'm off on Friday", (date(2026, 12, 4), date(2026, 12, 4))),
        ("no tv on Tuesday this time", (date(2026, 12, 1), date(2026, 12, 1))),
        ("ausnahmsweise kein Sport am Mittwoch", (date(2026, 12, 2), date(2026, 12, 2))),
    ],
)
def test_a_month_or_a_day_that_is_said_once_is_the_coming_one(text: str, when: tuple[date, date]) -> None:
    assert {(one.when.since, one.when.until) for one in understood(text, TODAY) if one.when} == {when}


def test_a_weekday_in_the_plural_returns_every_week() -> None:
    assert sentence(understood("I'm off on Fridays", TODAY)) == "work not on Fridays"
    assert sentence(understood("freitags schon um 15 Uhr Schluss mit Arbeit", TODAY)) == (
        "work not on Fridays from 15:00 to 24:00"
    )
