"""A simulated person seen as a real one: what a policy is shown, how it is answered, and what it is never told."""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from bridge import registry
from lab.environments.dynamics import sampled, standing, utilities
from lab.evaluation.deployed import Life, Slice
from lab.people.answering import answer
from rhythm_env.dynamics import ACTIONS, acceptance
from rhythm_env.interface import (
    REWARD,
    ActionType,
    Answer,
    Belief,
    Decision,
    Meter,
    Observation,
    Policy,
    Slot,
    observation_from_json,
)
from rhythm_env.profiles import archetypes, belief_target

pytestmark = pytest.mark.slow


class Knowing:
    """A policy that looks into the person's head: the best that can be advised in a slot."""

    name, version = "knowing", 1

    def __init__(self, life: Life) -> None:
        self._life = life

    def decide(self, observation: Observation, rng: random.Random) -> Decision:  # noqa: ARG002
        worth = utilities(self._life.meters, int(observation.slot), self._life.person)[:, 0]
        action = max(observation.feasible, key=lambda a: float(worth[ACTIONS.index(a)]))
        return Decision(action=action, belief=Belief(), scores={}, probabilities={action: 1.0})


def lived(policy: Policy | None, seeds: range, weeks: int = 1) -> list[Slice]:
    slices = []
    for seed in seeds:
        life = Life(seed)
        slices += list(life.live(policy or Knowing(life), weeks))
    return slices


@cache
def at_random() -> list[Slice]:
    """Twenty people, advised by chance for a week."""
    return lived(registry.policy("random"), range(20))


def accepted(slices: list[Slice]) -> float:
    return Counter(s.answer for s in slices)[Answer.ACCEPT] / len(slices)


@pytest.mark.slow
def test_random_advice_is_accepted_four_times_in_ten_and_the_best_more_than_eight() -> None:
    assert accepted(at_random()) == pytest.approx(0.40, abs=0.05)
    assert accepted(lived(None, range(20))) == pytest.approx(0.85, abs=0.05)


def test_what_is_shown_is_what_a_deployed_policy_sees() -> None:
    slices = lived(registry.policy("heuristic"), range(2), weeks=2)
    for before, now in pairwise(slices):
        seen = now.observation
        assert observation_from_json(json.loads(json.dumps(seen.to_json()))) == seen
        assert seen.anomalies is None
        assert seen.active_event is None
        assert not seen.done
        assert len(seen.step_history) == 7
        if now.moment.timestep:
            assert seen.reward == REWARD[before.answer]
            assert seen.history[-1].recommended == before.decision.action
    last = slices[-1].observation
    assert len(last.history) == 55  # every earlier answer of these two weeks
    assert any(state.coverage < 1 for state in last.meters.values())
    assert all(state.sd > 0 for state in last.meters.values())


@pytest.mark.slow
def test_the_truth_shows_through_but_faintly() -> None:
    """Over many people the vitality that is read correlates with the hidden one as much as nights do with reports."""
    slices = [s for s in at_random() if s.moment.slot is Slot.MORNING]
    hidden = [s.before[Meter.VITALITY] for s in slices]
    read = [s.observation.meters[Meter.VITALITY].level for s in slices]
    assert 0.05 < float(np.corrcoef(hidden, read)[0, 1]) < 0.6


def test_an_accepted_action_is_done_and_progress_starts_anew_on_monday() -> None:
    slices = lived(registry.policy("heuristic"), range(3), weeks=2)
    assert all(s.done is s.decision.action for s in slices if s.answer is Answer.ACCEPT)
    assert any(s.done is not s.decision.action for s in slices if s.answer is not Answer.ACCEPT)
    assert [s.before[Meter.PROGRESS] for s in slices if s.moment.timestep == 0] == [0.0] * 6


def test_nothing_of_the_person_is_in_an_observation() -> None:
    life = Life(5)
    hidden = [*belief_target(life.person)[:, 0], *life.person.weights[:, 0]]
    hidden += [values[0] for values in life.person.traits.values()]
    for one in life.live(registry.policy("heuristic"), 1):
        text = json.dumps(one.observation.to_json())
        assert not any(f"{float(x):.9f}" in text for x in hidden)


def test_the_same_seed_is_the_same_life() -> None:
    first, second = (lived(registry.policy("heuristic"), range(3, 4)) for _ in range(2))
    assert [(s.answer, s.done, s.after) for s in first] == [(s.answer, s.done, s.after) for s in second]


def test_a_better_answer_for_what_a_person_likes_better() -> None:
    """The extrovert takes company, the workaholic work, the introvert neither party nor overtime."""
    people = archetypes(["introvert_morning", "extrovert_night_owl", "workaholic_stoic"])
    worth = utilities(np.full((5, 3), 0.6), int(Slot.MORNING), people)
    relative = np.array([standing(worth[:, i], tuple(ActionType)) for i in range(3)])
    socialize, deep = relative[:, ACTIONS.index(ActionType.SOCIALIZE)], relative[:, ACTIONS.index(ActionType.DEEP_WORK)]
    assert socialize.argmax() == 1
    assert deep.argmax() == 2
    assert socialize[0] < 0
    better, same, worse = acceptance(np.array([2.0, 0.0, -2.0]))
    assert better > same > worse


def test_an_action_that_is_better_later_is_put_off() -> None:
    owl = archetypes(["extrovert_night_owl"])
    meters = np.array([[0.4], [0.3], [0.5], [0.6], [0.9]])
    rng = random.Random(1)
    seen = Counter(
        answer(meters, Slot.MORNING, owl, action, tuple(ActionType), rng)
        for action in (ActionType.DEEP_WORK, ActionType.LEARN)
        for _ in range(300)
    )
    assert all((later is not None) == (given is Answer.RESCHEDULE) for given, later in seen)
    before = copy.deepcopy(meters)
    utilities(meters, 0, owl)
    assert np.array_equal(meters, before)
    assert len(sampled([1])) == 1
