"""What a person said an event is: kept, newest first, as of any moment, and gone with the person."""

from __future__ import annotations

from dataclasses import replace

from bridge.ports import Correction, Store
from rhythm_env.interface import ActionType
from tests.store.toy import HOUR, T0, connected

GYM = Correction(series="c/gym", title="Block 🏋", action=ActionType.EXERCISE, made_at=T0)


def test_the_newest_of_a_series_counts_and_earlier_moments_see_what_was_said_then(store: Store) -> None:
    user = connected(store).user_id
    later = replace(GYM, action=None, made_at=T0 + HOUR)
    other = replace(GYM, series="c/choir", title=None, action=ActionType.SOCIALIZE, made_at=T0 + 2 * HOUR)
    for one in (GYM, later, other):
        store.correct(user, one)
    assert store.corrections(user) == [other, later]
    assert store.corrections(user, at=T0 + HOUR) == [later]
    assert store.corrections(user, at=T0) == [GYM]
    assert store.corrections(user, at=T0 - HOUR) == []


def test_a_title_may_hold_what_no_database_takes(store: Store) -> None:
    user = connected(store).user_id
    store.correct(user, replace(GYM, title="half \ud83d and nul \x00"))
    assert [one.title for one in store.corrections(user)] == ["half ? and nul  "]


def test_they_belong_to_one_person_and_go_with_them(store: Store) -> None:
    user = connected(store).user_id
    other = store.add_user("ben", "Asia/Tokyo", now=T0).id
    store.correct(user, GYM)
    assert store.corrections(other) == []
    assert [row["series"] for row in store.dump(user)["corrections"]] == ["c/gym"]
    store.forget(user)
    assert store.corrections(user) == []
