"""Outcomes in a real store: confirmed as data come, asked for once where none come, and said by the person."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
import sqlalchemy as sa

from bridge.advice import feedback, outcomes
from bridge.day.outcomes import as_answer
from bridge.domain.errors import SetupError
from bridge.domain.facts import fact
from bridge.domain.records import SAID, Deed, Feedback, FullRecommendation, Recommendation, User
from bridge.domain.rendering import for_person
from bridge.domain.slots import moment_at, slot_bounds
from bridge.domain.types import Item, RawRecord, Task
from bridge.store import Store, tables
from rhythm_env.interface import ActionType, Answer
from tests.day.test_outcomes import DAWN, EARLIER, EVENING, MIN, NEXT, NOON, RUN, slept, workout
from tests.meters.life import DAY, HOUR, MORNING
from tests.store.test_people import at_once
from tests.world import bridge_of


def person(store: Store, name: str = "ana") -> User:
    user = store.people.add_user(name, "Europe/Berlin", now=DAWN - 60 * DAY)
    store.connections.connect(user.id, "whoop", "account", now=DAWN)
    return user


def land(store: Store, user: User, *items: Item, now: datetime) -> None:
    """Let items come in from the watch at an instant."""
    (connection,) = store.connections.of_user(user.id)
    by_key = {str(item.key): item for item in items}
    records = [RawRecord(stream="day", key=key, payload={"n": key}) for key in by_key]
    store.ingest.land(connection, records, lambda record, _: [by_key[record.key]], now=now, version=1)


def advised(
    store: Store,
    user: User,
    at: datetime = DAWN,
    action: ActionType = RUN,
    *,
    shown: bool = True,
    what: str | None = None,
) -> Recommendation:
    moment = moment_at(at, user.zones)
    return store.recommendations.add(
        FullRecommendation(
            id=0,
            user_id=user.id,
            moment=moment,
            action=action,
            policy="toy@1",
            belief={},
            scores={},
            probabilities={},
            facts=(),
            observation={"meters": {}},
            created_at=at,
            expires_at=slot_bounds(moment, user.zones)[1],
            shown_at=at if shown else None,
            what=what,
        )
    )


def confirmed(store: Store, user: User, now: datetime) -> Recommendation:
    outcomes.confirm(bridge_of(store), user, now=now)
    return outcomes.advised(store, user, since=DAWN, until=NEXT)[0]


def heard(store: Store, user: User, at: datetime) -> list[Answer]:
    return [one.answer for one in feedback.interactions(store, user, at=at)]


def test_what_the_watch_saw_counts_as_accepted_though_nobody_pressed(store: Store) -> None:
    user = person(store)
    given = advised(store, user)
    land(store, user, EARLIER, workout(DAWN + HOUR, 36), now=NOON)
    assert outcomes.confirm(bridge_of(store), user, now=NOON - HOUR) == 0  # not over
    one = confirmed(store, user, NOON)
    assert (one.outcome, one.outcome_at, for_person(one.evidence)) == (Deed.DONE, NOON, ["workout 07:00-07:36, whoop"])
    assert one.answer is None  # what was pressed stays apart
    assert heard(store, user, NOON) == [Answer.ACCEPT]
    assert heard(store, user, NOON - HOUR) == []
    kept = store.recommendations.by_id(given.id)
    assert kept is not None
    assert (kept.outcome, kept.evidence) == (one.outcome, one.evidence)


def test_an_outcome_changes_while_data_come_and_then_no_more(store: Store) -> None:
    user = person(store)
    advised(store, user)
    land(store, user, EARLIER, now=DAWN)
    assert for_person(confirmed(store, user, NOON).evidence) == ["nothing yet from whoop"]
    land(store, user, slept(EVENING, 8), now=NEXT)
    assert confirmed(store, user, NEXT).outcome is Deed.NOT_DONE
    assert heard(store, user, NEXT) == [Answer.IGNORE]
    land(store, user, workout(DAWN + HOUR, 36), now=NEXT + DAY)  # the watch was late
    assert confirmed(store, user, NEXT + DAY).outcome is Deed.DONE
    assert outcomes.confirm(bridge_of(store), user, now=NEXT + DAY + HOUR) == 0  # nothing new
    land(store, user, replace(workout(DAWN + HOUR, 6), label="walk"), now=NEXT + 4 * DAY)
    assert confirmed(store, user, NEXT + 4 * DAY).outcome is Deed.DONE


def test_without_any_source_it_is_asked_once_and_counts_neither_way(store: Store) -> None:
    user = person(store)
    given = advised(store, user)
    assert outcomes.questions(store, user, now=NOON) == []
    assert confirmed(store, user, EVENING).outcome is Deed.UNKNOWN
    assert [one.id for one in outcomes.questions(store, user, now=EVENING)] == [given.id]
    assert heard(store, user, NEXT) == []
    assert outcomes.questions(store, user, now=NOON + DAY + HOUR) == []
    feedback.say(store, user, given.id, Deed.DONE, now=EVENING)
    assert outcomes.questions(store, user, now=EVENING) == []
    assert heard(store, user, EVENING) == [Answer.ACCEPT]


def test_what_nobody_saw_is_neither_looked_for_nor_asked(store: Store) -> None:
    user = person(store)
    given = advised(store, user, shown=False)
    land(store, user, EARLIER, workout(DAWN + HOUR, 36), now=NOON)
    assert outcomes.confirm(bridge_of(store), user, now=NOON) == 0
    assert outcomes.questions(store, user, now=NOON) == []
    store.recommendations.mark_shown(given.id, now=NOON)
    assert confirmed(store, user, EVENING).outcome is Deed.DONE


def test_data_that_may_still_come_are_waited_for_before_anybody_is_asked(store: Store) -> None:
    user = person(store)
    advised(store, user)
    land(store, user, EARLIER, now=DAWN)
    outcomes.confirm(bridge_of(store), user, now=NOON)
    assert outcomes.questions(store, user, now=NOON) == []


def test_the_persons_word_outranks_the_data(store: Store) -> None:
    user = person(store)
    given = advised(store, user)
    land(store, user, EARLIER, slept(EVENING, 8), now=NEXT)
    assert confirmed(store, user, NEXT).outcome is Deed.NOT_DONE
    said = feedback.say(store, user, given.id, Deed.DONE, now=NEXT)
    assert (said.outcome, said.evidence) == (Deed.DONE, SAID)
    assert outcomes.confirm(bridge_of(store), user, now=NEXT + HOUR) == 0
    store.recommendations.save_outcome(
        given.id, Deed.NOT_DONE, (fact("missed_workout", source="whoop"),), at=NEXT
    )  # begun before
    assert confirmed(store, user, NEXT + HOUR).outcome is Deed.DONE


def test_an_answer_can_be_changed_until_its_day_ends(store: Store) -> None:
    user = person(store)
    given = advised(store, user)
    feedback.give_feedback(store, user, given.id, Feedback(answer=Answer.ACCEPT), now=NOON)
    feedback.give_feedback(store, user, given.id, Feedback(answer=Answer.IGNORE), now=NEXT - MIN)
    with pytest.raises(SetupError, match=r"its answer stands \(not now\).*bridge history --user ana"):
        feedback.give_feedback(store, user, given.id, Feedback(answer=Answer.ACCEPT), now=NEXT)
    same = feedback.give_feedback(store, user, given.id, Feedback(answer=Answer.IGNORE), now=NEXT)
    assert same.answered_at == NEXT - MIN
    late = advised(store, user, NOON)
    assert (
        feedback.give_feedback(store, user, late.id, Feedback(answer=Answer.ACCEPT), now=NEXT).answer is Answer.ACCEPT
    )  # the first


def test_a_word_can_be_changed_until_its_day_ends(store: Store) -> None:
    user, other = person(store), person(store, "ben")
    given = advised(store, user)
    for deed in (Deed.DONE, Deed.PARTLY):
        assert feedback.say(store, user, given.id, deed, now=NEXT - MIN).outcome is deed
    with pytest.raises(SetupError, match="bridge history"):
        feedback.say(store, user, given.id, Deed.DONE, now=NEXT)
    with pytest.raises(SetupError, match="ben has no recommendation"):
        feedback.say(store, other, given.id, Deed.DONE, now=NOON)


def test_what_was_ignored_is_not_looked_for(store: Store) -> None:
    user = person(store)
    given = advised(store, user)
    feedback.give_feedback(store, user, given.id, Feedback(answer=Answer.IGNORE), now=DAWN + HOUR)
    assert outcomes.confirm(bridge_of(store), user, now=EVENING) == 0
    assert outcomes.questions(store, user, now=EVENING) == []
    assert heard(store, user, EVENING) == [Answer.IGNORE]


def test_the_newest_that_may_be_told_of_is_a_question_first(store: Store) -> None:
    user = person(store)
    assert outcomes.last_unsaid(store, user, now=DAWN) is None
    first, second = advised(store, user), advised(store, user, NOON)
    newest = outcomes.last_unsaid(store, user, now=NOON + HOUR)
    assert newest is not None
    assert newest.id == second.id
    outcomes.confirm(bridge_of(store), user, now=NOON + HOUR)
    asked = outcomes.last_unsaid(store, user, now=NOON + HOUR)
    assert asked is not None
    assert asked.id == first.id


def test_two_who_say_at_once_leave_one_word(store: Store) -> None:
    user = person(store)
    given = advised(store, user)
    deeds = [Deed.DONE, Deed.PARTLY, Deed.NOT_DONE, Deed.DONE]
    at_once(lambda number: feedback.say(store, user, given.id, deeds[number], now=MORNING + timedelta(hours=1)))
    kept = store.recommendations.by_id(given.id)
    assert kept is not None
    assert kept.evidence == SAID


def test_outcomes_go_where_the_data_go(store: Store) -> None:
    user, other = person(store), store.people.add_user("ben", "UTC", now=DAWN)
    given = advised(store, user)
    feedback.say(store, user, given.id, Deed.PARTLY, now=NOON)
    store.exports.restore(other.id, store.exports.dump(user.id))
    (one,) = outcomes.advised(store, other, since=DAWN, until=NEXT)
    assert (one.outcome, one.outcome_at, one.evidence) == (Deed.PARTLY, NOON, SAID)


def test_questions_are_read_without_the_settled_recommendations(store: Store) -> None:
    """Only unknown outcomes are read, and give the questions that all recommendations give."""
    user, found = person(store), []
    for slots, deed in enumerate((None, Deed.UNKNOWN, Deed.DONE, Deed.UNKNOWN, Deed.NOT_DONE, Deed.UNKNOWN)):
        given = advised(store, user, DAWN - 6 * slots * HOUR, shown=slots != 3)
        if deed is not None:
            store.recommendations.save_outcome(given.id, deed, (fact("missed", source="whoop"),), at=DAWN)
    for now in (DAWN - DAY, DAWN, NOON, EVENING, EVENING + DAY):
        every = outcomes.advised(store, user, since=now - 7 * DAY, until=now + HOUR)
        plain = [one for one in reversed(every) if outcomes._is_asked(one, user.zones, now)][: outcomes.QUESTIONS_MAX]
        assert outcomes.questions(store, user, now=now) == plain
        found += plain
    assert {one.outcome for one in found} == {Deed.UNKNOWN}


def test_an_outcome_that_evidence_no_longer_shows_is_withdrawn_and_stays_known_as_of_then(store: Store) -> None:
    user = person(store)
    advised(store, user)
    land(store, user, EARLIER, workout(DAWN + HOUR, 36), now=NOON)
    assert outcomes.confirm(bridge_of(store), user, now=NOON) == 1
    (connection,) = store.connections.of_user(user.id)
    gone = RawRecord(stream="day", key=workout(DAWN + HOUR, 36).key, payload={}, deleted=True)
    store.ingest.land(connection, [gone], lambda _record, _: [], now=NEXT, version=1)
    outcomes.confirm(bridge_of(store), user, now=NEXT)
    (one,) = store.recommendations.between(user.id, since=DAWN, until=NEXT)
    assert one.outcome is not Deed.DONE
    assert (one.outcome_before, one.outcome_before_at) == (Deed.DONE, NOON)
    assert as_answer(one, NOON) is Answer.ACCEPT  # as it was known then
    assert as_answer(one, NEXT) is not Answer.ACCEPT


def test_outcomes_that_a_newer_rule_takes_back_are_counted_and_told_once(store: Store) -> None:
    user = person(store)
    land(store, user, workout(DAWN + HOUR, 36), now=NOON)
    for slots in range(4):  # the workout speaks for the newest alone
        one = advised(store, user, DAWN - 6 * slots * HOUR)
        store.recommendations.save_outcome(one.id, Deed.DONE, (fact("missed", source="whoop"),), at=DAWN)
    from_earlier_release(store)
    text = "3 earlier answers were taken back, because nothing that came after the advice speaks"
    outcomes.confirm(bridge_of(store), user, now=NOON)

    def told(*, seen: bool) -> list[str]:
        return for_person(outcomes.told_withdrawn(store, user, seen=seen, now=NOON))

    assert told(seen=False) == [f"{text} for them"]  # to a program, which tells nobody
    assert told(seen=True) == [f"{text} for them"]
    assert told(seen=True) == told(seen=False) == []
    outcomes.confirm(bridge_of(store), user, now=NEXT)
    assert told(seen=True) == []


def from_earlier_release(store: Store) -> None:
    """Mark outcomes as the migration does those of an earlier release."""
    with store.database.engine.begin() as db:
        db.execute(sa.update(tables.recommendations).values(recheck=True))


@pytest.mark.parametrize(("deed", "is_open"), [(Deed.DONE, False), (Deed.PARTLY, False), (Deed.NOT_DONE, True)])
def test_yes_closes_the_named_task_and_no_opens_it_again(store: Store, deed: Deed, *, is_open: bool) -> None:
    user = person(store)
    land(store, user, Task(key="tax", list="l", title="Tax return"), now=DAWN)
    one = advised(store, user, action=ActionType.ADMIN_WORK, what="Tax return")
    feedback.say(store, user, one.id, Deed.DONE, now=NOON)
    feedback.say(store, user, one.id, deed, now=NOON + HOUR)
    ((_, task),) = store.reading.tasks(user.id)
    assert (task.completed is None) is is_open


@pytest.mark.parametrize(("days", "deed"), [(0, Deed.DONE), (2, Deed.DONE), (5, Deed.UNKNOWN)])
@pytest.mark.parametrize("slots", [4, None])
def test_a_task_that_was_put_off_counts_when_it_is_done_some_days_later(
    store: Store, days: int, slots: int | None, deed: Deed
) -> None:
    user = person(store)
    one = advised(store, user, action=ActionType.ADMIN_WORK, what="Tax return")
    moved_to = None if slots is None else one.moment.shifted(slots)
    feedback.give_feedback(store, user, one.id, Feedback(answer=Answer.RESCHEDULE, moved_to=moved_to), now=DAWN)
    done = NOON + (1 + days) * DAY
    land(store, user, Task(key="tax", list="l", title="Tax return", completed=done), now=done)
    assert confirmed(store, user, done + DAY).outcome is deed
    assert heard(store, user, done + DAY) == [Answer.RESCHEDULE]
