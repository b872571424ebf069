"""Wishes of a day's sum, of the hours before bed, and of more or less: over words, counts and languages."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, time
from itertools import product

import pytest

from bridge.domain.wish_records import plain, wishes_of
from bridge.domain.wish_terms import wished_on
from bridge.domain.wishes import Wishes
from bridge.wishes.hearing import heard, understood
from bridge.wishes.hours import NotUnderstood
from bridge.wishes.lexicon import ALL
from bridge.wishes.said import Said, applied, replaced, standing, without
from bridge.wishes.told import sentence
from rhythm_env.interface import ActionType

A = ActionType
TODAY = date(2026, 12, 1)
EN = {"series": A.BINGE_WATCH, "deep work": A.DEEP_WORK, "paperwork": A.ADMIN_WORK, "learning": A.LEARN}
DE = {"Serien": A.BINGE_WATCH, "Deep Work": A.DEEP_WORK, "Papierkram": A.ADMIN_WORK, "Lernen": A.LEARN}
MINUTES_EN = {"an hour": 60, "90 minutes": 90, "half an hour": 30, "two hours": 120}
MINUTES_DE = {"eine Stunde": 60, "90 Minuten": 90, "eine halbe Stunde": 30, "zwei Stunden": 120}
SUMS = [
    *product(EN.items(), MINUTES_EN.items(), ("at most {m} of {a} a day", "no more than {m} of {a} per day")),
    *product(EN.items(), MINUTES_EN.items(), ("{m} of {a} a day at most", "max {m} {a} daily")),
    *product(DE.items(), MINUTES_DE.items(), ("höchstens {m} {a} am Tag", "{a} maximal {m} pro Tag")),
    *product(DE.items(), MINUTES_DE.items(), ("nicht mehr als {m} {a} täglich", "täglich höchstens {m} {a}")),
]


@pytest.mark.parametrize(("of", "long", "text"), SUMS)
def test_minutes_of_a_day_are_its_sum(of: tuple[str, ActionType], long: tuple[str, int], text: str) -> None:
    said = understood(text.format(a=of[0], m=long[0]))
    assert said == (Said(kind="minutes_daily", actions=frozenset({of[1]}), number=long[1]),)


@pytest.mark.parametrize(
    ("text", "action", "number"),
    [
        ("one sport session a day at most", A.EXERCISE, 1),
        ("sport no more than once a day", A.EXERCISE, 1),
        ("meditate at most twice a day", A.MEDITATE, 2),
        ("höchstens einmal am Tag Sport", A.EXERCISE, 1),
        ("nicht öfter als zweimal am Tag meditieren", A.MEDITATE, 2),
        ("maximal einmal täglich Papierkram", A.ADMIN_WORK, 1),
    ],
)
def test_times_of_a_day_are_its_sum(text: str, action: ActionType, number: int) -> None:
    assert understood(text) == (Said(kind="times_daily", actions=frozenset({action}), number=number),)


BED_EN = ("two hours before bed", "in the last two hours before going to bed", "in the last 2 hours before sleep")
BED_DE = ("zwei Stunden vor dem Schlafengehen", "in den letzten zwei Stunden vor dem Schlafen", "2 Stunden vorm Bett")


@pytest.mark.parametrize(
    ("text", "action"),
    [
        *((f"no {a} {bed}", action) for bed in BED_EN for a, action in EN.items()),
        *((f"{bed}, never any {a}", action) for bed in BED_EN[1:2] for a, action in EN.items()),
        *((f"kein {a} {bed}", action) for bed in BED_DE for a, action in DE.items()),
        *((f"{bed} bitte kein {a} mehr", action) for bed in BED_DE for a, action in DE.items()),
        ("sport at the latest two hours before bedtime", A.EXERCISE),
        ("exercise not later than two hours before bed", A.EXERCISE),
        ("Sport spätestens zwei Stunden vor dem Schlafen", A.EXERCISE),
    ],
)
def test_hours_before_bed_are_of_the_bedtime_of_each_day(text: str, action: ActionType) -> None:
    assert understood(text) == (Said(kind="before_bed", actions=frozenset({action}), number=120),)


@pytest.mark.parametrize(
    ("text", "action", "minutes"),
    [
        ("nothing in the last hour before bed except meditation", A.MEDITATE, 60),
        ("nothing an hour before bed but family time", A.FAMILY_TIME, 60),
        ("in den letzten zwei Stunden vor dem Schlafen nichts außer Meditation", A.MEDITATE, 120),
        ("nichts eine Stunde vor dem Bett außer meditieren", A.MEDITATE, 60),
    ],
)
def test_all_but_one_thing_is_barred_before_bed(text: str, action: ActionType, minutes: int) -> None:
    assert understood(text) == (Said(kind="before_bed", actions=ALL - {action}, number=minutes),)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("deep work max 4 times a week, and not on consecutive days", {"most": 4, "apart": 1}),
        ("sport at most three times a week with a day between", {"most": 3, "apart": 1}),
        ("höchstens dreimal die Woche Sport, nicht an aufeinanderfolgenden Tagen", {"most": 3, "apart": 1}),
        ("at most two learning sessions a week with two days between", {"most": 2, "apart": 2}),
    ],
)
def test_a_bound_of_a_week_goes_with_days_apart(text: str, told: dict[str, int]) -> None:
    assert {one.kind: one.number for one in understood(text)} == told


def test_what_is_wanted_before_bed_is_no_bar() -> None:
    for text in ("meditation 30 minutes before bed every night", "vor dem Schlafen 10 Minuten meditieren"):
        assert all(one.kind != "before_bed" for one in understood(text))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("more sport please", {A.EXERCISE: 1}),
        ("I want to move more", {A.EXERCISE: 1}),
        ("I'd like more time with my family", {A.FAMILY_TIME: 1}),
        ("more time for myself", {A.ME_TIME: 1}),
        ("less tv and more learning", {A.BINGE_WATCH: -1, A.LEARN: 1}),
        ("not so much deep work", {A.DEEP_WORK: -1}),
        ("I'd rather meditate than watch tv", {A.MEDITATE: 1, A.BINGE_WATCH: -1}),
        ("mehr Zeit mit der Familie", {A.FAMILY_TIME: 1}),
        ("ich will mich mehr bewegen", {A.EXERCISE: 1}),
        ("öfter Freunde treffen", {A.SOCIALIZE: 1}),
        ("weniger Papierkram, dafür mehr Bewegung", {A.ADMIN_WORK: -1, A.EXERCISE: 1}),
        ("nicht so viel Fernsehen bitte", {A.BINGE_WATCH: -1}),
        ("lieber lernen als fernsehen", {A.LEARN: 1, A.BINGE_WATCH: -1}),
    ],
)
def test_more_and_less_are_leanings(text: str, told: dict[ActionType, int]) -> None:
    said = understood(text)
    assert {one.kind for one in said} == {"more"}
    assert {action: one.number for one in said for action in one.actions} == told


@pytest.mark.parametrize(
    "text",
    [
        "more sport and less sport",
        "more than two runs a week",
        "mehr als Sport",
        "more money",
        "mehr Urlaub",
        "less of everything",
        "more sport if it rains",
        "at most eight hours of work a day",
        "no sport some hours before bed",
        "keine Serien ein paar Stunden vor dem Schlafen",
    ],
)
def test_what_is_no_such_amount_is_refused(text: str) -> None:
    with pytest.raises(NotUnderstood):
        understood(text, TODAY)


def test_less_of_one_kind_tells_that_all_of_it_is_meant() -> None:
    assert "not only yoga" in sentence(heard("more yoga", TODAY).said)
    assert "not only run" in sentence(heard("at most one run a day", TODAY).said)


@pytest.mark.parametrize(
    "text", ["at most an hour of tv a day", "sport at most once a day", "no tv an hour before bed", "more sport"]
)
def test_amounts_are_kept_told_and_taken_back(text: str) -> None:
    said = understood(text)
    wishes = applied(Wishes(), said)
    assert standing(wishes) == said
    assert wishes_of(plain(wishes)) == wishes
    assert without(wishes, said[0]) == Wishes()
    again = applied(wishes, [Said(kind="forget", actions=said[0].actions)])
    assert again == Wishes()
    assert replaced(wishes, said) == ()


@pytest.mark.parametrize(
    "text",
    [
        "an hour of deep work a day at most, not on Sundays",  # an exception that was set aside
        "45 minutes of learning a day max, not on Mondays",
        "höchstens eine Stunde Serien am Tag, nicht am Sonntag",
        "sport at most once a day, not on Fridays",
        "I would like less meditation and no yoga",  # a wish that was set aside
        "I want more learning and no series",
        "ich möchte weniger Papierkram und keine Serien",
        "mehr Bewegung, aber nicht montags",  # no kind of it
        "weniger Bewegung, aber nicht samstags",
    ],
)
def test_no_half_of_an_amount_is_lost(text: str) -> None:
    with pytest.raises(NotUnderstood):
        understood(text, TODAY)


@pytest.mark.parametrize(
    ("text", "number", "begin", "end"),
    [
        ("at most one suggestion in the evening", 1, 18, 0),
        ("one suggestion in the afternoon at most", 1, 12, 18),
        ("only two tips after eight pm", 2, 20, 0),
        ("not more than one idea between two and six pm", 1, 14, 18),
        ("abends höchstens ein Vorschlag", 1, 18, 0),
        ("nachmittags maximal zwei Vorschläge", 2, 12, 18),
        ("nach 20 Uhr nur ein Vorschlag", 1, 20, 0),
        ("no more than one suggestion per evening", 1, 18, 0),
        ("at most two tips every afternoon", 2, 12, 18),
        ("pro Abend höchstens ein Vorschlag", 1, 18, 0),
        ("maximal zwei Vorschläge pro Nachmittag", 2, 12, 18),
        ("von 14 bis 18 Uhr höchstens zwei Vorschläge", 2, 14, 18),
    ],
)
def test_so_many_suggestions_of_some_hours_are_kept(text: str, number: int, begin: int, end: int) -> None:
    (said,) = understood(text)
    assert (said.kind, said.number, said.hours) == ("few", number, ((time(begin), time(end)),))
    kept = applied(Wishes(), (said,))
    assert wishes_of(plain(kept)) == kept
    assert kept.suggestions == Wishes().suggestions
    assert standing(kept) == (said,)
    assert without(kept, said) == Wishes()
    other = replace(said, number=3)
    assert replaced(kept, (other,)) == (said,)
    assert applied(kept, (other,)).few[0].most == 3
    assert applied(kept, understood("forget the limit on suggestions")) == Wishes()


def test_so_many_suggestions_of_some_hours_hold_on_their_days() -> None:
    for text in ("on Sundays at most one suggestion in the evening", "sonntags abends höchstens ein Vorschlag"):
        wishes = applied(Wishes(), understood(text, TODAY))
        assert [len(wished_on(wishes, date(2026, 12, day)).few) for day in (5, 6)] == [0, 1]
        assert "on Sundays" in sentence(standing(wishes))


@pytest.mark.parametrize(
    "text",
    [
        "at least one suggestion in the evening",
        "at most one suggestion in the evening or after nine",
        "zwanzig abends",
        "at most three suggestions in the evening, only one on weekends",
        "abends höchstens drei Vorschläge, am Wochenende nur einer",
        "two suggestions in the evening",
        "abends zwei Vorschläge",
    ],
)
def test_other_numbers_of_some_hours_are_refused(text: str) -> None:
    with pytest.raises(NotUnderstood):
        understood(text, TODAY)
