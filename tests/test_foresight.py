"""What was foretold is held against what was answered, from what is stored."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bridge import installation, registry
from bridge.advice import recommend
from bridge.advice.foresight import foresight, judged
from bridge.domain.guard import Guard
from bridge.domain.records import Recommendation
from rhythm_env.interface import Answer
from tests.world import introduce

START = datetime(2026, 11, 2, 7, tzinfo=UTC)


def test_stored_answers_are_held_against_what_was_said_of_them() -> None:
    with installation.open_bridge() as bridge:
        user = bridge.store.people.add_user("ana", "UTC", now=START)
        introduce(bridge.store, user, now=START)
        classifier, taken = registry.classifier("keywords"), []
        for number in range(30):
            now = START + timedelta(hours=6 * number)
            policy = registry.policy("adaptive" if number < 24 else "planner")
            guard = Guard(explore=0.0, silent=False)
            advice = recommend.recommend(bridge.store, user, classifier, policy, now=now, guard=guard)
            assert isinstance(advice, Recommendation)
            given = Answer.ACCEPT if number % 2 else Answer.IGNORE
            bridge.store.recommendations.save_feedback(advice.id, given, now=now, moved_to=None)
            if number < 24:
                taken.append((advice.scores[str(advice.action)], given is Answer.ACCEPT))
        found = foresight(bridge.store, user, now=START + timedelta(days=9))
    assert found.answers == 24  # the planner's scores are no chances
    assert abs(found.score - sum((p - t) ** 2 for p, t in taken) / 24) < 1e-9
    assert found.usual == 0.25
    assert found.verdict == "not known yet"
    assert sum(week.answers for week in found.weeks) == 24


def test_a_policy_that_is_always_wrong_foretells_badly() -> None:
    day = START.date()
    assert judged([(day, 0.9, n % 3 == 0) for n in range(60)]).verdict == "badly"
    assert judged([(day, 0.9 if n % 3 else 0.1, n % 3 > 0) for n in range(60)]).verdict == "well"
    assert judged([(day, 0.33, n % 3 == 0) for n in range(60)]).verdict.startswith("no better")
