"""Wishes about calls and about seeing nobody: they are of family and of friends, and say so."""

from __future__ import annotations

from itertools import product

import pytest

from bridge.wishes.hearing import understood
from bridge.wishes.hours import NotUnderstood
from bridge.wishes.told import sentence
from rhythm_env.interface import ActionType

BOTH = frozenset({ActionType.FAMILY_TIME, ActionType.SOCIALIZE})
TIMES = {  # what is said of when, in each language, and the hours of friends that bar them then
    ("in the morning", "morgens"): "no friends in the morning",
    ("after nine pm", "nach 21 Uhr"): "no friends after nine pm",
    ("before ten am", "vor 10 Uhr"): "no friends before 10",
    ("on Sundays", "sonntags"): "no friends on Sundays",
    ("on Mondays before noon", "montags vor 12 Uhr"): "no friends on Mondays before noon",
}
VETOES = (
    (
        "no phone calls",
        "I don't want to phone anybody",
        "no video calls",
        "no phoning",
        "don't make me call anyone",
        "I hate talking on the phone",
        "please no facetime",
    ),
    (
        "keine Anrufe",
        "keine Telefonate",
        "ich mag nicht telefonieren",
        "keine Videoanrufe",
        "bitte nicht skypen",
    ),
)
NOBODY = (
    ("I don't want to see anybody", "see nobody", "don't make me meet anyone"),
    ("ich will niemanden sehen", "niemanden treffen", "ich will niemanden anrufen"),
)


def vetoed(among: tuple[tuple[str, ...], ...]) -> list[tuple[str, str]]:
    return [
        (f"{veto} {time[at]}", bar)
        for at, vetoes in enumerate(among)
        for veto, (time, bar) in product(vetoes, TIMES.items())
    ]


def of_both(bar: str) -> set[tuple[object, ...]]:
    return {(one.kind, BOTH, one.hours, one.days) for one in understood(bar)}


@pytest.mark.parametrize(("text", "bar"), [*vetoed(VETOES), *vetoed(NOBODY)])
def test_calls_and_meetings_with_nobody_are_of_family_and_friends(text: str, bar: str) -> None:
    assert {(one.kind, one.actions, one.hours, one.days) for one in understood(text)} == of_both(bar)


@pytest.mark.parametrize(("text", "bar"), vetoed(VETOES))
def test_a_veto_of_calls_tells_that_it_is_of_more_than_calls(text: str, bar: str) -> None:
    assert sentence(understood(text)).startswith("all family time and seeing friends, not only ")


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("no phone calls with my sister on Sundays", ActionType.FAMILY_TIME),
        ("no calling friends after 9 pm", ActionType.SOCIALIZE),
        ("phone mum every Sunday", ActionType.FAMILY_TIME),
        ("freitags mit Freunden telefonieren", ActionType.SOCIALIZE),
        ("sonntags Oma anrufen", ActionType.FAMILY_TIME),
    ],
)
def test_a_call_with_somebody_is_of_them_alone(text: str, action: ActionType) -> None:
    assert [one.actions for one in understood(text)] == [{action}]


@pytest.mark.parametrize(
    "text",
    [
        "no phone calls",
        "phone calls only in the afternoon",
        "one phone call a week",
        "no calls before 10",
        "no work calls before 10",
        "keine Telefonate",
        "telefonieren nur nachmittags",
        "bitte nicht anrufen vor 10",
        "montags Zahnarzt anrufen",
    ],
)
def test_calls_that_may_be_of_anything_else_are_refused(text: str) -> None:
    with pytest.raises(NotUnderstood):
        understood(text)


def test_the_kind_of_what_is_barred_as_a_whole_is_told_on_days_as_in_hours() -> None:
    assert [one.of for text in ("no emails on Sundays", "no emails before 9") for one in understood(text)] == [
        "emails",
        "emails",
    ]
