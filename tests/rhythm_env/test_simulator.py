"""The simulated week: what is published exactly, what must hold for every person and every way to play."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge import registry
from lab.environments import dynamics, grading
from lab.environments.dynamics import CONDITIONS, sampled
from lab.evaluation.strategies import strategy
from lab.evaluation.week import Weeks, begin, observation
from rhythm_env import constants
from rhythm_env.dynamics import ACTIONS, start
from rhythm_env.interface import ActionType, observation_from_json
from rhythm_env.profiles import Profiles, archetypes, belief_target

INDEX = {action: number for number, action in enumerate(ACTIONS)}
conditions = st.sampled_from(CONDITIONS)
seeds = st.lists(st.integers(0, 40_000), min_size=1, max_size=5)
plays = st.lists(st.integers(0, 9), min_size=28, max_size=28)


def lived(weeks: Weeks, actions: list[int]) -> Weeks:
    for action in actions:
        weeks.advance(np.full(weeks.n, action, dtype=np.intp))
    return weeks


def test_deep_work_is_the_published_row() -> None:
    assert constants.EFFECTS[ActionType.DEEP_WORK] == (-0.12, -0.10, 0.18, -0.05, 0.00)


def test_the_three_anomalies_and_the_reward_that_are_published() -> None:
    people = archetypes(list(constants.ARCHETYPES))
    even = np.full((5, 3), 0.7)
    _, anomaly = dynamics.changes(even, np.full(3, INDEX[ActionType.SOCIALIZE]), 0, people)
    assert anomaly[0] == pytest.approx([-0.096, 0.038, 0.0], abs=0.001)
    _, deltas, _ = dynamics.step(even, np.full(3, INDEX[ActionType.DEEP_WORK]), 0, people, np.zeros(3, dtype=np.intp))
    felt = constants.REWARD_SCALE * np.einsum("mn,mn->n", people.weights, deltas)
    assert felt[2] == pytest.approx(1.57, abs=0.05)


@pytest.mark.parametrize(("condition", "published", "within"), [("in", 0.20, 0.01), ("ood", 0.21, 0.02)])
def test_the_belief_that_says_nothing_is_as_wrong_as_published(condition: str, published: float, within: float) -> None:
    first = constants.OOD_FROM if condition == "ood" else 0
    target = belief_target(sampled(range(first, first + 2000), condition))
    assert np.abs(target - 0.5).mean() == pytest.approx(published, abs=within)
    assert all(len(traits) == 3 for traits in constants.BELIEF.values())


@pytest.mark.parametrize("name", ["random", "heuristic"])
@pytest.mark.parametrize("condition", ["in", "ood", "discrete"])
def test_the_baselines_land_where_they_are_published(name: str, condition: str) -> None:
    from lab.evaluation.grades import PUBLISHED, play, seeds_of

    chosen = seeds_of(condition, 500)
    weeks = begin(chosen, condition)
    result = play(weeks, strategy(name, weeks, chosen, "grade", registry.policy))
    assert result.belief is None
    assert result.weeks.final_score().mean() == pytest.approx(PUBLISHED[name][condition], abs=0.02)


@settings(deadline=None, max_examples=60)
@given(seeds, conditions, plays)
def test_meters_and_grades_stay_in_bounds(chosen: list[int], condition: str, actions: list[int]) -> None:
    weeks = lived(begin(chosen, condition), actions)
    levels = np.array(weeks.levels)
    assert levels.min() >= 0
    assert levels.max() <= 1
    parts = weeks.components(0.5)
    for values in (*parts.values(), grading.grade_v1(parts), grading.grade_v2(parts), weeks.mean_level()):
        assert values.min() >= 0
        assert values.max() <= 1
    target = belief_target(weeks.people)
    assert 0 <= target.min() <= target.max() <= 1
    assert weeks.people.weights.sum(axis=0) == pytest.approx(1)


@settings(deadline=None, max_examples=40)
@given(plays, st.integers(0, 3))
def test_the_neutral_person_has_no_anomaly(actions: list[int], slot: int) -> None:
    neutral = Profiles(np.full((5, 1), 0.2), {name: np.array([value]) for name, value in constants.NEUTRAL.items()})
    meters = start(1)
    for action in actions:
        meters, _, anomaly = dynamics.step(meters, np.array([action]), slot, neutral, np.zeros(1, dtype=np.intp))
        calm = meters[3] >= constants.NEUTRAL["tolerance"]
        assert not calm.all() or np.allclose(anomaly, 0)


def test_a_batch_is_the_same_as_one_by_one() -> None:
    actions = [3, 0, 2, 7, 4, 1, 9] * 4
    together = lived(begin(range(20)), actions)
    for seed in range(20):
        alone = lived(begin([seed]), actions)
        assert np.array(alone.levels)[:, :, 0] == pytest.approx(np.array(together.levels)[:, :, seed], abs=0)
        assert np.array(alone.rewards)[:, 0] == pytest.approx(np.array(together.rewards)[:, seed], abs=1e-12)


def test_the_same_seed_is_the_same_week_in_another_process() -> None:
    code = "from tests.rhythm_env.test_simulator import fingerprint; print(fingerprint())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == fingerprint()


def fingerprint() -> str:
    weeks = lived(begin([1, 2, 10_003], "in"), [n % 10 for n in range(28)])
    levels = np.round(np.array(weeks.levels), 9).tolist()
    return hashlib.sha256(json.dumps([levels, weeks.events.tolist()]).encode()).hexdigest()


def test_an_archetype_is_a_person_of_the_training_ranges() -> None:
    people = archetypes(list(constants.ARCHETYPES))
    assert people.weights.sum(axis=0) == pytest.approx(1)
    for name, (low, high) in constants.RANGES.items():
        assert (people.traits[name] >= low).all(), name
        assert (people.traits[name] <= high).all(), name


def test_seeds_are_scrambled_and_conditions_are_what_they_say() -> None:
    inside, outside = sampled(range(300), "in"), sampled(range(300), "shifted")
    for name, (low, high) in constants.RANGES.items():
        assert inside.traits[name].min() >= low
        assert inside.traits[name].max() <= high
        beyond = (outside.traits[name] < low) | (outside.traits[name] > high)
        at_zero = (outside.traits[name] == 0) & (low == 0)  # what cannot be less
        assert (beyond | at_zero).all(), name
        assert beyond.mean() > 0.4
    by_remainder = [inside.weights[2, remainder::3].mean() for remainder in range(3)]
    assert max(by_remainder) - min(by_remainder) < 0.06


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 500), st.integers(0, 27))
def test_an_observation_says_nothing_of_who_the_person_is(seed: int, steps: int) -> None:
    """Two people with the same past look the same: nothing but meters, changes, events and rewards is shown."""
    weeks = lived(begin([seed]), [5] * steps)
    seen = observation(weeks, 0)
    assert observation_from_json(json.loads(json.dumps(seen.to_json()))) == seen
    assert not _hidden(weeks) & _digits(seen.to_json())
    leak = seen.to_json() | {"rewards": [float(weeks.people.weights[0, 0])]}
    assert _hidden(weeks) & _digits(leak)


def _hidden(weeks: Weeks) -> set[float]:
    """Return what a life's person is made of, to nine digits: at six, one life in some hundred is equal by chance."""
    people = weeks.people
    values = [*belief_target(people)[:, 0], *people.weights[:, 0], *(of[0] for of in people.traits.values())]
    return {round(float(x), 9) for x in values if 0 < x < 1}


def _digits(shown: object) -> set[float]:
    return {round(x, 9) for x in _numbers(json.loads(json.dumps(shown)))}


def _numbers(value: object) -> list[float]:
    if isinstance(value, dict):
        return [x for inner in value.values() for x in _numbers(inner)]
    if isinstance(value, list):
        return [x for inner in value for x in _numbers(inner)]
    return [value] if isinstance(value, float) else []


def test_crashes_are_counted_and_penalised() -> None:
    weights = np.full((5, 2), 0.2)
    after = np.array([[0.05, 0.5], [0.5, 0.5], [0.5, 0.5], [0.5, 0.5], [0.5, 0.5]])
    rewards = grading.step_reward(np.zeros((5, 2)), after, weights)
    assert rewards == pytest.approx([-constants.CRASH_PENALTY, 0.0])
    parts = grading.components(np.repeat(after[None], 28, axis=0), np.zeros((28, 2)))
    assert parts["crash_free"] == pytest.approx([1 - 28 / 140, 1.0])


def test_adaptation_is_late_minus_early_and_only_where_the_late_half_is_good() -> None:
    rewards = np.array([[-1.0, 0.0, -1.0]] * 14 + [[1.0, 0.0, -0.5]] * 14)
    parts = grading.components(np.full((28, 5, 3), 0.5), rewards)
    assert parts["adaptation"] == pytest.approx([1.0, 0.0, 0.0])


def test_a_belief_is_paid_for_by_its_error() -> None:
    assert grading.belief_mae(np.array([[0.2], [0.5], [1.0]]), np.array([[0.5], [0.5], [0.4]])) == pytest.approx([0.3])
