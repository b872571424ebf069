"""The network: what it reads, that numpy computes what PyTorch did, what it believes and chooses, what it costs."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from math import exp
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge import registry
from bridge.domain.slots import moment_of
from lab.environments.dynamics import sampled
from lab.evaluation.grades import evaluate
from lab.evaluation.week import Weeks, begin, observation
from lab.policies.network import WEIGHTS, Learned, open_policy
from lab.policies.network.forward import think, weights
from policies.llm.sequence.inputs import read
from policies.llm.sequence.slots import PER_SLOT, PRESENT, weighed
from policies.planner.inference import answered
from rhythm_env.dynamics import ACTIONS
from rhythm_env.interface import ActionType, Answer, Interaction, Meter, MeterState, Observation
from rhythm_env.profiles import belief_target
from tests.pace import paces

GOLDEN = Path(__file__).with_name("network_golden.json")
MONDAY = datetime(2026, 1, 5, 6, tzinfo=UTC)
UNKNOWN = {meter: MeterState(level=0.7, sd=0.21, coverage=0.0) for meter in Meter}
CHANCE = random.Random(0)


def lived(steps: int, seeds: range = range(4), condition: str = "in") -> Weeks:
    weeks = begin(seeds, condition)
    rng = np.random.default_rng(steps)
    for _ in range(steps):
        weeks.advance(rng.integers(0, len(ACTIONS), weeks.n))
    return weeks


def answering(count: int, taken: frozenset[ActionType]) -> Observation:
    """So many answers of somebody who takes only these actions, through meters that say nothing."""
    history = []
    for step in range(count):
        moment = moment_of(MONDAY.date(), step % 28)
        action = ACTIONS[step * 7 % len(ACTIONS)]
        history.append(
            Interaction(
                at=MONDAY + timedelta(hours=6 * step),
                day=moment.day,
                slot=moment.slot,
                levels=dict.fromkeys(Meter, 0.7),
                recommended=action,
                answer=Answer.ACCEPT if action in taken else Answer.IGNORE,
            )
        )
    now = moment_of(MONDAY.date(), count % 28)
    return Observation(timestep=count % 28, day=now.day, slot=now.slot, meters=UNKNOWN, history=tuple(history))


def test_numpy_computes_what_pytorch_computed() -> None:
    for case in json.loads(GOLDEN.read_text(encoding="utf-8")):
        found = think(
            np.array(case["slots"], np.float32).reshape(-1, PER_SLOT),
            np.array(case["now"], np.float32),
            weights(WEIGHTS),
        )
        for name in ("belief", "sd", "scores", "taken"):
            assert getattr(found, name) == pytest.approx(np.array(case[name]), abs=2e-4), name


def test_its_weights_are_small() -> None:
    assert WEIGHTS.stat().st_size < 5_000_000


@pytest.mark.parametrize("step", [0, 1, 6, 7, 20, 27])
def test_reads_the_last_seven_slots_whatever_came_before(step: int) -> None:
    slots, now = read(observation(lived(step), 1))
    assert slots.shape == (min(step, 7), PER_SLOT)
    assert now.shape == (PRESENT,)
    assert np.isfinite(slots).all()
    assert np.isfinite(now).all()


@given(seed=st.integers(0, 10_000), rows=st.integers(1, 7))
@settings(max_examples=40)
def test_weights_are_found_from_what_they_explain(seed: int, rows: int) -> None:
    truth = sampled([seed]).weights[:, 0]
    changes = np.random.default_rng(seed).normal(0, 0.1, (rows, 5))
    found = weighed(changes, changes @ truth)
    mean, sd = found[:5] / 2, found[5:] / 5
    assert mean.sum() == pytest.approx(1, abs=0.02)
    if rows >= 5:
        assert mean == pytest.approx(truth, abs=0.1)
    assert (sd <= weighed(changes[:0], np.zeros(0))[5:] / 5 + 1e-9).all()


def test_nothing_seen_says_nothing_of_the_weights() -> None:
    assert weighed(np.zeros((3, 5)), np.zeros(3))[:5] / 2 == pytest.approx(np.full(5, 0.2), abs=1e-3)


def test_who_answers_is_read_by_their_answers_up_to_thirty_days() -> None:
    for count, read_of in ((5, 5), (119, 119), (140, 120)):
        slots, _ = read(answering(count, frozenset({ActionType.SLEEP})))
        assert slots.shape == (read_of, PER_SLOT)


def test_is_the_same_for_the_same_and_serves_whoever_answers_by_their_own_reward() -> None:
    seen = answering(30, frozenset({ActionType.EXERCISE}))
    assert answered(seen)
    grade, reward = (Learned(objective).decide(seen, CHANCE) for objective in ("grade", "reward"))
    assert grade == reward
    assert reward == open_policy().decide(seen, random.Random(5))


def test_what_was_always_refused_is_liked_less_than_what_was_always_taken() -> None:
    some = frozenset({ActionType.SOCIALIZE, ActionType.FAMILY_TIME})
    work = frozenset({ActionType.DEEP_WORK, ActionType.LEARN})
    social, working = (open_policy().decide(answering(60, taken), CHANCE).scores for taken in (some, work))
    for kind, taken, refused in ((some, social, working), (work, working, social)):
        assert sum(exp(taken[one]) for one in kind) > sum(exp(refused[one]) for one in kind)


def test_a_blind_one_takes_everybody_for_the_same() -> None:
    blind = open_policy().variant(objective="grade", learns=False)  # type: ignore[attr-defined]
    weeks = lived(9, range(6))
    spread = np.std([blind.decide(observation(weeks, i), CHANCE).belief.vector() for i in range(6)], axis=0)
    seeing = [Learned("grade").decide(observation(weeks, i), CHANCE).belief.vector() for i in range(6)]
    assert spread.max() < np.std(seeing, axis=0).max() / 2


@pytest.mark.slow
@pytest.mark.parametrize("condition", ["in", *(pytest.param(c, marks=pytest.mark.slow) for c in ("ood", "discrete"))])
def test_infers_and_plays_well_above_the_heuristic_with_a_constant_belief(condition: str) -> None:
    found = evaluate("network", condition, 40, objective="grade", find=registry.policy, against="heuristic+constant")
    assert found["final_score"]["mean"] > 0.74
    assert found["paired_gain"]["final_score"]["ci95"][0] > 0.05
    assert found["belief_skill"]["mean"] > 0.65
    assert found["ms_per_decision"] < 20  # of a busy machine; its processor time is tested below


def test_its_uncertainty_covers_its_errors() -> None:
    weeks = lived(10, range(200))
    decisions = [Learned("grade").decide(observation(weeks, i), CHANCE) for i in range(weeks.n)]
    means = np.array([one.belief.vector() for one in decisions])
    sds = np.array([one.belief_sd for one in decisions])
    inside = np.abs(means - belief_target(weeks.people).T) < 1.96 * sds
    assert 0.85 <= inside.mean() <= 0.999


def test_decides_quickly_after_thirty_days_of_answers() -> None:
    policy, seen = open_policy(), answering(140, frozenset({ActionType.SLEEP, ActionType.LEARN}))
    assert paces(lambda: policy.decide(seen, CHANCE)) < 8  # 3 or 4: matrices suffer from neighbours, words do not


def test_says_why() -> None:
    decision = open_policy().decide(answering(40, frozenset({ActionType.LEARN})), CHANCE)
    assert "best" in decision.reasons[0]
    assert any("would take it" in reason for reason in decision.reasons)
    assert any("ignored" in reason or "accepted" in reason for reason in decision.reasons)


def test_importing_and_deciding_need_no_pytorch() -> None:
    code = (
        "import sys, random; sys.modules['torch'] = None\n"
        "from lab.policies.network import open_policy\nassert 'numpy' not in sys.modules\n"
        "from lab.evaluation.week import begin, observation\n"
        "open_policy().decide(observation(begin([1]), 0), random.Random(1))"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
