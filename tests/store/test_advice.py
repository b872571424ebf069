"""Recommendations: one per slot, kept whole, shown once, answered and answered again."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime

import pytest
import sqlalchemy as sa

from bridge.domain.errors import SetupError
from bridge.domain.facts import fact
from bridge.domain.records import SAID, Deed, Feedback, FullRecommendation, Recommendation
from bridge.domain.rendering import for_person
from bridge.domain.slots import moment_of
from bridge.store import Store
from rhythm_env.interface import ActionType, Answer
from tests.store.test_people import at_once
from tests.store.toy import HOUR, T0, connected, day, land

MOMENT = moment_of(date(2026, 2, 23), 26)


def advised(store: Store) -> Recommendation:
    return FullRecommendation(
        id=0,
        user_id=connected(store).user_id,
        moment=MOMENT,
        action=ActionType.EXERCISE,
        policy="toy@1",
        belief={"social": 0.25},
        scores={"EXERCISE": 1.5},
        probabilities={"EXERCISE": 0.9, "SLEEP": 0.1},
        facts=(fact("for_task", title="weil es gut tut — 🙂"),),
        observation={"timestep": 26, "meters": {"VITALITY": {"level": 0.7}}, "active_event": None},
        created_at=T0,
        expires_at=T0 + 6 * HOUR,
    )


def test_it_comes_back_as_it_was_given(store: Store) -> None:
    given = advised(store)
    kept = store.recommendations.add(given)
    assert kept == replace(given, id=kept.id)
    assert store.recommendations.by_id(kept.id) == store.recommendations.of_slot(given.user_id, MOMENT) == kept
    assert store.recommendations.of_slot(given.user_id, MOMENT.shifted(1)) is None
    assert store.recommendations.by_id(kept.id + 1) is None


def test_half_a_character_costs_no_advice(store: Store) -> None:
    kept = store.recommendations.add(replace(advised(store), facts=(fact("for_task", title="a walk \ud83d"),)))
    assert for_person(kept.facts) == ["for: a walk ?"]


def test_a_slot_has_one_however_many_ask_at_once(store: Store) -> None:
    given = advised(store)
    actions = [ActionType.SLEEP, ActionType.LEARN, ActionType.MEDITATE, ActionType.SOCIALIZE]
    kept = at_once(lambda number: store.recommendations.add(replace(given, action=actions[number])))
    assert len({(one.id, one.action) for one in kept}) == 1


def test_it_is_shown_once_and_the_last_answer_counts(store: Store) -> None:
    kept = store.recommendations.add(advised(store))
    store.recommendations.mark_shown(kept.id, now=T0 + HOUR)
    store.recommendations.mark_shown(kept.id, now=T0 + 2 * HOUR)
    moved = store.recommendations.save_feedback(
        kept.id, Feedback(answer=Answer.RESCHEDULE, answered_at=T0 + 3 * HOUR, moved_to=MOMENT.shifted(4))
    )
    assert (moved.shown_at, moved.answer, moved.moved_to) == (T0 + HOUR, Answer.RESCHEDULE, MOMENT.shifted(4))
    accepted = store.recommendations.save_feedback(kept.id, Feedback(answer=Answer.ACCEPT, answered_at=T0 + 4 * HOUR))
    assert (accepted.answer, accepted.answered_at, accepted.moved_to) == (Answer.ACCEPT, T0 + 4 * HOUR, None)
    with pytest.raises(SetupError, match="bridge recommend"):
        store.recommendations.save_feedback(kept.id + 1, Feedback(answer=Answer.ACCEPT, answered_at=T0))


def test_they_are_listed_by_creation_within_a_window(store: Store) -> None:
    given = advised(store)
    for step in (2, 0, 1):
        store.recommendations.add(replace(given, moment=MOMENT.shifted(step), created_at=T0 + step * HOUR))
    found = store.recommendations.full_between(given.user_id, since=T0, until=T0 + 2 * HOUR)
    assert [one.created_at for one in found] == [T0, T0 + HOUR]
    assert store.recommendations.full_between(connected(store).user_id, since=T0, until=T0 + 9 * HOUR) == []


def test_events_wait_from_the_last_that_was_sent(store: Store) -> None:
    kept = store.recommendations.add(advised(store))
    user, since, seen = kept.user_id, T0 - HOUR, list[str]()

    def waiting(number: int = 0) -> list[tuple[int, datetime, datetime | None]]:
        if number:
            store.maintenance.mark_done(f"sent {user}", "test/1", now=T0 + number * HOUR)
        return store.waiting.users_with_events("sent ", "tried ", since=since)

    assert waiting() == []  # nothing was ever sent: the first delivery begins the count
    assert waiting(-1) == [(user, T0, None)]
    store.maintenance.mark_done(f"tried {user}", "test/1", now=T0 + HOUR)
    store.recommendations.save_outcome(kept.id, Deed.DONE, SAID, at=T0 + 3 * HOUR)
    assert waiting(2) == [(user, T0 + 3 * HOUR, T0 + HOUR)]
    assert waiting(3) == []
    if store.database.engine.dialect.name == "sqlite":
        sa.event.listen(store.database.engine, "before_cursor_execute", lambda *given: seen.append(given[2]))
        waiting()
        query = next(text for text in seen if "recommendations" in text)
        with store.database.read() as db:
            plan = db.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}", (0,) * query.count("?")).all()
        assert not [step for *_, step in plan if step.startswith("SCAN recommendations")]


def test_a_silence_lasts_an_hour_or_until_data_arrives(store: Store) -> None:
    """A silence by lot lasts. One for want of data or of time is looked at again when something is known."""
    connection = connected(store)
    user = connection.user_id

    def settled(at: datetime) -> bool:
        return user in store.waiting.by_slot([MOMENT], since=at - HOUR, now=at)[MOMENT].advised

    store.recommendations.add_silence(user, MOMENT, probability=1.0, now=T0)
    assert settled(T0 + HOUR)
    assert not settled(T0 + HOUR * 2)
    land(store, connection, day("a", 1), now=T0)
    assert not settled(T0 + HOUR)
    store.recommendations.add_silence(user, MOMENT, probability=1.0, now=T0 + HOUR)
    land(store, connection, day("a", 1), now=T0 + HOUR * 1.5)  # as it was
    assert settled(T0 + HOUR * 2)
    store.recommendations.add_silence(user, MOMENT, probability=0.1, now=T0 + HOUR)
    land(store, connection, day("a", 2), now=T0 + HOUR * 1.5)
    assert settled(T0 + HOUR * 2)
