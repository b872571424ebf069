"""Laws that every policy in the folder must keep."""

from __future__ import annotations

import ast
import copy
import random
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import policies
from bridge import registry
from rhythm_env.interface import (
    ActionType,
    Answer,
    Decision,
    Interaction,
    Meter,
    MeterState,
    Observation,
    Slot,
    observation_from_json,
)

FOLDER = Path(policies.__file__).parent
EVERY_POLICY = pytest.mark.parametrize("name", registry.names("policies"))

meters = st.fixed_dictionaries(
    {
        meter: st.builds(
            MeterState, level=st.floats(0, 1), sd=st.floats(0, 0.5), coverage=st.sampled_from([0.0, 0.4, 1.0])
        )
        for meter in Meter
    }
)
interactions = st.builds(
    Interaction,
    at=st.integers(0, 500_000).map(lambda minutes: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)),
    day=st.integers(0, 6),
    slot=st.sampled_from(Slot),
    levels=st.fixed_dictionaries({meter: st.floats(0, 1) for meter in Meter}),
    recommended=st.sampled_from(ActionType),
    answer=st.sampled_from(Answer),
)


@st.composite
def observations(draw: st.DrawFn) -> Observation:
    step = draw(st.integers(0, 27))
    feasible = draw(st.lists(st.sampled_from(ActionType), min_size=1, unique=True))
    return Observation(
        timestep=step,
        day=step // 4,
        slot=Slot(step % 4),
        meters=draw(meters),
        remaining_steps=28 - step,
        reward=draw(st.sampled_from([-1.0, 0.0, 1.0])),
        history=tuple(draw(st.lists(interactions, max_size=3))),
        feasible=tuple(feasible),
    )


def decide(name: str, observation: Observation, seed: int = 1) -> Decision:
    return registry.policy(name).decide(observation, random.Random(seed))


@EVERY_POLICY
def test_is_named_like_its_file_and_versioned(name: str) -> None:
    policy = registry.policy(name)
    assert policy.name == name
    assert policy.version >= 1


@EVERY_POLICY
@settings(deadline=None)
@given(observation=observations(), seed=st.integers(0, 2**32))
def test_decides_legally_repeatably_and_without_touching_its_input(
    name: str, observation: Observation, seed: int
) -> None:
    before = copy.deepcopy(observation)
    decision = decide(name, observation, seed)
    assert observation == before
    assert decision.action in observation.feasible
    assert decision == decide(name, observation_from_json(observation.to_json()), seed)


@EVERY_POLICY
@settings(deadline=None)
@given(observation=observations())
def test_states_what_the_action_was_drawn_from(name: str, observation: Observation) -> None:
    decision = decide(name, observation)
    assert set(decision.scores) == set(decision.probabilities) == set(observation.feasible)
    assert all(0 <= p <= 1 for p in decision.probabilities.values())
    assert sum(decision.probabilities.values()) == pytest.approx(1)
    assert decision.probabilities[decision.action] > 0
    assert decision.reasons
    assert all(reason.strip() for reason in decision.reasons)


@EVERY_POLICY
@pytest.mark.parametrize("step", range(28))
def test_decides_when_nothing_is_known(name: str, step: int) -> None:
    nothing = {meter: MeterState(level=0.7, sd=0.3, coverage=0.0) for meter in Meter}
    observation = Observation(timestep=step, day=step // 4, slot=Slot(step % 4), meters=nothing)
    assert decide(name, observation).action in ActionType


@EVERY_POLICY
@settings(deadline=None, max_examples=25)
@given(observation=observations(), level=st.floats(0, 1))
def test_a_level_that_is_only_assumed_changes_no_advice(name: str, observation: Observation, level: float) -> None:
    """The value of a meter without fresh inputs says nothing about the person."""
    assumed, other = (
        replace(observation, meters=dict.fromkeys(Meter, MeterState(level=at, sd=0.3, coverage=0.0)))
        for at in (0.7, level)
    )
    first, second = decide(name, assumed), decide(name, other)
    assert (first.action, first.scores, first.belief) == (second.action, second.scores, second.belief)


@EVERY_POLICY
@pytest.mark.parametrize("action", ActionType)
def test_takes_the_only_action_there_is(name: str, action: ActionType) -> None:
    levels = {meter: MeterState(level=0.1) for meter in Meter}
    decision = decide(name, Observation(timestep=1, day=0, slot=Slot.AFTERNOON, meters=levels, feasible=(action,)))
    assert decision.action is action
    assert decision.probabilities == {action: pytest.approx(1)}


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.py")), ids=lambda path: path.name)
def test_knows_the_model_interface_and_nothing_of_the_bridge(path: Path) -> None:
    imported: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add((node.module or "").split(".")[0])
    assert not imported & {"bridge", "connectors", "classifiers"}
    if path.parent == FOLDER:
        assert imported <= sys.stdlib_module_names | {"rhythm_env"}
