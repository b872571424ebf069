"""Requests a second that all processes share, and what a sync without news leaves."""

from __future__ import annotations

from datetime import timedelta

from bridge.store import Store
from tests.world import NOW

PER_SECOND, PATIENCE = 100 / 60, timedelta(seconds=5)


def reserved(store: Store, count: int, seconds: float = 0.0) -> float:
    at = NOW + timedelta(seconds=seconds)
    return store.rates.reserve(
        "whoop", timedelta(seconds=count / PER_SECOND), now=at, patience=PATIENCE
    ).total_seconds()


def test_a_minutes_worth_may_be_sent_at_once_and_then_as_fast_as_the_rate(store: Store) -> None:
    assert [reserved(store, 25) for _ in range(4)] == [0.0] * 4
    assert reserved(store, 5) == 3.0
    assert reserved(store, 5) == 6.0  # longer than anybody waits, so that nothing is reserved
    assert reserved(store, 5, seconds=1) == 5.0


def test_room_is_what_nobody_has_reserved_and_grows_with_time(store: Store) -> None:
    rates = {"whoop": PER_SECOND, "withings": 2.0}
    assert store.rates.room(rates, now=NOW) == {"whoop": 100, "withings": 120}
    reserved(store, 100)
    assert store.rates.room(rates, now=NOW) == {"whoop": 0, "withings": 120}
    assert store.rates.room(rates, now=NOW + timedelta(seconds=30))["whoop"] == 50


def test_a_clock_that_was_ahead_holds_nobody_up(store: Store) -> None:
    reserved(store, 100, seconds=3600)
    assert reserved(store, 100) == 0.0
