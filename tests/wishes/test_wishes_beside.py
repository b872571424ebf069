"""Wishes that cannot both be kept: the words say with which one, and which counts, whatever is said first."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, date, datetime, time

import pytest

from bridge.advice.wishing import say_wish
from bridge.day.routine import wished_sleep
from bridge.domain.errors import SetupError
from bridge.domain.slots import ZoneSpan
from bridge.domain.wish_records import plain, wishes_of
from bridge.domain.wish_terms import night_on, wished_on
from bridge.domain.wishes import Wishes
from bridge.store import Store
from bridge.wishes.hearing import understood
from bridge.wishes.merging import conflicts
from bridge.wishes.said import applied, replaced, standing, without
from bridge.wishes.told import sentence
from rhythm_env.interface import ActionType

EXERCISE = ActionType.EXERCISE
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
PAIRS = (  # what counts, what asks
    ("no sport on Sundays", "exercise 7 times a week"),
    ("sport only on Mondays and Fridays", "three runs a week"),
    ("no sport before 9", "sport every day at 7 in the morning"),
    ("no naps", "naps at most 20 minutes"),
    ("no meditation", "meditation at least 10 minutes"),
)
BOTH = (
    ("no sport on Sundays", "exercise 6 times a week"),
    ("no sport before 8", "sport every day at 7 in the morning"),
    ("no sport before 9", "meditation every morning"),
    ("no sport before 9", "exercise 7 times a week"),
    ("no naps", "tv at most 30 minutes"),
)


def made(*texts: str) -> Wishes:
    wishes = Wishes()
    for text in texts:
        wishes = applied(wishes, understood(text))
    return wishes


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("pair", PAIRS)
def test_what_cannot_be_kept_beside_a_wish_says_so_before_it_is_saved(pair: tuple[str, str], first: int) -> None:
    with closing(Store("sqlite://")) as store:
        user = store.people.add_user("ana", "Europe/Berlin", now=NOW)
        say_wish(store, user, pair[first], confirmed=True, now=NOW)
        told = str(say_wish(store, user, pair[1 - first], confirmed=False, now=NOW))
        assert told.count(f'"{sentence(understood(pair[0]))}" counts') == 1
        assert any(f'beside your wish "{sentence((one,))}"' in told for one in standing(made(pair[first])))
        say_wish(store, user, pair[1 - first], confirmed=True, now=NOW)
        assert "counts" not in str(say_wish(store, user, "no series", confirmed=False, now=NOW))


@pytest.mark.parametrize("pair", BOTH)
def test_what_can_be_kept_says_nothing(pair: tuple[str, str]) -> None:
    one, other = (understood(text) for text in pair)
    assert conflicts(applied(Wishes(), one), other) == ()
    assert conflicts(applied(Wishes(), other), one) == ()


@pytest.mark.parametrize(
    ("before", "text", "gone"),
    [
        ("sport every day", "run at 7 in the morning", ""),
        ("sport in the morning", "yoga on Saturdays", ""),
        ("sport in the morning", "yoga in the evening", ""),
        ("no sport before 9", "no running before 11", ""),
        ("runs at most 60 minutes", "yoga at most 20 minutes", ""),
        ("sport every day", "at most two workouts a week", "exercise 7 times a week"),
        ("at most two workouts a week", "sport four times a week", "exercise at most 2 times a week"),
        ("runs at most 60 minutes", "running at most 30 minutes", "exercise (runs) at most 60 minutes at a time"),
        ("yoga in the evening", "yoga in the morning", "exercise (yoga) best from 18:00 to 24:00"),
    ],
)
def test_a_wish_replaces_only_what_it_contradicts(before: str, text: str, gone: str) -> None:
    wishes = made(before)
    assert sentence(replaced(wishes, understood(text))) == gone
    assert wishes_of(plain(applied(wishes, understood(text)))) == applied(wishes, understood(text))


LIFTED = (  # what stands, what is lifted, what is left, what the words name as taken back or cut
    (
        ("no sport before 9", "never sport on Thursday evenings"),
        ("sport before 9 again", "doch wieder Sport vor 9 Uhr"),
        "exercise not on Thursdays from 18:00 to 24:00",
        "exercise not before 09:00",
    ),
    (
        ("no sport before 9", "Sport nicht am Samstag von 9:00 bis 12:00"),
        ("sport before 10 again", "doch wieder Sport vor 10 Uhr"),
        "exercise not on Saturdays from 10:00 to 12:00",
        "exercise not before 09:00; exercise not on Saturdays from 09:00 to 12:00",
    ),
    (
        ("never suggest exercise",),
        ("sport before 9 again", "doch wieder Sport vor 9 Uhr"),
        "exercise not after 09:00",
        "never suggest exercise",
    ),
    (("never suggest exercise",), ("exercise again", "Sport wieder erlaubt"), "", "never suggest exercise"),
)


@pytest.mark.parametrize(
    ("before", "text", "left", "gone"),
    [(before, text, left, gone) for before, texts, left, gone in LIFTED for text in texts],
)
def test_what_is_lifted_leaves_all_else_and_is_named(before: tuple[str, ...], text: str, left: str, gone: str) -> None:
    wishes, said = made(*before), understood(text)
    assert sentence(standing(applied(wishes, said))) == left
    assert sentence(replaced(wishes, said)) == gone


@pytest.mark.parametrize("text", ["sport before 9 again", "doch wieder Sport ab 7 Uhr", "exercise again"])
def test_what_does_not_stand_cannot_be_lifted(store: Store, text: str) -> None:
    user = store.people.add_user("ana", "Europe/Berlin", now=NOW)
    say_wish(store, user, "no series before 20:00", confirmed=True, now=NOW)
    with pytest.raises(SetupError, match="no wish that stands is taken back"):
        say_wish(store, user, text, confirmed=True, now=NOW)


@pytest.mark.parametrize("text", ["yoga at most twice a week", "an hour of reading every day", "no running before 8"])
def test_a_wish_for_a_kind_is_undone_at_once(text: str) -> None:
    wishes = made(text)
    for one in standing(wishes):
        wishes = without(wishes, one)
    assert wishes == Wishes()
    assert all(one.names for one in understood(text))


def test_what_is_held_of_a_kind_is_that_of_its_days() -> None:
    wishes = made("sport in the morning", "yoga on Saturdays", "yoga at most 20 minutes")
    saturday, monday = wished_on(wishes, date(2026, 11, 28)), wished_on(wishes, date(2026, 11, 30))
    assert (saturday.named, monday.named) == ({EXERCISE: "yoga"}, {})
    assert saturday.best[EXERCISE].hours == monday.best[EXERCISE].hours == ((time(6), time(12)),)


def test_not_up_before_is_no_hour_of_getting_up() -> None:
    usual = (datetime(2026, 11, 20, 23, tzinfo=UTC), datetime(2026, 11, 21, 6, tzinfo=UTC))
    zones = [ZoneSpan(since=NOW, zone="UTC")]
    for text, hour in (
        ("don't wake me before 8", 8),
        ("don't wake me before 5", 6),
        ("don't wake me before 8 on Sundays", 6),
    ):
        wish = night_on(made(text), date(2026, 11, 21))
        assert wished_sleep(usual, wish, date(2026, 11, 21), zones)[1].hour == hour
