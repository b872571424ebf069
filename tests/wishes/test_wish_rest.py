"""Wishes of the rest of a time, of what does not strain, and of days that are an exception or are exchanged."""

from __future__ import annotations

from datetime import date, time
from itertools import product

import pytest

from bridge.domain.occasions import Occasion
from bridge.wishes.hearing import understood
from bridge.wishes.hours import NotUnderstood
from bridge.wishes.lexicon import ALL
from bridge.wishes.said import Said
from rhythm_env.interface import ActionType

A = ActionType
TODAY = date(2026, 12, 1)  # a Tuesday
SUNDAY, LAST = date(2026, 12, 6), date(2026, 12, 31)
STRAINS = frozenset({A.EXERCISE, A.DEEP_WORK})
RESTS = [
    *product(("the rest of the week", "for the remainder of this week"), ("{when} no sport",), [SUNDAY]),
    *product(("for the rest of the week", "the rest of this week"), ("no sport {when}",), [SUNDAY]),
    *product(("den Rest der Woche", "für den Rest dieser Woche"), ("{when} kein Sport",), [SUNDAY]),
    *product(("den Rest der Woche",), ("kein Sport {when}",), [SUNDAY]),
    *product(("the rest of the month", "for the rest of this year"), ("{when} no sport",), [LAST]),
    *product(("den Rest des Monats", "für den Rest des Jahres"), ("{when} bitte kein Sport",), [LAST]),
    *product(("the rest of the day",), ("no sport for {when}",), [TODAY]),
    *product(("den Rest des Tages",), ("{when} kein Sport",), [TODAY]),
]


@pytest.mark.parametrize(("when", "text", "until"), RESTS)
def test_the_rest_of_a_time_ends_with_it(when: str, text: str, until: date) -> None:
    only = Occasion(since=TODAY, until=until)
    assert understood(text.format(when=when), TODAY) == (
        Said(kind="never", actions=frozenset({A.EXERCISE}), when=only),
    )


@pytest.mark.parametrize(
    ("text", "actions"),
    [
        ("the rest of the week only family", {A.FAMILY_TIME}),
        ("the rest of the week only family and sport", {A.FAMILY_TIME, A.EXERCISE}),
        ("den Rest der Woche nur Familie und Sport", {A.FAMILY_TIME, A.EXERCISE}),
        ("für den Rest der Woche nur Meditation", {A.MEDITATE}),
    ],
)
def test_what_alone_is_wanted_the_rest_of_the_week_bars_all_else(text: str, actions: set[ActionType]) -> None:
    (said,) = understood(text, TODAY)
    assert (said.kind, said.actions) == ("never", ALL - actions)
    assert said.when == Occasion(since=TODAY, until=SUNDAY)


LIGHT_EN = (
    "only light things",
    "something quiet",
    "just calm activities",
    "nothing strenuous",
    "only something gentle",
)
LIGHT_DE = ("nur leichte Sachen", "was Ruhiges", "nur ruhige Aktivitäten", "nichts Anstrengendes", "nur etwas Leichtes")


@pytest.mark.parametrize(
    "text",
    [
        *(form.format(one) for one in LIGHT_EN for form in ("{} in the evening", "in the evening {} please")),
        *(form.format(one) for one in LIGHT_DE for form in ("abends {}", "am Abend bitte {}")),
    ],
)
def test_what_is_quiet_in_the_evening_bars_what_strains(text: str) -> None:
    (said,) = understood(text, TODAY)
    assert (said.kind, said.actions, said.hours) == ("hours", STRAINS, ((time(0), time(18)),))


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        *((f"{one} today", TODAY, TODAY) for one in LIGHT_EN),
        *((f"heute {one}", TODAY, TODAY) for one in LIGHT_DE),
        ("morgen bitte nichts Anstrengendes", date(2026, 12, 2), date(2026, 12, 2)),
        ("vom 10. bis 14. nur leichte Sachen", date(2026, 12, 10), date(2026, 12, 14)),
        ("from the 10th to the 14th only light things", date(2026, 12, 10), date(2026, 12, 14)),
        ("diese Woche nur leichte Sachen, ich bin erkältet", TODAY, SUNDAY),
        ("this week only light things, I have a cold", TODAY, SUNDAY),
    ],
)
def test_light_things_on_some_dates_bar_what_strains(text: str, since: date, until: date) -> None:
    assert understood(text, TODAY) == (Said(kind="never", actions=STRAINS, when=Occasion(since=since, until=until)),)


@pytest.mark.parametrize("text", ["only light things", "nur ruhige Sachen", "only easy runs", "nur leichte Läufe"])
def test_light_things_without_a_time_are_refused(text: str) -> None:
    with pytest.raises(NotUnderstood):
        understood(text, TODAY)


@pytest.mark.parametrize(
    ("text", "actions", "general"),
    [
        ("mornings are fine, but on Saturdays not before ten", ALL, 0),
        ("the other days are ok but on Saturdays not before ten", ALL, 0),
        ("morgens ist okay, aber samstags nicht vor zehn", ALL, 0),
        ("no sport before eight, but on Saturdays not before ten", {A.EXERCISE}, 8),
        ("no learning before nine, but Saturdays not before ten", {A.LEARN}, 9),
        ("kein Sport vor acht, aber samstags nicht vor zehn", {A.EXERCISE}, 8),
        ("nichts vor neun, aber am Samstag nicht vor zehn", ALL, 9),
    ],
)
def test_a_later_hour_of_one_day_stands_beside_that_of_all(text: str, actions: set[ActionType], general: int) -> None:
    said = understood(text, TODAY)
    assert said[-1] == Said(
        kind="barred", actions=frozenset(actions), days=frozenset({5}), hours=((time(0), time(10)),)
    )
    assert [one.hours[0][0].hour for one in said[:-1]] == ([general] if general else [])


@pytest.mark.parametrize(
    "text",
    [
        "no sport before ten, but on Saturdays not before eight",  # looser, which two bars cannot tell
        "no series after nine, but on Fridays not after eleven",
        "kein Sport vor zehn, aber samstags nicht vor acht",
        "keine Serien nach neun, aber freitags nicht nach elf",
        "instead of Friday rather Thursday",  # of what?
        "lieber Donnerstag statt Freitag",
    ],
)
def test_what_two_days_or_hours_leave_open_is_refused(text: str) -> None:
    with pytest.raises(NotUnderstood):
        understood(text, TODAY)


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("sport instead of Friday rather on Thursday", A.EXERCISE),
        ("learning instead of Fridays on Thursdays", A.LEARN),
        ("meditation rather than Friday on Thursday", A.MEDITATE),
        ("Lernen statt freitags lieber donnerstags", A.LEARN),
        ("Sport anstatt Freitag lieber am Donnerstag", A.EXERCISE),
    ],
)
def test_a_day_is_exchanged_for_another(text: str, action: ActionType) -> None:
    assert understood(text, TODAY) == (Said(kind="best", actions=frozenset({action}), days=frozenset({3})),)
