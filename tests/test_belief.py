"""A stored belief is replayed unchanged, answers are named by what they moved, and a reset begins anew."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import timedelta

import pytest

from bridge import registry
from bridge.advice import feedback, recommend
from bridge.advice.belief_history import beliefs, said
from bridge.advice.personalise import for_person, in_use
from bridge.documents.recommendations import belief_document
from bridge.domain.facts import fact
from bridge.domain.guard import Guard
from bridge.domain.records import Deed, Feedback, FullRecommendation, Prior, Recommendation, User
from bridge.store import Store
from policies import llm
from policies.planner import Planner
from rhythm_env.interface import ActionType, Answer, Belief, Policy
from tests.lab.training.llm.test_prompt import answered, seen
from tests.store.toy import HOUR, T0
from tests.test_links import MOMENT
from tests.world import bridge_of, introduce

DAY = timedelta(days=1)


def person(store: Store) -> User:
    return known_person(store, "ana")


def known_person(store: Store, name: str) -> User:
    user = store.people.add_user(name, "Europe/Berlin", now=T0)
    introduce(store, user, now=T0)
    return user


def advised(store: Store, user: User, policy: Policy, step: int) -> Recommendation:
    """Advice of the slot ``step`` slots after the first one, where no slot is silent by lot."""
    now, guard = T0 + 6 * step * HOUR, Guard(silent=False)
    found = recommend.recommend(bridge_of(store), user, policy, now=now, guard=guard)
    assert isinstance(found, Recommendation)
    return found


def stated(
    store: Store,
    user: User,
    step: int,
    belief: tuple[float, float, float],
    answer: Answer | None = None,
    *,
    policy: str = "toy@1",
    sd: tuple[float, float, float] | None = (0.1, 0.2, 0.3),
    scores: Mapping[str, float] | None = None,
) -> Recommendation:
    """Advice of the slot ``step`` slots after the first one, six hours each."""
    at = T0 + 6 * step * HOUR
    given = FullRecommendation(
        id=0,
        user_id=user.id,
        moment=MOMENT.shifted(step),
        action=ActionType.EXERCISE,
        policy=policy,
        scores=scores or {},
        probabilities={},
        facts=(),
        observation={"meters": {}},
        belief=dict(zip(("social", "morning", "work"), belief, strict=True)),
        belief_sd=sd,
        created_at=at,
        shown_at=at,
        expires_at=at + 6 * HOUR,
    )
    kept = store.recommendations.add(given)
    return (
        kept
        if answer is None
        else store.recommendations.save_feedback(kept.id, Feedback(answer=answer, answered_at=at + HOUR))
    )


def test_answers_are_named_by_what_changed_until_the_next_advice(store: Store) -> None:
    user = person(store)
    stated(store, user, 0, (0.5, 0.5, 0.5), Answer.ACCEPT)
    stated(store, user, 1, (0.5, 0.5, 0.6), Answer.IGNORE)
    stated(store, user, 2, (0.5, 0.2, 0.6))
    found = beliefs(store, user, now=T0 + DAY)
    assert [(one.answer, round(one.size, 2)) for one in found.moves] == [(Answer.IGNORE, 0.3), (Answer.ACCEPT, 0.1)]
    text = said(found.moves[0])
    assert text.startswith("You ignored exercise (Sun ")
    assert text.endswith("towards “night owl” by 0.30 (to 0.20).")
    body = belief_document(found)
    assert body["dimensions"]["work"]["mean"] == [0.6, 0.6]  # of each day the last
    assert body["dimensions"]["work"]["sd"] == [0.3, 0.3]


def test_seen_and_not_done_is_an_answer_and_not_known_is_none(store: Store) -> None:
    user = person(store)
    first = stated(store, user, 0, (0.5, 0.5, 0.5))
    stated(store, user, 1, (0.4, 0.5, 0.5))
    assert beliefs(store, user, now=T0 + DAY).moves == ()  # seen and over: no data tell whether it was done
    store.recommendations.save_outcome(
        first.id, Deed.NOT_DONE, (fact("missed_workout", source="whoop"),), at=T0 + 7 * HOUR
    )
    (move,) = beliefs(store, user, now=T0 + DAY).moves
    assert move.answer is Answer.IGNORE
    assert said(move).startswith("You did not follow exercise (Sun ")  # nothing was pressed
    assert beliefs(store, user, now=T0 + 6 * HOUR).answers == 0  # not yet


def test_what_a_prior_a_stand_in_and_their_end_changed_no_answer_did(store: Store) -> None:
    """Between two pieces of advice the policy was another, under the same name and version."""
    user, planner = person(store), registry.policy("planner")
    assert isinstance(planner, Planner)
    own = planner.personal(planner.learn(seen(history=answered(20, until=T0))))
    gone = llm.open_policy({"address": "http://127.0.0.1:9/v1"})  # a service that is not there: the planner decides
    for step, policy in enumerate([planner, own, planner, gone, planner]):
        advice = advised(store, user, policy, step)
        store.recommendations.save_feedback(advice.id, Feedback(answer=Answer.ACCEPT, answered_at=T0 + 6 * step * HOUR))
    stated = [one.policy for one in store.recommendations.between(user.id, since=T0, until=T0 + 9 * DAY)]
    now = f"planner@{planner.version}"
    assert stated == [now, f"{now}+prior-2026-03-01", now, f"llm@{gone.version}+planner", now]
    assert beliefs(store, user, now=T0 + 9 * DAY).moves == ()


def test_advice_of_hours_that_come_again_on_a_journey_west_is_not_over_before_it_is_given(lite: Store) -> None:
    """It was shown, and passed for ignored at once."""
    user = person(lite)
    lite.people.set_zone(user.id, "America/New_York", since=T0 + HOUR / 2)
    user = lite.people.user(user.name)
    advice = recommend.recommend(bridge_of(lite), user, registry.policy("planner"), now=T0 + HOUR)
    assert isinstance(advice, Recommendation)
    lite.recommendations.mark_shown(advice.id, now=T0 + HOUR)
    assert feedback.interactions(lite, user, at=T0 + 2 * HOUR) == []
    assert advice.expires_at > T0 + HOUR


@pytest.mark.parametrize("gap", ["policy", "days", "reset"])
def test_nothing_is_said_to_be_moved_across_a_gap(store: Store, gap: str) -> None:
    user = person(store)
    stated(store, user, 0, (0.5, 0.5, 0.5), Answer.ACCEPT)
    if gap == "reset":
        store.lessons.add_reset(user.id, now=T0 + 2 * HOUR)
    step, policy = (20 if gap == "days" else 1), ("toy@2" if gap == "policy" else "toy@1")
    stated(store, user, step, (0.9, 0.5, 0.5), policy=policy)
    assert beliefs(store, user, now=T0 + 9 * DAY).moves == ()


def test_nobody_sees_anybody_elses(store: Store) -> None:
    user = person(store)
    stated(store, user, 0, (0.5, 0.5, 0.5), Answer.ACCEPT)
    other = store.people.add_user("ben", "UTC", now=T0)
    store.lessons.add_reset(user.id, now=T0)
    found = beliefs(store, other, now=T0 + DAY)
    assert (found.days, found.moves, found.resets, found.answers) == ((), (), (), 0)


def test_after_a_reset_the_planner_believes_what_it_believes_of_a_stranger(store: Store) -> None:
    """And what it believed, once that is taken back; a prior counts by the same rule."""
    user, planner = person(store), registry.policy("planner")
    for step in range(8):
        advice = advised(store, user, planner, step)
        store.recommendations.save_feedback(advice.id, Feedback(answer=Answer.ACCEPT, answered_at=T0 + 6 * step * HOUR))
    later = T0 + 3 * DAY

    def believed() -> Belief:
        seen, _ = recommend.build_observation(bridge_of(store), user, at=later)
        return for_person(store, user, planner).decide(seen, random.Random(1)).belief

    before = believed()
    made = Prior(
        policy=f"{planner.name}@{planner.version}",
        made_at=T0 + DAY,
        body={},
        learnt_from=50,
        tried_on=10,
        gain=0.1,
        kept=True,
    )
    store.lessons.add_reset(user.id, now=later - HOUR)
    store.lessons.add_prior(user.id, made)
    assert in_use(store, user, planner) is None
    stranger = known_person(store, "ben")
    seen, _ = recommend.build_observation(bridge_of(store), stranger, at=later)
    assert believed() == planner.decide(seen, random.Random(1)).belief != before
    store.lessons.withdraw_reset(user.id, now=later)
    assert in_use(store, user, planner) == made
    store.lessons.withdraw_prior(user.id, made.policy)
    assert believed() == before
