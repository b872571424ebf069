"""What a person allows assistants, and beginning anew: kept, ended, exported where it belongs, forgotten."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from bridge import advise
from bridge.ports import Recommendation, Store, User
from rhythm_env.interface import Answer
from tests.store.test_advice import MOMENT, advised
from tests.store.toy import HOUR, T0


def person(store: Store, name: str = "ana") -> User:
    return store.add_user(name, "Europe/Berlin", now=T0)


def answered(store: Store, user: User, step: int, at_hour: int) -> Recommendation:
    at = T0 + at_hour * HOUR
    given = replace(advised(store), user_id=user.id, moment=MOMENT.shifted(step), created_at=at, shown_at=at)
    observation = {"meters": {"VITALITY": {"level": 0.7}}}
    kept = store.add_recommendation(
        replace(given, observation=observation, expires_at=at + HOUR, belief_sd=(0.1, 0.2, 0.3))
    )
    return store.answer(kept.id, Answer.ACCEPT, now=at)


def test_a_tool_is_allowed_once_and_until_it_is_refused(store: Store) -> None:
    ana, ben = person(store), person(store, "ben")
    store.choices.allow(ana.id, "meters", now=T0)
    store.choices.allow(ana.id, "meters", now=T0 + HOUR)
    store.choices.allow(ana.id, "calendar", now=T0 + HOUR)
    assert store.choices.allowed(ana.id) == {"calendar": T0 + HOUR, "meters": T0}
    assert store.choices.allowed(ben.id) == {}
    assert store.choices.refuse(ana.id, "meters")
    assert not store.choices.refuse(ana.id, "meters")
    assert list(store.choices.allowed(ana.id)) == ["calendar"]
    store.forget(ana.id)
    assert store.choices.allowed(ana.id) == {}


def test_answers_from_before_a_reset_do_not_count_until_it_is_taken_back(store: Store) -> None:
    user = person(store)
    answered(store, user, 0, 0)
    store.choices.reset(user.id, now=T0 + 2 * HOUR)
    answered(store, user, 1, 3)
    heard = [len(advise.interactions(store, user, at=T0 + hours * HOUR)) for hours in (1, 2, 4)]
    assert heard == [1, 0, 1]
    assert store.choices.take_back_reset(user.id, now=T0 + 5 * HOUR) == T0 + 2 * HOUR
    assert store.choices.take_back_reset(user.id, now=T0 + 5 * HOUR) is None
    assert len(advise.interactions(store, user, at=T0 + 6 * HOUR)) == 2
    assert len(advise.interactions(store, user, at=T0 + 4 * HOUR)) == 1  # as it was known then


def test_what_was_believed_comes_without_the_situation(store: Store) -> None:
    user = person(store)
    answered(store, user, 0, 0)
    (one,) = store.stated(user.id, since=T0, until=T0 + timedelta(days=1))
    assert (one.belief, one.sd, one.answer, one.lapsed) == ({"social": 0.25}, (0.1, 0.2, 0.3), Answer.ACCEPT, False)


def test_resets_go_where_the_data_go_and_permissions_stay(store: Store) -> None:
    user, other = person(store), person(store, "ben")
    answered(store, user, 0, 0)
    store.choices.reset(user.id, now=T0 + HOUR)
    store.choices.allow(user.id, "meters", now=T0)
    saved = store.dump(user.id)
    store.restore(other.id, saved)
    assert store.choices.resets(other.id) == store.choices.resets(user.id)
    assert store.choices.allowed(other.id) == {}
    for row in saved["recommendations"]:
        del row["belief_sd"]  # as an export of an earlier release has it
    third = person(store, "cleo")
    store.restore(third.id, saved)
    assert [one.sd for one in store.stated(third.id, since=T0, until=T0 + HOUR)] == [None]
