"""The random policy is uniform over what is feasible and follows the generator it is given."""

from __future__ import annotations

import random
from collections import Counter

from lab.policies.random import open_policy
from rhythm_env.interface import ActionType, Belief, Meter, MeterState, Observation, Slot

FEASIBLE = (ActionType.SLEEP, ActionType.LEARN, ActionType.ME_TIME, ActionType.EXERCISE)
OBSERVATION = Observation(
    timestep=0, day=0, slot=Slot.MORNING, meters={meter: MeterState(level=0.5) for meter in Meter}, feasible=FEASIBLE
)


def test_draws_each_feasible_action_equally_often() -> None:
    policy, rng = open_policy(), random.Random(3)
    drawn = Counter(policy.decide(OBSERVATION, rng).action for _ in range(4000))
    assert set(drawn) == set(FEASIBLE)
    assert all(900 < count < 1100 for count in drawn.values())


def test_says_so() -> None:
    decision = open_policy().decide(OBSERVATION, random.Random(1))
    assert set(decision.probabilities.values()) == {0.25}
    assert decision.belief == Belief()
    assert decision.reasons == ("drawn by lot from 4 possible actions",)
