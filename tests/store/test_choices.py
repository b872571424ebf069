"""Tools allowed to assistants, and beginning anew: kept, ended, exported where it belongs, forgotten."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from bridge.advice import feedback
from bridge.domain.records import Feedback, Recommendation, User
from bridge.store import Store
from rhythm_env.interface import Answer
from tests.store.test_advice import MOMENT, advised
from tests.store.toy import HOUR, T0


def person(store: Store, name: str = "ana") -> User:
    return store.people.add_user(name, "Europe/Berlin", now=T0)


def answered(store: Store, user: User, step: int, at_hour: int) -> Recommendation:
    at = T0 + at_hour * HOUR
    given = replace(advised(store), user_id=user.id, moment=MOMENT.shifted(step), created_at=at, shown_at=at)
    observation = {"meters": {"VITALITY": {"level": 0.7}}}
    kept = store.recommendations.add(
        replace(given, observation=observation, expires_at=at + HOUR, belief_sd=(0.1, 0.2, 0.3))
    )
    return store.recommendations.save_feedback(kept.id, Feedback(answer=Answer.ACCEPT, answered_at=at))


def test_a_tool_is_allowed_once_and_until_it_is_refused(store: Store) -> None:
    ana, ben = person(store), person(store, "ben")
    store.people.allow_tool(ana.id, "meters", now=T0)
    store.people.allow_tool(ana.id, "meters", now=T0 + HOUR)
    store.people.allow_tool(ana.id, "calendar", now=T0 + HOUR)
    assert store.people.allowed_tools(ana.id) == {"calendar": T0 + HOUR, "meters": T0}
    assert store.people.allowed_tools(ben.id) == {}
    assert store.people.refuse_tool(ana.id, "meters")
    assert not store.people.refuse_tool(ana.id, "meters")
    assert list(store.people.allowed_tools(ana.id)) == ["calendar"]
    store.people.forget(ana.id)
    assert store.people.allowed_tools(ana.id) == {}


def test_answers_from_before_a_reset_do_not_count_until_it_is_taken_back(store: Store) -> None:
    user = person(store)
    answered(store, user, 0, 0)
    store.lessons.add_reset(user.id, now=T0 + 2 * HOUR)
    answered(store, user, 1, 3)
    heard = [len(feedback.interactions(store, user, at=T0 + hours * HOUR)) for hours in (1, 2, 4)]
    assert heard == [1, 0, 1]
    assert store.lessons.withdraw_reset(user.id, now=T0 + 5 * HOUR) == T0 + 2 * HOUR
    assert store.lessons.withdraw_reset(user.id, now=T0 + 5 * HOUR) is None
    assert len(feedback.interactions(store, user, at=T0 + 6 * HOUR)) == 2
    assert len(feedback.interactions(store, user, at=T0 + 4 * HOUR)) == 1  # as it was known then


def test_what_was_believed_comes_without_the_situation(store: Store) -> None:
    user = person(store)
    answered(store, user, 0, 0)
    (one,) = store.recommendations.between(user.id, since=T0, until=T0 + timedelta(days=1))
    assert (one.belief, one.belief_sd, one.answer, one.outcome) == (
        {"social": 0.25},
        (0.1, 0.2, 0.3),
        Answer.ACCEPT,
        None,
    )


def test_resets_go_where_the_data_go_and_permissions_stay(store: Store) -> None:
    user, other = person(store), person(store, "ben")
    answered(store, user, 0, 0)
    store.lessons.add_reset(user.id, now=T0 + HOUR)
    store.people.allow_tool(user.id, "meters", now=T0)
    saved = store.exports.dump(user.id)
    store.exports.restore(other.id, saved)
    assert store.lessons.resets(other.id) == store.lessons.resets(user.id)
    assert store.people.allowed_tools(other.id) == {}
    for row in saved["recommendations"]:
        del row["belief_sd"]  # as an export of an earlier release has it
    third = person(store, "cleo")
    store.exports.restore(third.id, saved)
    assert [one.belief_sd for one in store.recommendations.between(third.id, since=T0, until=T0 + HOUR)] == [None]
