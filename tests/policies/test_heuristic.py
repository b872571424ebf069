"""The heuristic's priority list, row by row."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from policies.heuristic import open_policy
from rhythm_env.interface import ActionType, Belief, Decision, Meter, MeterState, Observation, Slot


def seen(slot: Slot, *, day: int = 0, coverage: float = 1.0, **levels: float) -> Observation:
    state = {meter: MeterState(level=levels.get(meter.lower(), 0.7), sd=0.1, coverage=coverage) for meter in Meter}
    return Observation(timestep=day * 4 + int(slot), day=day, slot=slot, meters=state)


def decide(observation: Observation) -> Decision:
    return open_policy().decide(observation, random.Random(0))


ROWS = [
    (seen(Slot.MORNING, vitality=0.29, serenity=0.1, connection=0.1), ActionType.SLEEP),
    (seen(Slot.MORNING, vitality=0.3, serenity=0.29, connection=0.1), ActionType.MEDITATE),
    (seen(Slot.MORNING, vitality=0.3, serenity=0.3, connection=0.29), ActionType.FAMILY_TIME),
    (seen(Slot.NIGHT), ActionType.SLEEP),
    (seen(Slot.NIGHT, connection=0.2), ActionType.FAMILY_TIME),
    (seen(Slot.MORNING, cognition=0.41), ActionType.DEEP_WORK),
    (seen(Slot.MORNING, cognition=0.4), ActionType.EXERCISE),
    (seen(Slot.AFTERNOON, cognition=0.36), ActionType.LEARN),
    (seen(Slot.AFTERNOON, cognition=0.35), ActionType.ADMIN_WORK),
    (seen(Slot.EVENING, day=0), ActionType.FAMILY_TIME),
    (seen(Slot.EVENING, day=3), ActionType.EXERCISE),
]


@pytest.mark.parametrize(("observation", "action"), ROWS)
def test_the_first_rule_that_applies_decides(observation: Observation, action: ActionType) -> None:
    decision = decide(observation)
    assert decision.action is action
    assert decision.probabilities[action] == 1.0
    assert max(decision.scores, key=lambda a: decision.scores[a]) is action
    assert decision.belief == Belief()


def test_says_why_in_plain_words() -> None:
    assert decide(seen(Slot.MORNING, serenity=0.24)).reasons == ("your serenity is low (0.24)",)


@pytest.mark.parametrize("slot", Slot)
def test_a_meter_without_fresh_input_triggers_nothing(slot: Slot) -> None:
    low = dict.fromkeys(("vitality", "serenity", "connection", "cognition"), 0.05)
    decision = decide(seen(slot, coverage=0.0, **low))
    assert decision.action is decide(seen(slot)).action
    assert "low" not in decision.reasons[0]


@pytest.mark.parametrize(
    ("low", "first", "second"),
    [
        ("vitality", ActionType.SLEEP, ActionType.ME_TIME),
        ("serenity", ActionType.MEDITATE, ActionType.ME_TIME),
        ("connection", ActionType.FAMILY_TIME, ActionType.SOCIALIZE),
    ],
)
def test_a_remedy_that_does_not_fit_is_replaced_by_the_next_best(
    low: str, first: ActionType, second: ActionType
) -> None:
    observation = seen(Slot.MORNING, **{low: 0.1})
    assert decide(observation).action is first
    rest = tuple(action for action in ActionType if action is not first)
    assert decide(replace(observation, feasible=rest)).action is second


def test_falls_back_to_something_gentle_when_the_slots_own_action_does_not_fit() -> None:
    feasible = (ActionType.BINGE_WATCH, ActionType.DEEP_WORK, ActionType.ME_TIME)
    decision = decide(replace(seen(Slot.NIGHT), feasible=feasible))
    assert decision.action is ActionType.ME_TIME
    assert "night" in decision.reasons[0]
