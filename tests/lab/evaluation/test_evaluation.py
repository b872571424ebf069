"""Evaluation: paired seeds, the oracle's place, and the command's contract."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bridge import registry
from bridge.domain.errors import SetupError
from lab.cli.figures import give_or_take, ranged
from lab.environments.dynamics import CONDITIONS
from lab.evaluation.grades import best_constant, evaluate, ratio, seeds_of, skills, summary
from lab.marked_documents import put
from tests.commands import bridge

FIGURES = (
    *("final_score", "final_score_without_belief", "belief_mae"),
    *("belief_skill", "reward_vs_oracle", "inference_gain"),
)


@cache
def found(name: str, condition: str = "in", objective: str = "grade") -> dict[str, Any]:
    return evaluate(name, condition, 25, objective=objective, find=registry.policy)


@pytest.mark.slow
@pytest.mark.parametrize("condition", [c if c == "in" else pytest.param(c, marks=pytest.mark.slow) for c in CONDITIONS])
def test_who_knows_the_person_does_best(condition: str) -> None:
    oracle, blind = found("oracle", condition, "reward"), found("planner-no-inference", condition, "reward")
    heuristic, chance = found("heuristic", condition), found("random", condition)
    order = [r["mean_level"]["mean"] for r in (oracle, blind, heuristic, chance)]
    assert order == sorted(order, reverse=True)
    assert oracle["reward_vs_oracle"]["mean"] == pytest.approx(1)
    assert oracle["inference_gain"]["mean"] == pytest.approx(1)
    assert blind["inference_gain"]["mean"] == pytest.approx(0)
    assert chance["reward_vs_oracle"]["mean"] == pytest.approx(0, abs=0.1)
    assert oracle["belief_mae"]["mean"] == 0


@pytest.mark.slow
def test_each_objective_is_best_at_its_own() -> None:
    grade, reward = found("oracle"), found("oracle", objective="reward")
    assert grade["final_score"]["mean"] > reward["final_score"]["mean"]
    assert grade["mean_level"]["mean"] < reward["mean_level"]["mean"]


@pytest.mark.slow
def test_a_belief_is_paid_for_only_when_it_is_stated() -> None:
    silent, constant = found("heuristic"), found("heuristic+constant")
    assert silent["final_score"] == silent["final_score_without_belief"] == constant["final_score_without_belief"]
    paid = constant["final_score"]["mean"] - constant["final_score_without_belief"]["mean"]
    assert paid == pytest.approx(0.2 * (1 - constant["belief_mae"]["mean"]))
    assert silent["belief_mae"] == constant["belief_mae"]
    assert constant["belief_skill"]["mean"] == pytest.approx(0, abs=0.1)


def test_skill_is_one_less_the_absolute_error_over_that_of_the_medians() -> None:
    target = np.array([[0.1, 0.4, 0.5, 0.6, 0.9]] * 3)
    assert [one["mean"] for one in skills(best_constant(target), target).values()] == [0, 0, 0]
    stated = target + np.array([[0.05], [0.1], [0.3]])
    assert [one["mean"] for one in skills(stated, target).values()] == pytest.approx([0.75, 0.5, -0.5])
    body = evaluate("planner+blind", "discrete", 4, objective="reward", find=registry.policy)
    each = [one["mean"] for one in body["belief_skill_at"]["27"].values()]
    assert min(each) <= body["belief_skill"]["mean"] <= max(each)
    assert body["belief_skill_over"][27]["social"] == pytest.approx(each[0])


def test_intervals_of_few_are_students_and_of_one_there_is_none() -> None:
    of_five = summary(np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
    assert of_five["ci95"] == pytest.approx([3 - 2.776 * 0.5**0.5, 3 + 2.776 * 0.5**0.5], abs=0.01)
    one = np.array([0.75])
    for alone in (summary(one), ratio(one, 0 * one, 1 + 0 * one)):
        assert alone["ci95"] == [None, None]
        assert give_or_take(alone) == ranged(alone, ".3f") == "0.750"


def test_seeds_are_disjoint_and_paired() -> None:
    assert not set(seeds_of("in", 5000)) & set(seeds_of("ood", 5000))
    with pytest.raises(ValueError, match="shifted"):
        seeds_of("elsewhere", 3)


def test_the_command_prints_its_contract() -> None:
    done = bridge("evaluate", "--policy", "random", "--condition", "ood", "--episodes", "2", "--json")
    assert done.returncode == 0, done.stderr
    body = json.loads(done.stdout)
    assert (body["policy"], body["condition"], body["episodes"]) == ("random", "ood", 2)
    for name in FIGURES:
        assert set(body[name]) == {"mean", "sd", "ci95"}
        low, high = body[name]["ci95"]
        assert low <= body[name]["mean"] <= high
    done = bridge("evaluate", "--policy", "heuristic", "--episodes", "2", "--plot")
    assert "█" in done.stdout


@pytest.mark.slow
def test_what_inference_is_worth_is_printed_with_its_uncertainty() -> None:
    done = bridge("evaluate", "--policy", "planner", "--episodes", "4", "--json")
    assert done.returncode == 0, done.stderr
    body = json.loads(done.stdout)
    assert set(body["belief_skill_at"]) == {"7", "27"}
    assert set(body["belief_skill_at"]["27"]) == {"social", "morning", "work"}
    assert body["belief_skill_at"]["27"]["work"]["mean"] > 0.9
    assert body["paired_gain"]["over"] == "planner+blind"
    low, high = body["paired_gain"]["final_score"]["ci95"]
    assert low <= body["paired_gain"]["final_score"]["mean"] <= high
    assert 0 < body["ms_per_decision"] < 1000
    shown = bridge("evaluate", "--policy", "heuristic", "--against", "random", "--episodes", "4").stdout
    assert "over random, week by week" in shown
    assert "skill in slot" not in shown


def test_a_planner_can_go_without_its_inference_and_others_have_none() -> None:
    blind = evaluate("planner+blind", "in", 4, objective="reward", find=registry.policy)
    assert blind["belief_stated"]
    assert blind["paired_gain"] is None
    assert blind["belief_skill_at"]["27"]["social"]["mean"] < 0.1
    for command in ("evaluate", "simulate"):
        done = bridge(command, "--policy", "random+blind")
        assert done.returncode == 2
        assert "infers nothing" in done.stderr
        assert "Traceback" not in done.stderr


def test_a_simulated_week_is_printed_step_by_step() -> None:
    done = bridge("simulate", "--policy", "random", "--seed", "5", "--json")
    body = json.loads(done.stdout)
    assert len(body["steps"]) == 28
    again = [sys.executable, "-m", "bridge", "simulate", "--policy", "random", "--seed", "5", "--json"]
    assert body == json.loads(subprocess.check_output(again))  # a process with another seed of its hashes
    assert {"timestep", "day", "slot", "event", "action", "reward", "meters"} <= set(body["steps"][0])
    assert "Mon" in bridge("simulate").stdout


def test_a_deployed_week_shows_what_is_read_beside_what_is_so() -> None:
    body = json.loads(bridge("simulate", "--deployed", "--seed", "4", "--json").stdout)
    assert len(body["steps"]) == 28
    assert {step["answer"] for step in body["steps"]} <= {"ACCEPT", "IGNORE", "RESCHEDULE"}
    assert any(step["seen"]["VITALITY"] != step["hidden"]["VITALITY"] for step in body["steps"])
    assert "accepted" in bridge("simulate", "--deployed").stdout


@pytest.mark.parametrize("wrong", [("--condition", "mars"), ("--policy", "nobody"), ("--objective", "fame")])
def test_what_does_not_exist_is_named(wrong: tuple[str, str]) -> None:
    done = bridge("evaluate", "--episodes", "2", *wrong)
    assert done.returncode == 2
    assert wrong[1] in done.stderr


def test_the_table_goes_between_its_marks(tmp_path: Path) -> None:
    place = tmp_path / "README.md"
    place.write_text("above\n<!-- baselines -->\nold\n<!-- /baselines -->\nbelow\n")
    put(place, "new", mark="baselines")
    assert place.read_text() == "above\n<!-- baselines -->\nnew\n<!-- /baselines -->\nbelow\n"
    place.write_text("nothing")
    with pytest.raises(SetupError, match="baselines"):
        put(place, "new", mark="baselines")
    for nowhere in (tmp_path, tmp_path / "missing" / "README.md"):
        with pytest.raises(SetupError, match="--write FILE"):
            put(nowhere, "new", mark="table")
