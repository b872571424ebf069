"""Wishes that cannot both be kept: the words say with which one, and which counts, whatever is said first."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime

import pytest

from bridge.advice.wishing import say_wish
from bridge.domain.wishes import Wishes
from bridge.store import Store
from bridge.wishes.conflicts import conflicts
from bridge.wishes.hearing import understood
from bridge.wishes.said import applied
from bridge.wishes.told import sentence

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
PAIRS = (  # what counts, what asks
    ("no sport on Sundays", "exercise 7 times a week"),
    ("sport only on Mondays and Fridays", "three runs a week"),
    ("no sport before 9", "sport every day at 7 in the morning"),
)
BOTH = (
    ("no sport on Sundays", "exercise 6 times a week"),
    ("no sport before 8", "sport every day at 7 in the morning"),
    ("no sport before 9", "meditation every morning"),
    ("no sport before 9", "exercise 7 times a week"),
)


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("pair", PAIRS)
def test_what_cannot_be_kept_beside_a_wish_says_so_before_it_is_saved(pair: tuple[str, str], first: int) -> None:
    with closing(Store("sqlite://")) as store:
        user = store.people.add_user("ana", "Europe/Berlin", now=NOW)
        say_wish(store, user, pair[first], confirmed=True, now=NOW)
        told = str(say_wish(store, user, pair[1 - first], confirmed=False, now=NOW))
        assert told.count(f'"{sentence(understood(pair[0]))}" counts') == 1
        assert any(f'beside your wish "{sentence((one,))}"' in told for one in understood(pair[first]))
        say_wish(store, user, pair[1 - first], confirmed=True, now=NOW)
        assert "counts" not in str(say_wish(store, user, "no series", confirmed=False, now=NOW))


@pytest.mark.parametrize("pair", BOTH)
def test_what_can_be_kept_says_nothing(pair: tuple[str, str]) -> None:
    one, other = (understood(text) for text in pair)
    assert conflicts(applied(Wishes(), one), other) == ()
    assert conflicts(applied(Wishes(), other), one) == ()
