"""Thompson sampling per context: what it counts, and that it comes to what is taken."""

from __future__ import annotations

import random
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from lab.policies.thompson import counted, open_policy
from rhythm_env.interface import ActionType, Answer, Interaction, Meter, MeterState, Observation, Slot

MONDAY = datetime(2026, 1, 5, 6, tzinfo=UTC)
UNKNOWN = {meter: MeterState(level=0.7, sd=0.21, coverage=0.0) for meter in Meter}


def answered(day: int, slot: Slot, action: ActionType, given: Answer) -> Interaction:
    at = MONDAY + timedelta(days=day, hours=6 * slot)
    return Interaction(at=at, day=day % 7, slot=slot, levels={}, recommended=action, answer=given)


def evening(history: list[Interaction]) -> Observation:
    return Observation(timestep=2, day=0, slot=Slot.EVENING, meters=UNKNOWN, history=tuple(history))


def advised(history: list[Interaction], times: int = 300) -> Counter[ActionType]:
    return Counter(open_policy().decide(evening(history), random.Random(n)).action for n in range(times))


def test_counts_what_was_taken_in_this_slot_of_the_day() -> None:
    history = [
        answered(0, Slot.EVENING, ActionType.LEARN, Answer.ACCEPT),
        answered(1, Slot.EVENING, ActionType.LEARN, Answer.RESCHEDULE),
        answered(2, Slot.MORNING, ActionType.LEARN, Answer.ACCEPT),
    ]
    found = counted(evening(history))
    assert found[ActionType.LEARN] == (1, 1)
    assert found[ActionType.SLEEP] == (0, 0)


def test_before_any_answer_everything_is_as_likely() -> None:
    often = advised([])
    assert set(often) == set(ActionType)
    assert max(often.values()) < 3 * min(often.values())


def test_what_is_taken_is_advised_and_what_is_not_is_left() -> None:
    taken = [answered(day, Slot.EVENING, ActionType.EXERCISE, Answer.ACCEPT) for day in range(12)]
    refused = [
        answered(day, Slot.EVENING, action, Answer.IGNORE)
        for day in range(6)
        for action in ActionType
        if action is not ActionType.EXERCISE
    ]
    often = advised([*taken, *refused])
    assert often[ActionType.EXERCISE] > 0.8 * sum(often.values())
    decision = open_policy().decide(evening([*taken, *refused]), random.Random(1))
    assert decision.scores[ActionType.EXERCISE] == pytest.approx(13 / 14)
    assert decision.reasons == ("exercise was taken 12 of 12 times in the evening",)
