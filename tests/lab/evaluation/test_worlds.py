"""People who answer by other rules: the contract of a world, and the figures of policies in it."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bridge.domain.guard import Guard
from lab.environments.dynamics import sampled
from lab.evaluation.deployed import Life
from lab.evaluation.guarded import Guarded
from lab.evaluation.trials import FIGURES, Trial, from_json, play, rows, to_json
from lab.evaluation.worlds import NAMES, WORLDS, world
from lab.policies.random import open_policy
from rhythm_env.dynamics import acceptance
from rhythm_env.interface import ActionType, Answer
from tests.commands import bridge

OWN = """
from rhythm_env.interface import ActionType

class Person:
    def __init__(self, rng, profile):
        self.rng, self.profile, self.asked = rng, profile, 0
        self.liked = rng.choice(list(ActionType)).value

    def chance(self, *, week, day, slot, action, feasible, standing):
        assert 0 <= week and 0 <= day <= 6 and 0 <= slot <= 3
        assert action in feasible and action == action.upper() and set(feasible) <= set(standing)
        self.asked += 1
        return 0.9 if action == self.liked else 0.1

    def seen(self, *, week, day, slot, action, feasible, standing):
        return day != 0
"""


def feasible() -> dict[str, float]:
    return dict(zip(NAMES, (0.3 * at - 1.35 for at in range(10)), strict=True))


@pytest.mark.parametrize("name", WORLDS)
def test_every_world_says_a_chance_and_the_same_person_is_the_same(name: str) -> None:
    standing = feasible()
    about: dict[str, Any] = {"week": 1, "day": 5, "slot": 2, "feasible": NAMES, "standing": standing}
    one, same = (world(name)(random.Random(3), sampled([3])) for _ in range(2))
    chances = [one.chance(action=action, **about) for action in NAMES]
    assert all(0 <= chance <= 1 for chance in chances)
    assert [same.chance(action=action, **about) for action in NAMES] == chances


def test_the_simulators_own_world_is_the_simulators_own() -> None:
    person = world("simulated")(random.Random(1), sampled([1]))
    for action, z in feasible().items():
        chance = person.chance(week=0, day=0, slot=0, action=action, feasible=NAMES, standing=feasible())
        assert chance == pytest.approx(float(acceptance(np.array(z))))


def test_a_person_is_asked_once_for_every_advice_and_copies_answer_the_rest(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text(OWN)
    life = Life(4, answers_by=world(str(file)))
    slices = list(life.live(open_policy(), 1))
    assert life._one.person.asked == len(slices) == 28  # type: ignore[union-attr]
    for one in slices:
        assert set(one.chances) == set(one.observation.feasible)
        assert sorted(set(one.chances.values())) in ([0.1, 0.9], [0.1])
        if one.moment.day == 0:
            assert one.answer is Answer.IGNORE
    assert any(one.answer is Answer.ACCEPT for one in slices)


@pytest.mark.parametrize(
    ("name", "told"),
    [("nowhere", "there is no world"), ("gone.py", "there is no file"), ("empty.py", "no class Person")],
)
def test_a_world_that_is_none_is_said(name: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "empty.py").write_text("x = 1")
    where = str(tmp_path / name) if name.endswith(".py") else name
    with pytest.raises(ValueError, match=told):
        world(where)


def test_figures_are_true_chances_of_what_was_advised() -> None:
    policy = Guarded(open_policy(), Guard())
    found = play(Trial(world="tastes", policy="random", seed=2, weeks=2), policy, policy.gives)
    assert set(found) == set(FIGURES)
    assert found["advice_per_day"] <= 3
    assert found["random"] - 0.12 < found["taken_first28"] < found["best"]
    assert math.isnan(found["belief_coverage"])  # it states none
    bare = play(Trial(world="tastes", policy="random", seed=2, weeks=1, bare=True), open_policy(), None)
    assert bare["advice_per_day"] == 4
    assert math.isnan(bare["taken_later"])


def test_rows_are_paired_life_by_life_and_trials_can_be_kept() -> None:
    found = {}
    for policy, add in (("a", 0.0), ("b", 0.25)):
        for seed in range(3):
            trial = Trial(world="tastes", policy=policy, seed=seed, weeks=1)
            figures = dict.fromkeys(FIGURES, seed / 10 + add) | {"belief_coverage": float("nan")}
            kept = from_json(json.loads(json.dumps(to_json(trial, figures))))
            found[kept[0]] = kept[1]
    one, other = rows(found)
    assert (one["policy"], other["policy"]) == ("a", "b")
    assert other["over"]["a"]["taken_later"]["mean"] == pytest.approx(0.25)
    assert other["over"]["a"]["taken_later"]["sd"] == pytest.approx(0)
    assert one["belief_coverage"]["mean"] is None
    assert one["taken_later"]["mean"] == pytest.approx(0.1)


def test_the_command_takes_a_file_and_goes_on_where_it_was(tmp_path: Path) -> None:
    file, kept = tmp_path / "own.py", tmp_path / "kept.jsonl"
    file.write_text(OWN)

    def asked(lives: int) -> list[dict[str, Any]]:
        command = f"evaluate --deployed --answers {file} --policy random,thompson --lives {lives} --weeks 1 --json"
        done = bridge(*command.split(), "--cores", "1", "--kept", str(kept))
        assert done.returncode == 0, done.stderr
        found: list[dict[str, Any]] = json.loads(done.stdout)
        return found

    first = asked(1)
    assert [row["policy"] for row in first] == ["random", "thompson"]
    for row in first:
        for name in FIGURES:
            assert set(row[name]) == {"mean", "sd", "ci95"}
    before = kept.read_text()
    kept.write_text(before + '{"world": "cut o')
    assert [row["lives"] for row in asked(2)] == [2, 2]
    assert kept.read_text().startswith(before)


def test_habits_are_lived_before_the_first_advice() -> None:
    life = Life(1, answers_by=world("habits"), weeks_before=2)
    assert len(life.levels) == 56
    assert len(life._agenda) > 20
    person = life._one.person  # type: ignore[union-attr]
    weights = person.habit(day=0, slot=0)
    chances = [person.chance(week=0, day=0, slot=0, action=a, feasible=NAMES, standing=feasible()) for a in NAMES]
    assert weights.index(max(weights)) == chances.index(max(chances))
    assert len(ActionType) == len(weights)
