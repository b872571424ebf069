"""Corrections of an event's action: kept, newest first, as of any moment, and gone with the person."""

from __future__ import annotations

from dataclasses import replace

from bridge.domain.records import Correction
from bridge.store import Store
from rhythm_env.interface import ActionType
from tests.store.toy import HOUR, T0, connected

GYM = Correction(series="c/gym", title="Block 🏋", action=ActionType.EXERCISE, made_at=T0)


def test_the_newest_of_a_series_counts_and_earlier_moments_see_what_was_said_then(store: Store) -> None:
    user = connected(store).user_id
    later = replace(GYM, action=None, made_at=T0 + HOUR)
    other = replace(GYM, series="c/choir", title=None, action=ActionType.SOCIALIZE, made_at=T0 + 2 * HOUR)
    for one in (GYM, later, other):
        store.people.add_correction(user, one)
    assert store.people.corrections(user) == [other, later]
    assert store.people.corrections(user, at=T0 + HOUR) == [later]
    assert store.people.corrections(user, at=T0) == [GYM]
    assert store.people.corrections(user, at=T0 - HOUR) == []


def test_a_title_may_hold_what_no_database_takes(store: Store) -> None:
    user = connected(store).user_id
    store.people.add_correction(user, replace(GYM, title="half \ud83d and nul \x00"))
    assert [one.title for one in store.people.corrections(user)] == ["half ? and nul  "]


def test_they_belong_to_one_person_and_go_with_them(store: Store) -> None:
    user = connected(store).user_id
    other = store.people.add_user("ben", "Asia/Tokyo", now=T0).id
    store.people.add_correction(user, GYM)
    assert store.people.corrections(other) == []
    assert [row["series"] for row in store.exports.dump(user)["corrections"]] == ["c/gym"]
    store.people.forget(user)
    assert store.people.corrections(user) == []
